/** What metrics of a step keep from going on, what their failure leads to, and who has the last word: all strategies. */

import { expect, test } from 'vitest';
import type { PolicyRules } from '../../../src/api/policy-rules.ts';
import { factsDigest, withFactDigests } from '../../../src/reconcile/documents/digests.ts';
import type { AnalysisSeen } from '../../../src/rollout/analysis/seen.ts';
import { sidesOf } from '../../../src/rollout/analysis/sides.ts';
import { proposedStep } from '../../../src/rollout/commits/messages.ts';
import { parseTrailers } from '../../../src/rollout/commits/trailers.ts';
import { plan } from '../../../src/rollout/plan.ts';
import { situationOf } from '../../../src/rollout/situation.ts';
import type { Snapshot } from '../../../src/rollout/snapshot.ts';
import { ladderFiles, ladderRollout } from '../../support/ladder.ts';
import { type Found, passed, type Stand, settledOn, snapshotAt } from '../../support/ladder-pass.ts';
import { after, asked, edited, stands } from '../../support/ladder-stands.ts';
import { often, outcome } from '../../support/ladder-ticks.ts';
import {
  type Answer,
  answered,
  at,
  BLOB,
  chat,
  dated,
  done,
  judged,
  metric,
  whole,
} from '../../support/measured-step.ts';
import { show } from '../../support/planned.ts';
import { NOW, releaseOf, type World, world } from '../../support/snapshot.ts';
import { LWS_FILE, NEW, OLD } from '../../support/vllm.ts';

const loading: World = { ...done, groups: '0:A+ 1:A+ 2:A+ 3:B-', record: {} };
const paused: World = { ...done, rollout: { paused: true } };

const OF_GATEWAY = { name: 'errors', leadsTo: 'rollback', isBound: false, isOfGateway: true } as const;
const NEXT = 'StepReady: step 2/3, partition 3 → 2 => B.2 2/3 floor=2';
const BACKWARD = 'Failed: rollback => A.1 rollback floor=3 aborted=B.2 text A';
const BACK = { onAnalysisFailure: 'rollback' } as const;
const NAMED: World = { ...done, intents: { analysed: `chat@${BLOB}` } };

const ALERTS = { alerts: ['VllmDown', 'KvFull'] } as const;
const UNREADABLE = { kind: 'MetricsUnreadable', why: 'it answered 503' } as const;
const alertedSo = (firing: readonly string[] | undefined): Partial<AnalysisSeen> =>
  firing === undefined ? {} : { alerted: { kind: 'alerts', firing: firing.map((name) => ({ name, times: 2 })) } };
/** With alerts of which these fire; undefined: nobody has asked about them. */
const alerting = (answer: Answer, firing: readonly string[] | undefined, of = '1/3'): readonly AnalysisSeen[] =>
  chat(judged(metric(answer)), of, { ...ALERTS, ...alertedSo(firing) });
/** The same in the last step, where its metric says nothing. */
const silent = (firing: readonly string[] | undefined): readonly AnalysisSeen[] =>
  chat(undefined, '', {
    metrics: [{ name: 'errors', leadsTo: 'rollback', isBound: false }],
    ...ALERTS,
    ...alertedSo(firing),
    of: '3/3',
  });

type Row = readonly [when: string, snapshot: Snapshot, then: string];

