/** Limits and windows of policies where a second workload is filled: by steps, jumps and edits of the plan, and in its promotion. */

import { expect, test } from 'vitest';
import { wholeStepWritten } from '../../../src/rollout/edits/size-change.ts';
import { ladderFiles, ladderRollout } from '../../support/ladder.ts';
import { passed, passes, type Stand, settledOn, snapshotAt } from '../../support/ladder-pass.ts';
import { abort, after, asked, files, NEWER, requested, stands } from '../../support/ladder-stands.ts';
import { under } from '../../support/ladder-ticks.ts';
import { NEW, OLD } from '../../support/vllm.ts';
import { blueRows, canaryRows, type Row, routedRows, told, withGpus } from '../filled-answers.ts';

test.each<Row>(canaryRows())('canary: %s', (_, stand, rules, found, wanted) =>
  expect(told(stand, rules, found)).toBe(wanted),
);

test.each<Row>(blueRows())('blueGreen: %s', (_, stand, rules, found, wanted) =>
  expect(told(stand, rules, found)).toBe(wanted),
);

test.each<Row>(routedRows())('partition with traffic: %s', (_, stand, rules, found, wanted) =>
  expect(told(stand, rules, found)).toBe(wanted),
);

test('groups of the stable version count with what they take, where theirs is more', () => {
  const large = withGpus(passed(settledOn(files)).stand, 2);
  const smaller = (replicas: Stand): Stand => asked(replicas, /nvidia.com\/gpu: 2/g, 'nvidia.com/gpu: 1');
  const at = smaller({ ...large, ...settledOn(large.texts), texts: large.texts });
  expect(told(at, { maxGpus: 24 }, {})).toBe('StepReady: step 1/3, template: vllm-canary');
  expect(passed(at, under({ maxGpus: 23 })).plan.holds[0]?.message).toContain(
    '4 groups of 4 GPUs and 4 groups of 2 take 24; ',
  );
});

test('a share of the plan that is too large is named with the line of who says so', () => {
  const policySources = { maxStepTrafficPercent: [{ policy: 'share', file: 'a.yaml', line: 7 }] } as const;
  const rules = under({ maxStepTrafficPercent: 20 });
  const { holds } = passed(requested, { ...rules, snapshot: { ...rules.snapshot, policySources } }).plan;
  expect(holds.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
    'ShareTooLarge: Step 3 sends 50 % of the requests to the new version, after 20 %; RolloutPolicy share (a.yaml:7) allows 20 more (maxStepTrafficPercent). Write smaller shares, or steps between them, or change the policy',
  ]);
});

test('another size of groups in a template that takes over in a step is refused, and a rollback is open', () => {
  const newer = asked(asked(stands.second, NEW, NEWER), 'size: 2', 'size: 3');
  const rules = under({ sizeChange: 'Whole' });
  const { told: all, stand } = passes(newer, { found: () => rules });
  expect(all.slice(-2)).toEqual(['CanaryEmptied: step 1/3, empty: canary 2 → 0', 'hold ChangeRefused']);
  expect(passed(stand, { ...rules, ...abort(stand) }).told).toBe('Aborted: rollback, route-restored');
  // A primary that was released for update before has not taken it.
  const marks = snapshotAt(passed(asked(stands.primary, NEW, NEWER), rules).stand).workload?.workload.marks;
  expect(marks?.restore?.floor).toBe(0);
  expect(wholeStepWritten(marks, marks?.release.digest ?? '')).toBe(false);
});

/** Two versions of one workload, with a share. */
const split = after(
  'step 1/2, traffic: – → 20%',
  asked(
    passed(settledOn(ladderFiles(ladderRollout('partition', ['replicas: 1, traffic: 20%', 'replicas: 100%'])))).stand,
    OLD,
    NEW,
  ),
);

const WRONG = [{ name: 'drain', why: 'wrong', place: 'policies/drain.yaml:3' }] as const;

/** The first commit of the rollback is written under the policy, which is gone or cannot be read from the next pass on. */
test.each<readonly [what: string, from: Stand, drainSeconds: number, last: string]>([
  ['canary', stands.second, 3600, 'RolledBack: rolled back'],
  ['canary, longer than to the pass after the next', stands.second, 3601, 'hold Draining'],
  ['partition with traffic', split, 3600, 'Aborted: rollback'],
  ['partition with traffic, longer', split, 3601, 'hold Draining'],
])('a policy that is deleted or broken while requests drain shortens nothing: %s', (_, from, drainSeconds, last) => {
  const first = passed(from, { ...under({ drainSeconds }), ...abort(from) });
  for (const later of [{}, { snapshot: { missingPolicies: WRONG } }]) {
    const looked = passed(first.stand, later);
    expect(looked.told).toContain('Draining');
    expect([first.told, passed(looked.stand, later).told]).toEqual(['Aborted: rollback, route-restored', last]);
  }
});
