/** Shows what changed between two texts as a unified diff, for `tranche plan` and proposals. */

import { oneLine } from '../api/printable.ts';

type FileChange = { readonly file: string; readonly before: string; readonly after: string };

/** Lines shown around a change, as git does. */
const CONTEXT_LINES = 3;

/** Lines that may differ before the shortest diff is abandoned for "all of these became all of those". */
const MAX_DIFFERENCES = 1000;

type Op = { readonly kind: ' ' | '-' | '+'; readonly line: string };

/**
 * Lines keep their carriage returns, so a changed line break shows; a missing last line break is marked as git marks
 * it. Equal texts give an empty diff.
 */
export function unifiedDiff({ file, before, after }: FileChange): string {
  if (before === after) return '';
  const ops = operations(linesOf(before), linesOf(after));
  // A line end in a name would be a line of the diff.
  const name = oneLine(file);
  return [`--- a/${name}\n`, `+++ b/${name}\n`, ...hunks(ops)].join('');
}

/** The lines of a text, each with its line break. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function operations(before: readonly string[], after: readonly string[]): readonly Op[] {
  let start = 0;
  const shorter = Math.min(before.length, after.length);
  while (start < shorter && before[start] === after[start]) start += 1;
  let tail = 0;
  while (tail < shorter - start && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const same = (lines: readonly string[]): readonly Op[] => lines.map((line) => ({ kind: ' ', line }));
  return [
    ...same(before.slice(0, start)),
    ...shortest(before.slice(start, before.length - tail), after.slice(start, after.length - tail)),
    ...same(before.slice(before.length - tail)),
  ];
}

/** The shortest way from one list of lines to the other (E. Myers, An O(ND) difference algorithm, 1986). */
function shortest(before: readonly string[], after: readonly string[]): readonly Op[] {
  const trace: (readonly number[])[] = [];
  const limit = Math.min(before.length + after.length, MAX_DIFFERENCES);
  let furthest: readonly number[] = [0];
  for (let distance = 0; distance <= limit; distance += 1) {
    trace.push(furthest);
    const reach = reachable({ before, after, distance, furthest });
    if (reach.done) return walkBack({ before, after, trace, distance });
    furthest = reach.furthest;
  }
  return [...before.map((line): Op => ({ kind: '-', line })), ...after.map((line): Op => ({ kind: '+', line }))];
}

type Frontier = {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly distance: number;
  /** For diagonal k, at [k + distance - 1 + …]: how many lines of `before` the last round got through. */
  readonly furthest: readonly number[];
};

function reachable({ before, after, distance, furthest }: Frontier): {
  readonly done: boolean;
  readonly furthest: readonly number[];
} {
  const next: number[] = [];
  for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
    let x = startOf(furthest, diagonal, distance);
    while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1;
    next[(diagonal + distance) / 2] = x;
    if (x >= before.length && x - diagonal >= after.length) return { done: true, furthest: next };
  }
  return { done: false, furthest: next };
}

/** Where a round starts on a diagonal: one line down from the diagonal above, or one to the right from below. */
function startOf(furthest: readonly number[], diagonal: number, distance: number): number {
  if (distance === 0) return 0;
  return comesFromAbove(furthest, diagonal, distance)
    ? (furthest[(diagonal + distance) / 2] ?? 0)
    : (furthest[(diagonal + distance) / 2 - 1] ?? 0) + 1;
}

/** An added line (down) rather than a removed one (right)? The last round has the diagonals of `distance - 1`. */
function comesFromAbove(furthest: readonly number[], diagonal: number, distance: number): boolean {
  if (diagonal === -distance) return true;
  if (diagonal === distance) return false;
  const at = (diagonal + distance) / 2;
  return (furthest[at - 1] ?? 0) < (furthest[at] ?? 0);
}

type Walk = {
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** What each round started from. */
  readonly trace: readonly (readonly number[])[];
  readonly distance: number;
};

function walkBack({ before, after, trace, distance }: Walk): readonly Op[] {
  const ops: Op[] = [];
  let x = before.length;
  let y = after.length;
  for (let round = distance; round >= 0; round -= 1) {
    const furthest = trace[round] ?? [0];
    const diagonal = x - y;
    const start = startOf(furthest, diagonal, round);
    for (; x > start; x -= 1, y -= 1) ops.push({ kind: ' ', line: before[x - 1] ?? '' });
    if (round === 0) break;
    if (comesFromAbove(furthest, diagonal, round)) {
      y -= 1;
      ops.push({ kind: '+', line: after[y] ?? '' });
    } else {
      x -= 1;
      ops.push({ kind: '-', line: before[x] ?? '' });
    }
  }
  return ops.toReversed();
}

function hunks(ops: readonly Op[]): readonly string[] {
  const out: string[] = [];
  let at = 0;
  while (at < ops.length) {
    const first = ops.findIndex((op, index) => index >= at && op.kind !== ' ');
    if (first === -1) break;
    const end = hunkEnd(ops, first);
    const start = Math.max(at, first - CONTEXT_LINES);
    out.push(hunk(ops, start, end));
    at = end;
  }
  return out;
}

/** The end of a hunk: changes with at most twice the context between them share one. */
function hunkEnd(ops: readonly Op[], first: number): number {
  let last = first;
  for (let at = first; at < ops.length && at - last <= 2 * CONTEXT_LINES + 1; at += 1)
    if (ops[at]?.kind !== ' ') last = at;
  return Math.min(ops.length, last + 1 + CONTEXT_LINES);
}

function hunk(ops: readonly Op[], start: number, end: number): string {
  const body = ops.slice(start, end);
  const count = (lines: readonly Op[], not: '+' | '-'): number => lines.filter((op) => op.kind !== not).length;
  const ahead = ops.slice(0, start);
  const range = (not: '+' | '-'): string => {
    const lines = count(body, not);
    const line = count(ahead, not) + (lines === 0 ? 0 : 1);
    return lines === 1 ? `${line}` : `${line},${lines}`;
  };
  const text = body.map(({ kind, line }) =>
    line.endsWith('\n') ? kind + line : `${kind}${line}\n\\ No newline at end of file\n`,
  );
  return `@@ -${range('+')} +${range('-')} @@\n${text.join('')}`;
}
