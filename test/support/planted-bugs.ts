/** Patches of the source that answers must tell: the code that gives them is built with each, and asked again. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { transformSync } from 'esbuild';
import { planted as withBug } from '../../scripts/planting.mjs';
import { type Patch, writeBundle } from '../../scripts/simulation-bundle.mjs';

/** A place of one file in `src/rollout`, and what it becomes. */
export type Bug = readonly [name: string, file: string, from: string, to: string];

/** What a file that answers has. */
type Answers = { readonly wrongAnswers: () => readonly string[] | Promise<readonly string[]> };

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

/** Asks the file under a patch, which is built once; `end` takes away what was built. `entry` is seen from `test/rollout`. */
export function newPlanting(entry: string): {
  readonly answersUnder: (patch: Patch) => Promise<readonly string[]>;
  readonly end: () => void;
} {
  const folder = mkdtempSync(join(tmpdir(), 'tranche-planted-bugs-'));
  let tried = 0;
  return {
    async answersUnder(patch) {
      tried += 1;
      const outfile = join(folder, `${tried}.cjs`);
      await writeBundle({ entry: `../rollout/${entry}`, outfile, patch });
      const bundled = createRequire(import.meta.url)(outfile) as Answers;
      return bundled.wrongAnswers();
    },
    end: () => rmSync(folder, { recursive: true, force: true }),
  };
}
