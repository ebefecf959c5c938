/** Base documents that have the very name and namespace of what is built: parts of the build, and nothing that replaces the patch. */

import { expect, test } from 'vitest';
import { BUILT_FILES, BuiltWorld, COMPONENT, NEW_TAG, OLD_TAG, OVERLAY } from '../../support/built-world.ts';

const BASE = 'apps/vllm/base/lws.yaml';
const ROLLOUT = 'rollouts/vllm.yaml';

/** Without a prefix: the overlay builds `vllm` of `vllm`. */
const SAME_NAME: Readonly<Record<string, string>> = {
  ...BUILT_FILES,
  [OVERLAY]: (BUILT_FILES[OVERLAY] ?? '').replace('namePrefix: prod-\n', ''),
  [ROLLOUT]: (BUILT_FILES[ROLLOUT] ?? '').replace('prod-vllm', 'vllm'),
};
const WITH_NAMESPACE = (BUILT_FILES[BASE] ?? '').replace('  name: vllm\n', '  name: vllm\n  namespace: llm\n');

async function adopted(files: Readonly<Record<string, string>>): Promise<BuiltWorld> {
  const world = new BuiltWorld({ files });
  await world.apply();
  world.tick(120);
  expect(await world.play()).toEqual([' rollout(llm/vllm): adopt, partition unset → 1000000']);
  return world;
}

test('a base of the same name and namespace: the patch stays what is changed', async () => {
  const world = await adopted({ ...SAME_NAME, [BASE]: WITH_NAMESPACE });
  world.edit(COMPONENT, OLD_TAG, NEW_TAG);
  await world.apply();
  const told = await world.play();
  expect(told[0]).toContain('step 1/3, partition 1000000 → 3');
  expect(told.at(-1)).toContain('settled');
  expect(world.groups('vllm')).toBe('0:v0.10.1+ 1:v0.10.1+ 2:v0.10.1+ 3:v0.10.1+');
});

test('a base that is applied to another namespace as it is stays a workload of its own', async () => {
  const solo = (SAME_NAME[ROLLOUT] ?? '').replace('namespace: llm', 'namespace: solo');
  const config = 'namespaces: {apps/vllm/base: solo}\n';
  const world = await adopted({ ...SAME_NAME, 'tranche.yaml': config, 'rollouts/solo.yaml': solo });
  const { outcomes } = await world.pass();
  const own = outcomes.find(({ key }) => key.namespace === 'solo');
  expect(own?.plan?.issues.map(({ reason }) => reason)).not.toContain('WorkloadMissing');
});

test('annotations of tranche that somebody writes into such a base take nothing from the patch', async () => {
  const world = await adopted({ ...SAME_NAME, [BASE]: WITH_NAMESPACE });
  const patch = `${OVERLAY.replace('kustomization.yaml', '')}tranche/llm-vllm.yaml`;
  const release = /tranche\.dev\/release: .*/.exec(world.files()[patch] ?? '')?.[0] ?? '';
  world.edit(BASE, '  namespace: llm\n', `  namespace: llm\n  annotations:\n    ${release}\n`);
  const { outcomes } = await world.pass();
  expect(outcomes.map(({ snapshot }) => snapshot?.workload?.file)).toEqual([patch]);
});
