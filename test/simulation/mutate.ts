/** Runs the simulation with one patch in it until a law is broken. */

import { bundled } from './bundle.ts';
import type { Mutant } from './mutants.ts';

export type Verdict = {
  readonly mutant: Mutant;
  /** undefined: it survived its allowance. */
  readonly killedBy: string | undefined;
  readonly schedules: number;
};

/** Tries one mutant on the worlds of seeds 0, 1, 2 … */
export async function verdictOn(mutant: Mutant): Promise<Verdict> {
  const { runIn } = await bundled(mutant);
  const run = (seed: number) => runIn(mutant.world, seed);
  for (let seed = 0; seed < mutant.allowance; seed++) {
    const { broken } = await run(seed);
    if (broken !== undefined) return { mutant, killedBy: broken.law, schedules: seed + 1 };
  }
  return { mutant, killedBy: undefined, schedules: mutant.allowance };
}
