/** What was put aside returns to stable where it still is what we set; what people have changed since stays. */

import { expect, test } from 'vitest';
import type { Aside } from '../../src/api/aside.ts';
import { ABSENT, type FieldValue } from '../../src/api/field.ts';
import type { IntOrPercent } from '../../src/api/int-or-percent.ts';
import { restoreAsides, restoreOwn } from '../../src/rollout/edits/restore-asides.ts';
import { marksOf } from '../support/snapshot.ts';

const WEIGHT = ['spec', 'rules', '0', 'backendRefs', { key: 'name', value: 'vllm' }, 'weight'];
const aside = (was: FieldValue, set: FieldValue): Aside => ({ object: 'HTTPRoute.g/vllm', path: WEIGHT, was, set });

test.each<readonly [what: string, was: FieldValue, set: FieldValue, now: FieldValue | undefined, then: string]>([
  ['as we set it', 100, 80, 80, '80 → 100'],
  ['absent before', ABSENT, 80, 80, '80 → absent'],
  ['taken out by us', 'a', ABSENT, ABSENT, 'absent → a'],
  ['set to another by people', 100, 80, 70, 'stays'],
  ['taken out by people', 100, 80, ABSENT, 'stays'],
  ['home already', 100, 80, 100, 'stays'],
  ['set to what it was', 80, 80, 80, 'stays'],
  ['put in by people where we took it out', 'a', ABSENT, 'b', 'stays'],
  ['the same as text', 100, 80, '80', 'stays'],
  ['nothing is not no', ABSENT, false, ABSENT, 'stays'],
  ['its object is not there', 100, 80, undefined, 'stays'],
])('%s', (_, was, set, now, then) => {
  const told = (value: FieldValue): string => (typeof value === 'object' ? 'absent' : String(value));
  const changes = restoreAsides([aside(was, set)], () => now);
  expect(changes.map(({ from, to }) => `${told(from)} → ${told(to)}`)[0] ?? 'stays').toBe(then);
  for (const { object, path } of changes) expect([object, path]).toEqual(['HTTPRoute.g/vllm', WEIGHT]);
});

test('each field by itself', () => {
  const other: Aside = { object: 'Service/vllm', path: ['spec', 'selector', 'track'], was: ABSENT, set: 'stable' };
  const changes = restoreAsides([aside(100, 80), other], ({ object }) => (object === other.object ? 'stable' : 70));
  expect(changes).toEqual([{ object: 'Service/vllm', path: other.path, from: 'stable', to: ABSENT }]);
});

test.each<readonly [marks: string, u: IntOrPercent | undefined, n: number | undefined, then: string]>([
  ['B.2 2/3 floor=2', 1, 4, ''],
  ['B.2 2/3 floor=2 u=1>2', 2, 4, '"maxUnavailable" 2 → 1'],
  ['B.2 2/3 floor=2 u=->2', 2, 4, '"maxUnavailable" 2 → absent'],
  ['B.2 2/3 floor=2 u=1>2', 3, 4, ''],
  ['B.2 2/3 floor=2 u=1>2', undefined, 4, ''],
  ['B.2 0/3 floor=4 r=4>5', 1, 5, '"replicas" 5 → 4'],
  ['B.2 0/3 floor=4 r=4>5', 1, 6, ''],
  ['B.2 2/3 floor=2 u=1>2 r=4>5', 2, 5, '"replicas" 5 → 4, "maxUnavailable" 2 → 1'],
])('of the LeaderWorkerSet itself: %s, maxUnavailable %s, replicas %s', (marks, maxUnavailable, replicas, then) => {
  const told = (value: FieldValue): string => (typeof value === 'object' ? 'absent' : String(value));
  const changes = restoreOwn(marksOf(marks), { maxUnavailable, replicas });
  expect(
    changes.map(({ path, from, to }) => `${JSON.stringify(path.at(-1))} ${told(from)} → ${told(to)}`).join(', '),
  ).toBe(then);
});
