/** Stories that share their beginnings end as those that are played alone, from the start: commit by commit, call by call. */

import { describe, expect, test } from 'vitest';
import { actStories } from './acts.ts';
import { bundled } from './bundle.ts';
import { type Simulation, singlePlaces } from './exhaust.ts';
import { canary } from './mutants.ts';
import {
  configurations,
  type Place,
  type PointFault,
  pointFaults,
  type StoryEnd,
  type StorySetup,
  smallStory,
} from './story-setup.ts';
import type { Universe } from './universe.ts';

const [, two] = configurations;
const small = smallStory(two!);

type Ended = { readonly end: StoryEnd; readonly since: number };

async function together({ runPlaces }: Simulation, places: readonly Place[]): Promise<ReadonlyMap<Place, Ended>> {
  const ends = new Map<Place, Ended>();
  await runPlaces(small, places, (place, end, since) => ends.set(place, { end, since }).size > 0);
  return ends;
}

async function expectSame(
  { runStory }: Simulation,
  of: StorySetup,
  place: Place,
  { end, since }: Ended,
): Promise<void> {
  const alone = await runStory(of, new Map(place));
  expect(end.from(since + 1), JSON.stringify(place)).toBe(alone.from(since + 1));
  expect(end.broken, JSON.stringify(place)).toEqual(alone.broken);
}

describe('stories together', () => {
  test('of two reconcilers, each fault at calls in a row: most go on as one, and each as it does alone', async () => {
    const simulation = await bundled();
    const { requestedAt } = await simulation.runStory(small, new Map());
    const places = singlePlaces(requestedAt + 18).slice(requestedAt * pointFaults.length);
    const ends = await together(simulation, places);
    expect(new Set(ends.keys())).toEqual(new Set(places));
    const worlds = new Set([...ends.values()].map(({ end }) => end));
    expect(worlds.size).toBeLessThan(places.length / 2);
    // One of each fault, and those that have gone on as one with others most often.
    for (const place of places.filter((_, i) => i % 11 === 0))
      await expectSame(simulation, small, place, ends.get(place)!);
  });

  test('of two faults, the second after another round and in the same one', async () => {
    const simulation = await bundled();
    const { requestedAt } = await simulation.runStory(small, new Map());
    const pair = (first: PointFault, apart: number): Place => [
      [requestedAt + 1, first],
      [requestedAt + 1 + apart, 'reply lost'],
    ];
    const places = pointFaults.flatMap((first) => [pair(first, 2), pair(first, 3), pair(first, 19)]);
    const ends = await together(simulation, places);
    expect(ends.size).toBe(places.length);
    for (const place of [places[1]!, places[5]!, places[6]!])
      await expectSame(simulation, small, place, ends.get(place)!);
  });

  test.each<readonly [what: string, change: (universe: Universe) => void]>([
    ['a commit', ({ repository }) => repository.commit('main', { writes: [{ path: 'NOTES', text: '' }] })],
    ['a pod', ({ cluster }) => cluster.objects.remove('pods', cluster.objects.list('pods')[0]!, 'Background')],
    ['a second', (universe) => universe.tick(1)],
    ['what a law excuses', ({ hurt }) => hurt.set('vllm', new Set([1]))],
    ['the agent', (universe) => Object.assign(universe, { agentMisses: true })],
  ])('two worlds are the same, and no more with one change: %s', async (_, change) => {
    const { areSame, Story } = await bundled();
    const story = new Story(small, new Map());
    for (let round = 0; round < 3; round++) await story.playRound();
    const twin = story.twin(small, new Map());
    expect(areSame(twin, story)).toBe(true);
    change(twin.universe);
    expect(areSame(twin, story)).toBe(false);
  });

  test('with acts: those that differ in them alone', async () => {
    const simulation = await bundled();
    const stories = actStories.slice(6, 10);
    const ends = new Map<StorySetup, Ended>();
    await simulation.runActs(stories, (story, end, since) => ends.set(story, { end, since }).size > 0);
    expect([...ends.keys()]).toEqual(stories);
    for (const story of stories.slice(2)) await expectSame(simulation, story, [], ends.get(story)!);
  });

  test('a law that is broken is reported of every place where it is broken alone, with a planted bug', async () => {
    const simulation = await bundled(canary);
    const { calls } = await simulation.runStory(small, new Map());
    const places = singlePlaces(calls).filter((_, i) => i % 7 === 0);
    const ends = await together(simulation, places);
    expect(ends.size).toBe(places.length);
    expect([...ends.values()].every(({ end }) => end.broken !== undefined)).toBe(true);
    for (const place of [places[0]!, places.at(-1)!]) await expectSame(simulation, small, place, ends.get(place)!);
  });
});
