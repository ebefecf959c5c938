/** What policies hold back, in every row that they reach: who says so, and what goes on all the same. */

import { expect, test } from 'vitest';
import { factsDigest, withFactDigests } from '../../../src/reconcile/documents/digests.ts';
import { exceptionsIn } from '../../../src/rollout/commits/trailers.ts';
import { plan, recordWritten } from '../../../src/rollout/plan.ts';
import type { Snapshot, WindowFacts } from '../../../src/rollout/snapshot.ts';
import { planned, type Row, show } from '../../support/planned.ts';
import { NOW, type World, world } from '../../support/snapshot.ts';

const OLD = '0:A+ 1:A+ 2:A+ 3:A+';
/** Ada has asked for B. */
const asked: World = { text: 'B', groups: OLD, record: {} };
/** Step 1 of three is done, its pause over. */
const one: World = {
  ...asked,
  marks: 'B.2 1/3 floor=3',
  p: 3,
  groups: '0:A+ 1:A+ 2:A+ 3:B+',
  record: { doneAgo: 100_000 },
};
const shut: WindowFacts = {
  open: false,
  changesAt: NOW + 3600,
  shutBy: [{ policy: 'freeze', file: 'policies/freeze.yaml', line: 7, field: 'deny' }],
};
/** Half a minute ago. */
const soaked: World = { ...one, record: { doneAgo: 30 } };
const whole: World = {
  ...soaked,
  marks: 'B.2 3/3 floor=0',
  p: 1_000_000,
  groups: '0:B+ 1:B+ 2:B+ 3:B+',
};
const absent = [{ name: 'production', why: 'absent' }] as const;

const step1 = 'StepReady: step 1/3, partition 1000000 → 3 => B.2 1/3 floor=3';
const step2 = 'StepReady: step 2/3, partition 3 → 2 => B.2 2/3 floor=2';
const aborted: World = { ...one, intents: { abort: 'B.2' } };
const surging: World = { ...asked, surge: 1 };
const step0 = 'SurgePrepared: step 0/3, partition 1000000 → 4 => B.2 0/3 floor=4';