test.each<Row>([
  ['no policy names an Analysis', world(done), NEXT],
  ['all have passed', at(done, answered('passed')), NEXT],
  ['nobody was asked', at(done, chat(undefined)), 'hold Analysing'],
  ['another step was asked', at(done, answered('passed', '2/3')), 'hold Analysing'],
  ['the warm-up lasts', at(done, chat({ kind: 'early', from: NOW, until: NOW + 480 })), 'hold Analysing'],
  ['evidence grows', at(done, answered('waiting')), 'hold Analysing'],
  ['undecided', at(done, answered('inconclusive')), 'hold AnalysisInconclusive'],
  ['an alert fires', at(done, alerting('passed', ['VllmDown'])), 'hold AlertFiring'],
  ['an alert that fired is over', at(done, alerting('passed', [])), NEXT],
  [
    'an alert fires, and it is paused',
    at({ ...done, rollout: { paused: true } }, alerting('passed', ['VllmDown'])),
    'hold Paused AlertFiring',
  ],
  ['nobody asked about the alerts', at(done, alerting('passed', undefined)), 'hold Analysing'],
  ['what fired in another step was not asked in this one', at(done, alerting('passed', [], '2/3')), 'hold Analysing'],
  [
    'the alerts cannot be read',
    at(done, chat(judged(metric('passed')), '1/3', { ...ALERTS, alerted: UNREADABLE })),
    'hold MetricsUnreadable',
  ],
  [
    'neither alerts nor metrics can be read: that is said once',
    at(done, chat(UNREADABLE, '1/3', { ...ALERTS, alerted: UNREADABLE })),
    'hold MetricsUnreadable',
  ],
  ['an alert fires, failed, back, named', at(NAMED, alerting('failed', ['VllmDown']), BACK), BACKWARD],
  [
    'an alert fires, back, named: that leads nowhere',
    at(NAMED, alerting('passed', ['VllmDown']), BACK),
    'hold AlertFiring',
  ],
  [
    'an abort while an alert fires',
    at({ ...done, intents: { abort: 'B.2' } }, alerting('passed', ['VllmDown'])),
    'Aborted: rollback => A.1 rollback floor=3 aborted=B.2 text A',
  ],
  ['whole, and an alert fires', at(whole, alerting('passed', ['VllmDown'], '3/3')), 'hold AlertFiring'],
  [
    'whole, an alert fires, and no metric says anything of one version alone',
    at(whole, silent(['VllmDown'])),
    'hold AlertFiring',
  ],
  ['whole, no metric says anything, and nobody asked about the alerts', at(whole, silent(undefined)), 'hold Analysing'],
  ['whole, no metric says anything, and no alert fires', at(whole, silent([])), 'Settled: settled => B.2 stable=main'],
  ['at rest, and an alert fires', at({}, alerting('passed', ['VllmDown'], '')), 'nothing'],
  ['nobody asks anything', at(done, answered('noRequests')), 'hold NoRequests'],
  ['nobody asks anything, and that may pass', at(done, answered('noRequests'), { withoutRequests: 'Pass' }), NEXT],
  [
    'one metric has no requests, another has some',
    at(
      done,
      chat(judged(metric('noRequests'), { ...metric('passed'), name: 'http' }), '1/3', {
        metrics: ['errors', 'http'].map((name) => ({ name, leadsTo: 'rollback', isBound: false })),
      }),
      { withoutRequests: 'Pass' },
    ),
    'hold AnalysisInconclusive',
  ],
  ['a series is missing', at(done, answered('SeriesMissing')), 'hold SeriesMissing'],
  ['a series is there twice', at(done, answered('SeriesTwice')), 'hold SeriesTwice'],
  ['a gateway counts both as one', at(done, answered('SidesNotApart'), BACK), 'hold SidesNotApart'],
  [
    'the provider warns',
    at(done, chat({ kind: 'MetricsUnreadable', why: 'it has warnings' })),
    'hold MetricsUnreadable',
  ],
  ['native histograms', at(done, chat({ kind: 'SeriesUnusable', why: 'native' })), 'hold SeriesUnusable'],
  [
    'there is no such file',
    at(done, chat(undefined, '', { wrong: 'no file has it', metrics: [] })),
    'hold AnalysisMissing',
  ],
  [
    'too many are named',
    at(
      done,
      Array.from({ length: 6 }, () => answered('passed')[0]!),
    ),
    'hold AnalysisMissing',
  ],
  ['a metric that informs', at(done, chat(judged(metric('failed', 'inform')))), NEXT],
  ['both versions are bad', at(done, answered('BothSidesBad'), BACK), 'hold BothSidesBad'],
  ['one group alone is bad', at(done, answered('GroupOutlier'), BACK), 'hold GroupOutlier'],
  ['failed', at(done, answered('failed')), 'hold AnalysisFailed'],
  ['failed, whatever onFailure says', at(done, answered('failed'), { onFailure: 'rollback' }), 'hold AnalysisFailed'],
  ['failed, back, and not named on the Rollout', at(done, answered('failed'), BACK), 'hold AnalysisFailed'],
  [
    'failed, back, named, another blob',
    at({ ...done, intents: { analysed: 'chat@000000000000' } }, answered('failed'), BACK),
    'hold AnalysisFailed',
  ],
  ['failed by little evidence, back, named', at(NAMED, answered('weak'), BACK), 'hold AnalysisFailed'],
  ['failed, named, and only a hold', at(NAMED, answered('failed')), 'hold AnalysisFailed'],
  [
    'failed by a metric that holds, back, named',
    at(NAMED, chat(judged(metric('failed', 'hold'))), BACK),
    'hold AnalysisFailed',
  ],
  ['failed, back, named', at(NAMED, answered('failed'), BACK), BACKWARD],
  [
    'failed while its group loads, back, named',
    at({ ...NAMED, ...loading, intents: NAMED.intents ?? {} }, answered('failed'), BACK),
    'hold GroupsNotReady',
  ],
  [
    'the stable groups are gone: the new one does not serve alone',
    at({ ...NAMED, groups: '3:B+' }, answered('failed'), BACK),
    'hold BlockedByUnreadyGroup Analysing',
  ],
  [
    'paused, failed, back, named',
    at({ ...NAMED, ...paused, intents: NAMED.intents ?? {} }, answered('failed'), BACK),
    'hold AnalysisFailed Paused',
  ],
  [
    'a jump over what has failed',
    at({ ...done, intents: { jump: '3@B.2' } }, answered('failed')),
    'hold AnalysisFailed JumpRefused',
  ],
  [
    'a pause that was approved',
    at({ ...done, steps: '25%! 50% 100%', intents: { approve: '1@B.2#3' } }, answered('waiting')),
    'hold Analysing',
  ],
  [
    'an abort, though nobody answers',
    at({ ...done, intents: { abort: 'B.2' } }, chat(undefined)),
    'Aborted: rollback => A.1 rollback floor=3 aborted=B.2 text A',
  ],
  ['whole, and passed', at(whole, answered('passed', '3/3')), 'Settled: settled => B.2 stable=main'],
  ['whole, and open', at(whole, answered('waiting', '3/3')), 'hold Analysing'],
  [
    'whole, and no metric has a bound for one version alone',
    at(whole, chat(undefined, '', { metrics: [{ name: 'errors', leadsTo: 'rollback', isBound: false }] })),
    'Settled: settled => B.2 stable=main',
  ],
  ['at rest', at({}, chat(undefined)), 'nothing'],
])('%s', (_, snapshot, then) => expect(show(snapshot)).toBe(then));

