/** Loads the simulation as a bundle, in which parses are remembered and one source may be patched. */

import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Patch, writeBundle } from '../../scripts/simulation-bundle.mjs';
import type * as Entry from './entry.ts';

/** The simulation as one module, built afresh. */
export async function bundled(patch?: Patch): Promise<typeof Entry> {
  const folder = mkdtempSync(join(tmpdir(), 'simulation-'));
  try {
    const outfile = join(folder, 'simulation.cjs');
    await writeBundle({ entry: 'entry.ts', outfile, patch });
    return createRequire(import.meta.url)(outfile) as typeof Entry;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
