/** The laws are as good as the bugs they catch. `npm run mutants` plants all; here one, and that all of them still fit. */

import { describe, expect, test } from 'vitest';
import { fits } from '../support/planted-bugs.ts';
import { canary, mutants, nothing } from './mutants.ts';
import { verdictOn } from './mutate.ts';

/** Enough to kill the bug that is there for this, too few to be waited for. */
const SCHEDULES = 8;

describe.runIf(process.env['SEED'] === undefined)('planted bugs', () => {
  test('a patch that changes nothing survives', async () => {
    expect((await verdictOn({ ...nothing, allowance: SCHEDULES })).killedBy).toBeUndefined();
  });

  test(`${canary.name} is killed`, async () => {
    expect((await verdictOn(canary)).killedBy).toBeDefined();
  });

  test.each(mutants)('$name: it can be planted', (mutant) => expect(fits(mutant)).toBe(true));
});