test.each<Row>([
  ['every step is small enough', { ...asked, rules: { maxStepGroups: 2 } }, step1],
  ['the second step is too large', { ...asked, rules: { maxStepGroups: 1 } }, 'hold StepTooLarge'],
  ['a share of four', { ...asked, rules: { maxStepPercent: 50 } }, step1],
  ['a smaller share', { ...asked, rules: { maxStepPercent: 49 } }, 'hold StepTooLarge'],
  [
    'a share of less than one group',
    { ...asked, steps: '1 2 3 4', rules: { maxStepPercent: 1 } },
    'StepReady: step 1/4, partition 1000000 → 3 => B.2 1/4 floor=3',
  ],
  ['a small first step, whatever comes later', { ...asked, rules: { maxFirstStepGroups: 1 } }, step1],
  ['a first step of two', { ...asked, steps: '50% 100%', rules: { maxFirstStepGroups: 1 } }, 'hold StepTooLarge'],
  [
    'a jump over the first',
    { ...asked, intents: { jump: '2@B.2' }, rules: { maxFirstStepGroups: 1 } },
    'hold StepTooLarge',
  ],
  [
    'the first after extra groups',
    { ...surging, steps: '50% 100%', rules: { maxFirstStepGroups: 1 } },
    'hold StepTooLarge',
  ],
  ['the plan after extra groups', { ...surging, rules: { maxStepGroups: 1 } }, 'hold StepTooLarge'],
  ['one may be down', { ...asked, rules: { maxUnavailableGroups: 1 } }, step1],
  ['two may be down', { ...asked, u: 2, rules: { maxUnavailableGroups: 1 } }, 'hold BudgetTooLarge'],
  ['three of four must serve', { ...asked, rules: { minReadyGroups: 3 } }, step1],
  ['all must serve, and no surge', { ...asked, rules: { minReadyPercent: 100 } }, 'hold CapacityTooLow'],
  ['all must serve, and a surge', { ...surging, rules: { minReadyPercent: 100 } }, step0],
  ['more than there are must serve', { ...surging, rules: { minReadyGroups: 5 } }, 'hold CapacityTooLow'],
  ['76 % of four are four', { ...asked, rules: { minReadyPercent: 76 } }, 'hold CapacityTooLow'],
  ['75 % of four are three', { ...asked, rules: { minReadyPercent: 75 } }, step1],
  [
    'a group is not ready, and two may be down',
    { ...asked, u: 2, groups: '0:A- 1:A+ 2:A+ 3:A+', rules: { minReadyGroups: 3 } },
    'hold CapacityTooLow',
  ],
  ['the window is open', { ...asked, windows: { open: true, shutBy: [] } }, step1],
  ['the window is shut', { ...asked, windows: shut }, 'hold WindowClosed'],
  [
    'it closes too soon',
    { ...asked, windows: { open: true, changesAt: NOW + 899, shutBy: [] }, rules: { leaveAtLeastSeconds: 900 } },
    'hold WindowClosed',
  ],
  [
    'it closes soon enough',
    { ...asked, windows: { open: true, changesAt: NOW + 900, shutBy: [] }, rules: { leaveAtLeastSeconds: 900 } },
    step1,
  ],
  [
    'it closes before the slowest group is there',
    {
      ...asked,
      windows: { open: true, changesAt: NOW + 900, shutBy: [] },
      rules: { leaveAtLeastSeconds: 60 },
      record: { loads: [901, 300] },
    },
    'hold WindowClosed',
  ],
  [
    'it closes just after the slowest',
    {
      ...asked,
      windows: { open: true, changesAt: NOW + 901, shutBy: [] },
      rules: { leaveAtLeastSeconds: 60 },
      record: { loads: [901, 300] },
    },
    step1,
  ],
  [
    'it closes before two of them, one after the other',
    {
      ...asked,
      steps: '50% 100%',
      u: 2,
      windows: { open: true, changesAt: NOW + 901, shutBy: [] },
      rules: { leaveAtLeastSeconds: 60 },
      record: { loads: [901, 300] },
    },
    'hold WindowClosed',
  ],
  [
    'it closes before two of them, at a time',
    {
      ...asked,
      steps: '50% 100%',
      u: 2,
      live: { gate: 2 },
      windows: { open: true, changesAt: NOW + 901, shutBy: [] },
      rules: { leaveAtLeastSeconds: 60 },
      record: { loads: [901, 300] },
    },
    'StepReady: step 1/2, partition 1000000 → 2 => B.2 1/2 floor=2',
  ],
  [
    'the window is shut, withdrawn',
    { ...asked, windows: shut, intents: { abort: 'B.2' } },
    'RequestWithdrawn: withdraw => A.1 aborted=B.2 text A',
  ],
  ['nobody is in progress', { ...asked, rules: { maxDeliveriesPerNamespace: 1 } }, step1],
  [
    'a deadline is shorter than the soak',
    { ...asked, rules: { readyDeadlineSeconds: 59, soakSeconds: 60 } },
    'hold PoliciesContradict',
  ],
  ['a deadline as long as the soak', { ...asked, rules: { readyDeadlineSeconds: 60, soakSeconds: 60 } }, step1],
  [
    'in a step, a deadline is shorter than the soak',
    { ...one, rules: { readyDeadlineSeconds: 59, soakSeconds: 60 } },
    step2,
  ],
  [
    'another is in progress',
    { ...asked, rules: { maxDeliveriesPerNamespace: 1 }, underWay: ['llm/chat (1/2)'] },
    'hold NotItsTurn',
  ],
  [
    'another is in progress, and two may',
    { ...asked, rules: { maxDeliveriesPerNamespace: 2 }, underWay: ['llm/chat (1/2)'] },
    step1,
  ],
  ['as many GPUs as allowed', { ...asked, rules: { maxGpus: 64 } }, step1],
  ['one GPU too many', { ...asked, rules: { maxGpus: 63 } }, 'hold GpusOverLimit'],
  ['an extra group takes too many GPUs', { ...surging, rules: { maxExtraGpus: 15 } }, 'hold GpusOverLimit'],
  ['an extra group that is allowed', { ...surging, rules: { maxGpus: 80, maxExtraGpus: 16 } }, step0],
  ['an extra group over all GPUs', { ...surging, rules: { maxGpus: 79 } }, 'hold GpusOverLimit'],
  ['a required policy is absent', { ...asked, missingPolicies: absent }, 'hold PolicyMissing'],
  [
    'aborted, and one is absent',
    { ...asked, missingPolicies: absent, intents: { abort: 'B.2' } },
    'RequestWithdrawn: withdraw => A.1 aborted=B.2 text A',
  ],
])('requested, %s', (_, of, then) => expect(planned(of)).toBe(then));

