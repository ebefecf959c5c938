/** What history says of an order to undo, in the compact notation of tables: `A.1 back=1 ago=60`, or `unknown`. */

import { known, unknown } from '../../src/api/known.ts';
import type { Snapshot, Stable } from '../../src/rollout/snapshot.ts';

type Asked = { readonly undo?: string; readonly earlier?: string };
type Of = { readonly now: number; readonly stableOf: (letter: string, serial: number) => Stable };

/** How many releases back the one that is named had settled, and how long ago the present one did; or that the file has it again. */
export function undoIn({ undo, earlier }: Asked, of: Of): Pick<Snapshot, 'undo' | 'earlier'> {
  return { ...orderedIn(undo, of), ...earlierIn(earlier, of) };
}

function orderedIn(notation: string | undefined, { now, stableOf }: Of): Pick<Snapshot, 'undo'> {
  if (notation === undefined) return {};
  if (notation === 'unknown') return { undo: unknown('main is cut off before it') };
  const [release = '', back = '', ago = ''] = notation.split(/ [a-z]+=/);
  const [letter = '', serial] = release.split('.');
  return {
    undo: known({ target: stableOf(letter, Number(serial)), back: Number(back), settledAt: now - Number(ago) }),
  };
}

/** As `A.1`. */
function earlierIn(notation: string | undefined, { stableOf }: Of): Pick<Snapshot, 'earlier'> {
  const [letter, serial] = notation?.split('.') ?? [];
  return letter === undefined ? {} : { earlier: stableOf(letter, Number(serial)).release };
}
