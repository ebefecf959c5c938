/** What a bundle of the simulation offers to those who run it. */

import { actStories } from './acts.ts';
import type { LawName } from './laws.ts';
import { runSchedule } from './schedule.ts';
import { filledSetupOf } from './setup.ts';
import { runStory } from './story.ts';

export { actStories } from './acts.ts';
export { runSchedule } from './schedule.ts';
export { largeSetupOf, setupOf, sharedSetupOf } from './setup.ts';
export { shrink } from './shrink.ts';
export { runStory } from './story.ts';

/** So many seeds go before the stories: most of what is wrong everywhere is found by the first. */
const SEEDS_FIRST = 6;

/** The worlds that fill a second workload by a number: a few seeds, the stories of acts, more seeds. What was broken. */
export async function runFilled(place: number): Promise<{ readonly broken: { readonly law: LawName } | undefined }> {
  const story = place < SEEDS_FIRST ? undefined : actStories[place - SEEDS_FIRST];
  if (story !== undefined) return runStory(story, new Map());
  const seed = String(place < SEEDS_FIRST ? place : place - actStories.length);
  return runSchedule(seed, filledSetupOf(seed));
}