test.each<Row>([
  ['a limit that the next step keeps', { ...one, rules: { maxStepGroups: 1 } }, step2],
  ['a limit that only the last step breaks', { ...one, steps: '25%/0 50%/0 100%', rules: { maxStepGroups: 1 } }, step2],
  [
    'a limit on the first step',
    { ...one, steps: '1/0 4', rules: { maxFirstStepGroups: 1 }, marks: 'B.2 1/2 floor=3' },
    'StepReady: step 2/2, partition 3 → 0 => B.2 2/2 floor=0',
  ],
  [
    'others are in progress as well',
    { ...one, rules: { maxDeliveriesPerNamespace: 1 }, underWay: ['llm/chat (1/2)'] },
    step2,
  ],
  [
    'a jump that is too large',
    { ...one, intents: { jump: '3@B.2' }, rules: { maxStepGroups: 2 } },
    'hold StepTooLarge',
  ],
  [
    'an edited plan that is too large',
    {
      ...one,
      steps: '100%/0 100% 100%',
      record: { doneAgo: 100_000, steps: '25%/0 50%! 100%' },
      rules: { maxStepGroups: 2 },
    },
    'hold StepTooLarge',
  ],
  [
    'a group is down, and three must serve',
    { ...one, u: 2, groups: '0:A- 1:A+ 2:A+ 3:B+', rules: { minReadyGroups: 3 } },
    'hold CapacityTooLow',
  ],
  [
    'the same, aborted',
    {
      ...aborted,
      u: 2,
      groups: '0:A- 1:A+ 2:A+ 3:B+',
      rules: { minReadyGroups: 4, maxStepGroups: 1, maxUnavailableGroups: 1, maxGpus: 0 },
    },
    'Aborted: rollback => A.1 rollback floor=3 aborted=B.2 text A',
  ],
  [
    'the extra groups are in place, and all must serve',
    {
      ...one,
      n: 5,
      marks: 'B.2 1/3 floor=3 r=4>5',
      groups: '0:A+ 1:A+ 2:A+ 3:B+ 4:B+',
      surge: 1,
      rules: { minReadyPercent: 100, maxGpus: 80 },
    },
    'StepReady: step 2/3, partition 3 → 2 => B.2 2/3 floor=2 r=4>5',
  ],
  [
    'the extra groups are in place, over the GPUs',
    {
      ...one,
      n: 5,
      marks: 'B.2 1/3 floor=3 r=4>5',
      groups: '0:A+ 1:A+ 2:A+ 3:B+ 4:B+',
      surge: 1,
      rules: { maxExtraGpus: 15 },
    },
    'hold GpusOverLimit',
  ],
  [
    'a newer template, whose plan is too large',
    { ...one, text: 'C', groups: '0:A+ 1:A+ 2:A+ 3:B+', p: 4, rules: { maxStepGroups: 1 } },
    'hold StepTooLarge',
  ],
  ['the soak is over', { ...soaked, rules: { soakSeconds: 30 } }, step2],
  ['the soak is not over', { ...soaked, rules: { soakSeconds: 31 } }, 'hold Soaking'],
  [
    'the soak is not over, and someone approves',
    { ...soaked, intents: { approve: '1@B.2' }, rules: { soakSeconds: 31 } },
    'hold Soaking',
  ],
  [
    'the soak is not over, and a jump is ordered',
    { ...soaked, intents: { jump: '3@B.2' }, rules: { soakSeconds: 31 } },
    'hold Soaking',
  ],
  [
    'the soak is not over, aborted',
    { ...soaked, intents: { abort: 'B.2' }, rules: { soakSeconds: 31 } },
    'Aborted: rollback => A.1 rollback floor=3 aborted=B.2 text A',
  ],
  ['the final soak is of the end', { ...soaked, rules: { finalSoakSeconds: 31 } }, step2],
  ['the final soak is not over', { ...whole, rules: { finalSoakSeconds: 31 } }, 'hold Soaking'],
  ['the final soak is over', { ...whole, rules: { finalSoakSeconds: 30 } }, 'Settled: settled => B.2 stable=main'],
  [
    'the soak of each step is that of the last',
    { ...whole, rules: { soakSeconds: 31, finalSoakSeconds: 30 } },
    'hold Soaking',
  ],
  ['seen done for the first time', { ...one, record: {}, rules: { soakSeconds: 31 } }, 'hold PauseDuration Soaking'],
  ['the window is shut', { ...one, windows: shut }, 'hold WindowClosed'],
  [
    'the window is shut, aborted',
    { ...aborted, windows: shut },
    'Aborted: rollback => A.1 rollback floor=3 aborted=B.2 text A',
  ],
  [
    'the window is shut, all are through',
    { ...one, marks: 'B.2 3/3 floor=0', p: 1_000_000, groups: '0:B+ 1:B+ 2:B+ 3:B+', windows: shut },
    'Settled: settled => B.2 stable=main',
  ],
  ['a required policy is absent', { ...one, missingPolicies: absent }, 'hold PolicyMissing'],
  [
    'aborted, and one is absent',
    { ...one, missingPolicies: absent, intents: { abort: 'B.2' } },
    'Aborted: rollback => A.1 rollback floor=3 aborted=B.2 text A',
  ],
])('in a step, %s', (_, of, then) => expect(planned(of)).toBe(then));

