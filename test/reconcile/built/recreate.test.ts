/** A change that only deleting and re-creating makes, where kustomize builds the workload: our patch is never taken out for it. */

import { expect, test } from 'vitest';
import { BUILT_FILES, BuiltWorld, PATCH } from '../../support/built-world.ts';

const BASE = 'apps/vllm/base/lws.yaml';
const POLICY = `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: all}
spec: {recreate: Allow}
`;

test('a new subGroupSize is refused, whatever a policy allows, and nothing is written', async () => {
  const world = new BuiltWorld({ files: { ...BUILT_FILES, 'policies/all.yaml': POLICY } });
  await world.apply();
  world.tick(120);
  await world.play();
  world.edit(BASE, '    size: 2\n', '    size: 2\n    subGroupPolicy: {subGroupSize: 1}\n');
  const before = world.files();
  const { outcomes } = await world.pass();
  const [refused, ...others] = (outcomes[0]?.plan?.issues ?? []).filter(({ reason }) => reason === 'RecreateRefused');
  expect([refused?.file, others]).toEqual([PATCH, []]);
  expect(refused?.hint).toContain('where kustomize builds it, whatever a policy allows');
  expect(outcomes[0]?.plan?.warnings?.map(({ reason }) => reason)).not.toContain('RecreateAllowed');
  expect(world.files()).toEqual(before);
});