test('what fires is named, and nothing of it is accepted', () => {
  const [held] = plan(at(done, alerting('passed', ['VllmDown', 'KvFull']))).holds;
  expect(held?.message).toMatch(/^Analysis chat: VllmDown fires 2 times, KvFull fires 2 times\. Look at what fires/);
  expect(held?.message).toContain('tranche abort vllm');
  expect(held?.facts).toBeUndefined();
});

test('what metrics say is said with counts, and what would have gone back', () => {
  const [held] = plan(at(done, answered('failed'), BACK)).holds;
  expect(held?.message).toMatch(/^chat\/errors failed: new 71 of 1200 \(5\.92 %\), stable 0 of 1200 \(0\.00 %\)/);
  expect(held?.message).toContain('It would have gone back');
  expect(held?.facts).toEqual({ step: '1/3', partition: 3, metrics: [`chat/errors chat@${BLOB}`] });
});

test.each(['AnalysisFailed', 'AnalysisInconclusive', 'BothSidesBad', 'GroupOutlier'] as const)(
  '%s: accepted for these metrics of this step and this file, and for nothing else',
  (reason) => {
    const answer = { AnalysisFailed: 'failed', AnalysisInconclusive: 'inconclusive' } as const;
    const kind: Answer = reason in answer ? answer[reason as keyof typeof answer] : (reason as Answer);
    const open = at(done, answered(kind), BACK);
    const facts = plan(open).holds.find((one) => one.reason === reason)?.facts;
    const accept = [{ reason, release: releaseOf('B.2'), facts: factsDigest(facts ?? {}) }];
    const given = (of: Snapshot): string =>
      show(withFactDigests({ ...of, rollout: { ...of.rollout!, intents: { ...of.rollout!.intents, accept } } }));
    expect(given(open)).toBe(NEXT);
    expect(given(at(done, chat(judged(metric(kind)), '1/3', { blob: '000000000000' }), BACK))).toBe(`hold ${reason}`);
    expect(given(at(done, answered(kind), { ...BACK, analysisAccept: 'Refuse' }))).toBe(`hold ${reason}`);
    const refused = plan(at(done, answered(kind), { analysisAccept: 'Refuse' })).holds.find(
      (one) => one.reason === reason,
    );
    expect(refused?.facts).toBeUndefined();
  },
);

