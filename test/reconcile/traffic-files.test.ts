/** Services and routes are read where a Rollout names some, and nowhere else: most repositories have many. */

import { expect, test } from 'vitest';
import { TRAFFIC_FILES } from '../support/traffic-files.ts';
import { VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

async function readsOf(files: Readonly<Record<string, string>>): Promise<number> {
  const world = new World({ files });
  await world.pass();
  return world.repository.calls.readAt;
}

test('the files are read once more for them, and only then', async () => {
  const plain = await readsOf({ ...TRAFFIC_FILES, ...VLLM_FILES });
  expect(plain).toBe(await readsOf(VLLM_FILES));
  expect(await readsOf(TRAFFIC_FILES)).toBe(plain + 1);
});

test('a step hangs on the files of the Service and of the route', async () => {
  const { outcomes } = await new World({ files: TRAFFIC_FILES }).pass();
  expect(Object.keys(outcomes[0]?.snapshot?.blobs ?? {}).sort()).toEqual(Object.keys(TRAFFIC_FILES).sort());
});
