/** How far the step in Git has come: which of its groups are missing, and which rule holds the next one. */

import type { StepIntent } from '../../api/intents.ts';
import type { StepState } from '../../api/record.ts';
import { sameRelease } from '../../api/release.ts';
import { unlessAccepted } from '../accepting.ts';
import { batchReady, coversAll, toleratedFailures } from '../batches.ts';
import { blockedByUnreadyGroup, replicasUnknown, wanted } from '../gates/cluster.ts';
import { blockedByStatefulSetGate, restless, troublesOf } from '../gates/trouble.ts';
import { type Group, nameGroups } from '../groups.ts';
import { type Hold, hold, holdKind } from '../hold.ts';
import { restartsOf } from '../restarts.ts';
import { capital, extraGroups, groupsAre, notReady, whyUnready } from '../sentences.ts';
import { type Situation, unavailableBudget, unreadyOf } from '../situation.ts';
import { soakingSince } from '../soak.ts';
import { jumpRefusal, pauseDecision, stepStateOf, stepStates } from '../steps.ts';
import { surgeInGit } from '../surge.ts';

/** Whether a person has approved this very step of this very release. */
export function approved({ snapshot }: Situation, step: StepIntent): boolean {
  const approve = snapshot.rollout?.intents.approve;
  return approve !== undefined && approve.index === step.index && sameRelease(approve.release, step.release);
}

/** The groups from `from` up that are not yet on the release and ready, as holds; empty: the step is done. */
export function waitingOnGroups(situation: Situation, from: number): readonly Hold[] {
  const { observed, asked, snapshot, marks } = situation;
  const unsure = situation.notApplied ?? replicasUnknown(situation);
  if (unsure !== undefined) return [unsure];
  if (observed === undefined || asked === undefined) return [hold('ClusterUnreadable', 'the groups could not be read')];
  const batch = wanted(observed, asked).filter((group) => group.index >= from);
  const updated = batch.filter((group) => group.version === 'release');
  // Extra groups are there to hold capacity: before the first step none of them may be missing.
  const prepares = marks?.step?.kind === 'step' && marks.step.index === 0;
  const failureThreshold = prepares ? undefined : snapshot.rollout?.rollout.failureThreshold;
  const counts = {
    desired: batch.length,
    updated: updated.length,
    updatedReady: updated.filter((group) => group.ready).length,
    failureThreshold,
  };
  if (updated.length < batch.length) {
    const missing = batch.filter((group) => group.version !== 'release');
    const below = { ...observed, groups: observed.groups.filter((group) => group.index < from) };
    const blocked = [
      blockedByUnreadyGroup({ ...situation, observed: below }),
      blockedByStatefulSetGate(situation, missing),
    ];
    const indexes = missing.map((group) => group.index);
    return [
      ...troublesOf(situation, unreadyOf(batch)).holds,
      hold(
        'GroupsNotUpdated',
        `${startingFirst(situation)}${capital(groupsAre(indexes))} not on the release yet${unreadyNote(situation, updated)}${cameBackOld(situation, missing)}`,
      ),
      ...blocked.filter((found) => found !== undefined),
    ];
  }
  const unready = unreadyOf(updated);
  if (!batchReady(counts)) return notReadyYet(situation, unready);
  return unready.length > 0 ? canStillMove(situation, { from, tolerated: toleratedFailures(counts) }) : [];
}

/** Groups that load, or never will: where nothing tells which, after some time only a person can. */
export function notReadyYet(situation: Situation, unready: readonly Group[]): readonly Hold[] {
  const { holds, others } = troublesOf(situation, unready);
  if (others.length === 0 && holds.length > 0) return holds;
  return [
    ...holds,
    hold(
      'GroupsNotReady',
      `${startingFirst(situation)}${capital(groupsAre(others.map((group) => group.index)))} on the release and not ready yet${whyUnready(others)}. If it stays so: tranche abort ${situation.snapshot.key.name}`,
    ),
  ];
}

/** In step 0: which groups are waited for, because that step itself is only to come. */
function startingFirst({ workload, marks }: Situation): string {
  const made = surgeInGit(workload);
  if (made === undefined || marks?.step?.kind !== 'step' || marks.step.index > 0) return '';
  return `${capital(extraGroups(made))} ${made.set - made.was === 1 ? 'starts' : 'start'} before step 1: `;
}

/** Groups that were restarted again and again hold the next step, unless a person lets it follow. */
export function restlessGroups(situation: Situation): Hold | undefined {
  return unlessAccepted(situation, 'GroupCrashLoop', restless(situation));
}

