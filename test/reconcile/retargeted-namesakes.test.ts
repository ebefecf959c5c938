/** A Rollout of another namespace that stands in front in the same file says nothing of the workload that this one named. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SimulatedForge, startForge } from '../support/forge/start-forge.ts';
import { forgeWorld, reasonsOf } from '../support/forge-world.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';

let forge: SimulatedForge;
beforeAll(async () => {
  forge = await startForge();
});
afterAll(() => forge.stop());

test.each([
  [
    'with one that names another workload',
    `${ROLLOUT_TEXT.replace('  namespace: llm\n', '  namespace: other\n').replace('    name: vllm\n', '    name: elsewhere\n')}---\n`,
  ],
  ['alone', ''],
])('%s', async (what, front) => {
  const world = await forgeWorld(forge, `retargeted-${what.length}`, {
    ...VLLM_FILES,
    [ROLLOUT_FILE]: front + ROLLOUT_TEXT,
  });
  await world.pass();
  await world.sync();
  const asked = (await world.text(LWS_FILE)).replaceAll(OLD, NEW);
  await world.repository.git.commit('main', { [LWS_FILE]: asked }, 'v0.10.1');
  const seen: string[] = [];
  for (let round = 0; round < 4; round += 1) {
    await world.sync();
    world.tick(60);
    seen.push(...reasonsOf(await world.pass()));
  }
  expect(seen).not.toContain('WorkloadRefChanged');
  expect(await world.text(LWS_FILE)).toContain('2/3@');
});
