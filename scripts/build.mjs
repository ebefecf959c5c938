// Bundles the command line into dist/, or into the folder that is named: one entry, and chunks that are loaded when
// a verb needs them.

import { chmod, rm } from 'node:fs/promises';
import { build } from 'esbuild';

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
  // Some dependencies are CommonJS and ask for Node's own modules by `require`.
  banner: {
    js: '#!/usr/bin/env node\nimport { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);',
  },
  logLevel: 'warning',
});
await chmod(`${folder}/tranche.js`, 0o755);
