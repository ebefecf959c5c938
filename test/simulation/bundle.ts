/** Builds the simulation into one file that any Node runs: parses are remembered, and one source may be patched. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import type * as Entry from './entry.ts';

const root = resolve(import.meta.dirname, '../..');

/** Pure functions whose answers are remembered over all schedules. `replay.test.ts` holds both against each other. */
const REMEMBERED: Readonly<Record<string, string>> = {
  'src/manifests/parse-document.ts': 'parse-document.ts',
  'src/adapters/git/objects.ts': 'git-objects.ts',
  'src/reconcile/record-store.ts': 'record-store.ts',
};

export type Patch = {
  readonly name: string;
  readonly file: string;
  /** Must be there exactly once. */
  readonly from: string;
  readonly to: string;
};

/** The simulation as one module, built afresh. */
export async function bundled(patch?: Patch): Promise<typeof Entry> {
  const folder = mkdtempSync(join(tmpdir(), 'simulation-'));
  try {
    const outfile = join(folder, 'simulation.cjs');
    await writeBundle(outfile, patch);
    return createRequire(import.meta.url)(outfile) as typeof Entry;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function writeBundle(outfile: string, patch: Patch | undefined): Promise<void> {
  await build({
    entryPoints: [join(root, 'test/simulation/entry.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
    plugins: [remembering, ...(patch === undefined ? [] : [patching(patch)])],
  });
}

const remembering: Plugin = {
  name: 'remembering',
  setup: (setup) => {
    const stands = new Map(
      Object.entries(REMEMBERED).map(([real, name]) => [
        join(root, real),
        join(root, 'test/simulation/remembered', name),
      ]),
    );
    setup.onResolve({ filter: /^\..*\.ts$/ }, ({ path, resolveDir, importer }) => {
      const stand = stands.get(resolve(resolveDir, path));
      return stand === undefined || stand === importer ? undefined : { path: stand };
    });
  },
};

function patching(patch: Patch): Plugin {
  const path = join(root, patch.file);
  const contents = patched(readFileSync(path, 'utf8'), patch);
  return {
    name: 'patch',
    setup: (setup) => {
      setup.onLoad({ filter: /\.ts$/ }, (args) => (args.path === path ? { contents, loader: 'ts' } : undefined));
    },
  };
}

/** A patch that no longer fits must be mended, not skipped. */
function patched(text: string, { name, file, from, to }: Patch): string {
  const parts = text.split(from);
  if (parts.length !== 2)
    throw new Error(`mutant "${name}": ${file} has its text ${parts.length - 1} times, wanted once`);
  return parts.join(to);
}
