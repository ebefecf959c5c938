/** Runs schedules by their seeds, and says how often each fault was injected and each kind of commit was written. */

import { describe, expect, test } from 'vitest';
import { bundled } from './bundle.ts';
import { report } from './report.ts';
import { count, missing, newTallies, tell } from './tallies.ts';

/** `SEED=n` replays one schedule and prints it; the others are left out. */
export const ONE = process.env['SEED'];

/** How many schedules run, over all files: a taste. `npm run sim` runs as many as are asked for, in CI these among them. */
export const SCHEDULES = Number(process.env['SEEDS'] ?? '12');

/** The share of one test file: every `of`th seed from `first` on. */
export function checkSeeds(share: { readonly first: number; readonly of: number }): void {
  describe.runIf(ONE === undefined)('schedules', () => {
    const seeds = Array.from({ length: Math.ceil(SCHEDULES / share.of) }, (_, i) => String(share.first + i * share.of));
    const tallies = newTallies();

    test(`${seeds.length} schedules break no law`, async () => {
      const simulation = await bundled();
      for (const seed of seeds) {
        const outcome = await simulation.runSchedule(seed);
        const failure = outcome.broken === undefined ? '' : await report(simulation, seed);
        expect(outcome.broken, failure).toBeUndefined();
        count(tallies, outcome);
      }
    });

    test('every kind of fault was there, and every law was judged', () => {
      console.log(tell(tallies));
      expect(missing(tallies)).toEqual([]);
    });
  });
}
