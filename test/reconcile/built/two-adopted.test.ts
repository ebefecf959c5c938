/** Two workloads of one kustomize folder: both patches are applied by one entry, and either may be the first. */

import { expect, test } from 'vitest';
import {
  APPLY,
  BUILT_FILES,
  BuiltWorld,
  COMPONENT,
  NEW_TAG,
  OLD_TAG,
  OVERLAY,
  ROOT,
} from '../../support/built-world.ts';
import { reasonsOf } from '../../support/forgery.ts';
import { lwsOf } from '../../support/kustomize-trees.ts';

const ROLLOUT = BUILT_FILES['rollouts/vllm.yaml'] ?? '';
const FILES = {
  ...BUILT_FILES,
  'apps/vllm/base/kustomization.yaml': 'resources: [lws.yaml, prefill.yaml, service.yaml]\n',
  'apps/vllm/base/prefill.yaml': lwsOf('prefill', 'REPLACE_MODEL_SERVER_IMAGE'),
  'rollouts/prefill.yaml': ROLLOUT.replace('name: vllm\n', 'name: prefill\n').replace('prod-vllm', 'prod-prefill'),
};
const BOTH = ['prod-prefill', 'prod-vllm'];

test('one pass adopts both, and the next changes nothing', async () => {
  const world = new BuiltWorld({ files: FILES });
  await world.apply();
  world.tick(120);
  expect(reasonsOf(await world.pass())).toEqual([]);
  expect(world.repository.log('main').map(({ message }) => message.split('\n')[0])).toEqual([
    expect.stringContaining('adopt'),
    expect.stringContaining('adopt'),
    expect.anything(),
  ]);
  const files = world.files();
  expect(files[OVERLAY]?.match(/tranche\/apply\.yaml/g)).toHaveLength(1);
  for (const name of BOTH) {
    expect(files[APPLY]).toContain(`path: tranche/llm-${name}.yaml`);
    expect(files[`${ROOT}/tranche/llm-${name}.yaml`]).toContain('partition: 1000000');
  }
  const head = world.repository.head('main');
  await world.apply();
  world.tick(60);
  expect(reasonsOf(await world.pass())).toEqual([]);
  expect(world.repository.head('main')).toBe(head);
});

test('a release of the component that both have goes to both in steps', async () => {
  const world = new BuiltWorld({ files: FILES });
  await world.apply();
  world.tick(120);
  await world.pass();
  await world.apply();
  world.edit(COMPONENT, OLD_TAG, NEW_TAG);
  for (let round = 0; round < 16; round += 1) {
    await world.apply();
    world.tick(60);
    await world.pass();
  }
  for (const name of BOTH) {
    expect(world.groups(name)).toBe('0:v0.10.1+ 1:v0.10.1+ 2:v0.10.1+ 3:v0.10.1+');
    expect(world.files()[`${ROOT}/tranche/llm-${name}.yaml`]).toContain('partition: 1000000');
  }
});
