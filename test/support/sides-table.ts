/** Tables of states.md that say which side of a delivery serves, cell by cell, and the answer. */

import { readFileSync } from 'node:fs';
import type { Passed } from './ladder-pass.ts';

export const SIDES = ['serves', 'partly', 'nobody', 'unselected', 'at 0'] as const;
export type Serves = (typeof SIDES)[number];

export const ORDERS = { none: '', abort: '', now: ' now' } as const;
export type Order = keyof typeof ORDERS;

export type Cell = { readonly rung: string; readonly stable: Serves; readonly fresh: Serves; readonly order: Order };

/** Every cell of these rungs. */
export function cellsOf(rungs: readonly string[]): readonly Cell[] {
  return rungs.flatMap((rung) =>
    SIDES.flatMap((stable) =>
      SIDES.flatMap((fresh) => (Object.keys(ORDERS) as Order[]).map((order): Cell => ({ rung, stable, fresh, order }))),
    ),
  );
}

export const named = ({ rung, stable, fresh, order }: Cell): string => `${rung}, ${stable}, ${fresh}, ${order}`;

/** What the rows say of each cell, as `named: answer`; a cell without a row, or with two, is seen by that. */
export function wantedOf(cells: readonly Cell[], rows: readonly Row[]): readonly string[] {
  return cells.map((cell) => {
    const of = [cell.rung, cell.stable, cell.fresh, cell.order];
    const matching = rows.filter(({ names }) => names.every((some, at) => some.includes(of[at] ?? '')));
    return `${named(cell)}: ${matching.map(({ answer }) => answer).join(' and ')}`;
  });
}

/** What only takes its time. */
export const TIME: readonly string[] = ['GracePeriod', 'Draining', 'Baking'];

/** As the table writes it. */
export function told({ plan: { commit, holds } }: Passed): string {
  if (commit !== undefined) return `\`${commit.reason}\`: ${commit.label}`;
  const reasons = holds.map(({ reason }) => reason).filter((reason) => !TIME.includes(reason));
  return reasons.length === 0 ? '–' : reasons.map((reason) => `\`${reason}\``).join(', ');
}

export type Row = { readonly names: readonly (readonly string[])[]; readonly answer: string };

const ORDER: Readonly<Record<string, Order>> = { '–': 'none', abort: 'abort', 'abort --now': 'now' };

/** The rows of the table below a heading; `any` is each of them. */
export function tableRows(heading: string): readonly Row[] {
  const text = readFileSync(new URL('../../src/rollout/states.md', import.meta.url), 'utf8');
  const [section = ''] = (text.split(`${heading}\n`)[1] ?? '').split('\n## ');
  const lines = section.split('\n').filter((line) => line.startsWith('| ') && !/^\| (rung|---)/.test(line));
  return lines.map((line): Row => {
    const [rungs = '', stable = '', fresh = '', order = '', answer = ''] = line
      .split('|')
      .slice(1)
      .map((one) => one.trim());
    const names = [rungs, stable, fresh].map((one) => (one === 'any' ? [...SIDES] : one.split(', ')));
    return { names: [...names, [ORDER[order] ?? order]], answer };
  });
}
