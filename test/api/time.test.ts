/** Instants as Kubernetes writes them: read back to the second, and nothing else taken for one. */

import { expect, test } from 'vitest';
import { parseInstant, printInstant } from '../../src/api/time.ts';

test.each([
  [0, '1970-01-01T00:00:00Z'],
  [951_782_399, '2000-02-28T23:59:59Z'],
  [951_868_799, '2000-02-29T23:59:59Z'],
  [1_795_225_645, '2026-11-21T01:47:25Z'],
  [4_107_542_400, '2100-03-01T00:00:00Z'],
])('%i is %s', (seconds, text) => {
  expect(printInstant(seconds)).toBe(text);
  expect(parseInstant(text)).toBe(seconds);
});

test('every day of a century is read as it was printed', () => {
  for (let day = 0; day < 36_525; day += 1) expect(parseInstant(printInstant(day * 86_400 + 1))).toBe(day * 86_400 + 1);
});

test.each([
  '',
  '2026-11-21',
  '2026-11-21T01:47:25',
  '2026-11-21T01:47:25+01:00',
  '2026-13-21T01:47:25Z',
  '2026-11-21T24:47:25Z',
  '2026-11-31T00:00:00Z',
  '2026-02-29T00:00:00Z',
  '2100-02-29T00:00:00Z',
])('%s is no instant', (text) => expect(parseInstant(text)).toBeUndefined());

test('fractions of a second are cut', () => expect(parseInstant('1970-01-01T00:00:01.999999Z')).toBe(1));
