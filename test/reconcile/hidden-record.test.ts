/** A file that cannot be read for a while hides what is in it: that is no reason to forget what was known of it. */

import { expect, test } from 'vitest';
import type { RolloutRecord } from '../../src/api/record.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const ROLLOUT = ROLLOUT_TEXT.replace('  name: vllm\n', '  name: delivery\n').replace(
  '{duration: 0}',
  '{duration: 600}',
);

test('a pause goes on where the file of the Rollout could not be parsed in it', async () => {
  const world = new World({ files: { [LWS_FILE]: LWS_TEXT, [ROLLOUT_FILE]: ROLLOUT } });
  const look = async (): Promise<void> => {
    world.tick(30);
    await world.pass();
  };
  const recorded = (): RolloutRecord | undefined => {
    const text = world.repository.text('tranche-status', 'rollouts/default/llm/delivery.json');
    return text === undefined ? undefined : JSON.parse(text);
  };
  for (let at = 0; at < 3; at += 1) {
    world.sync();
    await look();
  }
  world.edit(LWS_FILE, OLD, NEW);
  for (let at = 0; at < 4; at += 1) {
    world.sync();
    await look();
  }
  const before = recorded()?.step;
  expect(before?.doneSince).toBeDefined();
  world.edit(ROLLOUT_FILE, 'kind: Rollout', 'kind: [Rollout');
  await look();
  world.edit(ROLLOUT_FILE, 'kind: [Rollout', 'kind: Rollout');
  await look();
  expect(recorded()?.step).toEqual(before);
  world.repository.commit('main', { writes: [{ path: ROLLOUT_FILE, text: undefined }] });
  await look();
  expect(recorded()).toBeUndefined();
});