// --- Shares: the table of sides, rung by rung.

const ladder = (analyses: readonly AnalysisSeen[], rules: Partial<PolicyRules> = {}, more: Found = {}): Found => ({
  ...more,
  change: (snapshot) => dated(snapshot),
  snapshot: { policy: { surge: 0, sizeChange: 'Refuse', recreate: 'Refuse', ...rules }, analyses },
});
/** Three passes, or the first commit: the first sees the routes accepted, and the second the end of their grace period. */
const told = (stand: Stand, found: Found): string => {
  let now = passed(stand, found);
  for (let pass = 0; pass < 2 && now.plan.commit === undefined; pass += 1) now = passed(now.stand, found);
  return now.told;
};

const PAUSE = 'pause: {duration: 60}';
const BLUE_GREEN = [`replicas: 1, traffic: 5%, ${PAUSE}`, `replicas: 100%, traffic: 50%, ${PAUSE}`];
const green = asked(passed(settledOn(ladderFiles(ladderRollout('blueGreen', BLUE_GREEN)))).stand, OLD, NEW);
const all = after('promote, all: 50% → 100%', green);
const restored = after('promote, route-restored', green);
const ROUTED = ladderFiles(
  ladderRollout('partition', [
    `replicas: 1, traffic: 5%, ${PAUSE}`,
    `replicas: 50%, traffic: 50%, ${PAUSE}`,
    `replicas: 100%, ${PAUSE}`,
  ]),
);
const versions = asked(passed(settledOn(ROUTED)).stand, OLD, NEW);

const AWAY = { onAnalysisFailure: 'withdraw' } as const;
const named: Found = { intents: { analysed: `chat@${BLOB}` } };

const UPDATING: Found = { view: { own: '0:G+ 1:O+ 2:O+ 3:O+' } };

test.each<readonly [what: string, stand: Stand, place: string, seen: Found]>([
  ['canary, with a share', stands.second, '2/3 traffic', {}],
  ['canary, its primary updated', stands.primary, 'promote primary', UPDATING],
  ['blueGreen, with a share', after('step 1/2, traffic: – → 5%', green), '1/2 traffic', {}],
  ['blueGreen, with all requests', all, 'promote all', {}],
])('%s: a failure holds, is withdrawn from, or goes back, as policies say', (_, stand, place, seen) => {
  const failed = answered('failed', place);
  const found = (rules: Partial<PolicyRules>, more?: Found) => told(stand, ladder(failed, rules, { ...more, ...seen }));
  expect(found({})).toMatch(/^hold .*AnalysisFailed/);
  if (place !== 'promote primary') expect(found(AWAY)).toMatch(/^TrafficWithdrawn: /);
  expect(found(BACK, named)).toMatch(/^Failed: rollback/);
  // Not named, a rollback is a withdrawal where there is a share of one's own.
  expect(found(BACK)).not.toMatch(/^Failed/);
  // What is missing, refused or open moves nothing in either direction.
  for (const said of [
    undefined,
    { kind: 'MetricsUnreadable', why: 'it answered 503' },
    judged(metric('SeriesMissing')),
  ] as const)
    expect(told(stand, ladder(chat(said, place), BACK, { ...named, ...seen }))).not.toMatch(
      /^(Failed|TrafficWithdrawn|StepReady|Promoted|Settled)/,
    );
});

