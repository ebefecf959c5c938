/** What a patch of ours takes over, and what stays with people's own file. */

import { expect, test } from 'vitest';
import { BUILT_FILES, BuiltWorld, COMPONENT, NEW_TAG, OLD_TAG, OVERLAY, PATCH } from '../../support/built-world.ts';

const BASE = 'apps/vllm/base/lws.yaml';
const PLAIN = 'apps/vllm/prod/lws.yaml';
const LOCKED =
  '  rolloutStrategy: {type: RollingUpdate, rollingUpdateConfiguration: {partition: 1000000, maxUnavailable: 1}}\n';

test('a partition that people have as well stands in the patch: their merge may drop it', async () => {
  const base = BUILT_FILES[BASE] ?? '';
  const world = new BuiltWorld({
    files: { ...BUILT_FILES, [BASE]: base.replace('  replicas: 4\n', `  replicas: 4\n${LOCKED}`) },
  });
  await world.apply();
  world.tick(120);
  expect((await world.play())[0]).toContain('adopt');
  expect(world.files()[PATCH]).toContain('partition: 1000000');
  const image = (world.files()[COMPONENT] ?? '').replace(OLD_TAG, NEW_TAG);
  const writes = [
    { path: BASE, text: base },
    { path: COMPONENT, text: image },
  ];
  world.repository.commit('main', { writes, message: 'one merge' });
  await world.apply();
  world.tick(60);
  expect(world.groups('prod-vllm')).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+');
});

test('a delivery in a plain file stays there when its kustomization starts to change it: it is aborted where its marks are', async () => {
  const { 'rollouts/vllm.yaml': rollout = '' } = BUILT_FILES;
  const plain = (BUILT_FILES[BASE] ?? '')
    .replace('  name: vllm\n', '  name: vllm\n  namespace: llm\n')
    .replace('REPLACE_MODEL_SERVER_IMAGE', `vllm/vllm-openai:${OLD_TAG}`);
  const files = {
    [OVERLAY]: 'resources: [lws.yaml]\n',
    [PLAIN]: plain,
    'rollouts/vllm.yaml': rollout.replace('prod-vllm', 'vllm'),
  };
  const world = new BuiltWorld({ files });
  await world.apply();
  world.tick(120);
  expect((await world.play())[0]).toContain('adopt');
  world.edit(PLAIN, OLD_TAG, NEW_TAG);
  await world.apply();
  expect(await world.step()).toContain('step 1/3');
  world.edit(OVERLAY, 'resources', 'images: [{name: vllm/vllm-openai, newName: vllm/vllm-openai}]\nresources');
  await world.apply();
  await world.order({ kind: 'abort', keepNewer: false, from: undefined });
  for (let step = 0; step < 3; step += 1) await world.step();
  expect(world.groups('vllm')).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+');
  expect(world.files()[PLAIN]).toContain(OLD_TAG);
  expect(Object.keys(world.files()).sort()).toEqual(Object.keys(files).sort());
});
