/** What the benchmark says: rows with goals, printed as a table for people and as JSON for machines. */

export type Row = {
  readonly name: string;
  readonly unit: 'ms' | 'MB' | '1/s' | '';
  readonly value: number;
  /** What the value is held against; undefined: only the goal. */
  readonly reference: number | undefined;
  /** Value over reference. */
  readonly ratio: number | undefined;
  /** As `≤ 1.5 ×`; empty: for information. */
  readonly goal: string;
  readonly met: boolean | undefined;
  /** The smallest and the largest of the values whose median is told. */
  readonly range: readonly [number, number] | undefined;
};

type Measured = Pick<Row, 'name' | 'unit' | 'value'> & { readonly range?: readonly [number, number] };

/** A value that must be at most this many times the reference. */
export function atMostTimes(measured: Measured, reference: number, times: number): Row {
  const ratio = measured.value / reference;
  return {
    range: undefined,
    ...measured,
    reference,
    ratio,
    goal: `≤ ${Number(times.toFixed(2))} ×`,
    met: ratio <= times,
  };
}

/** A value that must not be above the limit. */
export function atMost(measured: Measured, limit: number): Row {
  const goal = `≤ ${limit} ${measured.unit}`;
  const shown = goal.trimEnd();
  return {
    range: undefined,
    ...measured,
    reference: undefined,
    ratio: undefined,
    goal: shown,
    met: measured.value <= limit,
  };
}

/** A value that must not be below the limit. */
export function atLeast(measured: Measured, limit: number): Row {
  const goal = `≥ ${limit} ${measured.unit}`;
  return { range: undefined, ...measured, reference: undefined, ratio: undefined, goal, met: measured.value >= limit };
}

/** A value without a goal. */
export function forInformation(measured: Measured, reference?: number): Row {
  const ratio = reference === undefined ? undefined : measured.value / reference;
  return { range: undefined, ...measured, reference, ratio, goal: '', met: undefined };
}

const titles = ['', 'unit', 'value', 'min … max', 'reference', 'ratio', 'goal', 'met'];

/** An aligned table. */
export function tableOf(rows: readonly Row[]): string {
  const cells = [titles, ...rows.map(cellsOf)];
  const widths = titles.map((_title, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  return cells
    .map((line) =>
      line
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cellsOf(row: Row): readonly string[] {
  return [
    row.name,
    row.unit,
    number(row.value),
    row.range === undefined ? '' : `${number(row.range[0])} … ${number(row.range[1])}`,
    row.reference === undefined ? '' : number(row.reference),
    row.ratio === undefined ? '' : row.ratio.toFixed(2),
    row.goal,
    row.met === undefined ? '' : row.met ? 'yes' : 'NO',
  ];
}

function number(value: number): string {
  return value.toFixed(0);
}

/** The rows as the file of `--json` has them; what a row does not have is null there. */
export function jsonOf(rows: readonly Row[]): string {
  const plain = rows.map(({ name, unit, value, reference, ratio, goal, met }) => ({
    name,
    unit,
    value,
    reference: reference ?? null,
    ratio: ratio ?? null,
    goal,
    met: met ?? null,
  }));
  return `${JSON.stringify({ rows: plain }, undefined, 2)}\n`;
}
