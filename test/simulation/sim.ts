/**
 * The program behind `npm run sim`: one share of the seeds, calls or pairs; says what it found as one line of JSON. Of several
 * runs, with `+` between them, it says a line each.
 */

import { parseArgs } from 'node:util';
import { actStories, sharedActStories } from './acts.ts';
import { backStories } from './back-stories.ts';
import { batchStories } from './batch-stories.ts';
import * as simulation from './entry.ts';
import { allPairs, exhaust, pairsInWindow, singlePlaces, tellBroken } from './exhaust.ts';
import { report } from './report.ts';
import { rollbackStories } from './rollback-stories.ts';
import type { Setup } from './setup.ts';
import {
  baseStory,
  configurations,
  filledConfigurations,
  filledStory,
  type Place,
  type StoryEnd,
  type StorySetup,
  sharedStory,
  smallStory,
} from './story-setup.ts';
import { count, newTallies, type Tallies } from './tallies.ts';

export type Share = {
  readonly tallies: Tallies;
  readonly runs: number;
  /** What broke, told for people. */
  readonly failures: readonly string[];
};

/** A run that finds the same again and again ends early. */
const FAILURES_MAX = 5;
/** About as many as a pass has. */
const CALLS_A_ROUND = 12;
/** Progress is told after this many schedules. */
const PROGRESS = 500;

const [, , nth = '0', among = '1', ...words] = process.argv;
const [share, of] = [Number(nth), Number(among)];

/** What one run is asked for. Throws at an option that there is not. */
function optionsOf(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seeds: { type: 'string', default: '1000' },
      from: { type: 'string', default: '0' },
      calls: { type: 'boolean', default: false },
      filled: { type: 'boolean', default: false },
      hostile: { type: 'boolean', default: false },
      kustomize: { type: 'boolean', default: false },
      acts: { type: 'boolean', default: false },
      window: { type: 'boolean', default: false },
      pairs: { type: 'boolean', default: false },
      every: { type: 'string', default: '1' },
    },
  });
  return values;
}

type Options = ReturnType<typeof optionsOf>;

/** Which worlds the seeds are of. */
function setupFor(seed: string, options: Options): Setup {
  if (options.kustomize) return simulation.kustomizeSetupOf(seed);
  const setup = simulation.setupOf(seed);
  return options.hostile ? simulation.hostileSetupOf(setup) : setup;
}

async function seeds(options: Options): Promise<Share> {
  const tallies = newTallies();
  const failures: string[] = [];
  const [from, end] = [Number(options.from), Number(options.from) + Number(options.seeds)];
  for (let seed = from + share; seed < end && failures.length < FAILURES_MAX; seed += of) {
    const setup = setupFor(String(seed), options);
    const outcome = await simulation.runSchedule(String(seed), setup);
    count(tallies, outcome);
    if (outcome.broken !== undefined)
      failures.push(
        options.hostile
          ? `seed ${seed} breaks ${outcome.broken.law}: ${outcome.broken.message}\n\n${outcome.timeline()}`
          : await report(simulation, String(seed), setup),
      );
    if (tallies.schedules % PROGRESS === 0)
      console.error(`${tallies.schedules} schedules, ${failures.length} failures`);
  }
  return { tallies, runs: tallies.schedules, failures };
}

/** A story by its name, and where its faults are. */
type Exhaustion = {
  readonly stories: readonly (readonly [name: string, story: StorySetup])[];
  readonly places: (plain: StoryEnd) => readonly Place[];
};

const named = <T extends { readonly strategy: string; readonly reconcilers: number }>(
  all: readonly T[],
  story: (one: T) => StorySetup,
) => all.map((one) => [`${one.strategy} × ${one.reconcilers}`, story(one)] as const);

const alone = configurations.filter(({ reconcilers }) => reconcilers === 1);

/** Each call of the longer stories; the pairs where a delivery starts in the small ones; and all pairs of those. */
const exhaustions = {
  calls: { stories: named(configurations, baseStory), places: ({ calls }) => singlePlaces(calls) },
  filled: {
    stories: [...named(filledConfigurations, filledStory), ['partition with a route × 1', sharedStory()]],
    places: ({ calls }) => singlePlaces(calls),
  },
  window: { stories: named(alone, smallStory), places: ({ requestedAt }) => pairsInWindow(requestedAt) },
  pairs: { stories: named(configurations, smallStory), places: ({ calls }) => allPairs(calls) },
} as const satisfies Record<string, Exhaustion>;

/** `every`: of the places of faults one in this many; no multiple of the three faults of a call, so that each of them comes. */
async function exhausted({ stories, places }: Exhaustion, every: number): Promise<Share> {
  const failures: string[] = [];
  let runs = 0;
  for (const [at, [name, story]] of stories.entries()) {
    const mine = (plain: StoryEnd): readonly Place[] =>
      places(plain)
        .filter((_place, i) => i % every === 0)
        // Faults of one round lead to few worlds: they stay together.
        .filter(([first]) => (Math.floor((first?.[0] ?? 0) / CALLS_A_ROUND) + at) % of === share);
    const done = await exhaust(simulation, story, mine);
    runs += done.runs;
    if (done.broken.length > 0) failures.push(`${name} reconciler(s)\n${tellBroken(done)}`);
    console.error(`${name}: ${runs} runs, ${failures.length} failures`);
  }
  return { tallies: newTallies(), runs, failures };
}

/** Of the rounds at which one thing alone happens, one in this many; what takes two things or more is played whole. */
function partOf(all: readonly StorySetup[], every: number): readonly StorySetup[] {
  const kinds = new Map<string, number>();
  return all.filter(({ acts: [act, second] = [], fills, groups }) => {
    if (act === undefined || second !== undefined) return true;
    const kind = `${fills?.style ?? 'partition'} ${groups} ${act[1]}`;
    const seen = kinds.get(kind) ?? 0;
    kinds.set(kind, seen + 1);
    // The first of each kind, so that none is missing; then other rounds for other kinds.
    return seen === 0 || (act[0] + kind.length) % every === 0;
  });
}

/** One thing at every rung. */
async function acts(every: number): Promise<Share> {
  const failures: string[] = [];
  const all = partOf([...actStories, ...sharedActStories, ...backStories, ...batchStories, ...rollbackStories], every);
  const mine = all.filter((_, i) => i % of === share);
  await simulation.runActs(mine, (story, { broken, timeline }) => {
    if (broken !== undefined)
      failures.push(
        `${story.fills?.style ?? 'partition'} with ${JSON.stringify(story.acts)}: ${broken.message}\n\n${timeline()}`,
      );
    return true;
  });
  return { tallies: newTallies(), runs: mine.length, failures };
}

function played(options: Options): Promise<Share> {
  const [asked] = (['calls', 'filled', 'window', 'pairs'] as const).filter((name) => options[name]);
  if (asked !== undefined) return exhausted(exhaustions[asked], Number(options.every));
  return options.acts ? acts(Number(options.every)) : seeds(options);
}

/** The runs one after another: what is compiled by the first runs fast in the others. */
async function main(): Promise<void> {
  const runs = words
    .join(' ')
    .split('+')
    .map((run) => optionsOf(run.split(' ').filter((word) => word !== '')));
  for (const options of runs) {
    const begin = performance.now();
    const found = await played(options);
    console.log(JSON.stringify({ ...found, seconds: (performance.now() - begin) / 1000 }));
  }
}

void main();
