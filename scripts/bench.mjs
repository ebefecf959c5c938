// Bundles the benchmark into a temporary folder, for Node 20 reads no TypeScript, and runs it.

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { writeBundle } from './simulation-bundle.mjs';

const programs = await mkdtemp(join(tmpdir(), 'tranche-bench-programs-'));
try {
  const servers = ['serve-git', 'serve-world', 'serve-fleet', 'serve-pods', 'serve-builds'];
  const names = [
    'main',
    ...servers,
    'iso-pass',
    'memory-probe',
    'watch-probe',
    'pods-probe',
    'builds-probe',
    'builds-stand-in',
  ];
  await build({
    entryPoints: {
      ...Object.fromEntries(names.map((name) => [name, `bench/${name}.ts`])),
      'small-process': 'test/support/small-process.mjs',
    },
    outdir: programs,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    banner: {
      js: 'import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);',
    },
    logLevel: 'warning',
  });
  await writeBundle({ entry: 'entry.ts', outfile: join(programs, 'simulation.cjs') });
  await writeBundle({ entry: 'memory.ts', outfile: join(programs, 'simulation-memory.cjs') });
  const bench = spawn(process.execPath, [join(programs, 'main.mjs'), ...process.argv.slice(2)], { stdio: 'inherit' });
  process.exitCode = await new Promise((done) => bench.on('close', (code) => done(code ?? 1)));
} finally {
  await rm(programs, { recursive: true, force: true });
}
