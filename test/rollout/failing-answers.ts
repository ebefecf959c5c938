/** Deliveries that fail while a second workload is filled, and what becomes of them: what planted bugs must change. */

import { absent } from '../../src/api/known.ts';
import { ladderFiles, ladderRollout } from '../support/ladder.ts';
import { type Found, passed, type Stand, settledOn } from '../support/ladder-pass.ts';
import { after, asked, NEWER, requested } from '../support/ladder-stands.ts';
import { often, outcome, type Rules, ticks, under } from '../support/ladder-ticks.ts';
import { NEW, OLD } from '../support/vllm.ts';

const PARTS = ['replicas: 1, traffic: 5%', 'replicas: 50%, traffic: 20%', 'replicas: 100%'].map(
  (step) => `${step}, pause: {duration: 60}`,
);
const BACK: Rules = { readyDeadlineSeconds: 60, onFailure: 'rollback', drainSeconds: 7200 };
const AWAY: Rules = { ...BACK, onFailure: 'withdraw' };
const canary = (groups: string): Found => ({ sight: { second: groups } });
const fleet = (groups: string): Found => ({ sight: { own: groups } });

/** Every answer that is not the one that is wanted. */
export function wrongAnswers(): readonly string[] {
  const pods = after('step 1/3, pods: canary 0 → 1', requested);
  const second = after('step 2/3, traffic: 5% → 20%', pods);
  const rolling = after('promote, fleet', second);
  const home = after('promote, home', rolling);
  const withdrawn = 'TrafficWithdrawn: step 2/3, traffic withdrawn';
  const restarts = ['', '#2', '#3', '#4'].map((pod) =>
    under({ maxRestarts: 1, onFailure: 'rollback' }, canary(`0+ 1+${pod}`)),
  );
  const parted = asked(passed(settledOn(ladderFiles(ladderRollout('partition', PARTS)))).stand, OLD, NEW);
  const shared = after('step 2/3, traffic: 5% → 20%', parted);
  const late: Found = { sight: { own: '0o+ 1o+ 2- 3+', traffic: { canaryService: absent } } };
  const rows: readonly (readonly [Stand, readonly Found[], wanted: string])[] = [
    [pods, often(under(BACK, canary('0-'))), 'Failed: rollback, home'],
    [pods, often(under(BACK, canary('0u'))), 'hold GroupsNotReady NotServing'],
    [pods, often(under(AWAY, canary('0-'))), 'hold StepFailed GroupsNotReady NotServing'],
    [second, often(under(AWAY, canary('0+ 1-'))), withdrawn],
    [second, often(under(AWAY, { sight: { second: '0+ 1-', own: '0o+ 1o- 2o- 3o-' } })), 'hold StepFailed NotServing'],
    [second, restarts, 'Failed: rollback, home'],
    [rolling, often(under(AWAY, fleet('0- 1+ 2o+ 3o+'))), 'hold StepFailed GroupsNotUpdated'],
    [rolling, often(under(BACK, fleet('0- 1+ 2o+ 3o+'))), 'Failed: rollback, fleet'],
    [rolling, often(under(BACK, fleet('0+ 1+ 2o- 3o+'))), 'hold GroupsNotUpdated BlockedByUnreadyGroup'],
    [home, often(under(BACK, fleet('0- 1+ 2+ 3+'))), 'Failed: rollback, fleet'],
    [shared, often(under(AWAY, fleet('0o+ 1o+ 2- 3+'))), withdrawn],
    [shared, often(under(AWAY, fleet('0o- 1o+ 2- 3+'))), withdrawn],
    [shared, often(under({ applyDeadlineSeconds: 60 }, late)), 'hold StepOverdue GroupsNotReady NotApplied'],
    [asked(home, NEW, NEWER), often(under(BACK, fleet('0- 1+ 2+ 3+'))), 'hold NewerRequestWaits Draining'],
  ];
  const wrong = rows.map(([stand, founds, wanted]) => [outcome(stand, founds), wanted] as const);
  const later = ticks(second, often(under({ readyDeadlineSeconds: 9000 }, canary('0+ 1-')), 3)).stand;
  const step = after('promote, fleet', later, under({ readyDeadlineSeconds: 9000 })).record?.step;
  // Somebody has merged the promotion: no pass of ours has written it.
  const merged = ticks({ ...rolling, record: later.record }, [under({ readyDeadlineSeconds: 9000 })]).stand.record
    ?.step;
  const anew = [step?.waited, merged?.waited].filter((one) => one?.step.ready === 0 && one.delivery.ready > 0);
  return [
    ...wrong.filter(([is, wanted]) => is !== wanted).map(([is, wanted]) => `${is}, not ${wanted}`),
    ...(anew.length === 2 ? [] : ['the promotion goes on with the count of the last step']),
  ];
}