/** Step 1 was written under these policies; of them these are there now. */
function governed(of: World, was: readonly string[] | undefined, governing?: readonly string[]): Snapshot {
  const snapshot = world(of);
  const { record } = snapshot;
  const step = record?.step === undefined ? undefined : { ...record.step, policies: was };
  const made = {
    ...snapshot,
    record: record && { ...record, step },
    ...(governing === undefined ? {} : { governing }),
  };
  return withFactDigests(made);
}
test.each<readonly [when: string, snapshot: Snapshot, then: string]>([
  ['the policies that governed it are there', governed(one, ['a@1', 'b@1'], ['b@1', 'a@1']), step2],
  ['one of them was edited', governed(one, ['a@1'], ['a@2']), step2],
  ['another one has come', governed(one, ['a@1'], ['a@1', 'b@1']), step2],
  ['none governed it', governed(one, undefined, ['a@1']), step2],
  ['a policy that governed it is gone', governed(one, ['a@1', 'b@1'], ['b@1']), 'hold PolicyGone'],
  ['all that governed it are gone', governed(one, ['a@1', 'b@1']), 'hold PolicyGone'],
  ['one is gone, aborted', governed(aborted, ['a@1']), 'Aborted: rollback => A.1 rollback floor=3 aborted=B.2 text A'],
  ['one is gone, all are through', governed(whole, ['a@1']), 'hold PolicyGone'],
  [
    'one is gone while all go',
    governed({ ...whole, p: 0 }, ['a@1']),
    'Locked: step 3/3, locked, partition 0 → 1000000 => B.2 3/3 floor=0',
  ],
])('in a step, %s', (_, snapshot, then) => expect(show(snapshot)).toBe(then));

test('someone lets a policy go by its name and blob, and the next step is written without it', () => {
  const gone = governed(one, ['a@1', 'b@1'], ['b@1']);
  const release = gone.workload?.workload.marks?.release;
  if (gone.rollout === undefined || release === undefined) throw new Error('no Rollout');
  const [held] = plan(gone).holds;
  expect(held?.message).toContain(
    'so no more: a@1. Put it back, or go on without: tranche approve vllm --hold PolicyGone',
  );
  const accept = [{ reason: 'PolicyGone', release, facts: factsDigest(held?.facts ?? {}) } as const];
  const rollout = { ...gone.rollout, intents: { ...gone.rollout.intents, accept } };
  const letGo = withFactDigests({ ...gone, rollout });
  expect(show(letGo)).toBe(step2);
  expect(recordWritten(plan(letGo)).step?.policies).toEqual(['b@1']);
  const more = withFactDigests({ ...governed(one, ['a@1', 'b@1']), rollout });
  expect(show(more)).toBe('hold PolicyGone');
});

