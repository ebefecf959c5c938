/** What the record remembers of the step in Git: its plan, its soak clock, and who was restarted in it. */

import type { Marks } from '../../api/marks.ts';
import type { StepRecord } from '../../api/record.ts';
import { printRelease, type Release, sameRelease } from '../../api/release.ts';
import { frozenPlanOf } from '../../api/rollout-frozen.ts';
import { waitedSeen, waitedWritten } from '../deadlines.ts';
import { partitionAfter } from '../edits/workload-change.ts';
import { isUnjudged } from '../events/late-merge.ts';
import type { Decision, Move } from '../move.ts';
import { plannedGroups } from '../observed/batches.ts';
import { isSameStep, restartsOf } from '../progress/restarts.ts';
import { clockIsBehind, soakingSince } from '../progress/soak.ts';
import type { Situation } from '../situation.ts';
import type { Snapshot } from '../snapshot.ts';
import { noLaterThanNow } from './groups.ts';

/** The step that Git holds, and since when its groups have all been there. */
export function stepSeen(
  snapshot: Snapshot,
  situation: Situation | undefined,
  { stepDone, stale }: Pick<Decision, 'stepDone' | 'stale'>,
): StepRecord | undefined {
  if (situation === undefined) return snapshot.record?.step;
  if (isUnjudged(situation)) return snapshot.merged?.step;
  const { marks, partition } = situation;
  if (marks?.step?.kind === 'promote') return promotionSeen(situation, marks);
  if (marks?.step?.kind !== 'step') return undefined;
  const { release } = marks;
  const { index } = marks.step;
  const before = recorded(snapshot, { release, index });
  if (before === undefined)
    // Found, under a Rollout of another name perhaps: its commit is one that nobody has looked up.
    return newStep(situation, {
      release,
      index,
      partition,
      writtenAt: undefined,
      restarts: restartsOf(situation),
      waited: waitedSeen(situation),
      policies: policiesNow(snapshot),
      doneSince: stepDone ? snapshot.now : undefined,
    });
  // A pass that could not read the groups knows nothing against them: it neither starts nor stops the clock.
  if (!stepDone && situation.observed === undefined) return { ...before, ...countsSeen(situation) };
  return {
    ...before,
    writtenAt: dateOf(situation, before),
    doneSince: stepDone ? (soakingSince(situation) ?? snapshot.now) : undefined,
    ...countsSeen(situation),
    ...(stale === undefined ? {} : { stale }),
    // Who squashes it may leave nothing of the message that names them.
    ...(snapshot.merged !== undefined && before.policies === undefined ? { policies: policiesNow(snapshot) } : {}),
  };
}

/** The promotion after the last step: what is fixed until the end of a delivery stays so, and all counts start again. */
function promotionSeen(situation: Situation, { release }: Marks): StepRecord | undefined {
  const before = situation.snapshot.record?.step;
  return before === undefined || !sameRelease(before.release, release)
    ? before
    : { ...before, ...countsSeen(situation), promotes: true };
}

/** Restarts and waits, of where Git stands. A pass that sees no group forgets none. */
function countsSeen(situation: Situation): Pick<StepRecord, 'restarts' | 'waited' | 'promotes'> {
  return { restarts: restartsOf(situation), waited: waitedSeen(situation), promotes: undefined };
}

/** The step that this move writes; its soak has not started. */
export function stepWritten(
  snapshot: Snapshot,
  situation: Situation | undefined,
  { move, stale }: { readonly move: Move; readonly stale: Decision['stale'] },
): StepRecord | undefined {
  if (situation === undefined) return snapshot.record?.step;
  const { release, step } = move.marks;
  const waited = waitedWritten(situation, move.marks);
  if (step?.kind === 'promote') return promotionWritten(situation, { marks: move.marks, waited });
  if (step?.kind !== 'step') return undefined;
  const { index } = step;
  const before = recorded(snapshot, { release, index });
  return newStep(situation, {
    release,
    index,
    partition: partitionAfter(situation, move),
    writtenAt: before === undefined ? snapshot.now : before.writtenAt,
    // The rungs of a step have the same groups.
    restarts:
      situation.state.kind === 'ladder' && isSameStep(situation.marks, move.marks) ? restartsOf(situation) : undefined,
    waited,
    // What brakes or locks lets no policy go.
    policies: before === undefined || move.way === 'forward' ? policiesNow(snapshot) : before.policies,
    doneSince: undefined,
    stale: move.reason === 'MergeAccepted' ? undefined : (stale ?? before?.stale),
  });
}

/** Each rung of a promotion has the groups of the one before. */
function promotionWritten(
  situation: Situation,
  { marks, waited }: { readonly marks: Marks } & Pick<StepRecord, 'waited'>,
): StepRecord | undefined {
  const before = situation.snapshot.record?.step;
  if (before === undefined || !sameRelease(before.release, marks.release)) return before;
  const isBegun = isSameStep(situation.marks, marks);
  return { ...before, restarts: isBegun ? restartsOf(situation) : undefined, waited, promotes: true };
}

type Written = Pick<
  StepRecord,
  'release' | 'index' | 'partition' | 'writtenAt' | 'restarts' | 'waited' | 'policies' | 'doneSince' | 'stale'
>;

function newStep({ snapshot, steps, replicas = 0 }: Situation, of: Written): StepRecord {
  const { release, index, partition, writtenAt, restarts, waited, policies, doneSince } = of;
  const before = snapshot.record?.step;
  const frozen = sameRelease(before?.release, release) ? before?.frozen : undefined;
  const file = snapshot.rollout;
  return {
    release,
    index,
    planned: steps.map((step) => plannedGroups(step.replicas, replicas)),
    replicas,
    partition,
    writtenAt,
    restarts,
    waited,
    policies,
    doneSince,
    frozen: frozen ?? (file === undefined ? undefined : frozenPlanOf(file.rollout)),
    ...(of.stale === undefined ? {} : { stale: of.stale }),
  };
}

/** But for those that deny every step just now: none is written under them, and they are there to go again. */
function policiesNow({ governing, windows }: Snapshot): readonly string[] | undefined {
  const denying = (windows?.shutBy ?? []).filter(({ field }) => field === 'deny').map(({ policy }) => `${policy}@`);
  return governing?.filter((policy) => !denying.some((name) => policy.startsWith(name)));
}

/** What the record knows of this very step. */
function recorded(
  { record }: Snapshot,
  step: { readonly release: Release; readonly index: number },
): StepRecord | undefined {
  const before = record?.step;
  const same =
    before !== undefined && before.index === step.index && printRelease(before.release) === printRelease(step.release);
  return same ? before : undefined;
}

/**
 * A date to come was written by a clock that ran ahead, and counts from now; unless groups show that it is our own
 * clock that is behind: then a pass that knows better must find it as it was. Where nobody bears the record out, main has
 * dated it in this very pass, and will in the next: with another date each pass would write the record again.
 */
function dateOf(situation: Situation, { writtenAt: at }: StepRecord): number | undefined {
  const { snapshot } = situation;
  const stays = at === undefined || snapshot.unsigned !== undefined || clockIsBehind(situation);
  return stays ? at : noLaterThanNow(at, snapshot);
}
