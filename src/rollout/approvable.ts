/** What an order or an approval names before it is given: the step in Git, or the release that is yet to start. */

import type { Release } from '../api/release.ts';
import { type OrderedAt, stepText } from './commits/messages.ts';
import { firstSerial } from './observed/adopted.ts';
import { nextRelease } from './situation.ts';
import type { Snapshot } from './snapshot.ts';

/** A step, and the release that it is of. */
export type AtStep = { readonly index: number; readonly release: Release };

/** The step in Git; undefined: none is in flight. */
export function currentStep({ workload }: Pick<Snapshot, 'workload'>): AtStep | undefined {
  const marks = workload?.workload.marks;
  return marks?.step?.kind === 'step' ? { index: marks.step.index, release: marks.release } : undefined;
}

/** Where every step is approved, so is the first: as step 0 of the release to come; of a workload to adopt, its own. */
export function beforeFirst(snapshot: Pick<Snapshot, 'workload' | 'rollout'>): AtStep | undefined {
  const { workload } = snapshot;
  const adopted =
    workload === undefined || workload.workload.marks !== undefined
      ? undefined
      : { digest: workload.digest, serial: firstSerial(snapshot, workload.digest) };
  const release = requestedRelease(snapshot) ?? adopted;
  return release === undefined ? undefined : { index: 0, release };
}

/** The step of a release that nobody has started to deliver, as orders name it. */
export const REQUESTED = 'requested';

/** What an order is about where it names no other release: what is in progress, what is asked for, else what has settled. */
export function orderedAt(snapshot: Pick<Snapshot, 'workload'>): OrderedAt | undefined {
  const marks = snapshot.workload?.workload.marks;
  const requested = requestedRelease(snapshot);
  if (marks?.step === undefined && requested !== undefined) return { release: requested, step: REQUESTED };
  return marks === undefined ? undefined : { release: marks.release, step: stepText(marks) };
}

/**
 * The release that an edit would become that nobody has started to deliver; undefined: there is none. Annotations that somebody has
 * changed since the last commit of tranche say nothing of it.
 */
export function requestedRelease({
  workload,
  lostMarks,
}: Pick<Snapshot, 'workload' | 'lostMarks'>): Release | undefined {
  const marks = lostMarks ?? workload?.workload.marks;
  if (workload === undefined || marks === undefined) return undefined;
  if (marks.step !== undefined && marks.step.kind !== 'rollback') return undefined;
  if (marks.release.digest === workload.digest) return undefined;
  // In the rollback, a template that was aborted is not delivered: anyone who writes it is fought.
  const given = marks.step !== undefined && marks.aborted.some(({ digest }) => digest === workload.digest);
  return given ? undefined : nextRelease(workload.digest, marks);
}
