/** What a bundle of the simulation offers to those who run it. */

import { forgetSignatures } from '../support/status-key.ts';
import { actStories, sharedActStories } from './acts.ts';
import { backStories } from './back-stories.ts';
import { kindStories } from './kind-stories.ts';
import type { LawName } from './laws.ts';
import { rollbackStories } from './rollback-stories.ts';
import { runSchedule } from './schedule.ts';
import { filledSetupOf, hostileSetupOf, largeSetupOf, type Setup, setupOf, sharedSetupOf } from './setup.ts';
import { kustomizeSetupOf } from './setup-built.ts';
import { runStory } from './story.ts';
import type { StorySetup } from './story-setup.ts';

export { actStories, sharedActStories } from './acts.ts';
export { areSame } from './same-world.ts';
export { runSchedule } from './schedule.ts';
export { hostileSetupOf, largeSetupOf, setupOf, sharedSetupOf } from './setup.ts';
export { kustomizeSetupOf } from './setup-built.ts';
export { shrink } from './shrink.ts';
export { runActs, runPlaces } from './stories-together.ts';
export { runStory, Story } from './story.ts';

/** How many seeds go before the stories: most of what is wrong everywhere is found by the first. */
const SEEDS_FIRST = 6;

type Verdict = { readonly broken: { readonly law: LawName } | undefined };

/** Where planted bugs are looked for, by a number: large worlds of one workload, or those of deliveries with two sides. */
const places = {
  plain: (place: number): Promise<Verdict> => runSchedule(String(place), largeSetupOf(String(place))),
  filled: (place: number): Promise<Verdict> => run(place, actStories, filledSetupOf),
  shared: (place: number): Promise<Verdict> => run(place, sharedActStories, sharedSetupOf),
  back: (place: number): Promise<Verdict> => run(place, backStories, sharedSetupOf),
  rollback: (place: number): Promise<Verdict> => run(place, rollbackStories, sharedSetupOf),
  kinds: (place: number): Promise<Verdict> => run(place, kindStories, filledSetupOf),
  built: (place: number): Promise<Verdict> => runSchedule(String(place), kustomizeSetupOf(String(place))),
  hostile: (place: number): Promise<Verdict> => runSchedule(String(place), hostileSetupOf(setupOf(String(place)))),
};

/** What is broken at one of these places. */
export function runIn(world: keyof typeof places | undefined, place: number): Promise<Verdict> {
  forgetSignatures();
  return places[world ?? 'plain'](place);
}

/** A few seeds, the stories of acts, more seeds. */
async function run(place: number, stories: readonly StorySetup[], of: (seed: string) => Setup): Promise<Verdict> {
  const story = place < SEEDS_FIRST ? undefined : stories[place - SEEDS_FIRST];
  if (story !== undefined) return runStory(story, new Map());
  const seed = String(place < SEEDS_FIRST ? place : place - stories.length);
  return runSchedule(seed, of(seed));
}
