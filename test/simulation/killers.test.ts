/** The seeds with which `npm run mutants` begins. */

import { expect, test } from 'vitest';
import killers from './killers.json' with { type: 'json' };
import { canary, mutants } from './mutants.ts';

test('the seeds that go first are of planted bugs, and within their allowance', () => {
  const allowances = new Map([canary, ...mutants].map(({ name, allowance }) => [name, allowance]));
  for (const [name, seed] of Object.entries(killers))
    expect(Number(seed), name).toBeLessThan(allowances.get(name) ?? 0);
});