test('a freeze under which a newer template takes over may go again', () => {
  const newer: World = { ...one, text: 'C', groups: '0:A+ 1:A+ 2:A+ 3:C+', windows: shut };
  const made = plan(governed(newer, ['a@1'], ['a@1', 'freeze@1']));
  expect(made.commit?.reason).toBe('Superseded');
  expect(recordWritten(made).step?.policies).toEqual(['a@1']);
});

test('a commit names policies that are others than when the last step was written', () => {
  const messageOf = (was: readonly string[], now: readonly string[]): string | undefined =>
    plan(governed(one, was, now)).commit?.message.replaceAll('\n', ' ');
  expect(messageOf(['a@1', 'b@1'], ['a@2', 'b@1', 'c@1'])).toContain(
    'RolloutPolicies since the last step, as of 999999999999: a was edited (1 → 2), c is new.',
  );
  expect(messageOf(['a@1'], ['a@1'])).not.toContain('since the last step');
});

test('what locks keeps the policies of the step', () => {
  const locks = plan(governed({ ...whole, p: 0 }, ['a@1']));
  expect(recordWritten(locks).step?.policies).toEqual(['a@1']);
});

test('the clock is off: no window counts as open, and what has no windows goes on', () => {
  const open = { open: true, shutBy: [] };
  const off = (of: World, clockOffSeconds: number): string => show({ ...world(of), clockOffSeconds });
  expect(off({ ...asked, windows: open }, 121)).toBe('hold ClockSkew');
  expect(off({ ...one, windows: open }, -121)).toBe('hold ClockSkew');
  expect(off(asked, 121)).toBe(step1);
  expect(off({ ...aborted, windows: open }, 121)).toBe('Aborted: rollback => A.1 rollback floor=3 aborted=B.2 text A');
  const [hold] = plan({ ...world({ ...asked, windows: open }), clockOffSeconds: -3600 }).holds;
  expect(hold?.message).toContain('The clock of this machine is 3600 s ahead of those of the servers that it asks');
});

test.each<readonly [missing: NonNullable<World['missingPolicies']>[number], said: string]>([
  [{ name: 'prod', why: 'absent' }, 'there is no prod on the configured paths.'],
  [{ name: 'prod', why: 'absent', near: 'production' }, 'there is no prod on the configured paths, but production.'],
  [{ name: 'prod', why: 'unmatched', place: 'a.yaml:6' }, 'prod (a.yaml:6) does not mean this one.'],
  [{ name: 'prod', why: 'wrong', place: 'a.yaml:6' }, 'prod (a.yaml:6) cannot be read.'],
])('PolicyMissing says of %j: %s', (missing, said) => {
  const [hold] = plan(world({ ...asked, missingPolicies: [missing] })).holds;
  expect(hold?.message).toContain(`tranche.yaml requires policies for every Rollout: ${said} Mend the policy`);
});

test('WindowClosed says who keeps it shut, when it opens, and looks again then', () => {
  const [hold] = plan(world({ ...asked, windows: shut })).holds;
  expect(hold?.message).toContain(
    'RolloutPolicy freeze (policies/freeze.yaml:7, deny) lets no step of bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.2 start now; the next window opens at 2025-06-15T16:06:40Z',
  );
  expect(hold?.requeueAfterSeconds).toBe(3600);
  const [never] = plan(world({ ...asked, windows: { open: false, shutBy: shut.shutBy } })).holds;
  expect(never?.message).toContain('no window opens within 400 days');
  const unknown = { open: false, sameUntil: NOW + 3600, shutBy: shut.shutBy };
  const [later] = plan(world({ ...asked, windows: unknown })).holds;
  expect(later?.message).toContain('no window opens before 2025-06-15T16:06:40Z');
  const open = { open: true, sameUntil: NOW + 3600, shutBy: [] };
  const [leave] = plan(world({ ...asked, windows: open, rules: { leaveAtLeastSeconds: 3601 } })).holds;
  expect(leave?.message).toContain('Write fewer and longer windows');
  expect(plan(world({ ...asked, windows: open, rules: { leaveAtLeastSeconds: 3600 } })).holds).toEqual([]);
});

