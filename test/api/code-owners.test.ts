/** CODEOWNERS, line by line: [file, path] → owned or not. The patterns are those of GitHub's documentation. */

import { expect, test } from 'vitest';
import { hasCodeOwner, parseCodeOwners } from '../../src/api/code-owners.ts';

test.each<readonly [text: string, owned: readonly string[], others: readonly string[]]>([
  ['* @a', ['a.yaml', 'a/b/c.yaml'], []],
  ['*.yaml @a', ['a.yaml', 'a/b.yaml'], ['a.yml', 'a.yaml.txt']],
  ['/policies/ @a', ['policies/a.yaml', 'policies/b/c.yaml'], ['apps/policies/a.yaml', 'policies']],
  ['policies/ @a', ['policies/a.yaml', 'apps/policies/b/c.yaml'], ['policies']],
  ['/policies @a', ['policies/a.yaml', 'policies'], ['apps/policies/a.yaml', 'policies-old/a.yaml']],
  ['docs/* @a', ['docs/a.yaml'], ['docs/b/a.yaml', 'x/docs/a.yaml']],
  ['/docs/** @a', ['docs/a.yaml', 'docs/b/c.yaml'], ['docs']],
  ['**/logs @a', ['logs/a', 'x/y/logs/b'], ['x/logs-old/b']],
  ['/a/**/z.yaml @a', ['a/z.yaml', 'a/b/c/z.yaml'], ['z.yaml']],
  ['/a?.yaml @a', ['ab.yaml'], ['a.yaml', 'a/.yaml']],
  ['tranche.yaml ana@example.com', ['tranche.yaml'], ['trancheXyaml']],
  ['* @a\n/policies/', ['apps/a.yaml'], ['policies/a.yaml']],
  ['/policies/\n* @org/team', ['policies/a.yaml'], []],
  ['/a*b*c @a', ['abc', 'aXbXbc/d'], ['acb', 'a/bc']],
  ['** @a', ['a', 'b/c'], []],
  ['/a/**/b/**/c/ @a', ['a/b/c/d', 'a/x/b/y/c/d'], ['a/b/c', 'a/c/b/d']],
  // Fifty stars, and a path that almost fits: an expression would try every way to divide it.
  [`/${'*a'.repeat(50)}b @a`, [`${'a'.repeat(60)}b`], ['a'.repeat(200)]],
  [`/${'**/a/'.repeat(30)}b @a`, [`${'a/'.repeat(40)}b`], ['a/'.repeat(60).slice(0, -1)]],
  // What GitHub does not take counts for nothing.
  ['!* @a', [], ['a']],
  ['[ab].yaml @a', [], ['a.yaml']],
  ['* somebody', [], ['a']],
  ['# * @a', [], ['a']],
  ['* @a # of all', ['a'], []],
  ['  * \t@a\r\n', ['a'], []],
  ['', [], ['a']],
])('%j', (text, owned, others) => {
  const patterns = parseCodeOwners(text);
  expect(owned.filter((path) => !hasCodeOwner(patterns, path))).toEqual([]);
  expect(others.filter((path) => hasCodeOwner(patterns, path))).toEqual([]);
});

test('a file over the limit of GitHub owns nothing', () => {
  expect(parseCodeOwners(`* @a\n${'#'.repeat(3 * 1024 * 1024)}`)).toEqual([]);
});
