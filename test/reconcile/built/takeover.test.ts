/** What a patch of ours takes over, and what stays with people's own file. */

import { expect, test } from 'vitest';
import { BUILT_FILES, BuiltWorld, COMPONENT, NEW_TAG, OLD_TAG, PATCH } from '../../support/built-world.ts';

const BASE = 'apps/vllm/base/lws.yaml';
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