test('a rollback says what it exceeds', () => {
  const broken = {
    ...aborted,
    groups: '0:A+ 1:A+ 2:A+ 3:B-',
    live: { gate: 1 },
    rules: { maxUnavailableGroups: 1, minReadyPercent: 100 },
  };
  const said = plan(world(broken)).commit?.message.replaceAll(/\s+/g, ' ');
  expect(said).toContain(
    'axUnavailable is more than the 1 that RolloutPolicy production (policies/production.yaml:6) allows, and fewer serve than the 100 % that RolloutPolicy production (policies/production.yaml:7) wants: a rollback is not held to that.',
  );
  expect(
    plan(world({ ...broken, rules: { maxUnavailableGroups: 2, minReadyPercent: 75 } })).commit?.message,
  ).not.toContain('not held');
});

test('who is in the rollback is not told to abort', () => {
  const { turns = [], ...snapshot } = world({
    ...asked,
    rules: { maxDeliveriesPerNamespace: 1 },
    underWay: ['llm/chat'],
  });
  const told = (goingBack: number) =>
    plan({ ...snapshot, turns: turns.map((turn) => ({ ...turn, goingBack })) }).holds[0];
  expect(told(1)).toMatchObject({ reason: 'NotItsTurn', waits: 'groups' });
  expect(told(0)?.message).toContain('tranche abort');
});

test('a commit says by whose exception it passes windows that are shut', () => {
  const by = [{ policy: 'freeze', file: 'policies/freeze.yaml', line: 9, approver: 'Ana', until: NOW + 600 }];
  const excepted = [
    { release: 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.2', open: true, changesAt: NOW + 600, shutBy: [], by },
  ];
  const said =
    'The windows are shut for other releases: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.2 has an exception in RolloutPolicy freeze (policies/freeze.yaml:9), approved by Ana, until 2025-06-15T';
  const messageOf = (windows: WindowFacts): string | undefined =>
    plan(world({ ...asked, windows })).commit?.message.replaceAll('\n', ' ');
  expect(messageOf({ ...shut, excepted })).toContain(said);
  expect(messageOf({ ...shut, excepted })).toMatch(/ Rollout-Exceptions: freeze by Ana until 2025-06-15T\S+Z $/);
  expect(exceptionsIn(plan(world({ ...asked, windows: { ...shut, excepted } })).commit?.message ?? '')).toEqual([
    expect.stringMatching(/^freeze by Ana until 2025-06-15T\S+Z$/),
  ]);
  // Where they are open for everybody the exception lets nothing through.
  expect(messageOf({ open: true, shutBy: [], excepted })).not.toContain('exception');
});

test('a rollback says which gates of policies and people it is not held by', () => {
  const messageOf = (of: World): string | undefined => plan(world(of)).commit?.message.replaceAll('\n', ' ');
  expect(messageOf(aborted)).not.toContain('A rollback is not held by');
  expect(messageOf({ ...aborted, windows: shut, rollout: { paused: true } })).toContain(
    'A rollback is not held by Paused, WindowClosed.',
  );
});

test('two values of a parameter hold before the first step, and are named', () => {
  const places = [
    { policy: 'a', file: 'a.yaml', line: 6, value: 60 },
    { policy: 'b', file: 'b.yaml', line: 7, value: 90 },
  ];
  const policyConflicts = [{ field: 'notifyHoldSeconds', places }] as const;
  expect(plan({ ...world(asked), policyConflicts }).holds).toMatchObject([
    {
      reason: 'PoliciesContradict',
      message: expect.stringContaining(
        'notifyHoldSeconds has to be the same wherever it is stated: RolloutPolicy a (a.yaml:6) 60, RolloutPolicy b (b.yaml:7) 90',
      ),
    },
  ]);
  expect(plan({ ...world(one), policyConflicts }).commit?.reason).toBe('StepReady');
});
