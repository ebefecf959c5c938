/** Wide tables of tests: a merge plays a fixed part of their rows, and `DEEP=1`, which a release has to pass, plays all. */

type Cell = string | number | boolean;

/** True: nothing is left out. */
export const IS_DEEP = (process.env['DEEP'] ?? '') !== '';

/**
 * One row in `every` of a full product, the same ones each time, and all of them with DEEP. They lie diagonally, so that where
 * columns are long enough each value of one meets values of each other; a value that no such row has keeps its first row. Each
 * value of each column is thus in a row that is played.
 */
export function sampled<Row extends readonly Cell[]>(rows: readonly Row[], every: number): readonly Row[] {
  if (IS_DEEP) return rows;
  const places = new Map<string, number>();
  const counts: number[] = [];
  const valueOf = (cell: Cell, column: number): string => `${column} ${String(cell)}`;
  const sums = rows.map((row) =>
    row.reduce((sum: number, cell, column) => {
      const value = valueOf(cell, column);
      const place = places.get(value) ?? counts[column] ?? 0;
      if (!places.has(value)) counts[column] = place + 1;
      places.set(value, place);
      return sum + place;
    }, 0),
  );
  const kept = new Set(rows.filter((_, at) => (sums[at] ?? 0) % every === 0));
  const met = new Set([...kept].flatMap((row) => row.map(valueOf)));
  for (const row of rows) {
    if (row.map(valueOf).every((value) => met.has(value))) continue;
    kept.add(row);
    for (const value of row.map(valueOf)) met.add(value);
  }
  return rows.filter((row) => kept.has(row));
}
