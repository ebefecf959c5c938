// Bundles the command line into dist/, or into the folder that is named: one entry, and chunks that are loaded when
// a verb needs them.

import { chmod, rm } from 'node:fs/promises';
import { build } from 'esbuild';

/**
 * What @kubernetes/client-node's kubeconfig drags along for its own API clients, which are not used here: 900 kB that
 * every pass with something in flight would load. A name that is imported and not listed here fails the build.
 */
const unused = {
  undici: ['Agent', 'ProxyAgent'],
  './gen/index.js': ['createConfiguration', 'ServerConfiguration'],
  './gen/rxjsStub.js': ['of'],
};

const withoutUnused = {
  name: 'without-unused',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^(undici|\.\/gen\/(index|rxjsStub)\.js)$/ }, ({ path, importer }) =>
      /@kubernetes.client-node.dist.\w+\.js$/.test(importer) ? { path, namespace: 'unused' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'unused' }, ({ path }) => ({
      contents: unused[path]
        .map((name) => `export const ${name} = () => { throw new Error('${name} of ${path} is not in this bundle'); };`)
        .join('\n'),
    }));
  },
};

const folder = process.argv[2] ?? 'dist';
await rm(folder, { recursive: true, force: true });
await build({
  entryPoints: { tranche: 'src/main.ts' },
  outdir: folder,
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  minify: true,
  keepNames: true,
  legalComments: 'linked',
  plugins: [withoutUnused],
  // Some dependencies are CommonJS and ask for Node's own modules by `require`.
  banner: {
    js: '#!/usr/bin/env node\nimport { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);',
  },
  logLevel: 'warning',
});
await chmod(`${folder}/tranche.js`, 0o755);
