// Builds the simulation into one file that any Node runs: parses are remembered, and one source may be patched.

import { readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { planted } from './planting.mjs';

const root = resolve(import.meta.dirname, '..');

// Pure functions whose answers are remembered over all schedules, or are not asked each time; test/simulation/replay.test.ts holds both together.
const remembered = {
  'src/manifests/parse-document.ts': 'parse-document.ts',
  'src/manifests/splice/apply-edits.ts': 'apply-edits.ts',
  'src/adapters/git/objects.ts': 'git-objects.ts',
  'src/reconcile/status/record-store.ts': 'record-store.ts',
  'src/reconcile/lint/try-ladder.ts': 'try-ladder.ts',
};

// What a plugin looks at is asked of another process, so it is asked of no other file.
function called(paths) {
  return new RegExp(`(^|[/\\\\])(${paths.map((path) => basename(path, '.ts')).join('|')})\\.ts$`);
}

/** Writes `entry`, a file of test/simulation, with all that it imports to `outfile`. `stands`: more that stands in for files of src. */
export async function writeBundle({ entry, outfile, patch, stands = {} }) {
  await build({
    entryPoints: [join(root, 'test/simulation', entry)],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    // Top-level await is of no use in this format: programs start in a function.
    format: 'cjs',
    logLevel: 'error',
    plugins: [
      withoutEnvironment,
      remembering({ ...remembered, ...stands }),
      ...(patch === undefined ? [] : [patching(patch)]),
    ],
  });
}

function remembering(names) {
  const stands = new Map(
    Object.entries(names).map(([real, name]) => [join(root, real), join(root, 'test/simulation/remembered', name)]),
  );
  return {
    name: 'remembering',
    setup: (setup) => {
      setup.onResolve({ filter: called(Object.keys(names)) }, ({ path, resolveDir, importer }) => {
        const stand = stands.get(resolve(resolveDir, path));
        return stand === undefined || stand === importer ? undefined : { path: stand };
      });
    },
  };
}

// The same as in build.mjs, which is alone in its image: yaml asks for it once for each word, a quarter of the time of parsing.
const withoutEnvironment = {
  name: 'without-environment',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^process$/ }, ({ path, importer }) =>
      /yaml.dist.(parse.parser|compose.composer)\.js$/.test(importer) ? { path, namespace: 'environment' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'environment' }, () => ({ contents: 'export const env = {};' }));
  },
};

function patching(patch) {
  const path = join(root, patch.file);
  const contents = planted(readFileSync(path, 'utf8'), patch);
  return {
    name: 'patch',
    setup: (setup) => {
      setup.onLoad({ filter: called([path]) }, (args) => (args.path === path ? { contents, loader: 'ts' } : undefined));
    },
  };
}
