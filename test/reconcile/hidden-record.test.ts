/** A file that cannot be read for a while hides what is in it: that is no reason to forget what was known of it. */

import { expect, test } from 'vitest';
import type { RolloutRecord } from '../../src/api/record.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const ROLLOUT = ROLLOUT_TEXT.replace('  name: vllm\n', '  name: delivery\n').replace(
  '{duration: 0}',
  '{duration: 600}',
);

const CONFIG = 'tranche.yaml';

test.each<readonly [what: string, file: string, from: string, to: string]>([
  ['the file of the Rollout could not be parsed', ROLLOUT_FILE, 'kind: Rollout', 'kind: [Rollout'],
  ['the path of the Rollout was misspelt', CONFIG, '- rollouts', '- rolouts'],
  ['every path was misspelt', CONFIG, '- apps\n  - rollouts', '- aps\n  - rolouts'],
])('a pause goes on where %s in it', async (_, file, from, to) => {
  const paths = 'paths:\n  - apps\n  - rollouts\n';
  const world = new World({ files: { [CONFIG]: paths, [LWS_FILE]: LWS_TEXT, [ROLLOUT_FILE]: ROLLOUT } });
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
  world.edit(file, from, to);
  await look();
  world.edit(file, to, from);
  await look();
  expect(recorded()?.step).toEqual(before);
  // Another stays in its folder: this one was withdrawn.
  const other = { path: 'rollouts/none.yaml', text: 'kind: ConfigMap\n' };
  world.repository.commit('main', { writes: [other, { path: ROLLOUT_FILE, text: undefined }] });
  await look();
  expect(recorded()).toBeUndefined();
});
