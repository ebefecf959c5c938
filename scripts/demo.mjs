// `npm run demo`: builds the command line and runs its demo. With `--pull-requests [--out FOLDER]` the same delivery by pull
// requests, on the GitHub that the tests simulate, which is in no package: so only from a checkout.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { runForwarding } from './forward.mjs';

// Files that stand next to a source are looked for where the source is.
const inPlace = {
  name: 'in-place',
  setup: ({ onLoad }) => {
    onLoad({ filter: /test.support.*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      return { contents: text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)), loader: 'ts' };
    });
  },
};

// What the demo of a checkout takes and that of the package does not.
const ONLY_HERE = `
Only from a checkout, as npm run demo -- --pull-requests:
  --pull-requests     the same delivery by pull requests, on a simulated GitHub
  --out <folder>      with --pull-requests: keep what people read of them as files
`;

const args = process.argv.slice(2);
if (args.includes('--pull-requests')) process.exitCode = await pullRequests(args);
else {
  process.exitCode =
    (await runForwarding(['scripts/build.mjs'])) || (await runForwarding(['dist/tranche.js', 'demo', ...args]));
  if (args.includes('--help') || args.includes('-h')) process.stdout.write(ONLY_HERE);
}

async function pullRequests(given) {
  const values = valuesOf(given);
  if (values === undefined) return 2;
  const root = resolve(import.meta.dirname, '..');
  const folder = await mkdtemp(join(tmpdir(), 'tranche-demo-'));
  try {
    const outfile = join(folder, 'demo.mjs');
    const entry = join(root, 'test/support/pull-request-demo.ts');
    await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      // Some dependencies are CommonJS and ask for Node's own modules by `require`.
      banner: { js: 'import { createRequire } from "node:module";const require = createRequire(import.meta.url);' },
      logLevel: 'error',
      plugins: [inPlace],
    });
    const { demoPullRequests } = await import(pathToFileURL(outfile));
    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stop.abort());
    return await demoPullRequests(values.out, {
      env: process.env,
      folder: process.cwd(),
      out: (text) => process.stdout.write(text),
      err: (text) => process.stderr.write(text),
      isTerminal: process.stdout.isTTY === true,
      signal: stop.signal,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What was given with `--pull-requests`; undefined: something that does not go with it, and that was said. */
function valuesOf(given) {
  try {
    return parseArgs({ args: given, options: { 'pull-requests': { type: 'boolean' }, out: { type: 'string' } } })
      .values;
  } catch (error) {
    process.stderr.write(`error: ${error.message}. With --pull-requests goes --out FOLDER alone\n`);
    return undefined;
  }
}
