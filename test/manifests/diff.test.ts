/** Unified diffs: read by people, and exact enough to be applied. */

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unifiedDiff } from '../../src/manifests/diff.ts';

function diff(before: string, after: string): string {
  return unifiedDiff({ file: 'a/lws.yaml', before, after });
}

const HEAD = '--- a/a/lws.yaml\n+++ b/a/lws.yaml\n';

test('a line end in the name of a file adds no line', () => {
  const lines = unifiedDiff({ file: 'a\n+ forged\r\n', before: 'a\n', after: 'b\n' });
  expect(lines).toBe('--- a/a\\n+ forged\\r\\n\n+++ b/a\\n+ forged\\r\\n\n@@ -1 +1 @@\n-a\n+b\n');
});

describe('unifiedDiff', () => {
  test.each([
    ['nothing', 'a\nb\n', 'a\nb\n', ''],
    ['one line', 'a\nb\nc\n', 'a\nx\nc\n', `${HEAD}@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n`],
    [
      'three lines around',
      '1\n2\n3\n4\n5\n6\n7\n8\n9\n',
      '1\n2\n3\n4\nx\n6\n7\n8\n9\n',
      `${HEAD}@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n`,
    ],
    ['into an empty file', '', 'a\n', `${HEAD}@@ -0,0 +1 @@\n+a\n`],
    ['to an empty file', 'a\nb\n', '', `${HEAD}@@ -1,2 +0,0 @@\n-a\n-b\n`],
    [
      'no last line break',
      'a\nb',
      'a\nc',
      `${HEAD}@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n`,
    ],
    ['last line break added', 'a', 'a\n', `${HEAD}@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n`],
    ['carriage returns', 'a\r\nb\r\n', 'a\r\nc\r\n', `${HEAD}@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n`],
    ['changed line break', 'a\r\n', 'a\n', `${HEAD}@@ -1 +1 @@\n-a\r\n+a\n`],
    ['inserted', 'a\nc\n', 'a\nb\nc\n', `${HEAD}@@ -1,2 +1,3 @@\n a\n+b\n c\n`],
  ])('%s', (_, before, after, expected) => {
    expect(diff(before, after)).toBe(expected);
  });

  test('far changes have hunks of their own, near ones share one', () => {
    const lines = Array.from({ length: 30 }, (_, at) => `line ${at}\n`);
    const changed = (...at: readonly number[]) =>
      lines.map((line, index) => (at.includes(index) ? 'x\n' : line)).join('');
    expect(diff(lines.join(''), changed(2, 9)).match(/^@@.*$/gm)).toEqual(['@@ -1,13 +1,13 @@']);
    expect(diff(lines.join(''), changed(2, 10)).match(/^@@.*$/gm)).toEqual(['@@ -1,6 +1,6 @@', '@@ -8,7 +8,7 @@']);
  });

  test('applied to the text before it gives the text after, with no more lines than needed', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd', '', 'e\r'), { maxLength: 30 });
    fc.assert(
      fc.property(text, text, fc.boolean(), fc.boolean(), (left, right, leftEnd, rightEnd) => {
        const before = left.join('\n') + (leftEnd ? '\n' : '');
        const after = right.join('\n') + (rightEnd ? '\n' : '');
        const patch = diff(before, after);
        expect(applyPatch(before, patch)).toBe(after);
        const removed = patch.match(/^-(?!--)/gm)?.length ?? 0;
        expect(removed).toBe(before === after ? 0 : linesOf(before).length - common(linesOf(before), linesOf(after)));
      }),
      { numRuns: 500 },
    );
  });

  test('texts with nothing in common stay bounded', () => {
    const many = (prefix: string) => Array.from({ length: 5000 }, (_, at) => `${prefix}${at}\n`).join('');
    expect(diff(many('a'), many('b')).match(/^[-+][ab]/gm)).toHaveLength(10_000);
  });
});

function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Length of the longest common subsequence, by the textbook. */
function common(left: readonly string[], right: readonly string[]): number {
  let row = Array(right.length + 1).fill(0) as number[];
  for (const line of left) {
    const next = [0];
    for (const [at, other] of right.entries())
      next.push(line === other ? row[at]! + 1 : Math.max(row[at + 1]!, next[at]!));
    row = next;
  }
  return row.at(-1)!;
}

function applyPatch(before: string, patch: string): string {
  if (patch === '') return before;
  const source = linesOf(before);
  const out: string[] = [];
  let at = 0;
  const lines = linesOf(patch).slice(2);
  for (const [index, line] of lines.entries()) {
    const header = /^@@ -(\d+)(?:,(\d+))? /.exec(line);
    if (header !== null) {
      const start = Number(header[1]) - (header[2] === '0' ? 0 : 1);
      out.push(...source.slice(at, start));
      at = start;
      continue;
    }
    if (line.startsWith('\\')) continue;
    const content = lines[index + 1]?.startsWith('\\') === true ? line.slice(1, -1) : line.slice(1);
    if (line[0] !== '+') {
      expect(source[at]).toBe(content);
      at += 1;
    }
    if (line[0] !== '-') out.push(content);
  }
  return [...out, ...source.slice(at)].join('');
}
