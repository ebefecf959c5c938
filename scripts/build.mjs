// Bundles the command line and the GitHub Action into dist/, or into the folder that is named: an entry each, and
// chunks that are loaded when a verb needs them.

import { chmod, rm } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { build } from 'esbuild';

/**
 * What dependencies drag along for what is not used here. @kubernetes/client-node's kubeconfig: its API clients, 900 kB
 * that every pass with something in flight would load. commander: programs as subcommands, and so child processes,
 * before the first word is read. A name that is imported and not listed here fails the build, or the call.
 */
const unused = {
  undici: ['Agent', 'ProxyAgent'],
  './gen/index.js': ['createConfiguration', 'ServerConfiguration'],
  './gen/rxjsStub.js': ['of'],
  'node:child_process': ['spawn'],
};

const withoutUnused = {
  name: 'without-unused',
  setup: ({ onResolve, onLoad }) => {
    const from =
      (users) =>
      ({ path, importer }) =>
        users.test(importer) ? { path, namespace: 'unused' } : undefined;
    onResolve(
      { filter: /^(undici|\.\/gen\/(index|rxjsStub)\.js)$/ },
      from(/@kubernetes.client-node.dist.(config|middleware)\.js$/),
    );
    onResolve({ filter: /^node:child_process$/ }, from(/commander.lib.command\.js$/));
    onLoad({ filter: /.*/, namespace: 'unused' }, ({ path }) => ({
      contents: unused[path]
        .map((name) => `export const ${name} = () => { throw new Error('${name} of ${path} is not in this bundle'); };`)
        .join('\n'),
    }));
  },
};

/**
 * Files that are loaded together are one chunk: opening one costs more than reading it. `pass` is what a pass needs
 * that finds nothing to do; every other room stands on it, so that what they share is one chunk as well. In the same
 * way the other verbs stand on `work`, what a pass needs that moves: each of them shares something else with it, and
 * would cut it into a chunk more.
 */
const rooms = {
  pass: ['src/wiring.ts', 'src/commands/reconcile.ts'],
  cluster: ['src/adapters/cluster/api-cluster.ts', 'src/adapters/cluster/kubeconfig.ts'],
  work: [
    'src/reconcile/full-pass.ts',
    'src/reconcile/observe/read-main.ts',
    'src/commands/show.ts',
    'src/commands/saved-pass.ts',
    'src/commands/plan.ts',
    'src/commands/status.ts',
    'src/commands/lint.ts',
    'src/commands/order.ts',
    'src/commands/replay.ts',
  ],
};

/** What is loaded before a room. */
const groundOf = (room) =>
  room === 'work' || /^src\/(commands|reconcile)\//.test(room) ? [...rooms.pass, ...rooms.work] : rooms.pass;

/** What yaml asks of the environment once for each word of a file, for its own debugging: a tenth of the time of parsing. */
const withoutEnvironment = {
  name: 'without-environment',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^process$/ }, ({ path, importer }) =>
      /yaml.dist.(parse.parser|compose.composer)\.js$/.test(importer) ? { path, namespace: 'environment' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'environment' }, () => ({ contents: 'export const env = {};' }));
  },
};

const inRooms = {
  name: 'in-rooms',
  setup: ({ onResolve, onLoad }) => {
    const filesOf = new Map();
    onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ path, resolveDir, kind }) => {
      if (kind !== 'dynamic-import') return undefined;
      const file = relative('.', resolve(resolveDir, path));
      const [room, files] = Object.entries(rooms).find((entry) => entry[1].includes(file)) ?? [file, [file]];
      filesOf.set(room, files);
      return { path: room, namespace: 'room' };
    });
    onLoad({ filter: /.*/, namespace: 'room' }, ({ path }) => ({
      resolveDir: resolve('.'),
      contents: [
        ...groundOf(path).map((file) => `import './${file}';`),
        ...filesOf.get(path).map((file) => `export * from './${file}';`),
      ].join('\n'),
    }));
  },
};

const folder = process.argv[2] ?? 'dist';
await rm(folder, { recursive: true, force: true });
await build({
  entryPoints: { tranche: 'src/main.ts', action: 'src/action.ts' },
  outdir: folder,
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // Names stay as they are: a stack trace must be readable, and esbuild's way to keep them costs time at every start.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'linked',
  plugins: [withoutUnused, withoutEnvironment, inRooms],
  // Some dependencies are CommonJS and ask for Node's own modules by `require`.
  banner: {
    js: '#!/usr/bin/env node\nimport { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);',
  },
  logLevel: 'warning',
});
await chmod(`${folder}/tranche.js`, 0o755);
