/** Policies where a second workload is filled, and what is decided: what the planted bugs of filled-mutants.test.ts change. */

import type { WindowFacts } from '../../src/rollout/snapshot.ts';
import { ladderFiles, ladderRollout } from '../support/ladder.ts';
import { type Found, passed, passes, releaseIn, type Stand, settledOn } from '../support/ladder-pass.ts';
import { after, asked, edited, NEWER, requestedNow, standsNow } from '../support/ladder-rungs.ts';
import { type Rules, under } from '../support/ladder-ticks.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE } from '../support/vllm.ts';

export type Row = readonly [what: string, stand: Stand, rules: Rules, found: Found, told: string];

export const told = (stand: Stand, rules: Rules, found: Found): string => passed(stand, under(rules, found)).told;
const closing = (seconds: number, { now, record }: Stand): Found => {
  const windows: WindowFacts = { open: true, changesAt: now + seconds, shutBy: [] };
  return { snapshot: { windows, record: record === undefined ? undefined : { ...record, loads: [300] } } };
};
/** As it is where nothing but a policy keeps it: its grace and its pause are over. */
const rested = (stand: Stand): Stand => passes(stand, { found: () => ABSENT, most: 4 }).stand;
const ABSENT: Found = { snapshot: { missingPolicies: [{ name: 'a', why: 'absent' }] } };
/** Each container takes this many GPUs. */
export const withGpus = (stand: Stand, gpus: number): Stand =>
  asked(stand, /image: (.*)\n/g, `image: $1\n            resources: {limits: {nvidia.com/gpu: ${gpus}}}\n`);

const edits = (at: Stand): Stand =>
  edited(
    edited(at, ROLLOUT_FILE, 'replicas: 50%, traffic: 20%', 'replicas: 100%, traffic: 20%'),
    ROLLOUT_FILE,
    'replicas: 1, traffic: 5%',
    'replicas: 3, traffic: 5%',
  );
const TEXT = 'StepReady: step 1/3, template: vllm-canary';
const again = 'StepReady: step 2/3, pods: canary 1 → 2';

/** All rows are played when they are asked for, so that a planted bug has its part in where they stand. */
export function canaryRows(stands = standsNow(requestedNow())): readonly Row[] {
  const requested = requestedNow();
  const [first, last] = [rested(stands.traffic), rested(stands.last)];
  const grown = rested(edits(stands.traffic));
  const jump = (index: number): Found => ({ intents: { jump: `${index}@${releaseIn(stands.text)}` } });
  return [
    ['a jump before its first step, too large', requested, { maxStepGroups: 3 }, jump(3), 'hold StepTooLarge'],
    ['a jump, too large', first, { maxStepGroups: 2 }, jump(3), 'hold StepTooLarge'],
    ['a jump as large as may be', first, { maxStepGroups: 3 }, jump(3), 'Jumped: step 3/3, pods: canary 1 → 4'],
    ['a jump in a soak', first, { soakSeconds: 864_000 }, jump(3), 'hold Soaking'],
    ['an edit of its step, too large', grown, { maxStepGroups: 1 }, {}, 'hold StepTooLarge'],
    ['an edit as large as may be', grown, { maxStepGroups: 2 }, {}, 'StepsEdited: step 1/3, pods: canary 1 → 3'],
    ['its next step', first, { maxStepGroups: 1 }, {}, again],
    ['its next step, in time', first, { leaveAtLeastSeconds: 60 }, closing(300, first), again],
    ['its promotion counts as all groups', last, { leaveAtLeastSeconds: 60 }, closing(1199, last), 'hold WindowClosed'],
    ['its promotion, in time', last, { leaveAtLeastSeconds: 60 }, closing(1200, last), 'Promoted: promote, primary'],
    ['its shares are small enough', requested, { maxStepTrafficPercent: 30, maxFirstTrafficPercent: 5 }, {}, TEXT],
    ['its first share is too large', requested, { maxFirstTrafficPercent: 4 }, {}, 'hold ShareTooLarge'],
    ['its last share rises by too much', requested, { maxStepTrafficPercent: 29 }, {}, 'hold ShareTooLarge'],
    ['a share that only a later step breaks', first, { maxStepTrafficPercent: 15 }, {}, again],
    ['its next share rises by too much', first, { maxStepTrafficPercent: 14 }, {}, 'hold ShareTooLarge'],
    ['its next share is not its first', first, { maxFirstTrafficPercent: 1 }, {}, again],
    ['a jump to a share that is too large', first, { maxStepTrafficPercent: 44 }, jump(3), 'hold ShareTooLarge'],
    ['its promotion sends nothing more', last, { maxStepTrafficPercent: 1 }, {}, 'Promoted: promote, primary'],
    ['its promotion, two down at a time', last, { minReadyGroups: 7 }, {}, 'Promoted: promote, primary'],
    [
      'its promotion, and two of the primary are down already',
      last,
      { minReadyGroups: 7 },
      { view: { own: '0:O+ 1:O+ 2:O- 3:O-' } },
      'hold CapacityTooLow',
    ],
  ];
}

