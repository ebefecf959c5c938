/** One seed at a time: the same seed always runs the same way, and seeds that once found a bug are run for ever. */

import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bundled } from './bundle.ts';
import { ONE } from './check-seeds.ts';
import { failure } from './report.ts';
import { runSchedule } from './schedule.ts';
import type { Setup } from './setup.ts';

const folder = resolve(import.meta.dirname, '../seeds');

describe.runIf(ONE !== undefined)('SEED', () => {
  test(`seed ${ONE}`, async () => {
    const outcome = await runSchedule(ONE ?? '');
    console.log(outcome.timeline());
    expect(outcome.broken, failure(outcome.seed, outcome)).toBeUndefined();
  });
});

describe.runIf(ONE === undefined)('replay', () => {
  const timelines = new Map<string, string>();

  test.each(['7', '21', '33'])('seed %s runs the same way twice', async (seed) => {
    const [left, right] = [await runSchedule(seed), await runSchedule(seed)];
    expect(left.timeline()).toBe(right.timeline());
    expect(left.hash).toBe(right.hash);
    timelines.set(seed, left.timeline());
  });

  test('what is remembered of one schedule changes nothing in another', async () => {
    const remembering = await bundled();
    for (let i = 0; i < 4; i++) await remembering.runSchedule(String(i));
    expect(timelines.size).toBe(3);
    for (const [seed, timeline] of timelines)
      expect((await remembering.runSchedule(seed)).timeline(), `seed ${seed}`).toBe(timeline);
  });

  /** The setup is kept with the seed, so that a new kind of fault does not turn it into another schedule. */
  test.each(readdirSync(folder).filter((name) => name.endsWith('.json')))('%s', async (name) => {
    const { seed, setup } = JSON.parse(readFileSync(resolve(folder, name), 'utf8')) as { seed: string; setup: Setup };
    const outcome = await runSchedule(seed, setup);
    expect(outcome.broken, failure(outcome.seed, outcome)).toBeUndefined();
  });
});
