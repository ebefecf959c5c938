/** Every place for a fault in a story, and every pair of places that are near each other. */

import type { bundled } from './bundle.ts';
import { type Place, pointFaults, type StoryEnd, type StorySetup } from './story-setup.ts';

export type Simulation = Awaited<ReturnType<typeof bundled>>;

/** Calls that two faults of a pair may lie apart. */
export const WINDOW = 20;

/** What broke, and where the faults were. */
export type Broken = { readonly place: Place; readonly end: StoryEnd };

export type Exhausted = { readonly runs: number; readonly calls: number; readonly broken: readonly Broken[] };

/** No more failures than this are kept: they are all the same as a rule. */
const BROKEN_MAX = 5;

/** The faults of each call alone. */
export function singlePlaces(calls: number): readonly Place[] {
  return numbers(0, calls).flatMap((at) => pointFaults.map((fault) => [[at, fault]] as const));
}

/** All pairs within the window that starts at `from`, where a delivery starts. */
export function pairsInWindow(from: number): readonly Place[] {
  return numbers(from, from + WINDOW).flatMap((at) => pairsOf(at, from + WINDOW));
}

/** All pairs of the whole story whose faults are no further apart than the window. */
export function allPairs(calls: number): readonly Place[] {
  return numbers(0, calls).flatMap((at) => pairsOf(at, Math.min(calls, at + WINDOW)));
}

function pairsOf(at: number, end: number): readonly Place[] {
  return numbers(at + 1, end).flatMap((other) =>
    pointFaults.flatMap((fault) => pointFaults.map((next) => [[at, fault] as const, [other, next] as const])),
  );
}

/** Runs the story without faults, then once for each place that `placesOf` names for it; stories-together.ts says how. */
export async function exhaust(
  { runStory, runPlaces }: Pick<Simulation, 'runStory' | 'runPlaces'>,
  story: StorySetup,
  placesOf: (plain: StoryEnd) => readonly Place[],
): Promise<Exhausted> {
  const plain = await runStory(story, new Map());
  const broken: Broken[] = plain.broken === undefined ? [] : [{ place: [], end: plain }];
  const places = broken.length > 0 ? [] : placesOf(plain);
  const found: Broken[] = [];
  await runPlaces(story, places, (place, end) => {
    if (end.broken !== undefined) found.push({ place, end });
    return found.length < BROKEN_MAX;
  });
  // Told with its own timeline, and all the same where it is not broken alone: then sharing is what is wrong.
  for (const { place, end } of found) {
    const alone = await runStory(story, new Map(place));
    broken.push({ place, end: alone.broken === undefined ? end : alone });
  }
  return { runs: places.length, calls: plain.calls, broken };
}

/** For people: where the faults were, the law, and the timeline of the first. */
export function tellBroken({ broken }: Exhausted): string {
  const [first] = broken;
  if (first === undefined) return '';
  const lines = broken.map(({ place, end }) => `${tellPlace(place)}: ${end.broken?.message}`);
  return [...lines, '', first.end.timeline()].join('\n');
}

function tellPlace(place: Place): string {
  return place.length === 0 ? 'no fault' : place.map(([call, fault]) => `call ${call} ${fault}`).join(', ');
}

function numbers(from: number, end: number): readonly number[] {
  return Array.from({ length: Math.max(0, end - from) }, (_, i) => from + i);
}
