/** The laws are as good as the bugs they catch: every planted one is killed, and a patch that changes nothing is not. */

import { afterAll, describe, expect, test } from 'vitest';
import { canary, mutants, nothing } from './mutants.ts';
import { type Verdict, verdictOn } from './mutate.ts';

describe.runIf(process.env['SEED'] === undefined)('planted bugs', () => {
  const verdicts: Verdict[] = [];

  afterAll(() => {
    const lines = verdicts.map(
      ({ mutant, killedBy, schedules }) =>
        `${mutant.name.padEnd(54)} ${(killedBy ?? 'SURVIVED').padEnd(20)} ${schedules}`,
    );
    console.log(
      ['planted bug                                            killed by            schedules', ...lines].join('\n'),
    );
  });

  test('a patch that changes nothing survives', { timeout: 300_000 }, async () => {
    expect((await verdictOn(nothing)).killedBy).toBeUndefined();
  });

  test.each([canary, ...mutants])('$name', { timeout: 300_000 }, async (mutant) => {
    const verdict = await verdictOn(mutant);
    verdicts.push(verdict);
    expect(verdict.killedBy, `survived ${verdict.schedules} schedules`).toBeDefined();
  });
});
