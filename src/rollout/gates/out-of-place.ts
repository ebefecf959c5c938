/** Gates that ask what is not where the step put it: groups too many, below the partition or gone, and the partition. */

import type { StepIntent } from '../../api/intents.ts';
import type { JsonObject } from '../../api/json.ts';
import { sameRelease } from '../../api/release.ts';
import { SENTINEL } from '../../api/workload.ts';
import { unlessAccepted } from '../accepting.ts';
import { type Hold, hold, withFacts } from '../hold.ts';
import { plannedGroups } from '../observed/batches.ts';
import { wanted } from '../observed/groups-asked.ts';
import type { Seen, Situation } from '../situation.ts';
import { advice, commandLine } from '../texts/advice.ts';
import { groupsAre, ofGroupsAre } from '../texts/sentences.ts';

/**
 * The workload was scaled down past the step, so none of its groups is left: nothing soaks, and nothing shows that
 * the release works. Only someone lets the next, larger step follow all the same.
 */
export function scaledAway(situation: Situation, step: StepIntent): Hold | undefined {
  const { partition, steps, snapshot } = situation;
  const plan = steps[step.index - 1];
  const facts = scaledAwayFacts(situation);
  if (plan === undefined || facts === undefined) return undefined;
  const { replicas } = facts;
  if (plannedGroups(plan.replicas, replicas) === 0) return undefined;
  // A step that was merged too late and put back; a record, which may be lost, says who put it back.
  const seen =
    partition >= SENTINEL
      ? `step ${step.index} has no groups: it was put back, and the partition is ${partition}`
      : `the workload was scaled down to ${replicas} groups, and those of step ${step.index} (from ${partition} up) are gone`;
  const held = hold('StepScaledAway', {
    seen,
    action: advice`To go on with the next step all the same: ${commandLine('approve', snapshot.key, '--hold StepScaledAway')}`,
  });
  return unlessAccepted(situation, 'StepScaledAway', withFacts(held, facts));
}

/** N, where it is not above the partition, and the step: nothing shows that a later one works; undefined: the step has groups. */
export function scaledAwayFacts({
  replicas,
  partition,
  marks,
}: Situation): { readonly replicas: number; readonly step?: number } | undefined {
  if (replicas === undefined || replicas === 0 || partition < replicas) return undefined;
  return marks?.step?.kind === 'step' ? { replicas, step: marks.step.index } : { replicas };
}

/**
 * A group below the partition on the release, though there are no more on it than the step allows: it came up so when
 * a StatefulSet was re-created, from zero, or under a partition that was raised over it. Abort would not reach it.
 */
export function astray(situation: Seen): Hold | undefined {
  const { partition, snapshot } = situation;
  const below = onRelease(situation).filter((index) => index < partition);
  const facts = astrayFacts(situation);
  if (facts === undefined) return undefined;
  const held = hold('UnexpectedGroups', {
    seen: `${groupsAre(below)} below partition ${partition}, but on the release. The workload was scaled to zero, its objects were re-created, or the partition was raised`,
    action: advice`To accept it as it is: ${commandLine('approve', snapshot.key, '--hold UnexpectedGroups')}; to go back: ${commandLine('abort', snapshot.key)}`,
  });
  return unlessAccepted(situation, 'UnexpectedGroups', withFacts(held, facts));
}

/** Which groups below the partition are on the release; undefined: none. */
export function astrayFacts(situation: Seen): JsonObject | undefined {
  const groups = onRelease(situation).filter((index) => index < situation.partition);
  return groups.length === 0 ? undefined : { groups };
}

/**
 * More groups on the release than the step allows for N as it is read: only someone lets that go on. Said whether or
 * not one has accepted it: `overshoot` asks that.
 */
export function overshooting(situation: Seen, step: StepIntent): Hold | undefined {
  const { replicas, steps, snapshot } = situation;
  const plan = steps[step.index - 1];
  const facts = overshootFacts(situation);
  if (plan === undefined || facts === undefined) return undefined;
  const allowed = plannedGroups(plan.replicas, replicas);
  const updated = onRelease(situation).length;
  if (updated <= allowed) return undefined;
  const held = hold('Overshoot', {
    seen: `${ofGroupsAre(updated, replicas)} on the release, more than the ${allowed} of step ${step.index}`,
    action: advice`To go on from here: ${commandLine('approve', snapshot.key, '--hold Overshoot')}; to go back: ${commandLine('abort', snapshot.key)}`,
  });
  return withFacts(held, facts);
}

/** The same, unless someone has accepted it. */
export function overshoot(situation: Seen, step: StepIntent): Hold | undefined {
  return unlessAccepted(situation, 'Overshoot', overshooting(situation, step));
}

/** The groups on the release, and N; undefined: none is. */
export function overshootFacts(situation: Seen): JsonObject | undefined {
  const { replicas } = situation;
  const groups = onRelease(situation);
  return groups.length === 0 ? undefined : { replicas, groups };
}

/** Ordinals of the groups on the release; none where LWS sees one version only, so that nothing could be too many. */
function onRelease({ observed, replicas }: Seen): readonly number[] {
  if (observed.releaseKey === observed.stableKey) return [];
  const groups = wanted(observed, replicas).filter((group) => group.version === 'release');
  return groups.map((group) => group.index);
}

/** The partition in Git, and the one that the step had, and in a promotion for which time; undefined: they are the same, or nobody knows of another. */
export function partitionFacts({
  partition,
  snapshot,
  state,
}: Situation): { readonly partition: number; readonly expected: number; readonly times?: number } | undefined {
  if (state.kind === 'ladder') {
    const isReleasedForUpdate =
      state.stage.kind === 'promote' && state.at === 'primary' && state.marks.restore?.stopped !== true;
    if (!isReleasedForUpdate || partition === 0) return undefined;
    // Who stops it once more has stopped it: what was accepted before is no word for that.
    const { resumed } = state.marks.restore ?? {};
    return { partition, expected: 0, ...(resumed === undefined ? {} : { times: resumed + 1 }) };
  }
  if (state.kind !== 'step') return undefined;
  const { marks, index } = state;
  const recorded = snapshot.record?.step;
  const ours = recorded !== undefined && sameRelease(recorded.release, marks.release) && recorded.index === index;
  const expected = ours ? recorded.partition : (marks.restore?.floor ?? partition);
  if (partition === expected || (!ours && partition > expected && partition !== SENTINEL)) return undefined;
  return { partition, expected };
}
