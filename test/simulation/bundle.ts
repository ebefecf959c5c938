/** Loads the simulation as a bundle, in which parses are remembered and one source may be patched. */

import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Patch, writeBundle } from '../../scripts/simulation-bundle.mjs';
import type * as Entry from './entry.ts';

/** What no bug is planted in is built once, and is warm for the next file of the same process: all it keeps is what pure functions said. */
let sound: Promise<typeof Entry> | undefined;

/** The simulation as one module, with a planted bug or without. */
export async function bundled(patch?: Patch): Promise<typeof Entry> {
  if (patch !== undefined) return built(patch);
  sound ??= built(undefined);
  return sound;
}

async function built(patch: Patch | undefined): Promise<typeof Entry> {
  const folder = mkdtempSync(join(tmpdir(), 'simulation-'));
  try {
    const outfile = join(folder, 'simulation.cjs');
    await writeBundle({ entry: 'entry.ts', outfile, patch });
    return createRequire(import.meta.url)(outfile) as typeof Entry;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
