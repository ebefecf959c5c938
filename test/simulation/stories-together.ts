/**
 * Plays many stories that start in the same way: what they share is played once, and each goes on from a twin of the world. Stories
 * that come to the same world go on as one. stories-together.test.ts holds this to stories that are played alone.
 */

import { areSame } from './same-world.ts';
import { brokenBy, Story } from './story.ts';
import type { Place, StoryEnd, StorySetup } from './story-setup.ts';

/**
 * Called once for each, with the end of the story that it went on with, and the round after which all that happened is its own as
 * well. False: that is enough.
 */
type Each<T> = (one: T, end: StoryEnd, since: number) => boolean;

/** One world, and whose it is. */
type Branch = {
  readonly story: Story;
  /** Places whose faults have all happened, and the round after which they are in this world. */
  readonly runs: readonly { readonly place: Place; readonly since: number }[];
  /** Places of which as many faults have happened here as `depth` says. */
  readonly ahead: readonly Place[];
  readonly depth: number;
};

/** The same story with the faults of each place, all of the same number. */
export async function runPlaces(of: StorySetup, places: readonly Place[], each: Each<Place>): Promise<void> {
  const story = new Story(of, new Map(), { more: places[0]?.length ?? 0 });
  let live: readonly Branch[] = [{ story, runs: [], ahead: places, depth: 0 }];
  while (live.length > 0) {
    const next: Branch[] = [];
    for (const branch of live) {
      const end = branch.story.goesOn() ? undefined : await over(branch);
      const played = end === undefined ? await playOn(of, branch) : { branches: [], ended: [{ branch, end }] };
      for (const one of played.ended)
        for (const { place, since } of runsOf(one.branch)) if (!each(place, one.end, since)) return;
      next.push(...played.branches);
    }
    live = joined(next);
  }
}

/** What breaks before all faults of a place have happened is broken with fewer faults: that is told of the place as well. */
function runsOf({ story: { turn }, runs, ahead }: Branch): Branch['runs'] {
  return [...runs, ...ahead.map((place) => ({ place, since: turn }))];
}

async function over({ story, ahead }: Branch): Promise<StoryEnd> {
  if (ahead.length === 0) return story.toTheEnd();
  return story.end({ law: 'no crash', message: `the story ends after ${story.calls} calls, before a fault` });
}

type Played = {
  readonly branches: readonly Branch[];
  readonly ended: readonly { readonly branch: Branch; readonly end: StoryEnd }[];
};

/** One round; places whose next fault is in it branch off from its start. */
async function playOn(of: StorySetup, branch: Branch): Promise<Played> {
  const { story, runs, ahead, depth } = branch;
  const before = ahead.length === 0 ? undefined : story.twin(of, new Map(ahead[0]?.slice(0, depth)));
  try {
    await story.playRound();
  } catch (error) {
    return { branches: [], ended: [{ branch, end: story.end(brokenBy(error)) }] };
  }
  const isHere = (place: Place): boolean => place[depth]![0] < story.calls;
  const left = { ...branch, ahead: ahead.filter((place) => !isHere(place)) };
  const all: Played[] = [{ branches: runs.length + left.ahead.length > 0 ? [left] : [], ended: [] }];
  for (const same of grouped(ahead.filter(isHere), (place) => JSON.stringify(place[depth])))
    all.push(
      await playOn(of, {
        story: before!.twin(of, new Map(same[0]?.slice(0, depth + 1))),
        runs: same.filter(({ length }) => length === depth + 1).map((place) => ({ place, since: 0 })),
        ahead: same.filter(({ length }) => length > depth + 1),
        depth: depth + 1,
      }),
    );
  return { branches: all.flatMap(({ branches }) => branches), ended: all.flatMap(({ ended }) => ended) };
}

/** Branches that have come to the same world are one, if no more than one of them has faults ahead: those count its calls. */
function joined(branches: readonly Branch[]): readonly Branch[] {
  const known: Branch[] = [];
  for (const branch of [...branches].sort((a, b) => b.ahead.length - a.ahead.length)) {
    const isSame = ({ story }: Branch): boolean => story.heads === branch.story.heads && areSame(story, branch.story);
    const at = branch.ahead.length > 0 ? -1 : known.findIndex(isSame);
    const same = known[at];
    if (same === undefined) known.push(branch);
    else {
      const since = branch.story.turn;
      known[at] = { ...same, runs: [...same.runs, ...branch.runs.map(({ place }) => ({ place, since }))] };
    }
  }
  return known;
}

/** Stories without faults. Those that differ in their acts alone share what is before. */
export async function runActs(stories: readonly StorySetup[], each: Each<StorySetup>): Promise<void> {
  for (const same of grouped(stories, ({ acts: _acts, ...setup }) => JSON.stringify(setup)))
    if (!(await apart(new Story(same[0]!, new Map()), { stories: same, each }))) return;
}

type Acting = { readonly stories: readonly StorySetup[]; readonly each: Each<StorySetup> };

/** All of them have been the same up to here, where the world is that of the first. */
async function apart(trunk: Story, { stories, each }: Acting): Promise<boolean> {
  if (stories.length === 1) return each(stories[0]!, await trunk.toTheEnd(), 0);
  if (!trunk.goesOn()) {
    for (const one of stories) if (!each(one, await trunk.twin(one, new Map()).toTheEnd(), 0)) return false;
    return true;
  }
  const round = trunk.turn + 1;
  for (const way of grouped(stories, ({ acts = [] }) => JSON.stringify(acts.filter(([at]) => at === round)))) {
    const branch = trunk.twin(way[0]!, new Map());
    const broken = way.length === 1 ? undefined : await brokenIn(branch);
    if (broken !== undefined && !way.every((one) => each(one, branch.end(broken), 0))) return false;
    if (broken === undefined && !(await apart(branch, { stories: way, each }))) return false;
  }
  return true;
}

/** What breaks in the next round. */
async function brokenIn(story: Story): Promise<StoryEnd['broken']> {
  try {
    await story.playRound();
  } catch (error) {
    return brokenBy(error);
  }
  return undefined;
}

/** In the order of the first of each. */
function grouped<T>(all: readonly T[], keyOf: (one: T) => string): readonly (readonly T[])[] {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return [...groups.values()];
}
