// Bundles src into one file for `npm test` (`quick`) or `npm run test:long` (`long`), with a small file for each source that gives
// out what that one exports: a bundle is loaded in a moment and runs faster than a thousand modules that a test runner has
// rewritten. Packages stay outside, so that tests and src have the same ones. In the long part, what some pure functions answer
// is remembered, as in the simulation's bundle; the short one asks them each time, because its tests are those of the functions.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { build } from 'esbuild';
import { remembering } from './remembering.mjs';

const root = resolve(import.meta.dirname, '..');
const [part] = process.argv.slice(2);
if (part !== 'quick' && part !== 'long') throw new Error(`quick or long, not ${part}`);
// vitest.config.ts looks for it here. Below node_modules Node itself loads files, and nobody formats or commits them.
// The parts of `.ci/run` run side by side, each on its own.
const folder = join(root, 'node_modules/.cache/tranche-tests', `${part}${process.env['LONG_PART'] ?? ''}`);
const bundle = join(folder, 'bundle.mjs');

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => `src/${path}`)
  .sort();

/** What each source exports, by its path. Sources that export types alone are not in it. */
async function exportsOf(files) {
  const { metafile } = await build({
    entryPoints: files,
    absWorkingDir: root,
    outdir: folder,
    format: 'esm',
    write: false,
    metafile: true,
  });
  const outputs = Object.values(metafile.outputs).map(({ entryPoint, exports }) => [entryPoint, exports]);
  return new Map(outputs.filter(([, exports]) => exports.length > 0));
}

/** Sources that look for files of the project next to themselves find them: a bundle in the form of ES modules knows no folder. */
const withFolder = {
  name: 'with-folder',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[/\\]src[/\\]commands[/\\](package-files|version)\.ts$/ }, ({ path }) => ({
      contents: `const __dirname = ${JSON.stringify(dirname(path))};\n${readFileSync(path, 'utf8')}`,
      loader: 'ts',
    }));
  },
};

const exported = [...(await exportsOf(sources))];
/** Each export by a name of its own in the whole bundle. */
const inBundle = (at, name) => `of${at}_${name}`;
const entry = exported.map(
  ([source, names], at) =>
    `export { ${names.map((name) => `${name} as ${inBundle(at, name)}`).join(', ')} } from './${source}';`,
);

const remembered = JSON.parse(readFileSync(join(root, 'scripts/remembered.json'), 'utf8'));
rmSync(folder, { recursive: true, force: true });
await build({
  stdin: { contents: entry.join('\n'), resolveDir: root, sourcefile: 'every-source.js' },
  outfile: bundle,
  bundle: true,
  packages: 'external',
  // As in vitest.config.ts: the one package whose names Node cannot tell.
  alias: { 'fast-json-patch': 'fast-json-patch/index.mjs' },
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  logLevel: 'error',
  plugins: [...(part === 'long' ? [remembering(remembered)] : []), withFolder],
});
for (const [at, [source, names]] of exported.entries()) {
  const file = join(folder, source.replace(/\.ts$/, '.mjs'));
  mkdirSync(dirname(file), { recursive: true });
  const list = names.map((name) => `${inBundle(at, name)} as ${name}`).join(', ');
  writeFileSync(file, `export { ${list} } from ${JSON.stringify(relative(dirname(file), bundle))};\n`);
}
