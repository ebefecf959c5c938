/** Walks through JSON: keys of maps, places in lists, and nothing that was not written there. Its canonical text. */

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { at, canonicalJson, isJsonObject, type Json } from '../../src/api/json.ts';

const there = { a: [{ b: 1 }, null], '0': 'key', c: undefined };

test.each<[path: readonly string[], found: unknown]>([
  [[], there],
  [['a', '0', 'b'], 1],
  [['a', '1'], null],
  [['a', '1', 'b'], undefined],
  [['a', '2'], undefined],
  [['a', '-1'], undefined],
  [['a', ''], undefined],
  [['a', '00'], undefined],
  [['a', 'length'], undefined],
  [['0'], 'key'],
  [['0', '0'], undefined],
  [['c'], undefined],
  [['constructor'], undefined],
  [['a', '0', 'toString'], undefined],
])('%j', (path, found) => expect(at(there, path)).toBe(found));

/** The text as it is defined: what JSON writes of each value, with keys in the order of their characters. */
function defined(json: Json): string {
  if (Array.isArray(json)) return `[${json.map(defined).join(',')}]`;
  if (!isJsonObject(json)) return JSON.stringify(json);
  const keys = Object.keys(json).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${defined(json[key] ?? null)}`).join(',')}}`;
}

const NAMES = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', '10', '9', '__proto__', '"', '\\', '\u007f'));

const { value: anyJson } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.double(),
    NAMES,
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('\ud800', 'tab\t', 'line\n', '\u2028', 'é', '~ !#$[]'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(NAMES, tie('value'), { maxKeys: 6 }),
  ),
}));

test('the canonical text of any value is the one that is defined', () => {
  const check = fc.property(anyJson, (value) => {
    expect(canonicalJson(value)).toBe(defined(value));
  });
  fc.assert(check, { numRuns: 400 });
});

test.each<[value: Json, text: string]>([
  [{ b: 1, a: [true, null, 'x"y'], '10': {}, '9': [] }, '{"10":{},"9":[],"a":[true,null,"x\\"y"],"b":1}'],
  ['\\', '"\\\\"'],
  ['\u0007', '"\\u0007"'],
  [-0, '0'],
])('the canonical text of %j', (value, text) => expect(canonicalJson(value)).toBe(text));
