// Builds the simulation into one file that any Node runs: parses are remembered, and one source may be patched.

import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { planted } from './planting.mjs';
import { called, remembering } from './remembering.mjs';

const root = resolve(import.meta.dirname, '..');

const SWITCH = join(root, 'scripts/planted-switch.mjs');

// Pure functions whose answers are remembered over all schedules, or are not asked each time; test/simulation/remembered.test.ts
// holds both together.
const remembered = {
  ...JSON.parse(readFileSync(join(root, 'scripts/remembered.json'), 'utf8')),
  // Told by the ids of files: in some tests an agent fetches other texts under the same ids.
  'src/manifests/closure.ts': 'closure.ts',
  'src/reconcile/status/record-store.ts': 'record-store.ts',
  'src/reconcile/lint/try-ladder.ts': 'try-ladder.ts',
};

/**
 * Writes `entry`, a file of test/simulation, with all that it imports to `outfile`. `stands`: more that stands in for files of
 * src. With `patches` the bundle holds all of them, and exports what planted-switch.mjs has in addition.
 */
export async function writeBundle({ entry, outfile, patch, patches, stands = {} }) {
  const file = join(root, 'test/simulation', entry);
  const both = [file, SWITCH].map((path) => `export * from ${JSON.stringify(path)};`).join('\n');
  await build({
    ...(patches === undefined
      ? { entryPoints: [file] }
      : { stdin: { contents: both, resolveDir: root, sourcefile: 'switched-entry.js' } }),
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
      ...(patches === undefined ? [] : [switching(patches)]),
    ],
  });
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

/** Each file that a bug is planted in stands for itself and for itself with each of its bugs: which one is asked at each call. */
function switching(patches) {
  const bugs = new Map(patches.map(({ file }) => [join(root, file), []]));
  for (const [at, patch] of patches.entries()) bugs.get(join(root, patch.file)).push({ bug: at + 1, patch });
  const sourceOf = (path, suffix) => {
    const text = readFileSync(path, 'utf8');
    const found = bugs.get(path).find(({ bug }) => `?bug=${bug}` === suffix);
    return {
      contents: found === undefined ? text : planted(text, found.patch),
      loader: 'ts',
      resolveDir: dirname(path),
    };
  };
  return {
    name: 'switching',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /\?bug=\d+$/ }, ({ path }) => {
        const [file, bug] = path.split('?');
        return { path: file, suffix: `?${bug}` };
      });
      onLoad({ filter: called([...bugs.keys()]) }, ({ path, suffix }) => {
        if (!bugs.has(path)) return undefined;
        if (suffix !== '') return sourceOf(path, suffix);
        return { contents: switchOf(path, bugs.get(path)), loader: 'js', resolveDir: dirname(path) };
      });
    },
  };
}

function switchOf(path, bugs) {
  const names = [...readFileSync(path, 'utf8').matchAll(EXPORTED)].map(([, name]) => name);
  const of = (bug) => JSON.stringify(`${path}?bug=${bug}`);
  return [
    `import { switched } from ${JSON.stringify(SWITCH)};`,
    `import * as sound from ${of(0)};`,
    ...bugs.map(({ bug }) => `import * as bug${bug} from ${of(bug)};`),
    `const made = switched(sound, new Map([${bugs.map(({ bug }) => `[${bug}, bug${bug}]`).join(', ')}]));`,
    `export const { ${names.join(', ')} } = made;`,
  ].join('\n');
}

/** Every export that is no type: tidy has no other forms in src. */
const EXPORTED = /^export (?:async )?(?:const|class|function\*?) (\w+)/gm;
