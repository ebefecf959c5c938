/** The program behind `npm run sim`: one share of the seeds, or of the pairs; says what it found as one line of JSON. */

import { parseArgs } from 'node:util';
import * as simulation from './entry.ts';
import { allPairs, exhaust, singlePlaces, tellBroken } from './exhaust.ts';
import { report } from './report.ts';
import { baseStory, configurations, smallStory } from './story-setup.ts';
import { count, newTallies, type Tallies } from './tallies.ts';

export type Share = {
  readonly tallies: Tallies;
  readonly runs: number;
  /** What broke, told for people. */
  readonly failures: readonly string[];
};

/** A run that finds the same again and again ends early. */
const FAILURES_MAX = 5;
/** Progress is told after so many schedules. */
const PROGRESS = 500;

const { values: options } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '0' },
    pairs: { type: 'boolean', default: false },
    share: { type: 'string', default: '0' },
    of: { type: 'string', default: '1' },
  },
});
const [share, of] = [Number(options.share), Number(options.of)];

async function seeds(): Promise<Share> {
  const tallies = newTallies();
  const failures: string[] = [];
  const [from, end] = [Number(options.from), Number(options.from) + Number(options.seeds)];
  for (let seed = from + share; seed < end && failures.length < FAILURES_MAX; seed += of) {
    const outcome = await simulation.runSchedule(String(seed));
    count(tallies, outcome);
    if (outcome.broken !== undefined) failures.push(await report(simulation, String(seed)));
    if (tallies.schedules % PROGRESS === 0)
      console.error(`${tallies.schedules} schedules, ${failures.length} failures`);
  }
  return { tallies, runs: tallies.schedules, failures };
}

/** Every place in the base stories and all pairs of places in the small ones, over all configurations. */
async function pairs(): Promise<Share> {
  const failures: string[] = [];
  let runs = 0;
  for (const configuration of configurations) {
    const { strategy, reconcilers } = configuration;
    const mine = <T>(places: readonly T[]): readonly T[] => places.filter((_place, i) => i % of === share);
    const parts = [
      await exhaust(simulation, baseStory(configuration), ({ calls }) => mine(singlePlaces(calls))),
      await exhaust(simulation, smallStory(configuration), ({ calls }) => mine(allPairs(calls))),
    ];
    for (const done of parts) {
      runs += done.runs;
      if (done.broken.length > 0) failures.push(`${strategy} × ${reconcilers} reconciler(s)\n${tellBroken(done)}`);
    }
    console.error(`${strategy} × ${reconcilers}: ${runs} runs, ${failures.length} failures`);
  }
  return { tallies: newTallies(), runs, failures };
}

void (options.pairs ? pairs() : seeds()).then((found) => console.log(JSON.stringify(found)));
