/** Which row of the specification a workload is in, from Git alone, with the marks and the step where it has them. */

import type { Marks, RungMark, StepMark } from '../api/marks.ts';
import { sameRelease } from '../api/release.ts';
import { isOneWorkload } from '../api/styles.ts';
import { SENTINEL } from '../api/workload.ts';

/** A step is in Git. */
export type InDelivery = {
  readonly kind: 'step';
  readonly row: 'surging' | 'partial' | 'rolling' | 'locked';
  readonly index: number;
  readonly of: number;
  readonly marks: Marks;
};

/** A second workload is filled: the rung that Git stands on. Which ladder it is of, is in the marks as the step. */
export type OnLadder = {
  readonly kind: 'ladder';
  readonly stage: StepMark;
  readonly at: RungMark | undefined;
  readonly marks: Marks;
};

export type State =
  | { readonly kind: 'unmanaged' }
  | { readonly kind: 'settled' | 'requested' | 'rollback'; readonly marks: Marks }
  | InDelivery
  | OnLadder;

/**
 * The state that the manifest says it is in. `surging` is step 0, which releases no group that people want. `rolling`
 * and `locked` are the two halves of a whole step: partition 0, then the sentinel again. A floor above 0 tells that no
 * commit of ours has released all groups, whatever the partition has been edited to.
 */
export function stateOf(file: {
  readonly marks: Marks | undefined;
  readonly digest: string;
  readonly partition: number;
}): State {
  const { marks, digest } = file;
  if (marks === undefined) return { kind: 'unmanaged' };
  const { step } = marks;
  if (step === undefined) return { kind: digest === marks.release.digest ? 'settled' : 'requested', marks };
  if (step.kind === 'promote' || isLadder(marks)) return { kind: 'ladder', stage: step, at: marks.at, marks };
  if (step.kind === 'rollback') return { kind: 'rollback', marks };
  return { kind: 'step', row: rowOf(marks, step.index, file.partition), index: step.index, of: step.of, marks };
}

/**
 * Whether a second workload is being filled, by the strategy that its marks name. A rung that names none has lost it to a hand, and
 * counts as one of these: their rows hold, or go back as the last commit of tranche says.
 */
export function isLadder({ step, at, restore }: Marks): boolean {
  if (step === undefined) return false;
  const style = restore?.style;
  return step.kind === 'promote' || (style === undefined ? at !== undefined : !isOneWorkload(style));
}

/** Whether two versions of this workload alone share the requests, by the strategy that its marks name and the rung that it stands on. */
export function isRouted({ step, at, restore }: Marks): boolean {
  const isOwn = step?.kind === 'step' || step?.kind === 'rollback';
  return isOwn && at !== undefined && isOneWorkload(restore?.style);
}

/** blueGreen: whether a settled release is undone by filling the other colour: the side that serves is the one that is left. */
export function isFillingBack({ step, restore }: Pick<Marks, 'step' | 'restore'>): boolean {
  return step?.kind === 'rollback' && restore?.undone !== undefined;
}

/**
 * Whether the file of a rollback has the stable template again. Until then its release is the one that was aborted, as two more
 * annotations tell: what is to be delivered to groups is not that, whichever of them a hand or a squash has taken out.
 */
export function isTemplateBack({ step, at, release, aborted, stable }: Marks): boolean {
  const isGiven = aborted.some((one) => sameRelease(one, release));
  const isStable = stable === undefined || stable.digest === release.digest;
  return step?.kind === 'rollback' && at !== 'route-restored' && !isGiven && isStable;
}

function rowOf({ restore }: Marks, index: number, partition: number): InDelivery['row'] {
  if (index === 0) return 'surging';
  if (restore?.floor !== 0) return 'partial';
  if (partition === 0) return 'rolling';
  return partition === SENTINEL ? 'locked' : 'partial';
}
