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
  /** The setup is kept with the seed, so that a new kind of fault does not turn it into another schedule. */
  test.each(readdirSync(folder).filter((name) => name.endsWith('.json')))('%s', async (name) => {
    const { seed, setup } = JSON.parse(readFileSync(resolve(folder, name), 'utf8')) as { seed: string; setup: Setup };
    // As they were found: in the bundle, which remembered.test.ts holds to the sources.
    const outcome = await (await bundled()).runSchedule(seed, setup);
    expect(outcome.broken, failure(outcome.seed, outcome)).toBeUndefined();
  });
});
