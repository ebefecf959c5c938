/** How often, and how many at a time, one pass asks servers of metrics. */

import { expect, test } from 'vitest';
import type { RangeAnswer, RangeQuestion } from '../../src/ports/metrics.ts';
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
  const answers = Promise.all(Array.from({ length: 25 }, (_none, i) => reader.range({ ...question, start: i })));
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

test('the same question is asked once; a provider that cannot be reached takes neither time nor questions from others', async () => {
  const asked: string[] = [];
  const range = async ({ provider }: RangeQuestion): Promise<RangeAnswer> => {
    asked.push(provider);
    return provider === 'dead'
      ? { kind: 'failed', why: 'no answer in time', isUnreached: true }
      : provider === 'busy'
        ? { kind: 'failed', why: 'it answered 503' }
        : { kind: 'answered', body: {} };
  };
  const reader = metricsReader({ round: () => ({ range }) }, { judged: new Map(), pasts: new Map() });
  const of = (provider: string, start: number) => reader.range({ ...question, provider, start });
  const dead = await Promise.all(Array.from({ length: 15 }, (_none, i) => of('dead', i)));
  expect(dead.every(({ kind }) => kind === 'failed')).toBe(true);
  // The first four were on their way together.
  expect(asked).toEqual(['dead', 'dead', 'dead', 'dead']);
  expect(await Promise.all([of('live', 1), of('live', 1), of('busy', 1), of('busy', 2)])).toMatchObject([
    { kind: 'answered' },
    { kind: 'answered' },
    { kind: 'failed' },
    { kind: 'failed' },
  ]);
  expect(asked.slice(4)).toEqual(['live', 'busy', 'busy']);
});
