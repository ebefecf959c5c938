/** A settled release is undone: every byte of the earlier template comes back and nothing else, whatever call dies meanwhile. */

import { expect, test } from 'vitest';
import { story } from './acts.ts';
import { runStory } from './story.ts';
import type { StorySetup, StrictFaults } from './story-setup.ts';

/** Three groups, settled by round 8. */
const plain: StorySetup = {
  groups: 3,
  steps: [
    { replicas: '50%', pause: 0 },
    { replicas: '100%', pause: 0 },
  ],
  reconcilers: 1,
  surge: 0,
  acts: [[8, 'undo']],
};
const canary = (round: number): StorySetup => story({ style: 'canary', groups: 2, acts: [[round, 'undo']] });

async function play(of: StorySetup, faults: StrictFaults = new Map()): Promise<number> {
  const end = await runStory(of, faults);
  expect(end.broken, end.timeline()).toBeUndefined();
  expect(end.timeline()).toContain('Undone');
  return end.calls;
}

test.each([
  ['partition', plain],
  ['canary, as soon as it has settled', canary(12)],
  ['canary, later', canary(15)],
])('undone: %s', async (_, of) => {
  expect(await play(of)).toBeGreaterThan(0);
});

test('undone, and a pass dies at a call of the rollback', async () => {
  const calls = await play(plain);
  for (const back of [30, 22, 14, 6]) await play(plain, new Map([[calls - back, 'crash after']]));
});
