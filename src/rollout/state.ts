/** Which row of the specification a workload is in, from Git alone. */

import { SENTINEL } from '../api/workload.ts';
import type { Situation } from './situation.ts';

export type StateName =
  | 'unmanaged'
  | 'settled'
  | 'requested'
  | 'surging'
  | 'partial'
  | 'rolling'
  | 'armed'
  | 'rollback';

/**
 * The state that the manifest says it is in. `surging` is step 0, which lets no group go that people want. `rolling` and `armed` are the two halves of a whole step: partition 0,
 * then the sentinel again. A floor above 0 tells that no commit of ours has let all groups go, whatever the
 * partition has been edited to.
 */
export function stateOf(situation: Situation): StateName {
  const { marks, digest, partition } = situation;
  if (marks === undefined) return 'unmanaged';
  if (marks.step === undefined) return digest === marks.release.digest ? 'settled' : 'requested';
  if (marks.step.kind === 'rollback') return 'rollback';
  if (marks.step.index === 0) return 'surging';
  if (marks.restore?.floor !== 0) return 'partial';
  if (partition === 0) return 'rolling';
  return partition === SENTINEL ? 'armed' : 'partial';
}
