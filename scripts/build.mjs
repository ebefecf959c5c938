// Bundles the command line into dist/: one entry, and chunks that are loaded when a verb needs them.
import { chmod, rm } from 'node:fs/promises';
import { build } from 'esbuild';

await rm('dist', { recursive: true, force: true });
await build({
  entryPoints: { tranche: 'src/main.ts' },
  outdir: 'dist',
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
await chmod('dist/tranche.js', 0o755);
