/** What both versions counted over time, in no more parts than are shown. */

import type { Instant } from '../../api/time.ts';
import { totalOf } from './spread.ts';
import type { Window } from './verdict.ts';

/** Windows in a row: when the last of them ended; bad and all requests of the new version, and of the stable one. */
export type Part = readonly [end: Instant, bad: number, of: number, stableBad: number, stableOf: number];

/** Parts that are kept of a metric. */
const PARTS_MOST = 96;
/** Signs of a line. */
const SIGNS_MOST = 24;

/** In the order of the windows, with as many of them in each as there have to be. */
export function partsOf(windows: readonly Window[]): readonly Part[] {
  const each = windows.map(({ end, canary, stable }): Part => {
    const [mine, theirs] = [totalOf(canary), totalOf(stable)];
    return [end, mine.x, mine.n, theirs.x, theirs.n];
  });
  return joined(each, PARTS_MOST);
}

/** Neighbours together, as many as it takes. */
export function joined(parts: readonly Part[], most: number): readonly Part[] {
  const size = Math.ceil(parts.length / most);
  if (size <= 1) return parts;
  return Array.from({ length: Math.ceil(parts.length / size) }, (_, at) =>
    parts.slice(at * size, (at + 1) * size).reduce((sum, [end, ...counts]): Part => {
      const [, bad, of, stableBad, stableOf] = sum;
      const [a, b, c, d] = counts;
      return [end, bad + a, of + b, stableBad + c, stableOf + d];
    }),
  );
}

const SIGNS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
/** Of a part without requests. */
const QUIET = '·';

/**
 * The share of bad requests of the new version, a sign a part, the oldest first: the highest is the worst share that either version
 * had in any part.
 */
export function lineOf(parts: readonly Part[]): string {
  const shown = joined(parts, SIGNS_MOST);
  const worst = Math.max(
    ...shown.flatMap(([, bad, of, stableBad, stableOf]) => [share(bad, of), share(stableBad, stableOf)]),
  );
  return shown
    .map(([, bad, of]) => {
      if (of === 0) return QUIET;
      return SIGNS[worst === 0 ? 0 : Math.round((share(bad, of) / worst) * (SIGNS.length - 1))];
    })
    .join('');
}

function share(bad: number, of: number): number {
  return of === 0 ? 0 : bad / of;
}
