/** Kubernetes quantities, as people and the API server spell them. */

import { expect, test } from 'vitest';
import { parseQuantity, sameQuantity } from '../../src/api/quantity.ts';

test.each([
  ['1', '1000m'],
  [1, '1'],
  ['0.5', '500m'],
  ['.5', '500m'],
  ['1.', '1'],
  ['1Ki', '1024'],
  ['1Gi', '1024Mi'],
  ['1G', '1000M'],
  ['1k', '1000'],
  ['1E', '1000P'],
  ['1e3', '1k'],
  ['1E3', '1k'],
  ['2.5e-1', '250m'],
  ['100m', '0.1'],
  ['1000000n', '1m'],
  ['1u', '1000n'],
  ['+1', '1'],
  ['-1', '-1000m'],
  ['0', '0Gi'],
  ['1.5Gi', '1536Mi'],
  ['same text that is none', 'same text that is none'],
])('%j is %j', (left, right) => expect(sameQuantity(left, right)).toBe(true));

test.each([
  ['1', '2'],
  ['1M', '1Mi'],
  ['1m', '1M'],
  ['1', 'one'],
  ['1e3', '1e4'],
])('%j is not %j', (left, right) => expect(sameQuantity(left, right)).toBe(false));

test.each(['', '.', '-', 'Gi', '1 Gi', '1gi', '1KI', '1e', '1e3Gi', '0x10', '1_000', '--1', '1e100', '9'.repeat(19)])(
  '%j is no quantity',
  (text) => expect(parseQuantity(text)).toBeUndefined(),
);
