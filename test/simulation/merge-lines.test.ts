/** A revert with conflicts, as a person resolves them, held against the real git. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { mergeLines } from './merge-lines.ts';

const room = mkdtempSync(join(tmpdir(), 'tranche-lines-'));
afterAll(() => rmSync(room, { recursive: true }));

/** `git merge-file` of the same three texts. */
function byGit(texts: readonly string[], taken: 'ours' | 'theirs'): string {
  const [base = '', ours = '', theirs = ''] = texts.map((text, i) => {
    const path = join(room, String(i));
    writeFileSync(path, text);
    return path;
  });
  return execFileSync('git', ['merge-file', '-p', `--${taken}`, ours, base, theirs], { encoding: 'utf8' });
}

const STEP = 'a\nstep: 1\npartition: 3\nb\nc\n';
const NEXT = 'a\nstep: 2\npartition: 2\nb\nc\n';

test.each<readonly [what: string, base: string, ours: string, theirs: string, conflicts: number]>([
  ['nothing was written since', NEXT, NEXT, STEP, 0],
  ['another line was written since', NEXT, NEXT.replace('c\n', 'd\n'), STEP, 0],
  ['the same lines were written since', NEXT, 'a\nstep: 3\npartition: 1\nb\nc\n', STEP, 1],
  ['its lines were taken out since', NEXT, 'a\nb\nc\n', STEP, 1],
  ['it added what was written since', NEXT, 'a\nstep: 3\npartition: 2\nb\nc\n', 'a\nb\nc\n', 1],
  ['it was reverted already', NEXT, STEP, STEP, 0],
])('%s', (_, base, ours, theirs, conflicts) => {
  for (const taken of ['ours', 'theirs'] as const) {
    const merged = mergeLines({ base, ours, theirs }, taken);
    expect(merged.text, taken).toBe(byGit([base, ours, theirs], taken));
    expect(merged.conflicts, taken).toBe(conflicts);
  }
});
