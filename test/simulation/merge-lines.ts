/** Merges texts line by line, as `git revert` does: what both sides have changed is a conflict, and goes as a person takes it. */

/** How a person resolves a hunk: what is there stays, or what the commit that is reverted had found comes back. */
export type Taken = 'ours' | 'theirs';

type Texts = { readonly base: string; readonly ours: string; readonly theirs: string };
type Lines = readonly string[];

/** The text after the merge, and how many hunks were in conflict. */
export function mergeLines(
  texts: Texts,
  taken: Taken,
): {
  readonly text: string;
  readonly conflicts: number;
} {
  const base = texts.base.split('\n');
  const ours = texts.ours.split('\n');
  const theirs = texts.theirs.split('\n');
  const [left, right] = [matches(base, ours), matches(base, theirs)];
  const merged: string[] = [];
  let conflicts = 0;
  let [b, o, t] = [0, 0, 0];
  for (let next = 0; next <= base.length; next++) {
    const [toOurs, toTheirs] = next === base.length ? [ours.length, theirs.length] : [left.get(next), right.get(next)];
    if (toOurs === undefined || toTheirs === undefined) continue;
    const [was, is, then] = [base.slice(b, next), ours.slice(o, toOurs), theirs.slice(t, toTheirs)];
    const isConflict = !same(is, was) && !same(then, was) && !same(is, then);
    if (isConflict) conflicts += 1;
    const takesTheirs = isConflict ? taken === 'theirs' : same(is, was);
    merged.push(...(takesTheirs ? then : is));
    if (next < base.length) merged.push(base[next]!);
    [b, o, t] = [next + 1, toOurs + 1, toTheirs + 1];
  }
  return { text: merged.join('\n'), conflicts };
}

/** Which line of `to` a line of `from` is, by the longest lines that both have in common. */
function matches(from: Lines, to: Lines): ReadonlyMap<number, number> {
  const longest = Array.from({ length: from.length + 1 }, () => Array.from({ length: to.length + 1 }, () => 0));
  for (let i = from.length - 1; i >= 0; i--)
    for (let j = to.length - 1; j >= 0; j--)
      longest[i]![j] =
        from[i] === to[j] ? longest[i + 1]![j + 1]! + 1 : Math.max(longest[i + 1]![j]!, longest[i]![j + 1]!);
  const found = new Map<number, number>();
  for (let i = 0, j = 0; i < from.length && j < to.length; ) {
    if (from[i] === to[j]) found.set(i++, j++);
    else if (longest[i + 1]![j]! >= longest[i]![j + 1]!) i++;
    else j++;
  }
  return found;
}

function same(left: Lines, right: Lines): boolean {
  return left.length === right.length && left.every((line, i) => line === right[i]);
}
