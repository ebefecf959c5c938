/** Which files have one of some words in them. */

import { expect, test } from 'vitest';
import { markerSearch } from '../../../src/adapters/git/markers.ts';

const none: readonly string[] = [];

test.each([
  ['the only one', ['kind: Rollout'], 'a: 1\nkind: Rollout\n', true],
  ['the second one', ['LeaderWorkerSet', 'tranche.dev'], 'apiVersion: tranche.dev/v1\n', true],
  ['none of them', ['LeaderWorkerSet', 'kind: Rollout'], 'kind: Service\n', false],
  ['other letters where one has a dot', ['rollouts.kruise.io'], 'rolloutsXkruiseYio', false],
  ['what an expression would mean', ['a|b', '(c)*', '$', '\\d', '^e', '[f]', '{2}'], 'abcdef2', false],
  ['what looks like an expression', ['a|b', '(c)*'], 'x (c)* y', true],
  ['one that is not ASCII', ['größe'], 'die größe', true],
  ['half of one that is not ASCII', ['größe'], 'die gr', false],
  ['one over the end of a line', ['a\nb'], 'a\nb', true],
  ['anything, where none is asked for', none, '', true],
] as const)('%s', (_what, markers, text, found) => {
  expect(markerSearch(markers)(Buffer.from(text))).toBe(found);
});

test.each([
  ['UTF-16, as PowerShell writes it', Buffer.from('\uFEFFkind: Rollout\n', 'utf16le')],
  ['the same with the other byte first', Buffer.from('\uFEFFkind: Rollout\n', 'utf16le').swap16()],
])('it is found in %s, so that the file is not passed over', (_what, bytes) => {
  expect(markerSearch(['kind: Rollout'])(bytes)).toBe(true);
  expect(markerSearch(['kind: Service'])(bytes)).toBe(false);
});

test('bytes that are no text do not hide it', () => {
  const bytes = Buffer.concat([Buffer.from([0xff, 0x00, 0xc3]), Buffer.from('kind: Rollout'), Buffer.from([0xe9])]);
  expect(markerSearch(['kind: Rollout'])(bytes)).toBe(true);
});
