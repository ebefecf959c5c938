/** How often, and how many at a time, one pass asks servers of metrics. */

import { expect, test } from 'vitest';
import { metricsReader, remember } from '../../src/reconcile/metrics-reader.ts';

const question = { provider: 'prod', query: '{}', start: 0, end: 300, step: 300 };

test('a pass asks twenty times at most, four at a time; its time starts with the first question', async () => {
  const open: (() => void)[] = [];
  let [asked, rounds, most, now] = [0, 0, 0, 0];
  const range = async () => {
    asked += 1;
    now += 1;
    most = Math.max(most, now);
    await new Promise<void>((resolve) => open.push(resolve));
    now -= 1;
    return { kind: 'failed', why: 'it answered 503' } as const;
  };
  const round = () => {
    rounds += 1;
    return { range };
  };
  const reader = metricsReader({ round }, { judged: new Map(), pasts: new Map() });
  expect(rounds).toBe(0);
  const answers = Promise.all(Array.from({ length: 25 }, () => reader.range(question)));
  for (let turn = 0; turn < 500; turn += 1) {
    open.shift()?.();
    await Promise.resolve();
  }
  const kinds = (await answers).map(({ kind }) => kind);
  expect([asked, rounds, most]).toEqual([20, 1, 4]);
  expect(kinds.filter((kind) => kind === 'unasked')).toHaveLength(5);
});

test('what is known of closed windows is bounded, and the oldest is forgotten first', () => {
  const known = new Map<string, number>();
  for (let at = 0; at < 300; at += 1) remember(known, `window ${at}`, at);
  expect([known.size, known.has('window 99'), known.has('window 100')]).toEqual([200, false, true]);
});