const BLUE_GREEN = ['replicas: 1, traffic: 5%', 'replicas: 100%, traffic: 50%'].map(
  (step) => `${step}, pause: {duration: 60}`,
);
const START = 'StepReady: step 1/2, template: vllm-green';

/** A release is asked for, which the second colour takes. */
const blueNow = (): Stand =>
  asked(passed(settledOn(ladderFiles(ladderRollout('blueGreen', BLUE_GREEN)))).stand, OLD, NEW);

export function blueRows(): readonly Row[] {
  const blue = blueNow();
  const blueLast = rested(after('step 2/2, traffic: 5% → 50%', blue));
  const unrouted = edited(blue, ROLLOUT_FILE, ', gateway: {httpRouteName: chat}', '');
  /** Green serves, and the next release goes to the user's own workload. */
  const served = passes(blue).stand;
  const own = settledOn(new Map([[LWS_FILE, served.texts.get(LWS_FILE) ?? '']]));
  const next = asked({ ...served, stable: own.stable, primary: own.primary }, NEW, NEWER);
  return [
    ['its last step is too large', blue, { maxStepGroups: 2 }, {}, 'hold StepTooLarge'],
    ['steps that are small enough', blue, { maxStepGroups: 3 }, {}, START],
    ['its promotion is within the share', blue, { maxStepTrafficPercent: 50 }, {}, START],
    ['its promotion sends too much', blue, { maxStepTrafficPercent: 49 }, {}, 'hold ShareTooLarge'],
    ['it switches, which no route shares out', unrouted, { maxStepTrafficPercent: 99 }, {}, 'hold ShareTooLarge'],
    ['all of it sent too much at the end', blueLast, { maxStepTrafficPercent: 49 }, {}, 'hold ShareTooLarge'],
    ['all of it', blueLast, { maxStepTrafficPercent: 50 }, {}, 'Promoted: promote, all: 50% → 100%'],
    ['the same back to the first colour', next, { maxStepGroups: 2 }, {}, 'hold StepTooLarge'],
    ['a share of the colour that serves', next, { maxStepPercent: 75 }, {}, START.replace('vllm-green', 'vllm')],
    ['a smaller one', next, { maxStepPercent: 74 }, {}, 'hold StepTooLarge'],
    ['both colours take as many GPUs as may be', withGpus(blue, 1), { maxGpus: 16, maxExtraGpus: 8 }, {}, START],
    ['both colours take too many GPUs', withGpus(blue, 1), { maxGpus: 15 }, {}, 'hold GpusOverLimit'],
    ['the second colour takes too many', withGpus(blue, 1), { maxExtraGpus: 7 }, {}, 'hold GpusOverLimit'],
    ['both, back to the first colour', withGpus(next, 1), { maxGpus: 15 }, {}, 'hold GpusOverLimit'],
  ];
}

/** A newer template waits in the file while the second colour takes over. */
function newerRows(): readonly Row[] {
  const newerWaits = asked(after('promote, all: 50% → 100%', blueNow()), NEW, NEWER);
  return [
    [
      'a newer template waits while all requests go over',
      newerWaits,
      {},
      {},
      'hold GracePeriod Draining RequestQueued',
    ],
  ];
}

/** Versions of one workload share the requests. */
const ROUTED_STEPS = [
  'replicas: 1, traffic: 5%, pause: {duration: 60}',
  'replicas: 50%, traffic: 20%, pause: {duration: 60}',
  'replicas: 100%',
];
const SHUT: Found = { snapshot: { windows: { open: false, changesAt: 1, shutBy: [] } } };
const NEXT = 'StepReady: step 2/3, partition 3 → 2';

