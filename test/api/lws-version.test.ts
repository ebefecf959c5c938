/** The declared version of LeaderWorkerSet: what is read, what is not, and from when on sizes may be mixed. */

import { expect, test } from 'vitest';
import { parseLwsVersion, rebuildsGroupsWhole } from '../../src/api/lws-version.ts';
import { parseConfig } from '../../src/api/parse-config.ts';

test.each<readonly [text: string, major: number, minor: number, whole: boolean]>([
  ['0.7', 0, 7, false],
  ['0.10', 0, 10, false],
  ['0.10.3', 0, 10, false],
  ['v0.10.0', 0, 10, false],
  ['0.11', 0, 11, true],
  ['0.11.0', 0, 11, true],
  ['1.0', 1, 0, true],
])('%s is read', (text, major, minor, whole) => {
  expect(parseLwsVersion(text)).toEqual({ major, minor });
  expect(rebuildsGroupsWhole(parseLwsVersion(text))).toBe(whole);
  expect(parseConfig({ lwsVersion: text })).toMatchObject({ config: { lwsVersion: { major, minor } }, faults: [] });
});

test.each([['0'], ['0.10.'], ['0.010'], ['>=0.10'], ['0.10-rc.1'], [' 0.10'], ['0.10.0.0'], ['']])(
  '%j is no version',
  (text) => {
    expect(parseLwsVersion(text)).toBeUndefined();
  },
);

test.each([[0.1], [1], ['newest'], [['0.10']], [true]])(
  '%j in tranche.yaml is refused: YAML may have read a number',
  (value) => {
    const { config, faults } = parseConfig({ lwsVersion: value });
    expect(config.lwsVersion).toBeUndefined();
    expect(faults).toMatchObject([
      { at: ['lwsVersion'], reason: 'BadVersion', hint: expect.stringContaining('"0.10"') },
    ]);
  },
);

test('a version without partition is refused', () => {
  const { faults } = parseConfig({ lwsVersion: '0.6.2' });
  expect(faults).toMatchObject([{ reason: 'BadVersion', message: 'lwsVersion is "0.6.2", wanted 0.7 or later' }]);
});

test('not declared counts as one that mixes the sizes', () => {
  expect(parseConfig({})).toMatchObject({ config: { lwsVersion: undefined }, faults: [] });
  expect(rebuildsGroupsWhole(undefined)).toBe(false);
});
