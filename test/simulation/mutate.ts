/** Builds the simulation with one patch in it, and runs it until a law is broken. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import type { Mutant } from './mutants.ts';
import type { Outcome, runSchedule } from './schedule.ts';

const root = resolve(import.meta.dirname, '../..');

export type Verdict = {
  readonly mutant: Mutant;
  /** undefined: it survived its allowance. */
  readonly killedBy: string | undefined;
  readonly schedules: number;
};

/** Tries one mutant on the schedules of seeds 0, 1, 2 … */
export async function verdictOn(mutant: Mutant): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), 'mutant-'));
  try {
    const run = await load(mutant, join(folder, 'simulation.cjs'));
    for (let seed = 0; seed < mutant.allowance; seed++) {
      const { broken } = await run(String(seed));
      if (broken !== undefined) return { mutant, killedBy: broken.law, schedules: seed + 1 };
    }
    return { mutant, killedBy: undefined, schedules: mutant.allowance };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function load(mutant: Mutant, outfile: string): Promise<typeof runSchedule> {
  const path = join(root, mutant.file);
  const patched = patch(readFileSync(path, 'utf8'), mutant);
  await build({
    entryPoints: [join(root, 'test/simulation/schedule.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
    plugins: [
      {
        name: 'mutant',
        setup: (setup) => {
          setup.onLoad({ filter: /\.ts$/ }, (args) =>
            args.path === path ? { contents: patched, loader: 'ts' } : undefined,
          );
        },
      },
    ],
  });
  const loaded = createRequire(import.meta.url)(outfile) as { runSchedule: (seed: string) => Promise<Outcome> };
  return loaded.runSchedule;
}

/** A patch that no longer fits must be mended, not skipped. */
function patch(text: string, { name, file, from, to }: Mutant): string {
  const parts = text.split(from);
  if (parts.length !== 2)
    throw new Error(`mutant "${name}": ${file} has its text ${parts.length - 1} times, wanted once`);
  return parts.join(to);
}
