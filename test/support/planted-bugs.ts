/** Patches of the source that answers must tell: the code that gives them is built with all of them, and asked under each. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { transformSync } from 'esbuild';
import type * as PlantedSwitch from '../../scripts/planted-switch.mjs';
import { planted as withBug } from '../../scripts/planting.mjs';
import { type Patch, writeBundle } from '../../scripts/simulation-bundle.mjs';

/** A place of one file in `src/rollout`, and what it becomes. */
export type Bug = readonly [name: string, file: string, from: string, to: string];

/** What a bundle of a file that answers has. */
type Answers = typeof PlantedSwitch & { readonly wrongAnswers: () => Iterable<string> | AsyncIterable<string> };

/** The bugs as patches. */
export function patchesOf(bugs: readonly Bug[]): readonly Patch[] {
  return bugs.map(([name, file, from, to]) => ({ name, file: `src/rollout/${file}`, from, to }));
}

/** The patches to plant: the first, which shows that planting works, and with `POLICY_BUGS=all`, as in `.ci/run`, every one. */
export function planted(patches: readonly Patch[]): readonly Patch[] {
  return process.env['POLICY_BUGS'] === 'all' ? patches : patches.slice(0, 1);
}

/** Whether a bug can still be planted: it changes one place, and what comes out parses. Throws where it cannot. */
export function fits(patch: Patch): boolean {
  const source = readFileSync(resolve(import.meta.dirname, '../..', patch.file), 'utf8');
  const text = withBug(source, patch);
  transformSync(text, { loader: 'ts' });
  return text !== source;
}

/** Asks the file under a patch for its first wrong answer; `end` takes away what was built. `entry` is seen from `test/rollout`. */
export function newPlanting(
  entry: string,
  patches: readonly Patch[],
): {
  readonly wrongUnder: (patch: Patch) => Promise<string | undefined>;
  readonly end: () => void;
} {
  const folder = mkdtempSync(join(tmpdir(), 'tranche-planted-bugs-'));
  const built = async (of: Partial<Parameters<typeof writeBundle>[0]>, name: string): Promise<Answers> => {
    const outfile = join(folder, name);
    await writeBundle({ entry: `../rollout/${entry}`, outfile, ...of });
    return createRequire(import.meta.url)(outfile) as Answers;
  };
  let all: Promise<Answers> | undefined;
  return {
    async wrongUnder(patch) {
      all ??= built({ patches }, 'all.cjs');
      const { plant, needsItsOwnBundle, wrongAnswers } = await all;
      const bug = 1 + patches.indexOf(patch);
      plant(bug);
      const answers = needsItsOwnBundle(bug) ? await built({ patch }, `${bug}.cjs`) : { wrongAnswers };
      for await (const first of answers.wrongAnswers()) return first;
      return undefined;
    },
    end: () => rmSync(folder, { recursive: true, force: true }),
  };
}
