/** What Git keeps of a recreation: printed and read back, and nothing else is read. */

import { expect, test } from 'vitest';
import { parseRecreating, printRecreating, type Recreating } from '../../src/api/recreating.ts';

const kept: Recreating = {
  way: 'forward',
  release: { digest: '9c41d2e09c41d2e09c41d2e09c41d2e0', serial: 7 },
  text: 'a'.repeat(40),
  stable: { commit: 'b'.repeat(40), digest: 'c'.repeat(32) },
  aborted: [{ digest: '77aa01bc77aa01bc77aa01bc77aa01bc', serial: 6 }],
  file: 'apps/vllm/lws.yaml',
};

test.each<Recreating>([kept, { ...kept, way: 'back', aborted: [] }])('%j', (value) => {
  expect(parseRecreating(printRecreating(value))).toEqual(value);
});

test.each<readonly [what: string, change: object]>([
  ['another way', { way: 'sideways' }],
  ['no release', { release: undefined }],
  ['a release without a serial', { release: '9c41d2e09c41d2e09c41d2e09c41d2e0' }],
  ['a short commit', { text: 'abc123' }],
  ['no stable commit', { stable: null }],
  ['too many releases aborted', { aborted: Array.from({ length: 6 }, () => '77aa01bc77aa01bc77aa01bc77aa01bc.6') }],
  ['a release aborted that is none', { aborted: ['x'] }],
  ['an absolute path', { file: '/etc/passwd' }],
  ['no path', { file: '' }],
  ['a field more', { more: 1 }],
])('%s is not read', (_, change) => {
  expect(parseRecreating(JSON.stringify({ ...JSON.parse(printRecreating(kept)), ...change }))).toBeUndefined();
});

test.each([[''], ['{'], ['[]'], ['null'], ['"forward"']])('%s is not read', (text) =>
  expect(parseRecreating(text)).toBeUndefined(),
);
