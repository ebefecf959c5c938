/** Which of the words that are valid somebody may have meant. */

/** How many letters may be wrong, at most a third of the word. */
const MOST_EDITS = 3;
/** Longer words are not compared: the time grows with the square. */
const LONGEST = 80;

/** The valid word with the fewest letters changed, added, left out or swapped; undefined where none is near, or within `most`. */
export function nearest(word: string, valid: readonly string[], most = MOST_EDITS): string | undefined {
  if (word.length > LONGEST) return undefined;
  const limit = Math.min(most, Math.ceil(word.length / 3));
  const near = valid
    .filter((other) => other !== word && Math.abs(other.length - word.length) <= limit && other.length <= LONGEST)
    .map((other) => ({ other, edits: edits(word.toLowerCase(), other.toLowerCase()) }))
    .filter((found) => found.edits <= limit);
  return near.sort((a, b) => a.edits - b.edits)[0]?.other;
}

/** Optimal string alignment: the rows before the last are of the distances of shorter beginnings. */
function edits(from: string, to: string): number {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i += 1) {
    const next: number[] = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const same = from[i - 1] === to[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      next.push(
        Math.min(
          (row[j] ?? 0) + 1,
          (next[j - 1] ?? 0) + 1,
          (row[j - 1] ?? 0) + same,
          swapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    before = row;
    row = next;
  }
  return row[to.length] ?? 0;
}