test('a share by matches has other users, so that a failure is withdrawn from at most', () => {
  const matches = 'matches: [{headers: [{name: x-canary, value: "1"}]}]';
  const files = ladderFiles(ladderRollout('canary', [`replicas: 1, ${matches}, ${PAUSE}`, `replicas: 2, ${matches}`]));
  let stand = asked(passed(settledOn(files)).stand, OLD, NEW);
  for (let pass = 0, subject = ''; pass < 40 && !/1\/2, traffic/.test(subject); pass += 1) {
    const now = passed(stand, {});
    [stand, subject] = [now.stand, now.plan.commit?.subject ?? ''];
  }
  const failed = answered('failed', '1/2 traffic');
  expect(told(stand, ladder(failed))).toMatch(/^hold .*AnalysisFailed/);
  expect(told(stand, ladder(failed, BACK, named))).toMatch(/^TrafficWithdrawn: /);
});

test('a gateway says something of a share, and nothing where the primary is updated', () => {
  const failed = (place: string) => chat(judged(metric('failed')), place, { metrics: [OF_GATEWAY] });
  expect(told(stands.primary, ladder(failed('promote primary'), BACK, UPDATING))).not.toMatch(/Analys/);
  expect(told(stands.second, ladder(failed('2/3 traffic'), AWAY))).toMatch(/^TrafficWithdrawn/);
});

test('canary, its primary updated: stable groups that are gone do not leave the new version alone', () => {
  const gone: Found = { view: { own: '0:G+' } };
  const failed = answered('failed', 'promote primary');
  expect(told(stands.primary, ladder(failed, BACK, { ...named, ...gone }))).toBe('hold GroupsNotUpdated NotServing');
});

test.each<readonly [what: string, stand: Stand, place: string, then: RegExp]>([
  ['canary, on to the next step', stands.second, '2/3 traffic', /^StepReady: step 3\/3/],
  ['canary, on to its promotion', stands.last, '3/3 traffic', /^Promoted: promote, primary/],
  ['canary, settled', stands.home, 'promote route-restored', /^Settled: /],
  ['blueGreen, on to the next step', after('step 1/2, traffic: – → 5%', green), '1/2 traffic', /^StepReady: step 2\/2/],
  ['blueGreen, settled', restored, 'promote route-restored', /^Settled: /],
])('%s: with a verdict, and not before', (_, stand, place, then) => {
  expect(told(stand, ladder(chat(undefined)))).toMatch(/^hold .*Analysing/);
  expect(told(stand, ladder(answered('waiting', place)))).toMatch(/^hold .*Analysing/);
  expect(told(stand, ladder(answered('failed', place)))).toMatch(/^hold .*AnalysisFailed/);
  expect(told(stand, ladder(alerting('passed', ['VllmDown'], place)))).toMatch(/^hold .*AlertFiring/);
  expect(told(stand, ladder(answered('passed', place)))).toMatch(then);
});

test('metrics that lead back where nothing may go back do not keep a deadline from withdrawing the share', () => {
  const stand = edited(stands.second, LWS_FILE, /(vllm-canary[\s\S]*replicas: )2/, '$13');
  const rules = { ...BACK, onFailure: 'withdraw', readyDeadlineSeconds: 60, drainSeconds: 7200 } as const;
  const found = ladder(answered('failed', '2/3 traffic'), rules, { ...named, view: { second: '0:G+ 1:G- 2:G+' } });
  expect(outcome(stand, often(found))).toBe('TrafficWithdrawn: step 2/3, traffic withdrawn');
});

