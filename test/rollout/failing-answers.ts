/** Deliveries that fail while a second workload is filled, and what becomes of them: what planted bugs must change. */

import { absent } from '../../src/api/known.ts';
import { ladderFiles, ladderRollout } from '../support/ladder.ts';
import { type Found, passed, type Stand, settledOn } from '../support/ladder-pass.ts';
import { after, asked, NEWER, requestedNow } from '../support/ladder-rungs.ts';
import { often, outcome, type Rules, ticks, under } from '../support/ladder-ticks.ts';
import { NEW, OLD } from '../support/vllm.ts';

const PARTS = ['replicas: 1, traffic: 5%', 'replicas: 50%, traffic: 20%', 'replicas: 100%'].map(
  (step) => `${step}, pause: {duration: 60}`,
);
const BACK: Rules = { readyDeadlineSeconds: 60, onFailure: 'rollback', drainSeconds: 7200 };
const AWAY: Rules = { ...BACK, onFailure: 'withdraw' };
const canary = (groups: string): Found => ({ view: { second: groups } });
const primary = (groups: string): Found => ({ view: { own: groups } });

const withdrawn = 'TrafficWithdrawn: step 2/3, traffic withdrawn';
const restarts = ['', '#2', '#3', '#4'].map((pod) =>
  under({ maxRestarts: 1, onFailure: 'rollback' }, canary(`0:G+ 1:G+${pod}`)),
);
const late: Found = { view: { own: '0:O+ 1:O+ 2:G- 3:G+', traffic: { canaryService: absent } } };

/** Played when it is asked for, so that a planted bug has its part in it. */
function standsOfNow() {
  const pods = after('step 1/3, pods: canary 0 → 1', requestedNow());
  const second = after('step 2/3, traffic: 5% → 20%', pods);
  const rolling = after('promote, primary', second);
  const home = after('promote, route-restored', rolling);
  const parted = asked(passed(settledOn(ladderFiles(ladderRollout('partition', PARTS)))).stand, OLD, NEW);
  const shared = after('step 2/3, traffic: 5% → 20%', parted);
  return { pods, second, rolling, home, shared };
}

type Stands = ReturnType<typeof standsOfNow>;

const rowsOf = ({
  pods,
  second,
  rolling,
  home,
  shared,
}: Stands): readonly (readonly [Stand, readonly Found[], wanted: string])[] => [
  [pods, often(under(BACK, canary('0:G-'))), 'Failed: rollback, route-restored'],
  [pods, often(under(BACK, canary('0:Gu'))), 'hold GroupsNotReady NotServing'],
  [pods, often(under(AWAY, canary('0:G-'))), 'hold StepFailed GroupsNotReady NotServing'],
  [second, often(under(AWAY, canary('0:G+ 1:G-'))), withdrawn],
  [
    second,
    often(under(AWAY, { view: { second: '0:G+ 1:G-', own: '0:O+ 1:O- 2:O- 3:O-' } })),
    'hold StepFailed NotServing',
  ],
  [second, restarts, 'Failed: rollback, route-restored'],
  [rolling, often(under(AWAY, primary('0:G- 1:G+ 2:O+ 3:O+'))), 'hold StepFailed GroupsNotUpdated'],
  [rolling, often(under(BACK, primary('0:G- 1:G+ 2:O+ 3:O+'))), 'Failed: rollback, primary'],
  [rolling, often(under(BACK, primary('0:G+ 1:G+ 2:O- 3:O+'))), 'hold GroupsNotUpdated BlockedByUnreadyGroup'],
  [home, often(under(BACK, primary('0:G- 1:G+ 2:G+ 3:G+'))), 'Failed: rollback, primary'],
  [shared, often(under(AWAY, primary('0:O+ 1:O+ 2:G- 3:G+'))), withdrawn],
  [shared, often(under(AWAY, primary('0:O- 1:O+ 2:G- 3:G+'))), withdrawn],
  [shared, often(under({ applyDeadlineSeconds: 60 }, late)), 'hold StepOverdue GroupsNotReady NotApplied'],
  [asked(home, NEW, NEWER), often(under(BACK, primary('0:G- 1:G+ 2:G+ 3:G+'))), 'hold NewerRequestWaits Draining'],
];

/** Every answer that is not the one that is wanted, one by one: a planted bug needs the first alone. */
export function* wrongAnswers(): Iterable<string> {
  const stands = standsOfNow();
  for (const [stand, founds, wanted] of rowsOf(stands)) {
    const is = outcome(stand, founds);
    if (is !== wanted) yield `${is}, not ${wanted}`;
  }
  yield* countGoesOn(stands);
}

/** A promotion waits with a count of its own, also where somebody has merged it and no pass of ours has written it. */
function countGoesOn({ second, rolling }: Stands): readonly string[] {
  const later = ticks(second, often(under({ readyDeadlineSeconds: 9000 }, canary('0:G+ 1:G-')), 3)).stand;
  const step = after('promote, primary', later, under({ readyDeadlineSeconds: 9000 })).record?.step;
  const merged = ticks({ ...rolling, record: later.record }, [under({ readyDeadlineSeconds: 9000 })]).stand.record
    ?.step;
  const fresh = [step?.waited, merged?.waited].filter((one) => one?.step.ready === 0 && one.delivery.ready > 0);
  return fresh.length === 2 ? [] : ['the promotion goes on with the count of the last step'];
}
