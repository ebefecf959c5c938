/** The rest of the golden traces (T12 … T24), and the integration tests of LWS that need a StatefulSet controller. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/api/json.ts';
import { patch, ready, type Story, tell, told } from './story.ts';

const M = 1_000_000;
const locked = { N: 4, P: 4 };
const pending = patch({ template: 'B' });
const kill = (group: number): JsonObject => ({ type: 'kill', group });
const unready = (...group: readonly number[]): JsonObject => ({ type: 'unready', group });

type Row = readonly [JsonObject, string];
type Case = readonly [name: string, story: Omit<Story, 'events'>, rows: readonly Row[]];

const toTwo: readonly Row[] = [
  [pending, '4/4 | 0:A+ 1:A+ 2:A+ 3:A+ | r4 u0 | Av'],
  [patch({ partition: 2 }), '3/4 | 0:A+ 1:A+ 2:A+ 3:B- | r3 u1 | UpPr'],
  [ready(3), '2/4 | 0:A+ 1:A+ 2:B- 3:B+ | r3 u2 | UpPr'],
  [ready(2), '2/4 | 0:A+ 1:A+ 2:B+ 3:B+ | r4 u2 | Av'],
];

const cases: readonly Case[] = [
  [
    'T12 locked with surge: unready groups spawn surge groups',
    { start: { N: 4, P: 4, S: 2 } },
    [
      [unready(0, 1), '4/5 | 0:A- 1:A- 2:A+ 3:A+ 4:A- | r2 u5 | Pr'],
      [unready(2), '4/6 | 0:A- 1:A- 2:A- 3:A+ 4:A- 5:A- | r1 u6 | Pr'],
      [ready(0, 1, 2), '4/4 | 0:A+ 1:A+ 2:A+ 3:A+ | r4 u4 | Av'],
    ],
  ],
  [
    'T15 a third template with P raised: the canaries stay, and come back old',
    { start: locked },
    [
      ...toTwo,
      [patch({ template: 'C', partition: 4 }), '4/4 | 0:A+ 1:A+ 2:B+ 3:B+ | r4 u0 | Av'],
      [kill(3), '4/4 | 0:A+ 1:A+ 2:B+ 3:A- | r3 u0 | Pr'],
    ],
  ],
  [
    'T16 scaling down takes the canaries first, scaling up brings new ones',
    { start: locked },
    [
      ...toTwo,
      [patch({ replicas: 3 }), '2/3 | 0:A+ 1:A+ 2:B+ | r3 u1 | Av'],
      [patch({ replicas: 5 }), '2/5 | 0:A+ 1:A+ 2:B+ 3:B- 4:B- | r3 u3 | Pr'],
      [patch({ replicas: 2 }), '2/2 | 0:A+ 1:A+ | r2 u0 | Av'],
    ],
  ],
  [
    'T17 locked too early: the last group comes back old',
    { start: locked },
    [
      ...toTwo,
      [patch({ partition: 0 }), '1/4 | 0:A+ 1:B- 2:B+ 3:B+ | r3 u3 | UpPr'],
      [ready(1), '0/4 | 0:B- 1:B+ 2:B+ 3:B+ | r3 u4 | UpPr'],
      [patch({ partition: 4 }), '4/4 | 0:B- 1:B+ 2:B+ 3:B+ | r3 u4 | UpPr'],
      [kill(0), '4/4 | 0:A- 1:B+ 2:B+ 3:B+ | r3 u3 | UpPr'],
      [ready(0), '4/4 | 0:A+ 1:B+ 2:B+ 3:B+ | r4 u3 | Av'],
    ],
  ],
  [
    'T17b locked after the flip: it comes back new',
    { start: locked },
    [
      ...toTwo,
      [patch({ partition: 0 }), '1/4 | 0:A+ 1:B- 2:B+ 3:B+ | r3 u3 | UpPr'],
      [ready(1), '0/4 | 0:B- 1:B+ 2:B+ 3:B+ | r3 u4 | UpPr'],
      [ready(0), '0/4 | 0:B+ 1:B+ 2:B+ 3:B+ | r4 u4 | Av'],
      [patch({ partition: M }), '1000000/4 | 0:B+ 1:B+ 2:B+ 3:B+ | r4 u4 | Av'],
      [kill(0), '1000000/4 | 0:B- 1:B+ 2:B+ 3:B+ | r3 u4 | Pr'],
    ],
  ],
  [
    'T20 a step of nothing: percentages that an autoscaler has rounded to 0',
    { start: { N: 4, P: 4, more: { maxUnavailable: '25%', maxSurge: 0 } } },
    [
      [pending, '4/4 | 0:A+ 1:A+ 2:A+ 3:A+ | r4 u0 | Av'],
      [patch({ partition: 0 }), '3/4 | 0:A+ 1:A+ 2:A+ 3:B- | r3 u1 | UpPr'],
      [{ type: 'scale', replicas: 3 }, '3/3 | 0:A+ 1:A+ 2:A+ | r3 u0 | UpPr'],
      [{ type: 'wait', ms: 9000 }, '3/3 | 0:A+ 1:A+ 2:A+ | r3 u0 | UpPr'],
    ],
  ],
  [
    'T21 a group that never gets ready halts LWS',
    { start: { N: 6, P: 0 } },
    [
      [pending, '5/6 | 0:A+ 1:A+ 2:A+ 3:A+ 4:A+ 5:B- | r5 u1 | UpPr'],
      [{ type: 'wait', ms: 9000 }, '5/6 | 0:A+ 1:A+ 2:A+ 3:A+ 4:A+ 5:B- | r5 u1 | UpPr'],
    ],
  ],
  [
    'T23 an old group that dies below P comes back old',
    { start: locked },
    [
      ...toTwo,
      [kill(0), '2/4 | 0:A- 1:A+ 2:B+ 3:B+ | r3 u2 | Pr'],
      [ready(0), '2/4 | 0:A+ 1:A+ 2:B+ 3:B+ | r4 u2 | Av'],
    ],
  ],
  [
    'IT:2281 two groups, both unready: the highest is due, the other when that is ready',
    { start: { N: 2, P: 0 } },
    [
      [unready(0, 1), '0/2 | 0:A- 1:A- | r0 u2 | Pr'],
      [pending, '1/2 | 0:A- 1:B- | r0 u1 | UpPr'],
      [ready(1), '0/2 | 0:B- 1:B+ | r1 u2 | UpPr'],
    ],
  ],
  [
    'IT:2359 a size change rolls',
    { start: { N: 2, P: 0, more: { size: 3 } } },
    [
      [patch({ size: 4 }), '1/2 | 0:A+ 1:A- | r1 u1 | UpPr'],
      [ready(1), '0/2 | 0:A- 1:A+ | r1 u2 | UpPr'],
      [ready(0), '0/2 | 0:A+ 1:A+ | r2 u2 | Av'],
    ],
  ],
  [
    '10.10 exclusive topology: no LWS revision, but the StatefulSet restarts leaders at its own pace',
    { start: { N: 2, P: 0, more: { size: 1 } } },
    [
      [patch({ exclusiveTopology: 'rack' }), '0/2 | 0:A+ 1:A- | r1 u2 | Pr'],
      [ready(1), '0/2 | 0:A- 1:A+ | r1 u2 | Pr'],
    ],
  ],
  [
    '10.10 the same while locked: nothing moves before P falls',
    { start: { N: 3, P: M, more: { size: 1 } } },
    [
      [patch({ exclusiveTopology: 'rack' }), '1000000/3 | 0:A+ 1:A+ 2:A+ | r3 u3 | Av'],
      [pending, '1000000/3 | 0:A+ 1:A+ 2:A+ | r3 u0 | Av'],
      [patch({ partition: 2 }), '2/3 | 0:A+ 1:A+ 2:B- | r2 u1 | UpPr'],
    ],
  ],
];

test.each(cases)('%s', (_, story, rows) => {
  const steps = tell({ ...story, events: rows.map(([event]) => event) });
  expect(steps.map(told)).toEqual(rows.map(([, wanted]) => wanted));
});

test('T24 created locked: everything is new, and UpdateInProgress is not set (IT:578)', () => {
  const steps = tell({ start: locked, events: [{ type: 'deleteLws' }, { type: 'create' }, { type: 'readyAll' }] });
  expect(steps.slice(1).map(told)).toEqual([
    '4/4 | 0:A- 1:A- 2:A- 3:A- | r0 u4 | Pr',
    '4/4 | 0:A+ 1:A+ 2:A+ 3:A+ | r4 u4 | Av',
  ]);
  expect(steps[1]!.lws['conditions']).toEqual({ Available: 'absent', Progressing: 'True', UpdateInProgress: 'absent' });
});

test('T12b created with a surge and P above N: it bursts, then reclaims (lws#614)', () => {
  const start = { N: 6, P: 9, U: 2, S: 3 };
  const steps = tell({ start, events: [{ type: 'deleteLws' }, { type: 'create' }, { type: 'readyAll' }] });
  expect(steps.slice(1).map((step) => told(step).split(' | ')[0])).toEqual(['9/9', '9/6']);
});

test.each([
  // A broken canary blocks the next one, so these two broke after they had been ready.
  ['off', '0:A+ 1:B- 2:A-'],
  ['on', '0:A+ 1:B- 2:B-'],
  // Group 1 is below the partition of the moment, so it is not due, and still counts.
  ['on-1.37', '0:A+ 1:B- 2:B-'],
] as const)('a revert with two broken canaries, gate %s', (gate, wanted) => {
  const events = [patch({ template: 'B', partition: 1 }), ready(2), ready(1), unready(1, 2), patch({ template: 'A' })];
  const steps = tell({ gate, start: { N: 3, P: 3 }, events });
  expect(told(steps.at(-1)!).split(' | ')[1]).toBe(wanted);
});

test.each([
  // policy, what fails, pods on nodes → whether the leader of group 1 is another one afterwards
  ['RecreateGroupOnPodRestart', 'crash', true, true],
  ['RecreateGroupOnPodRestart', 'crash', false, true],
  ['RecreateGroupOnPodRestart', 'killWorker', true, true],
  ['RecreateGroupOnPodRestart', 'killWorker', false, false],
  ['RecreateGroupAfterStart', 'killWorker', true, true],
  ['None', 'crash', true, false],
  ['None', 'killWorker', true, false],
  ['Default', 'killWorker', true, false],
] as const)('%s: %s of a worker, on nodes %s → group recreated %s', (restartPolicy, type, bound, recreated) => {
  const steps = tell({
    bound,
    start: { N: 2, P: M, more: { restartPolicy, size: 3 } },
    events: [{ type, group: 1, pod: 'worker' }],
  });
  const group = steps[0]!.groups[1]!;
  expect([group['leaderReplaced'], group['workersReplaced']]).toEqual([recreated, recreated]);
  if (type === 'killWorker' && !recreated) expect(group['workers']).toMatchObject({ total: 2, ready: 1 });
});

test('IT:1878, IT:1964 an old group rebuilt in mid-update has the old template and the live size', () => {
  const steps = tell({
    start: { N: 3, P: M, more: { size: 4 } },
    events: [patch({ template: 'B', size: 2 }), kill(0)],
  });
  expect(steps[1]!.groups[0]).toMatchObject({
    revision: 'A',
    sizeAnnotation: '4',
    workers: { revision: 'A', want: 1 },
  });
});

test('0.6 knows no partition: a template rolls the fleet, and the size is fixed', () => {
  const steps = tell({ lws: '0.6', start: { N: 2, P: M }, events: [pending, patch({ size: 3 }), ready(1), ready(0)] });
  expect(steps.map(told)).toEqual([
    '1/2 | 0:A+ 1:B- | r1 u1 | UpPr',
    '1/2 | 0:A+ 1:B- | r1 u1 | UpPr',
    '0/2 | 0:B- 1:B+ | r1 u2 | UpPr',
    '0/2 | 0:B+ 1:B+ | r2 u2 | Av',
  ]);
  expect(steps[1]!.rejected).toMatchObject({
    code: 403,
    message:
      'admission webhook "vleaderworkerset.kb.io" denied the request: spec.leaderWorkerTemplate.size: ' +
      'Invalid value: 3: field is immutable',
  });
});

test('pods left by an orphaning deletion are adopted by the next leader StatefulSet', () => {
  const steps = tell({ start: locked, events: [{ type: 'deleteSts', propagation: 'orphan' }, kill(3)] });
  expect(steps.map(told)).toEqual(['4/4 | 0:A+ 1:A+ 2:A+ 3:A+ | r4 u4 | Av', '4/4 | 0:A+ 1:A+ 2:A+ 3:A- | r3 u4 | Pr']);
  expect(steps[0]!.groups.map((group) => group['leaderReplaced'])).toEqual([false, false, false, false]);
});
