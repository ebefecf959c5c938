/** How long a job stays: for what comes by itself, and no longer than it may. */

import { expect, test } from 'vitest';
import { passesOfJob } from '../../src/commands/passes-of-job.ts';
import type { Outcome } from '../../src/reconcile/outcome.ts';
import type { PassResult } from '../../src/reconcile/pass.ts';

const START = 1_800_000_000;

type Row = readonly [what: string, waits: readonly (number | undefined)[], waitSeconds: number, at: readonly number[]];

/** `waits`: what each pass says of when to look again; undefined: it waits for someone. */
const rows: readonly Row[] = [
  ['one pass without', [30, 30], 0, [0]],
  ['until nothing is expected', [30, 60, undefined, 30], 3600, [0, 30, 90]],
  ['not for what comes after its end', [30, 60], 60, [0, 30]],
  ['not at all for someone', [undefined], 3600, [0]],
  ['until its end', [20, 20, 20, 20, 20], 50, [0, 20, 40]],
];

test.each(rows)('%s', async (_what, waits, waitSeconds, expected) => {
  let now = START;
  const [seen, took]: [number[], PassResult[]] = [[], []];
  const clock = { now: () => now, sleep: async (seconds: number) => void (now += seconds) };
  const once = async () => {
    seen.push(now - START);
    return resultOf(waits[seen.length - 1]);
  };
  await passesOfJob(
    { clock, signal: new AbortController().signal, waitSeconds, once },
    (result) => void took.push(result),
  );
  expect(seen).toEqual(expected);
  expect(took).toHaveLength(expected.length);
});

test('a job that is cancelled starts no other pass', async () => {
  const stop = new AbortController();
  let passes = 0;
  const clock = { now: () => START, sleep: async () => stop.abort() };
  const once = async () => {
    passes += 1;
    return resultOf(10);
  };
  await passesOfJob({ clock, signal: stop.signal, waitSeconds: 3600, once }, () => undefined);
  expect(passes).toBe(1);
});

function resultOf(requeueAfterSeconds: number | undefined): PassResult {
  const outcome = { plan: { requeueAfterSeconds } } as Outcome;
  return { outcomes: [outcome], requeueAfterSeconds: requeueAfterSeconds ?? 300 } as unknown as PassResult;
}
