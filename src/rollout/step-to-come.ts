/** Which step comes next, and how many groups it releases: what gates ask about it is what its commit then writes. */

import { type Release, sameRelease } from '../api/release.ts';
import { SENTINEL } from '../api/workload.ts';
import { wholeChange } from './edits/size-change.ts';
import { surgeToCome } from './gates/surge.ts';
import { fillToCome } from './ladders/fill-to-come.ts';
import { nextPartition, partitionOf, plannedGroups } from './observed/batches.ts';
import { nextRelease, type Situation } from './situation.ts';
import type { InDelivery } from './state.ts';
import { followingStep, stepAfterEdit } from './steps.ts';

/** The step of a request that is written first: a change of the size of groups goes to all in the last one. */
export function firstIndex(situation: Situation, release: Release): number {
  const { steps, snapshot } = situation;
  if (wholeChange(situation) !== undefined) return steps.length;
  const jump = snapshot.rollout?.intents.jump;
  return followingStep(sameRelease(jump?.release, release) ? jump?.index : undefined, {
    current: 0,
    steps: steps.length,
  });
}

/** The step after one that is written: where the plan leads that was edited, else the target of a jump, else the next. */
export function nextIndex(
  { steps, snapshot }: Situation,
  at: { readonly index: number; readonly release: Release; readonly plan: number | undefined },
): number {
  const jump = snapshot.rollout?.intents.jump;
  const wish = sameRelease(jump?.release, at.release) ? jump?.index : undefined;
  return at.plan ?? followingStep(wish, { current: at.index, steps: steps.length });
}

/** A newer template with another size has come in mid-delivery: nothing soaks half-way, the whole step is next. */
export function wholeNext(situation: Situation, index: number): number | undefined {
  const { steps } = situation;
  return wholeChange(situation) === undefined || index >= steps.length ? undefined : steps.length;
}

/** The step that an edit of the plan leads to, where it is another than the one written; undefined: nothing changed. */
export function editedPlan(
  { snapshot, steps, replicas, partition }: Situation,
  at: { readonly index: number; readonly release: Release },
): number | undefined {
  const recorded = snapshot.record?.step;
  if (
    recorded === undefined ||
    replicas === undefined ||
    recorded.index !== at.index ||
    !sameRelease(recorded.release, at.release)
  )
    return undefined;
  const now = steps.map((step) => plannedGroups(step.replicas, recorded.replicas));
  if (now.length === recorded.planned.length && now.every((planned, i) => planned === recorded.planned[i]))
    return undefined;
  const done = recorded.planned[at.index - 1] ?? 0;
  const target = stepAfterEdit(
    steps.map((step) => step.replicas),
    { current: at.index, done, replicas },
  );
  // Where Git has the groups of the edited step already, its commit would change no byte: only a record could tell of it.
  const step = steps[at.index - 1];
  const isThere = step !== undefined && partition <= partitionOf(step.replicas, replicas);
  const grown = target === at.index && (now[at.index - 1] ?? 0) > done && !isThere;
  return target > at.index || grown ? target : undefined;
}

export type StepToCome = {
  /** From 1; 0: extra groups come first, and no other goes. */
  readonly index: number;
  /** Whether it is the first of its release that releases groups for update. */
  readonly first: boolean;
  /** How many groups, of those that people want, may go that may not now. */
  readonly groups: number;
};

/** undefined: none comes, or it is not known how many groups there are. */
export function stepToCome(situation: Situation): StepToCome | undefined {
  const { state, digest, replicas, partition, steps, marks } = situation;
  if (replicas === undefined || state.kind === 'rollback') return undefined;
  const filled = fillToCome(situation);
  if (filled !== undefined) return filled;
  const begun = state.kind === 'step' && digest === state.marks.release.digest;
  const prepared = state.kind === 'step' && state.row === 'surging' && !begun;
  if (prepared || surgeToCome(situation) > 0) return { index: 0, first: false, groups: 0 };
  const index = begun ? indexAfter(situation, state) : firstIndex(situation, nextRelease(digest, marks));
  const step = steps[index - 1];
  if (step === undefined) return undefined;
  const free = begun ? Math.min(partition, replicas) : replicas;
  const next = nextPartition(begun ? free : SENTINEL, partitionOf(step.replicas, replicas));
  return { index, first: !begun || state.index === 0, groups: free - next };
}

function indexAfter(situation: Situation, { index, marks }: InDelivery): number {
  const at = { index, release: marks.release };
  // In step 0 nothing has gone by any plan yet: an edit of it leads nowhere.
  const edited = index === 0 ? undefined : editedPlan(situation, at);
  return nextIndex(situation, { ...at, plan: wholeNext(situation, index) ?? edited });
}
