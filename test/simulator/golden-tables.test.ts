/** The golden traces of the reference (T1 … T25): leader StatefulSet, groups, counters, conditions. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/api/json.ts';
import { patch, ready, type Story, tell, told } from './story.ts';

const M = 1_000_000;
const locked = { N: 4, P: 4 };
const pending = patch({ template: 'B' });

type Row = readonly [JsonObject, string];

function check(story: Omit<Story, 'events'>, rows: readonly Row[]): void {
  const steps = tell({ ...story, events: rows.map(([event]) => event) });
  expect(steps.map(told)).toEqual(rows.map(([, wanted]) => wanted));
}

const T1: readonly Row[] = [
  [pending, '4/4 | 0:A+ 1:A+ 2:A+ 3:A+ | r4 u0 | Av'],
  [patch({ partition: 3 }), '3/4 | 0:A+ 1:A+ 2:A+ 3:B- | r3 u1 | UpPr'],
  [ready(3), '3/4 | 0:A+ 1:A+ 2:A+ 3:B+ | r4 u1 | Av'],
  [patch({ partition: 2 }), '2/4 | 0:A+ 1:A+ 2:B- 3:B+ | r3 u2 | UpPr'],
  [ready(2), '2/4 | 0:A+ 1:A+ 2:B+ 3:B+ | r4 u2 | Av'],
  [patch({ partition: 0 }), '1/4 | 0:A+ 1:B- 2:B+ 3:B+ | r3 u3 | UpPr'],
  [ready(1), '0/4 | 0:B- 1:B+ 2:B+ 3:B+ | r3 u4 | UpPr'],
  [ready(0), '0/4 | 0:B+ 1:B+ 2:B+ 3:B+ | r4 u4 | Av'],
  [patch({ partition: 4 }), '4/4 | 0:B+ 1:B+ 2:B+ 3:B+ | r4 u4 | Av'],
];

const T2: readonly Row[] = [
  [patch({ template: 'B', replicas: 6, partition: 4 }), '4/6 | 0:A+ 1:A+ 2:A+ 3:A+ 4:B- 5:B- | r4 u2 | Pr'],
  [ready(4, 5), '4/6 | 0:A+ 1:A+ 2:A+ 3:A+ 4:B+ 5:B+ | r6 u2 | Av'],
];

const bothModes = (['0.8', '0.10'] as const).flatMap((lws) =>
  (['off', 'on'] as const).map((gate) => [lws, gate] as const),
);

test.each(bothModes)('T1 in-place canary, LWS %s, gate %s', (lws, gate) => {
  check({ lws, gate, start: locked }, T1);
});

test.each(bothModes)('T2 append canary and its abort, LWS %s, gate %s', (lws, gate) => {
  const abort: Row = [patch({ template: 'A', replicas: 4 }), '4/4 | 0:A+ 1:A+ 2:A+ 3:A+ | r4 u4 | Av'];
  check({ lws, gate, start: locked }, [...T2, abort]);
  // Also when the canary was never ready.
  check({ lws, gate, start: locked }, [T2[0]!, abort]);
});

test('T2 append canary, promoted', () => {
  check({ start: locked }, [
    ...T2,
    [patch({ partition: 0 }), '3/6 | 0:A+ 1:A+ 2:A+ 3:B- 4:B+ 5:B+ | r5 u3 | UpPr'],
    [ready(3), '2/6 | 0:A+ 1:A+ 2:B- 3:B+ 4:B+ 5:B+ | r5 u4 | UpPr'],
    [ready(2), '1/6 | 0:A+ 1:B- 2:B+ 3:B+ 4:B+ 5:B+ | r5 u5 | UpPr'],
    [ready(1), '0/6 | 0:B- 1:B+ 2:B+ 3:B+ 4:B+ 5:B+ | r5 u6 | UpPr'],
    [ready(0), '0/6 | 0:B+ 1:B+ 2:B+ 3:B+ 4:B+ 5:B+ | r6 u6 | Av'],
    [patch({ replicas: 4 }), '0/4 | 0:B+ 1:B+ 2:B+ 3:B+ | r4 u4 | Av'],
  ]);
});

test('T2b an appended group comes up old under the sentinel', () => {
  check({ start: { N: 4, P: M } }, [
    [patch({ template: 'B', replicas: 5 }), '1000000/5 | 0:A+ 1:A+ 2:A+ 3:A+ 4:A- | r4 u0 | Pr'],
  ]);
});

const twoCanaries: readonly Row[] = [
  [patch({ template: 'B', partition: 2 }), '3/4 | 0:A+ 1:A+ 2:A+ 3:B- | r3 u1 | UpPr'],
  [ready(3), '2/4 | 0:A+ 1:A+ 2:B- 3:B+ | r3 u2 | UpPr'],
  [ready(2), '2/4 | 0:A+ 1:A+ 2:B+ 3:B+ | r4 u2 | Av'],
];

test('T3 abort with P kept', () => {
  check({ start: locked }, [
    ...twoCanaries,
    [patch({ template: 'A' }), '3/4 | 0:A+ 1:A+ 2:B+ 3:A- | r3 u3 | UpPr'],
    [ready(3), '2/4 | 0:A+ 1:A+ 2:A- 3:A+ | r3 u4 | UpPr'],
    [ready(2), '2/4 | 0:A+ 1:A+ 2:A+ 3:A+ | r4 u4 | Av'],
  ]);
});

test('T4 abort with P raised strands the canaries, T4b lowering it again repairs them', () => {
  check({ start: locked }, [
    ...twoCanaries,
    [patch({ template: 'A', partition: 4 }), '4/4 | 0:A+ 1:A+ 2:B+ 3:B+ | r4 u2 | Av'],
    [patch({ partition: 2 }), '3/4 | 0:A+ 1:A+ 2:B+ 3:A- | r3 u3 | UpPr'],
    [ready(3), '2/4 | 0:A+ 1:A+ 2:A- 3:A+ | r3 u4 | UpPr'],
    [ready(2), '2/4 | 0:A+ 1:A+ 2:A+ 3:A+ | r4 u4 | Av'],
  ]);
});

test('T5 a canary above a raised P comes back old', () => {
  check({ start: locked }, [
    [patch({ template: 'B', partition: 3 }), '3/4 | 0:A+ 1:A+ 2:A+ 3:B- | r3 u1 | UpPr'],
    [ready(3), '3/4 | 0:A+ 1:A+ 2:A+ 3:B+ | r4 u1 | Av'],
    [patch({ partition: 4 }), '4/4 | 0:A+ 1:A+ 2:A+ 3:B+ | r4 u1 | Av'],
    [{ type: 'kill', group: 3 }, '4/4 | 0:A+ 1:A+ 2:A+ 3:A- | r3 u0 | Pr'],
    [ready(3), '4/4 | 0:A+ 1:A+ 2:A+ 3:A+ | r4 u0 | Av'],
  ]);
});

test.each([
  ['off', '3/4 | 0:A+ 1:A+ 2:A+ 3:A- | r3 u4 | UpPr'],
  ['on-1.37', '3/4 | 0:A+ 1:A+ 2:A+ 3:A- | r3 u4 | UpPr'],
  ['on', '3/4 | 0:A+ 1:A+ 2:A+ 3:B- | r3 u3 | UpPr'],
] as const)('T11 abort of a broken canary, gate %s', (gate, wanted) => {
  check({ gate, start: locked }, [
    [patch({ template: 'B', partition: 3 }), '3/4 | 0:A+ 1:A+ 2:A+ 3:B- | r3 u1 | UpPr'],
    [patch({ template: 'A' }), wanted],
  ]);
});

test.each([
  // P at rest, then {B}, N 6 → the appended groups
  ['T6', 4, '4/6 | 0:A+ 1:A+ 2:A+ 3:A+ 4:B- 5:B- | r4 u2 | Pr'],
  ['T6s', M, '1000000/6 | 0:A+ 1:A+ 2:A+ 3:A+ 4:A- 5:A- | r4 u0 | Pr'],
] as const)('%s scale up with a pending template, P %i', (_, P, wanted) => {
  const steps = tell({ start: { N: 4, P }, events: [pending, { type: 'scale', replicas: 6 }] });
  expect(told(steps[1]!)).toBe(wanted);
});

test.each([4, M])('T7 scale to zero passes the gate, P %i', (P) => {
  const steps = tell({
    start: { N: 4, P },
    events: [pending, { type: 'scale', replicas: 0 }, { type: 'scale', replicas: 4 }],
  });
  expect(steps.map(told).slice(1)).toEqual([`${P}/0 | | r0 u0 | Av`, `${P}/4 | 0:B- 1:B- 2:B- 3:B- | r0 u4 | Pr`]);
});

test.each([
  ['T8', 4, '4/6 | 0:A+ 1:A+ 2:A+ 3:A+ 4:B- 5:B- | r4 u2 | Av'],
  ['T8s', M, '1000000/6 | 0:A+ 1:A+ 2:A+ 3:A+ 4:A- 5:A- | r4 u0 | Av'],
  ['T13', 5, '5/6 | 0:A+ 1:A+ 2:A+ 3:A+ 4:A- 5:B- | r4 u1 | Av'],
] as const)('%s surge and a template change, P %i', (_, P, wanted) => {
  check({ start: { N: 4, P, S: 2 } }, [[pending, wanted]]);
});

test.each([
  // gate → group 3 unready and due, then P 3
  ['off', '3/4 | 0:A+ 1:A+ 2:A+ 3:B- | r3 u1 | UpPr'],
  ['on-1.37', '3/4 | 0:A+ 1:A+ 2:A+ 3:B- | r3 u1 | UpPr'],
  ['on', '3/4 | 0:A+ 1:A+ 2:A+ 3:A- | r3 u0 | UpPr'],
] as const)('T9 and T10 blocked updates, gate %s', (gate, own) => {
  const lower = patch({ partition: 3 });
  const blocked = tell({ gate, start: locked, events: [pending, { type: 'unready', group: 0 }, lower, ready(0)] });
  expect(blocked.map(told).slice(2)).toEqual([
    '4/4 | 0:A- 1:A+ 2:A+ 3:A+ | r3 u0 | UpPr',
    '3/4 | 0:A+ 1:A+ 2:A+ 3:B- | r3 u1 | UpPr',
  ]);
  const itself = tell({ gate, start: locked, events: [pending, { type: 'unready', group: 3 }, lower] });
  expect(told(itself[2]!)).toBe(own);
});

test('T14 the same canaries follow a third template', () => {
  check({ start: locked }, [
    ...twoCanaries,
    [patch({ template: 'C' }), '3/4 | 0:A+ 1:A+ 2:B+ 3:C- | r3 u1 | UpPr'],
    [ready(3), '2/4 | 0:A+ 1:A+ 2:C- 3:C+ | r3 u2 | UpPr'],
    [ready(2), '2/4 | 0:A+ 1:A+ 2:C+ 3:C+ | r4 u2 | Av'],
  ]);
});

test('T18 one replica has downtime with U=1, T19 none with U=0 S=1', () => {
  check({ start: { N: 1, P: 0, U: 1, S: 1 } }, [[pending, '0/1 | 0:B- | r0 u1 | UpPr']]);
  check({ start: { N: 1, P: 0, U: 0, S: 1 } }, [
    [pending, '1/2 | 0:A+ 1:B- | r1 u1 | UpPr'],
    [ready(1), '0/2 | 0:B- 1:B+ | r1 u2 | UpPr'],
    [ready(0), '0/1 | 0:B+ | r1 u1 | Av'],
  ]);
});

test.each([
  ['off', ['4/6 | 0:A+ 1:A+ 2:A+ 3:A+ 4:A+ 5:B- | r5 u1 | UpPr', '3/6 | 0:A+ 1:A+ 2:A+ 3:A+ 4:B- 5:B+ | r5 u2 | UpPr']],
  ['on', ['4/6 | 0:A+ 1:A+ 2:A+ 3:A+ 4:B- 5:B- | r4 u2 | UpPr', '3/6 | 0:A+ 1:A+ 2:A+ 3:B- 4:B- 5:B+ | r4 u3 | UpPr']],
  [
    'on-1.37',
    ['4/6 | 0:A+ 1:A+ 2:A+ 3:A+ 4:B- 5:B- | r4 u2 | UpPr', '3/6 | 0:A+ 1:A+ 2:A+ 3:B- 4:B- 5:B+ | r4 u3 | UpPr'],
  ],
] as const)('T22 two unavailable, gate %s', (gate, wanted) => {
  const steps = tell({ gate, start: { N: 6, P: 6, U: 2 }, events: [pending, patch({ partition: 2 }), ready(5)] });
  expect(steps.map(told).slice(1)).toEqual(wanted);
});

test.each([
  // P, events after rest at zero → groups
  [4, [patch({ template: 'B', replicas: 4 })], '4/4 | 0:A- 1:A- 2:A- 3:A- | r0 u0 | Pr'],
  [M, [patch({ template: 'B', replicas: 4 })], '1000000/4 | 0:A- 1:A- 2:A- 3:A- | r0 u0 | Pr'],
  [0, [patch({ template: 'B', replicas: 4 })], '0/4 | 0:B- 1:B- 2:B- 3:B- | r0 u4 | Pr'],
  [M, [pending, patch({ replicas: 4 })], '1000000/4 | 0:B- 1:B- 2:B- 3:B- | r0 u4 | Pr'],
])('T25 from zero, P %i', (P, events, wanted) => {
  const steps = tell({ start: { N: 0, P }, events });
  expect(told(steps.at(-1)!)).toBe(wanted);
});
