/** Fields that are put aside in other objects: printed and read back, always in one order, and refused where in doubt. */

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ASIDE_DEPTH_MOST,
  ASIDE_MOST,
  ASIDE_NAME_MOST,
  ASIDE_VALUE_MOST,
  type Aside,
  parseAsides,
  printAsides,
} from '../../src/api/aside.ts';
import { ABSENT, sameValue } from '../../src/api/field.ts';
import { MARK, parseMarks, printMarks } from '../../src/api/marks.ts';
import { putAside, withSurge } from '../../src/api/restore.ts';
import { marksOf } from '../support/snapshot.ts';

const ROUTE = 'HTTPRoute.gateway.networking.k8s.io/vllm';
const WEIGHT = ['spec', 'rules', '0', 'backendRefs', { key: 'name', value: 'vllm' }, 'weight'];
const weight: Aside = { object: ROUTE, path: WEIGHT, was: ABSENT, set: 80 };
const floor: Aside = { object: 'ScaledObject.keda.sh/vllm', path: ['spec', 'minReplicaCount'], was: 1, set: 4 };
const track: Aside = { object: 'Service/vllm', path: ['spec', 'selector', 'track'], was: 'a', set: ABSENT };

/** What a mark holds, and another program reads. */
function through(asides: readonly Aside[]): unknown {
  return JSON.parse(JSON.stringify(printAsides(asides)));
}

test('each field with its object and path; a missing key is an absent field', () => {
  expect(through([track, floor, weight])).toEqual([
    { object: ROUTE, path: ['spec', 'rules', '0', 'backendRefs', { name: 'vllm' }, 'weight'], set: 80 },
    { object: floor.object, path: floor.path, was: 1, set: 4 },
    { object: track.object, path: track.path, was: 'a' },
  ]);
});

const one = { object: 'Service/vllm', path: ['spec', 'type'], was: 'a', set: 'b' };
const many = (count: number) => Array.from({ length: count }, (_, place) => ({ ...one, path: [`p${place}`] }));

test.each<readonly [what: string, value: unknown]>([
  ['no list', one],
  ['an empty list', []],
  ['no object', [{ ...one, object: undefined }]],
  ['an object without kind', [{ ...one, object: 'vllm' }]],
  ['a kind in small letters', [{ ...one, object: 'service/vllm' }]],
  ['an object with a namespace', [{ ...one, object: 'Service/llm/vllm' }]],
  ['no path', [{ ...one, path: undefined }]],
  ['an empty path', [{ ...one, path: [] }]],
  ['an empty name', [{ ...one, path: ['spec', ''] }]],
  ['a number in a path', [{ ...one, path: ['spec', 0] }]],
  ['an item with two names', [{ ...one, path: ['spec', { name: 'a', port: 1 }] }]],
  ['an item without a name', [{ ...one, path: ['spec', {}] }]],
  ['an item named by an object', [{ ...one, path: ['spec', { name: {} }] }]],
  ['null for absent', [{ ...one, was: null }]],
  ['a list as a value', [{ ...one, set: ['b'] }]],
  ['a broken number', [{ ...one, set: 1e300 }]],
  ['absent twice', [{ object: one.object, path: one.path }]],
  ['a key more', [{ ...one, more: 1 }]],
  ['the same field twice', [one, { ...one, set: 'c' }]],
  ['too many', many(ASIDE_MOST + 1)],
  ['too deep', [{ ...one, path: Array.from({ length: ASIDE_DEPTH_MOST + 1 }, () => 'a') }]],
  ['too long a name', [{ ...one, path: ['a'.repeat(ASIDE_NAME_MOST + 1)] }]],
  ['too long a value', [{ ...one, set: 'a'.repeat(ASIDE_VALUE_MOST + 1) }]],
])('refused: %s', (_, value) => {
  expect(parseAsides(value)).toBeUndefined();
  const marks = {
    [MARK.release]: '5be0c7aa5be0c7aa5be0c7aa5be0c7aa.1',
    [MARK.restore]: JSON.stringify({ floor: 1, objects: value }),
  };
  expect(parseMarks(marks)).toEqual([expect.objectContaining({ key: MARK.restore })]);
});

test('a field that was what we set', () => {
  const same = [{ ...one, was: one.set }];
  expect(through(parseAsides(same) ?? [])).toEqual(same);
});

test('as many as there may be are read', () => expect(parseAsides(many(ASIDE_MOST))).toHaveLength(ASIDE_MOST));

const name = fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' });
const scalar = fc.oneof(fc.string({ maxLength: 8 }), fc.integer(), fc.boolean());
const value = fc.oneof(scalar, fc.constant(ABSENT));
const anyAside: fc.Arbitrary<Aside> = fc
  .record({
    object: fc.constantFrom(ROUTE, 'Service/vllm', 'Service/other', 'ScaledObject.keda.sh/a.b'),
    path: fc.array(fc.oneof(name, fc.record({ key: name, value: scalar })), { minLength: 1, maxLength: 5 }),
    was: value,
    set: value,
  })
  .filter(({ was, set }) => !sameValue(was, ABSENT) || !sameValue(set, ABSENT));
const anyAsides = fc.uniqueArray(anyAside, {
  minLength: 1,
  maxLength: 6,
  selector: ({ object, path }) => JSON.stringify([object, path]),
});

test('what is printed is read back, in any order the same', () => {
  fc.assert(
    fc.property(anyAsides, (asides) => {
      const read = parseAsides(through(asides)) ?? [];
      expect(read).toHaveLength(asides.length);
      expect(read).toEqual(expect.arrayContaining([...asides]));
      expect(through(asides.toReversed())).toEqual(through(asides));
      expect(through(read)).toEqual(through(asides));
    }),
  );
});

const marks = marksOf('B.2 2/3 floor=2 u=1>2 r=4>6');
const restore = marks?.restore;
if (marks === undefined || restore === undefined) throw new Error('no marks');

test('the mark keeps them behind what it always had', () => {
  const printed = printMarks({ ...marks, restore: { ...restore, objects: [weight] } });
  expect(printed.restore).toBe(
    `{"floor":2,"maxUnavailable":{"was":1,"set":2},"replicas":{"was":4,"set":6},"objects":${JSON.stringify(through([weight]))}}`,
  );
  const annotations = Object.entries(printed).flatMap(([key, text]) =>
    text === undefined ? [] : [[`tranche.dev/${key}`, text]],
  );
  expect(parseMarks(Object.fromEntries(annotations))).toMatchObject({ restore: { objects: [weight] } });
  expect(printMarks({ ...marks, restore: { ...restore, objects: [] } }).restore).toBe(printMarks(marks).restore);
});

test('another floor, and extra groups that come or go, forget none of them', () => {
  const before = { ...restore, objects: [weight] };
  expect(putAside(before, { floor: 1, maxUnavailable: undefined })).toEqual({
    floor: 1,
    maxUnavailable: undefined,
    replicas: restore.replicas,
    objects: [weight],
  });
  expect(withSurge(before, undefined)).toEqual({ floor: 2, maxUnavailable: { was: 1, set: 2 }, objects: [weight] });
});
