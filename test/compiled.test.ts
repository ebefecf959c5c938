/** What the build has compiled is taken for the text it was made of, and never in place of another one. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compiledFolder, compiledFrom, useCompiled } from '../src/compiled.ts';

const require = createRequire(import.meta.url);
const plain = require.extensions['.js'];
/** Whom V8 names as the place of an error: the name from the build, or the path of the file. */
const ONE = 'module.exports = { answer: 1, place: new Error().stack, name: __filename };';
const TWO = ONE.replace('1', '2');
const COMPILED = / \(chunks\/a\.js:1:/;

let bundle = '';
beforeEach(() => {
  bundle = mkdtempSync(join(tmpdir(), 'tranche-compiled-'));
  for (const folder of ['chunks', compiledFolder]) mkdirSync(join(bundle, folder), { recursive: true });
});
afterEach(() => {
  require.extensions['.js'] = plain;
  rmSync(bundle, { recursive: true, force: true });
});

type Answer = { readonly answer: number; readonly place: string; readonly name: string };

/** The file as a program gets it, with what was compiled beside it; undefined is none. */
function load(text: string, compiled: Buffer | undefined): Answer {
  const path = join(bundle, 'chunks/a.js');
  writeFileSync(path, text);
  if (compiled !== undefined) writeFileSync(join(bundle, compiledFolder, 'a.js'), compiled);
  Reflect.deleteProperty(require.cache, path);
  useCompiled(bundle);
  return require(path) as Answer;
}

const made = compiledFrom(Buffer.from(ONE), 'a.js');

test('what was compiled is what runs, and an error names the file without the place that built it', () => {
  const { answer, place, name } = load(ONE, made);
  expect({ answer, name }).toEqual({ answer: 1, name: join(bundle, 'chunks/a.js') });
  expect(place).toMatch(/ \(chunks\/a\.js:1:38\)/);
});

describe('the file itself runs', () => {
  test.each<readonly [string, string, Buffer | undefined, number]>([
    ['where nothing was compiled', ONE, undefined, 1],
    ['where it was changed since, also by a text of the same length', TWO, made, 2],
    ['where what was compiled is empty', ONE, Buffer.alloc(0), 1],
    ['where it is nothing but its sum', ONE, made.subarray(0, 4), 1],
    ['where another file was compiled', ONE, compiledFrom(Buffer.from(TWO), 'a.js'), 1],
  ])('%s', (_, text, compiled, answer) => {
    const loaded = load(text, compiled);
    expect(loaded.answer).toBe(answer);
    expect(loaded.place).not.toMatch(COMPILED);
  });

  test('whatever byte of what was compiled is another one, or missing: V8 itself would run it, or die of it', () => {
    const at = fc.nat(made.length - 1);
    fc.assert(
      fc.property(at, fc.integer({ min: 1, max: 255 }), fc.boolean(), (index, change, cut) => {
        const bytes = Buffer.from(made);
        bytes[index] = (bytes[index] ?? 0) ^ change;
        const { answer, place } = load(ONE, cut ? made.subarray(0, index) : bytes);
        expect(answer).toBe(1);
        expect(place).not.toMatch(COMPILED);
      }),
    );
  });

  test('where this Node has no folder, and for files outside of the bundle', () => {
    rmSync(join(bundle, 'compiled'), { recursive: true });
    expect(load(ONE, undefined).answer).toBe(1);
    expect(require.extensions['.js']).toBe(plain);
  });
});

test('files that load one another, and one that throws, are as without', () => {
  const texts = {
    'a.js': "exports.early = 1; exports.b = require('./b.js').seen; exports.late = 2;",
    'b.js': "const a = require('./a.js'); exports.seen = Object.keys(a); exports.tmp = require('node:os').tmpdir;",
    'c.js': "throw new TypeError('not today');",
  };
  for (const [name, text] of Object.entries(texts)) {
    writeFileSync(join(bundle, 'chunks', name), text);
    writeFileSync(join(bundle, compiledFolder, name), compiledFrom(Buffer.from(text), name));
  }
  useCompiled(bundle);
  expect(require(join(bundle, 'chunks/a.js'))).toEqual({ early: 1, b: ['early'], late: 2 });
  for (const _ of [1, 2])
    expect(() => require(join(bundle, 'chunks/c.js')) as unknown).toThrow(new TypeError('not today'));
});
