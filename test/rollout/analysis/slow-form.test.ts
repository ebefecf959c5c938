/** The statistic in the form that is used, against its formulas as they read: the same to the last bit, for any counts. */

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { lnAbove, lnBelow } from '../../../src/rollout/analysis/evidence.ts';
import { LN_RATIOS, logLikelihoods } from '../../../src/rollout/analysis/odds.ts';
import { slowLikelihoods, slowMean } from './slow-form.ts';

/** Few requests and many, few of them bad and all. */
const counts = fc
  .tuple(fc.oneof(fc.nat(40), fc.nat(20_000)), fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([n, part]) => ({ n, x: Math.round(n * part ** 3) }));

test('what a window says of each ratio', () => {
  fc.assert(
    fc.property(counts, counts, (canary, stable) => {
      expect(logLikelihoods(canary, stable)).toStrictEqual(slowLikelihoods(canary, stable));
    }),
    { numRuns: 300 },
  );
});

test('evidence in both directions, of any windows', () => {
  const windows = fc.array(fc.tuple(counts, counts), { maxLength: 6 });
  const dispersion = fc.double({ min: 1, max: 30, noNaN: true });
  fc.assert(
    fc.property(windows, fc.nat(LN_RATIOS.length - 1), dispersion, (each, from, spread) => {
      const sums = LN_RATIOS.map(() => 0);
      for (const [canary, stable] of each)
        for (const [at, one] of (slowLikelihoods(canary, stable) ?? []).entries()) sums[at] = (sums[at] ?? 0) + one;
      expect(lnAbove(sums, from, spread)).toBe(slowMean(sums, { from, dispersion: spread, side: 'above' }));
      expect(lnBelow(sums, from, spread)).toBe(slowMean(sums, { from, dispersion: spread, side: 'below' }));
    }),
    { numRuns: 200 },
  );
});