/** Seen on the release in this step, and recreated on the old version: by hand, or while the partition stood above it. */
function cameBackOld(situation: Situation, missing: readonly Group[]): string {
  const seen = restartsOf(situation).map((one) => one.index);
  const old = missing.filter(({ index, leader }) => seen.includes(index) && leader.version === 'stable');
  return old.length === 0
    ? ''
    : `; ${nameGroups(old.map((group) => group.index))} had been on it and came back on the old version: the partition is low enough to let that follow again`;
}

function unreadyNote({ snapshot }: Situation, updated: readonly Group[]): string {
  const unready = unreadyOf(updated);
  return unready.length === 0
    ? ''
    : `; ${groupsAre(unready.map((group) => group.index))} on it and not ready${whyUnready(unready)}. If it stays so: tranche abort ${snapshot.key.name}`;
}

/** Tolerated failures let a step pass only while LWS has budget left: with it spent, the next step would not move. */
function canStillMove(
  { observed, asked, maxUnavailable, snapshot }: Situation,
  at: { readonly from: number; readonly tolerated: number },
): readonly Hold[] {
  if (observed === undefined || asked === undefined || at.from === 0) return [];
  const groups = wanted(observed, asked);
  const budget = unavailableBudget(maxUnavailable, asked);
  if (reachOf(groups, budget) < at.from) return [];
  const failed = unreadyOf(groups.filter((group) => group.index >= at.from));
  return [
    hold(
      'BlockedByFailedGroup',
      `${notReady(failed)}: ${failed.length} of ${at.tolerated} that failureThreshold tolerates, but maxUnavailable ${budget} is spent, so LWS would not move the next group. Mend it, raise maxUnavailable, or: tranche abort ${snapshot.key.name}`,
    ),
  ];
}

/**
 * The lowest ordinal that LWS restarts while the unready groups stay unready: it counts the budget down from the
 * last group that is not ready and updated, and keeps it for unready ones below (reference: LWS
 * leaderworkerset_controller.go, rollingUpdatePartition).
 */
export function reachOf(groups: readonly Group[], budget: number): number {
  const last = groups.findLast((group) => !group.ready || group.version !== 'release');
  const base = Math.max(0, (last?.index ?? -1) + 1 - budget);
  return base + groups.filter((group) => group.index < base && !group.ready).length;
}

/** What is left of the pause of a step whose groups are all there. */
export function waitingOnPause(situation: Situation, step: StepIntent): Hold | undefined {
  const { steps, snapshot } = situation;
  const plan = steps[step.index - 1];
  if (plan === undefined || approved(situation, step) || jumpAhead(situation, step)) return undefined;
  const since = soakingSince(situation) ?? snapshot.now;
  const pause = pauseDecision(plan, {
    last: step.index === steps.length,
    elapsedSeconds: Math.max(0, snapshot.now - since),
  });
  if (pause.kind === 'pass') return undefined;
  if (pause.kind === 'timed')
    return hold(
      'PauseDuration',
      `step ${step.index} is done; its pause lasts another ${pause.leftSeconds} s`,
      pause.leftSeconds,
    );
  return hold(
    'PausedForApproval',
    `step ${step.index} is done and waits for a person. To go on: tranche approve ${snapshot.key.name}`,
  );
}

/** Kruise's word for where a step stands, by what it waits for. */
export function stateOfStep(
  { steps, replicas }: Situation,
  index: number,
  waiting: { readonly groups: readonly Hold[]; readonly holds: readonly Hold[] },
): StepState {
  const step = steps[index - 1];
  const routed = step !== undefined && (step.traffic !== undefined || step.matches > 0);
  const whole = step !== undefined && replicas !== undefined && coversAll(step.replicas, replicas);
  const inGroups: readonly StepState[] = waiting.groups.length > 0 ? ['StepUpgrade'] : [];
  return stepStateOf(stepStates({ routed, whole }), [...inGroups, ...statesOf(waiting.holds)]);
}

/** Kruise's states in which a step whose groups are there waits for these. */
export function statesOf(holds: readonly Hold[]): readonly StepState[] {
  return holds.flatMap(({ reason }) => holdKind(reason)?.stepState ?? []);
}

/** A jump forward, ordered for this release, ends the pause of the step it leaves. */
export function jumpAhead({ snapshot, steps }: Situation, step: StepIntent): boolean {
  const jump = snapshot.rollout?.intents.jump;
  if (jump === undefined || !sameRelease(jump.release, step.release)) return false;
  return jumpRefusal(jump.index, { current: step.index, steps: steps.length }) === undefined;
}
