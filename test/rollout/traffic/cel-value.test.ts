/** Expressions of a RouteProvider: what they may ask for, and what ends them before they run. */

import { Environment } from '@marcbachmann/cel-js';
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
  ['nobody', 'asks for nobody, which is not there'],
  ['weight == 5 || nobody', 'asks for nobody'],
  ['object.spec.nothing', 'fails: No such key: nothing'],
  ['object.spec.list[2]', 'fails: No such key: 2'],
  ['weight / 2.0', 'fails: / gives nothing for 5, double 2'],
  ['weight / 0', 'fails: / gives nothing'],
  ['9223372036854775807 + 1', 'fails: + gives nothing'],
  ['{"a": 1, "a": 2}', 'fails: a map has the key a twice'],
  ['size(canary, canary)', 'calls size with too many arguments'],
  ['weight ? 1 : 2', 'fails: the condition'],
  ['1.0 / 0.0', 'gives no JSON'],
  ['b"text"', 'has a value that is no text'],
  [Array.from({ length: 300 }, () => '1').join('+'), 'fails: '],
  ['a'.repeat(1025), 'has more than 1024 characters'],
  [`object.spec.list.map(i, "${'a'.repeat(900)}" + "${'b'.repeat(20)}").map(j, j + j + j)`, 'gives more than 4096'],
])('refused: %s', (expression, why) => {
  expect(evaluate(expression, context)).toEqual({ kind: 'fault', why: expect.stringContaining(why) });
});

test.each([
  ['"a".matches("(a+)+$")', 'matches'],
  ['"a,b".split(",")', 'split'],
  ['["a"].join(",")', 'join'],
  ['"a".replace("a", "bb")', 'replace'],
  ['cel.bind(x, [1], x + x)', 'bind'],
  ['bytes("a")', 'bytes'],
  ['timestamp(0)', 'timestamp'],
  ['type(1)', 'type'],
])('%s is not run, no matter who asks it', (expression, name) => {
  expect(evaluate(expression, context)).toEqual({ kind: 'fault', why: `calls ${name}, which is not run here` });
});

/** As deep as its characters allow: the parser ends it, or this does; the stack of a pass never. */
const DEEP = 1000;
const deepIn = (open: string, inner: string, close: string): string => {
  const times = Math.floor((DEEP - inner.length) / (open.length + close.length));
  return open.repeat(times) + inner + close.repeat(times);
};
test.each([
  ['brackets', deepIn('(', '1', ')')],
  ['lists', deepIn('[', '1', ']')],
  ['maps', deepIn('{"a":', '1', '}')],
  ['nots', deepIn('!', 'true', '')],
  ['minuses', deepIn('- ', '1', '')],
  ['choices', deepIn('true ? 1 : ', '1', '')],
  ['fields', deepIn('', 'object', '.a')],
  ['items', deepIn('', 'object', '[0]')],
  ['sums', deepIn('1+', '1', '')],
  ['conditions', deepIn('true && ', 'true', '')],
  ['macros in one another', deepIn('[1].map(x,', 'x', ')')],
  ['brackets that nobody closes', '('.repeat(DEEP)],
])('%s in one another', (_, expression) => {
  expect(evaluate(expression, context)).toEqual({
    kind: 'fault',
    why: expect.stringMatching(/^(fails|has|calls|gives)/),
  });
});

test.each([
  ['choices in conditions', deepIn('(true ? true : ', 'true', ')'), true],
  ['calls', deepIn('string(', '1', ')'), '1'],
  ['calls behind one another', deepIn('', '"a"', '.trim()'), 'a'],
])('%s in one another are within the limits', (_, expression, value) => {
  expect(evaluate(expression, context)).toEqual({ kind: 'ok', value });
});

