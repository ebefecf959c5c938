/** What someone has accepted of one step is not accepted of a later one, though the number of groups is the same. */

import { expect, test } from 'vitest';
import { Forgery, reasonsOf } from '../../support/forgery.ts';
import { LWS_FILE, LWS_TEXT, ROLLOUT_FILE, ROLLOUT_TEXT } from '../../support/vllm.ts';

const STEPS = `      steps:
        - replicas: 25%
          pause: {}
        - replicas: 50%
          pause: {duration: 0}
        - replicas: 100%
`;
const rollout = `${ROLLOUT_TEXT.slice(0, ROLLOUT_TEXT.indexOf('      steps:\n'))}${STEPS}`;
const rounds = async (at: Forgery, count: number): Promise<readonly string[]> => {
  let last: readonly string[] = [];
  for (let i = 0; i < count; i += 1) last = reasonsOf(await at.round());
  return last;
};

test.each([
  ['nobody has accepted it in step 1', false],
  ['someone has accepted it in step 1', true],
])('StepScaledAway of step 2 is held where %s', async (_, isAccepted) => {
  const at = new Forgery({ [LWS_FILE]: LWS_TEXT, [ROLLOUT_FILE]: rollout });
  await at.stepped();
  await rounds(at, 4);
  at.edit(LWS_FILE, 'replicas: 4', 'replicas: 2');
  expect(await rounds(at, 2)).toEqual(['StepScaledAway']);
  if (isAccepted)
    expect(await at.order({ kind: 'approve', step: undefined, hold: 'StepScaledAway' })).toContain('replicas 2');
  at.edit(LWS_FILE, 'replicas: 2', 'replicas: 4');
  expect(await rounds(at, 2)).toEqual(['PausedForApproval']);
  await at.order({ kind: 'approve', step: undefined });
  await at.until('step 2/');
  at.edit(LWS_FILE, 'replicas: 4', 'replicas: 2');
  expect(await rounds(at, 5)).toEqual(['StepScaledAway']);
  expect(at.world.groups()).toBe('0:v0.10.0+ 1:v0.10.0+');
});

const POLICY_FILE = 'policies/production.yaml';
const POLICY = `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata:
  name: production
spec:
  soakSeconds: 30
`;

test.each([
  ['nobody has accepted it in step 1', false],
  ['someone has accepted it in step 1', true],
])('PolicyGone of step 2 is held where %s, and the same file was put back', async (_, isAccepted) => {
  const at = new Forgery({ [LWS_FILE]: LWS_TEXT, [ROLLOUT_FILE]: rollout, [POLICY_FILE]: POLICY });
  await at.stepped();
  at.write(POLICY_FILE, undefined);
  expect(await rounds(at, 3)).toContain('PolicyGone');
  if (isAccepted)
    expect(await at.order({ kind: 'approve', step: undefined, hold: 'PolicyGone' })).toContain('production');
  at.write(POLICY_FILE, POLICY);
  expect(await rounds(at, 4)).toEqual(['PausedForApproval']);
  await at.order({ kind: 'approve', step: undefined });
  await at.until('step 2/');
  at.write(POLICY_FILE, undefined);
  expect(await rounds(at, 5)).toEqual(['PolicyGone']);
  expect(at.world.groups()).toContain('1:v0.10.0+ 2:v0.10.1+');
});
