/** What an earlier start has compiled is taken for the text it was made of, from a folder of this user alone. */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { privateFolder } from '../src/compiled.ts';

/** Notes what V8 said of each piece of compiled code that it was given. */
const PROBE = `const vm = require('node:vm');
const seen = [];
vm.Script = class extends vm.Script {
  constructor(text, options) {
    super(text, options);
    if (options?.cachedData) seen.push(this.cachedDataRejected ? 'rejected' : 'taken');
  }
};
process.on('exit', () => console.log(JSON.stringify(seen)));
`;
const ONE = "console.log(JSON.stringify([require('./b.js').answer, __filename, new Error().stack.split('\\n')[1]]));";
const B = 'exports.answer = 1; exports.later = () => 2;';

let folder = '';
let bundle = '';
let home = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tranche-compiled-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  bundle = mkdtempSync(join(folder, 'bundle-'));
  home = mkdtempSync(join(folder, 'home-'));
  mkdirSync(join(bundle, 'chunks'));
  writeFileSync(join(bundle, 'package.json'), '{"type": "commonjs"}');
  writeFileSync(join(bundle, 'probe.js'), PROBE);
  writeFileSync(join(bundle, 'chunks/a.js'), ONE);
  writeFileSync(join(bundle, 'chunks/b.js'), B);
  const contents =
    "import { useCompiled } from './src/compiled.ts'; useCompiled(__dirname); require(__dirname + '/chunks/a.js');";
  buildSync({
    stdin: { contents, resolveDir: process.cwd() },
    outfile: join(bundle, 'start.js'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
  });
});

type Ran = { readonly answer: number; readonly place: string; readonly v8: readonly string[] };

function start(env: Readonly<Record<string, string>> = { HOME: home }): Ran {
  const args = ['--require', join(bundle, 'probe.js'), join(bundle, 'start.js')];
  const [first = '', last = ''] = execFileSync(process.execPath, args, { env, encoding: 'utf8' }).trim().split('\n');
  const [answer, name, place] = JSON.parse(first) as [number, string, string];
  expect(name).toBe(join(bundle, 'chunks/a.js'));
  return { answer, place, v8: JSON.parse(last) as readonly string[] };
}

const cache = (): string => privateFolder({ HOME: home }) ?? '';
const files = (): readonly string[] => (existsSync(cache()) ? readdirSync(cache()) : []);

test('the first start compiles, and the second takes that, with the same places in stack traces', () => {
  const first = start();
  expect(first).toMatchObject({ answer: 1, v8: [] });
  expect(files()).toHaveLength(2);
  expect(statSync(dirname(cache())).mode & 0o777).toBe(0o700);
  for (const name of files()) expect(statSync(join(cache(), name)).mode & 0o777).toBe(0o600);
  expect(start()).toEqual({ ...first, v8: ['taken', 'taken'] });
});

test('a bundle that says something else is compiled again', () => {
  start();
  writeFileSync(join(bundle, 'chunks/b.js'), B.replace('1', '3'));
  expect(start()).toMatchObject({ answer: 3, v8: ['taken'] });
  expect(start()).toMatchObject({ answer: 3, v8: ['taken', 'taken'] });
});

describe('compiled code of anybody else is not run', () => {
  test.each<readonly [string, () => void]>([
    ['a folder in which others can write', () => chmodSync(cache(), 0o777)],
    ['a folder below one in which others can write', () => chmodSync(dirname(cache()), 0o770)],
    ['files that others can write', () => files().forEach((name) => chmodSync(join(cache(), name), 0o666))],
    [
      'a link in place of a file',
      () =>
        files().forEach((name) => {
          const [path, there] = [join(cache(), name), join(folder, name)];
          writeFileSync(there, readFileSync(path), { mode: 0o600 });
          rmSync(path);
          symlinkSync(there, path);
        }),
    ],
    [
      'a link in place of the folder',
      () => {
        const there = join(folder, 'elsewhere');
        mkdirSync(there, { recursive: true, mode: 0o700 });
        for (const name of files())
          writeFileSync(join(there, name), readFileSync(join(cache(), name)), { mode: 0o600 });
        rmSync(cache(), { recursive: true });
        symlinkSync(there, cache());
      },
    ],
  ])('%s', (_, spoil) => {
    start();
    spoil();
    expect(start()).toMatchObject({ answer: 1, v8: [] });
  });

  test('of another user', () => {
    start();
    if (process.getuid?.() !== 0) return expect(process.getuid?.()).toBeGreaterThan(0);
    execFileSync('chown', ['-R', '65534', dirname(cache())]);
    expect(start()).toMatchObject({ answer: 1, v8: [] });
  });

  test('what came with the bundle', () => {
    start();
    mkdirSync(join(bundle, 'compiled'));
    for (const name of files()) writeFileSync(join(bundle, 'compiled', name), readFileSync(join(cache(), name)));
    rmSync(cache(), { recursive: true });
    expect(start()).toMatchObject({ answer: 1, v8: [] });
  });
});

test('whatever is cut, added or changed is compiled again: V8 itself would run it, or die of it', () => {
  start();
  const good = files().map((name) => [join(cache(), name), readFileSync(join(cache(), name))] as const);
  const spoilt: readonly ((bytes: Buffer) => Buffer)[] = [
    () => Buffer.alloc(0),
    (bytes) => bytes.subarray(0, 32),
    (bytes) => bytes.subarray(0, -1),
    (bytes) => Buffer.concat([bytes, Buffer.alloc(1)]),
    ...[0, 31, 32, 60, 200].map((at) => (bytes: Buffer) => {
      const other = Buffer.from(bytes);
      other[at] = (other[at] ?? 0) ^ 1;
      return other;
    }),
  ];
  for (const spoil of spoilt) {
    for (const [path, bytes] of good) writeFileSync(path, spoil(bytes));
    expect(start()).toMatchObject({ answer: 1, v8: [] });
    expect(start().v8).toEqual(['taken', 'taken']);
  }
});

test('old files go where there are too many', () => {
  start();
  for (let index = 0; index < 130; index++) writeFileSync(join(cache(), `old-${index}`), '');
  writeFileSync(join(bundle, 'chunks/b.js'), `${B}\n`);
  start();
  expect(files()).toHaveLength(1);
});

describe('nothing is kept', () => {
  test.each<readonly [string, () => Readonly<Record<string, string>>]>([
    ['without a home', () => ({})],
    ['with a home that is no full path', () => ({ HOME: 'home' })],
    ['with a home that is not there', () => ({ HOME: join(home, 'none') })],
    ["by Node's own word", () => ({ HOME: home, NODE_DISABLE_COMPILE_CACHE: '1' })],
    [
      'where a file stands in the way',
      () => {
        writeFileSync(join(home, '.cache'), '');
        return { HOME: home };
      },
    ],
  ])('%s', (_, environment) => {
    const env = environment();
    expect([start(env), start(env)]).toMatchObject(Array.from({ length: 2 }, () => ({ answer: 1, v8: [] })));
    expect(files()).toEqual([]);
  });

  test('but where XDG_CACHE_HOME says', () => {
    start({ HOME: home, XDG_CACHE_HOME: join(home, 'named') });
    expect(files()).toEqual([]);
    expect(readdirSync(join(home, 'named/tranche'))).toHaveLength(1);
  });
});
