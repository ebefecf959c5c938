/** A settled release is undone: every byte of the earlier template comes back and nothing else, whatever call dies meanwhile. */

import { expect, test } from 'vitest';
import { story } from './acts.ts';
import { bundled } from './bundle.ts';
import { type Act, type StoryEnd, type StorySetup, sharedStory } from './story-setup.ts';

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
const filled = (style: 'canary' | 'blueGreen', round: number): StorySetup =>
  story({ style, groups: 2, acts: [[round, 'undo']] });

async function play(of: StorySetup): Promise<number> {
  const { runStory } = await bundled();
  return undone(await runStory(of, new Map()));
}

function undone(end: StoryEnd): number {
  expect(end.broken, end.timeline()).toBeUndefined();
  expect(end.timeline()).toContain('Undone');
  return end.calls;
}

/** Counted from the last call, in the order of the calls. */
async function dying(of: StorySetup, backs: readonly number[]): Promise<void> {
  const calls = await play(of);
  const { runPlaces } = await bundled();
  const ends: StoryEnd[] = [];
  const places = backs.map((back) => [[calls - back, 'crash after'] as const]);
  await runPlaces(of, places, (_, end) => ends.push(end) > 0);
  expect(ends.map(undone)).toHaveLength(backs.length);
}

test.each<readonly [what: string, of: StorySetup]>([
  ['partition', plain],
  ['canary, as soon as it has settled', filled('canary', 12)],
  ['canary, later', filled('canary', 15)],
  ['partition with routes', { ...sharedStory(), acts: [[18, 'undo']] }],
  ['blueGreen, as soon as it has settled', filled('blueGreen', 14)],
  ['blueGreen, later', filled('blueGreen', 16)],
])('undone: %s', async (_, of) => {
  expect(await play(of)).toBeGreaterThan(0);
});

test('undone, and a pass dies at a call of the rollback', async () => {
  await dying(plain, [30, 22, 14, 6]);
});

/** What hands and the cluster do in the middle of the rollback of two colours. */
const MEANWHILE: readonly Act[] = ['a newer template', 'one group of it dies', 'the partition by hand'];
test.each(MEANWHILE)('blueGreen, undone, and then: %s', async (act) => {
  const acts: NonNullable<StorySetup['acts']> = [
    [14, 'undo'],
    [17, act],
  ];
  expect(await play(story({ style: 'blueGreen', groups: 2, acts }))).toBeGreaterThan(0);
});

test('blueGreen, undone, and a pass dies at a call of the rollback', async () => {
  await dying(filled('blueGreen', 14), [55, 25]);
});
