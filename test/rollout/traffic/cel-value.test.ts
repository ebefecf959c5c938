/** Expressions of a RouteProvider: what they may ask for, and what ends them before they run. */

import { expect, test } from 'vitest';
import type { Json } from '../../../src/api/json.ts';
import { evaluate } from '../../../src/rollout/traffic/cel-value.ts';

const context = {
  weight: 5,
  stableWeight: 95,
  canary: 'vllm-svc-canary',
  matches: [],
  object: { spec: { list: [1, 2] } },
};

test.each<readonly [expression: string, value: Json]>([
  ['weight', 5],
  ['string(stableWeight) + ":" + string(weight)', '95:5'],
  ['double(weight) / 100.0', 0.05],
  ['{"name": canary, "weight": weight}', { name: 'vllm-svc-canary', weight: 5 }],
  ['object.spec.list.map(i, i * 2)', [2, 4]],
  ['size(matches) == 0 ? "none" : "some"', 'none'],
])('%s', (expression, value) => expect(evaluate(expression, context)).toEqual({ kind: 'ok', value }));

test.each([
  ['weight +', 'fails: '],
  ['nobody', 'fails: '],
  ['object.spec.nothing', 'fails: '],
  ['"a".matches("(a+)+$")', 'calls matches, which may run for ever'],
  ['[1].all(a, [1].all(b, a == b))', 'has all inside of another macro'],
  ['[1].map(a, object.spec.list.filter(b, b == a))', 'has filter inside of another macro'],
  [Array.from({ length: 300 }, () => '1').join('+'), 'fails: '],
  ['a'.repeat(1025), 'has more than 1024 characters'],
  [`object.spec.list.map(i, "${'a'.repeat(900)}" + "${'b'.repeat(20)}").map(j, j + j + j)`, 'gives more than 4096'],
])('refused: %s', (expression, why) => {
  expect(evaluate(expression, context)).toEqual({ kind: 'fault', why: expect.stringContaining(why) });
});

test('an object that is large is not asked', () => {
  const large = { object: { text: 'a'.repeat(20_000) } };
  expect(evaluate('1', large)).toEqual({
    kind: 'fault',
    why: expect.stringContaining('of more than 16384 characters'),
  });
});

const wide = { object: { list: Array.from({ length: 3000 }, () => 1), text: 'x'.repeat(8000) } };
const texts = (count: number): string => Array.from({ length: count }, () => 'object.text').join(' + ');

test.each([
  [`object.list.map(x, ${texts(60)})`, 'more than 40 nodes inside of macros'],
  [`object.list.map(x, ${texts(3)})`, 'a list of 3000 and a text of 8000 characters'],
  [`object.list.all(x, (${texts(9)}).contains("y") == false)`, 'a list of 3000 and a text of 8000 characters'],
  ['object.list.map(x, x).map(x, x).map(x, x)', 'more than 2 macros'],
  ['object.text.split("").map(x, object.text)', 'split beside a macro'],
  [`[${texts(60)}]`, 'gives more than 4096 characters'],
])('refused, for it would take too long: %s', (expression, why) => {
  expect(evaluate(expression, wide)).toEqual({ kind: 'fault', why: expect.stringContaining(why) });
});

test('an expression ends soon, whatever it is asked of', () => {
  const list = Array.from({ length: 3000 }, () => 1);
  expect(evaluate('size(object.filter(i, i == 1))', { object: list })).toEqual({ kind: 'ok', value: 3000 });
});
