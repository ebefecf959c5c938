/** Stands in for `src/reconcile/lint/try-ladder.ts` in bundles of the simulation: its files can hold every rung. */

import type { Issue } from '../../../src/api/issue.ts';
import { tryLadder as tryAfresh } from '../../../src/reconcile/lint/try-ladder.ts';
import { hash } from '../chance.ts';
import { Remembered } from './remembered.ts';

const known = new Remembered<readonly Issue[]>(600);

/** One text in this many is tried. */
const ONE_IN = 12;

/** As the real one where it is asked, which is pure; what it has no fault to find with is not asked every time. */
export function tryLadder(
  asked: Parameters<typeof tryAfresh>[0],
  trials: Parameters<typeof tryAfresh>[1],
): readonly Issue[] {
  const { parts, texts } = asked;
  const key = JSON.stringify([parts.plan.steps, parts.stableText, texts.get(parts.workload.file)]);
  return hash(key) % ONE_IN === 0 ? known.of(key, () => tryAfresh(asked, trials)) : [];
}