test('a share counts from when its routes were seen accepted, however long ago one of them was written', () => {
  const found = ladder(chat(undefined));
  const { stand } = passed(passed(stands.second, found).stand, found);
  const snapshot = dated(snapshotAt(stand, found), 90_000);
  const { traffic, workload, now } = snapshot;
  const routes = traffic?.routes.map((one) => ({ ...one, writtenAt: now - 100_000 })) ?? [];
  const situation = situationOf({ ...snapshot, traffic: { ...traffic!, routes } }, workload!);
  const sides = sidesOf(situation, { warmUpSeconds: 0 });
  const since = sides.kind === 'sides' ? sides.sides.canary.map(({ from }) => now - from) : [];
  expect(since.length).toBeGreaterThan(0);
  expect(Math.max(...since)).toBeLessThan(90_000);
});

test('before its share nothing is judged, and a share that was withdrawn is judged by nothing', () => {
  expect(told(stands.pods, ladder(answered('failed', '1/3 pods'), BACK, named))).toMatch(
    /^RungReady: step 1\/3, traffic/,
  );
  const away = passed(stands.second, ladder(answered('failed', '2/3 traffic'), AWAY));
  expect(away.told).toMatch(/^TrafficWithdrawn/);
  expect(told(away.stand, ladder(answered('failed', '2/3 pods'), AWAY))).toBe('hold TrafficWithdrawn');
});

test('partition with routes: its share is judged, version against version', () => {
  const stand = after('step 1/3, traffic: – → 5%', versions);
  expect(told(stand, ladder(chat(undefined)))).toMatch(/^hold .*Analysing/);
  expect(told(stand, ladder(answered('passed', '1/3 traffic')))).toMatch(/^StepReady: step 2\/3/);
  expect(told(stand, ladder(answered('failed', '1/3 traffic'), AWAY))).toMatch(/^TrafficWithdrawn/);
  expect(told(stand, ladder(answered('failed', '1/3 traffic'), BACK, named))).toMatch(/^Failed: rollback/);
});

test('a commit that goes on, or back, names each metric with its verdict and counts', () => {
  const message = (of: Snapshot): string => plan(of).commit?.message ?? '';
  const on = message(at(done, answered('passed')));
  expect(on).toMatch(/\nRollout-Analysis: chat\/errors passed 71\/1200 0\/1200\n$/);
  expect(on.replaceAll('\n', ' ')).toContain('Metrics: chat/errors passed: new 71 of 1200 (5.92 %), stable 0 of 1200');
  expect(parseTrailers(on)?.reason).toBe('StepReady');
  // What changes with each window is left out where people merge it.
  expect(proposedStep(on, 'b'.repeat(40))).toMatch(/\nRollout-Analysis: chat\/errors passed\n$/);
  expect(message(at(NAMED, answered('failed'), BACK))).toMatch(
    /\nRollout-Analysis: chat\/errors failed 71\/1200 0\/1200\n$/,
  );
  expect(message(world(done))).not.toContain('Rollout-Analysis');
});

test('one who wants to know of failures is notified of one by metrics', () => {
  const notifyTo = [{ to: 'prod', as: 'slack', events: ['failed'] }] as const;
  const events = (answer: Answer): string =>
    JSON.stringify(plan({ ...at(done, answered(answer)), notifyTo }).record.notices ?? {});
  expect(events('failed')).toContain('chat/errors failed: new 71 of 1200');
  expect(events('waiting')).not.toContain('chat/errors');
});

test('a record keeps what an Analysis was not asked again, and no metric that no file has', () => {
  const counts = { canary: { n: 1, x: 0 }, stable: { n: 1, x: 0 }, until: NOW };
  const said = ['chat/errors', 'chat/forged', 'other/errors'].map((name) => ({
    name,
    answer: 'passed' as const,
    ...counts,
  }));
  const snapshot = at(done, chat(undefined));
  const { record } = plan(snapshot);
  const again = plan({ ...snapshot, record: { ...record, measured: { of: '1/3', metrics: said } } });
  expect(again.record.measured?.metrics.map(({ name }) => name)).toEqual(['chat/errors']);
});