export function routedRows(): readonly Row[] {
  const routed = asked(passed(settledOn(ladderFiles(ladderRollout('partition', ROUTED_STEPS)))).stand, OLD, NEW);
  const routedFirst = rested(after('step 1/3, traffic: – → 5%', routed));
  const second = after('step 2/3, traffic: 5% → 20%', routedFirst);
  const routedSecond = rested(second);
  const routedJump = (index: number): Found => ({ intents: { jump: `${index}@${releaseIn(second)}` } });
  return [
    ['a step of its plan is too large', routed, { maxStepGroups: 1 }, {}, 'hold StepTooLarge'],
    ['too few would serve', routed, { minReadyPercent: 100 }, {}, 'hold CapacityTooLow'],
    ['the window is shut', routed, {}, SHUT, 'hold WindowClosed'],
    [
      'its shares are small enough',
      routed,
      { maxStepTrafficPercent: 15, maxFirstTrafficPercent: 5 },
      {},
      'StepReady: step 1/3, template',
    ],
    ['its first share is too large', routed, { maxFirstTrafficPercent: 4 }, {}, 'hold ShareTooLarge'],
    ['its second share rises by too much', routed, { maxStepTrafficPercent: 14 }, {}, 'hold ShareTooLarge'],
    ['its next share rises by too much', routedFirst, { maxStepTrafficPercent: 14 }, {}, 'hold ShareTooLarge'],
    ['the last step has none', routedSecond, { maxStepTrafficPercent: 1 }, {}, 'StepReady: step 3/3, route-restored'],
    ['its text goes first', routed, { maxStepGroups: 2, minReadyGroups: 3 }, {}, 'StepReady: step 1/3, template'],
    [
      'a later rung of a step, and the window is shut',
      after('step 1/3, template', routed),
      {},
      SHUT,
      'hold GracePeriod',
    ],
    ['its next step', routedFirst, { maxStepGroups: 1 }, {}, NEXT],
    ['its next step, too few would serve', routedFirst, { minReadyGroups: 4 }, {}, 'hold CapacityTooLow'],
    ['its next step, the window is shut', routedFirst, {}, SHUT, 'hold WindowClosed'],
    [
      'its next step closes too soon',
      routedFirst,
      { leaveAtLeastSeconds: 60 },
      closing(299, routedFirst),
      'hold WindowClosed',
    ],
    ['its next step, in time', routedFirst, { leaveAtLeastSeconds: 60 }, closing(300, routedFirst), NEXT],
    ['a soak', routedFirst, { soakSeconds: 864_000 }, {}, 'hold Soaking'],
    ['a soak, and a jump is ordered', routedFirst, { soakSeconds: 864_000 }, routedJump(3), 'hold Soaking'],
    ['a jump, too large', routedFirst, { maxStepGroups: 2 }, routedJump(3), 'hold StepTooLarge'],
    ['the last step, too large', routedSecond, { maxStepGroups: 1 }, {}, 'hold StepTooLarge'],
    [
      'the last step goes to stable first',
      routedSecond,
      { maxStepGroups: 2 },
      {},
      'StepReady: step 3/3, route-restored',
    ],
  ];
}

/** The rows whose answer is another than wanted, one by one: a planted bug needs the first alone. */
export function* wrongAnswers(): Iterable<string> {
  const stands = standsNow(requestedNow());
  for (const rows of [() => canaryRows(stands), blueRows, newerRows, routedRows])
    for (const [what, stand, rules, found, wanted] of rows()) {
      const seen = told(stand, rules, found);
      if (seen !== wanted) yield `${what}: wanted ${wanted}, got ${seen}`;
    }
  yield* budgetLeft(stands.primary);
}

/** What a rollback of a canary has raised is restored with the commit that ends it. */
function budgetLeft(primary: Stand): readonly string[] {
  const broken: Found = { view: { own: '0:G- 1:G- 2:G- 3:G+' } };
  const raised = passed(primary, { ...broken, intents: { abort: releaseIn(primary) } }).stand;
  const end = passes(raised).stand;
  const [high, low] = [raised, end].map(({ texts }) => /maxUnavailable: (\d+)/.exec(texts.get(LWS_FILE) ?? '')?.[1]);
  return high === '4' && low === '1' ? [] : [`a rollback: wanted maxUnavailable 4, then 1, got ${high}, ${low}`];
}
