/** What history says of an order to undo, in the compact notation of tables: `A.1 back=1 ago=60`, or `unknown`. */

import { known, unknown } from '../../src/api/known.ts';
import type { Snapshot, Stable } from '../../src/rollout/snapshot.ts';

/** How many releases back the one that is named had settled, and how long ago the present one did. */
export function undoIn(
  notation: string | undefined,
  of: { readonly now: number; readonly stableOf: (letter: string, serial: number) => Stable },
): Pick<Snapshot, 'undo'> {
  if (notation === undefined) return {};
  if (notation === 'unknown') return { undo: unknown('main is cut off before it') };
  const [release = '', back = '', ago = ''] = notation.split(/ [a-z]+=/);
  const [letter = '', serial] = release.split('.');
  const target = of.stableOf(letter, Number(serial));
  return { undo: known({ target, back: Number(back), settledAt: of.now - Number(ago) }) };
}
