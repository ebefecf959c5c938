/** What a pass loads before it knows whether there is anything to do: most passes end there. */

import { build } from 'esbuild';
import { expect, test } from 'vitest';

/** The files that are loaded with these, in bytes; what is loaded later, when it is needed, is not among them. */
async function loadedWith(files: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const { metafile } = await build({
    stdin: { contents: files.map((file) => `import './${file}';`).join('\n'), resolveDir: process.cwd() },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: 'none.js',
    write: false,
    metafile: true,
    logLevel: 'error',
  });
  const loaded = new Map<string, number>();
  const queue = ['<stdin>'];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const input = metafile.inputs[path];
    if (input === undefined || loaded.has(path)) continue;
    loaded.set(path, input.bytes);
    for (const { path: next, kind, external } of input.imports)
      if (kind === 'import-statement' && external !== true) queue.push(next);
  }
  return loaded;
}

const asks = ['src/wiring.ts', 'src/commands/reconcile.ts'];
const answers = ['src/adapters/git/remote-repository.ts', 'src/reconcile/status/record-store.ts'];
const bytesOf = (loaded: ReadonlyMap<string, number>): number =>
  [...loaded.values()].reduce((sum, size) => sum + size, 0);

test('a pass asks for the heads before it loads what reads the answers', async () => {
  const loaded = await loadedWith(asks);
  for (const file of [...answers, 'src/adapters/git/objects.ts']) expect([...loaded.keys()]).not.toContain(file);
  expect(bytesOf(loaded)).toBeLessThan(189_000);
});

test('a pass that finds nothing to do loads no parser of YAML, no decision, no edits, no cluster and no servers', async () => {
  const loaded = await loadedWith([...asks, ...answers]);
  const heavy = /^node_modules\/|^src\/(manifests|simulator|rollout\/(strategies|plan)|reconcile\/write|demo)\b/;
  expect([...loaded.keys()].filter((path) => heavy.test(path))).toEqual([]);
  expect(bytesOf(loaded)).toBeLessThan(406_000);
});

test('a pass that moves loads no model of a cluster', async () => {
  const loaded = [...(await loadedWith(['src/reconcile/full-pass.ts'])).keys()];
  expect(loaded).toContain('src/rollout/plan.ts');
  expect(loaded.filter((path) => path.startsWith('src/simulator/'))).toEqual([]);
});

test('the command line itself is the parser of options and little more', async () => {
  const loaded = await loadedWith(['src/main.ts']);
  const others = [...loaded.keys()].filter(
    (path) => !/^(<stdin>|src\/(main|options|commands|ports|api)\b|node_modules\/commander\/)/.test(path),
  );
  expect(others).toEqual([]);
});