test('values that lie deep are asked and given as they are', () => {
  const levels = 500;
  const deep: Json = JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`);
  expect(evaluate('object == object', { object: deep })).toEqual({ kind: 'ok', value: true });
  expect(evaluate('[object]', { object: deep }).kind).toBe('fault');
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
const TEN = '[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]';
const bound = (levels: number, inner: string): string =>
  levels === 0 ? inner : `[${inner}].map(x, x + x).map(x, ${bound(levels - 1, 'x + x')})`;

/** Each made a process of V8 end for want of memory, or run for minutes, or would without one of both budgets. */
test.each([
  // A list of n texts joined with n characters has n times n: a gigabyte after three.
  [`"${'a'.repeat(600)}".split("").join("${'b'.repeat(300)}").split("").join("${'b'.repeat(60)}").split("")`, 'calls '],
  [`object.list.map(x, ${texts(60)})`, 'bytes'],
  [`object.list.map(x, ${texts(3)})`, 'bytes'],
  [`object.list.all(x, (${texts(9)}).contains("y") == false)`, 'bytes'],
  [`object.list.map(x, object.list).map(x, x + x + x + x).size()`, 'bytes'],
  [`object.list.exists(x, object.list.exists(y, y > 1))`, 'steps'],
  [`object.list.all(x, object.list == object.list)`, 'bytes'],
  [`object.list.all(x, !(object.list in [object.list]) || true)`, 'bytes'],
  [`${TEN}.all(a, ${TEN}.all(b, ${TEN}.all(c, ${TEN}.all(d, ${TEN}.all(e, a + b + c + d + e > 0)))))`, 'steps'],
  [`${TEN}.exists(a, ${TEN}.exists(b, ${TEN}.exists(c, ${TEN}.exists(d, ${TEN}.exists(e, 1 / 0 == e)))))`, 'steps'],
  [`[${texts(10)}]`, 'gives more than 4096 characters'],
  [`object.text.contains(object.text + "y")`, 'bytes'],
  [`${TEN}.map(a, ${bound(6, 'object.text')})`, 'bytes'],
])('refused, for it would take too much: %s', (expression, why) => {
  expect(evaluate(expression, wide)).toEqual({ kind: 'fault', why: expect.stringContaining(why) });
});

test('an expression ends soon, whatever it is asked of', () => {
  const list = Array.from({ length: 3000 }, () => 1);
  expect(evaluate('size(object.filter(i, i == 1))', { object: list })).toEqual({ kind: 'ok', value: 3000 });
});

/** What is run here says the same as the library, whose budget is the machine's. */
test.each([
  '1 + 2 * 3 - 4 / 2 % 3',
  '-7 / 2',
  '-7 % 3',
  '-weight',
  '1.5 + 2.5 * 2.0 - 1.0',
  '!(1 < 2.5) || 2 >= 2 && "a" < "b"',
  'true > false',
  'weight == 5.0',
  'weight == "5"',
  'weight != null',
  '[1, 2] == [1, 2.0]',
  '{"a": 1} == {"a": 1}',
  '{"a": 1} == {"b": 1}',
  '1 in [1, 2]',
  '"a" in {"a": 1}',
  'weight in [1]',
  '[1] + [2, 3]',
  '[[1, 2], [3]][0][1]',
  '{"a": {"b": 1}}.a.b',
  '{"a": 1}["a"]',
  'has(object.spec.list)',
  'has(object.spec.no)',
  'has(object.no.no)',
  'size("héllo") + size([1]) + "ab".size() + {"a": 1}.size()',
  'int("12") + int(1.9) + int(-1.9)',
  'int("x")',
  'double("1.5") + double(2)',
  'string(1) + string(true) + string(1.5)',
  'bool("true")',
  '"abcabc".indexOf("c") + "abcabc".lastIndexOf("c")',
  '"abc".startsWith("ab") && "abc".endsWith("bc") && "abc".contains("b")',
  '"aBc".lowerAscii() + "aBc".upperAscii() + "  x ".trim()',
  '"abcdef".substring(2) + "abcdef".substring(1, 3)',
  '"abc".substring(4)',
  '[1, 2, 3].all(x, x > 0)',
  '[1, 2, 3].exists(x, x > 2)',
  '[1, 2, 3].exists_one(x, x > 1)',
  '[1, 2, 3].map(x, x > 1, x * 2)',
  '[1, 2, 3].filter(x, x != 2)',
  '{"a": 1, "b": 2}.map(k, k)',
  '[1, 2].map(x, [3, 4].map(y, x * y))',
  '[0, 2].exists(x, 4 / x == 2)',
  '[0, 2].all(x, 4 / x == 3)',
  '[0, 2].map(x, 4 / x)',
  'false && 1 / 0 == 1',
  '1 / 0 == 1 && false',
  '1 / 0 == 1 || false',
  'true || object.no',
  'size(matches) == 0 ? {"a": [1]} : {}',
])('as the library says: %s', (expression) => {
  const own = evaluate(expression, context);
  expect(own.kind === 'ok' ? own.value : 'fails').toEqual(byLibrary(expression));
});

function byLibrary(expression: string): unknown {
  const environment = new Environment({ homogeneousAggregateLiterals: false });
  for (const name of Object.keys(context)) environment.registerVariable(name, 'dyn');
  const int = (_: string, value: unknown): unknown => (typeof value === 'number' ? BigInt(value) : value);
  const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);
  try {
    const made: unknown = environment.evaluate(expression, JSON.parse(JSON.stringify(context), int));
    return JSON.parse(JSON.stringify(made, plain));
  } catch {
    return 'fails';
  }
}
