/** Extra groups where kustomize builds the workload: their number stands in our patch, and goes from it again. */

import { expect, test } from 'vitest';
import { adopted, BUILT_FILES, COMPONENT, NEW_TAG, OLD_TAG, PATCH } from '../../support/built-world.ts';

const POLICY = `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: surge}
spec: {surge: 1}
`;

test('one extra group for the time of the steps', async () => {
  const world = await adopted({ files: { ...BUILT_FILES, 'policies/surge.yaml': POLICY } });
  world.edit(COMPONENT, OLD_TAG, NEW_TAG);
  await world.apply();
  const told = await world.play(40);
  expect(told).toMatchSnapshot();
  expect(world.groups('prod-vllm')).toBe('0:v0.10.1+ 1:v0.10.1+ 2:v0.10.1+ 3:v0.10.1+');
  expect(world.repository.text('main', PATCH)).not.toContain('replicas');
});
