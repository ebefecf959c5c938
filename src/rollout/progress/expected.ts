/** How long the step in Git and what comes after it will take, from how long groups took before. Pauses apart. */

import { gpusOfGroup } from '../../api/gpus.ts';
import type { Expected } from '../../api/record.ts';
import type { RolloutStep } from '../../api/rollout-steps.ts';
import { printDuration } from '../../api/time.ts';
import { removesObject } from '../edits/out-of-file.ts';
import { immutableChanges } from '../edits/recreate-change.ts';
import { partitionAfter, putsTemplateBack } from '../edits/workload-change.ts';
import { type GroupsToCome, groupsToCome } from '../ladders/groups-to-come.ts';
import type { Move } from '../move.ts';
import { plannedGroups } from '../observed/batches.ts';
import { nameGroups } from '../observed/groups.ts';
import { wanted } from '../observed/groups-asked.ts';
import { type Seen, type Situation, unavailableBudget } from '../situation.ts';
import { willNotGetReady } from './outlook.ts';

/** What an expectation is made from: the loads of the record after this pass, in seconds. */
type Evidence = {
  readonly situation: Situation;
  /** undefined: as Git has it now. */
  readonly move: Move | undefined;
  readonly loads: readonly number[];
};

/**
 * What is to be expected after this pass; undefined where nothing is in progress. It changes when groups do, never with
 * the clock, so that an unchanged world leaves the record alone. A pass that cannot read the groups knows nothing new.
 */
export function expectedOf({ situation, move, loads }: Evidence): Expected | undefined {
  const step = move === undefined ? situation.marks?.step : move.marks.step;
  const requested = move === undefined && situation.state.kind === 'requested';
  if (step === undefined && !requested) return undefined;
  if (situation.view === 'unseen') return situation.snapshot.record?.expected;
  const { observed, replicas, maxUnavailable } = situation;
  const budget = Math.max(1, unavailableBudget(maxUnavailable, replicas));
  const gated = observed.leaderSet.maxUnavailable === undefined;
  const atOnce = comesUpTogether(situation, move) ? Math.max(1, replicas) : gated ? 1 : budget;
  const load = loadOf(loads);
  const filled = groupsToCome(situation, step);
  const inTurn = (groups: number): Rounds => ({ groups, rounds: Math.ceil(groups / atOnce) });
  const counts = step?.kind === 'rollback' ? goingBack(situation, move) : goingOn(situation, move);
  const { step: now, rest } =
    filled === undefined
      ? { step: inTurn(counts.step), rest: inTurn(counts.rest) }
      : besides(filled, step?.kind === 'promote' ? inTurn : atOnceAll, inTurn);
  const share = ({ groups, rounds }: Rounds): Expected['step'] => ({
    groups,
    seconds: load === undefined ? undefined : rounds * load.seconds,
  });
  // A group beyond N was scaled away: it ends, and nobody waits for it.
  const overdue = wanted(observed, situation.asked)
    .filter((group) => willNotGetReady(situation, group))
    .map(({ index }) => index);
  // Groups of a second workload start together; the primary is updated in the promotion.
  const together = filled !== undefined && step?.kind !== 'promote' ? Math.max(1, filled.most) : undefined;
  return {
    load,
    ...(overdue.length === 0 ? {} : { overdue }),
    atOnce: together ?? atOnce,
    budget: together ?? budget,
    step: share(now),
    rest: share(rest),
    pauses: pausesFrom(situation.steps, step === undefined ? 1 : step.kind === 'step' ? step.index : undefined),
    ...(filled === undefined ? {} : { extra: extraOf(situation, filled.most) }),
  };
}

/** How often groups load one after the other. */
type Rounds = { readonly groups: number; readonly rounds: number };

/** Groups of a second workload come up side by side. */
const atOnceAll = (groups: number): Rounds => ({ groups, rounds: groups > 0 ? 1 : 0 });

/** The step, and what comes after it: the steps that add groups, and the primary. */
function besides(
  { step, later, primary }: GroupsToCome,
  stepOf: (groups: number) => Rounds,
  primaryGroups: (groups: number) => Rounds,
): { readonly step: Rounds; readonly rest: Rounds } {
  const after = [...later.map(atOnceAll), primaryGroups(primary)];
  const sum = (key: keyof Rounds): number => after.reduce((all, one) => all + one[key], 0);
  return { step: stepOf(step), rest: { groups: sum('groups'), rounds: sum('rounds') } };
}

/** A workload that is re-created goes and comes as a whole; locked, nothing rolls, so what loads does so side by side. */
function comesUpTogether(situation: Situation, move: Move | undefined): boolean {
  const { snapshot, workload, digest, marks, state } = situation;
  const { stable } = snapshot;
  if (move?.changes.some(removesObject) === true || snapshot.rollout?.intents.recreating !== undefined) return true;
  if (move === undefined && state.kind === 'step' && state.row === 'locked') return true;
  const asks = marks?.release.digest !== digest && stable.kind === 'known';
  return asks && immutableChanges(stable.value.content, workload.content).length > 0;
}

/** The middle one of an odd number, the upper of the two in the middle of an even one: rather late than early. */
export function loadOf(loads: readonly number[]): Expected['load'] {
  const sorted = [...loads].sort((a, b) => a - b);
  const seconds = sorted[Math.floor(sorted.length / 2)];
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (seconds === undefined || least === undefined || most === undefined) return undefined;
  return { seconds, least, most, groups: sorted.length };
}

type Counts = { readonly step: number; readonly rest: number };

function goingOn(situation: Seen, move: Move | undefined): Counts {
  const { observed, asked, replicas, steps, marks } = situation;
  const groups = wanted(observed, asked);
  const first = steps[0];
  const floor = (move?.marks ?? marks)?.restore?.floor;
  // Locked again, every group may have gone: what the step released for update is at or above its floor.
  const written = partitionAfter(situation, move);
  const open = floor === 0 ? 0 : written;
  const unasked = move === undefined && marks?.step === undefined && first !== undefined;
  const from = unasked ? replicas - plannedGroups(first.replicas, replicas) : Math.min(open, replicas);
  const left = groups.filter((group) => !(group.ready && group.version === 'release'));
  return {
    step: left.filter((group) => group.index >= from).length,
    rest: left.filter((group) => group.index < from).length,
  };
}

function goingBack(situation: Seen, move: Move | undefined): Counts {
  const { observed, replicas } = situation;
  const home = putsTemplateBack(move) ? 'stable' : 'release';
  const from = Math.min(partitionAfter(situation, move), replicas);
  const away = wanted(observed, replicas).filter((group) => !group.ready || group.version !== home);
  return { step: away.filter((group) => group.index >= from || !group.ready).length, rest: 0 };
}

/** The pauses of a step and of those after it; undefined: none will be served. */
function pausesFrom(steps: readonly RolloutStep[], index: number | undefined): Expected['pauses'] {
  const left = index === undefined ? [] : steps.slice(Math.max(0, index - 1));
  const last = steps.length - 1;
  const manual = left.filter(({ pause, replicas }) => {
    if (pause.kind === 'timed') return false;
    return !(
      pause.kind === 'unset' &&
      replicas === '100%' &&
      steps[last] === left.at(-1) &&
      left.at(-1)?.pause === pause
    );
  });
  const seconds = left.reduce((sum, { pause }) => sum + (pause.kind === 'timed' ? pause.seconds : 0), 0);
  return { seconds, manual: manual.length };
}

/** `about 12 min for this step (1 group), …; from 3 groups that took 11 min – 14 min`: for people. */
export function printExpected(expected: Expected): string {
  const { load, step, rest, pauses, overdue, extra } = expected;
  const parts = [
    ...(extra === undefined ? [] : [extraText(extra)]),
    overdue !== undefined
      ? `longer than usual: ${nameGroups(overdue)} should have been ready long ago (${groupsText(step.groups)} in this step, ${rest.groups} after it)`
      : load === undefined
        ? `not known yet, no group has been seen loading (${groupsText(step.groups)} in this step, ${rest.groups} after it)`
        : [
            step.groups === 0
              ? 'the groups of this step are there'
              : `about ${printDuration(step.seconds ?? 0)} for this step (${groupsText(step.groups)} to load)`,
            ...(rest.groups === 0
              ? []
              : [`about ${printDuration(rest.seconds ?? 0)} after it (${groupsText(rest.groups)})`]),
          ].join(', '),
    pace(expected),
    ...(load === undefined ? [] : [evidenceText(load)]),
    ...(pauses.seconds === 0 && pauses.manual === 0 ? [] : [`pauses come on top: ${pausesText(pauses)}`]),
  ];
  return parts.join('; ');
}

function extraOf({ workload }: Seen, groups: number): Expected['extra'] {
  return { groups, gpus: groups * gpusOfGroup(workload.content, workload.size) };
}

function extraText({ groups, gpus }: NonNullable<Expected['extra']>): string {
  return `up to ${groupsText(groups)}${gpus === 0 ? '' : ` with ${gpus} GPUs`} next to the primary`;
}

/** All that is left, in one word for a table; empty where nothing is in progress. */
export function printTotal(expected: Expected | undefined): string {
  if (expected === undefined) return '';
  const { step, rest, overdue } = expected;
  if (overdue !== undefined) return 'longer than usual';
  if (step.groups + rest.groups === 0) return 'no group has yet to load';
  return step.seconds === undefined || rest.seconds === undefined
    ? 'not known yet'
    : `about ${printDuration(step.seconds + rest.seconds)}`;
}

function groupsText(count: number): string {
  return `${count} ${count === 1 ? 'group' : 'groups'}`;
}

function pace({ atOnce, budget }: Expected): string {
  if (atOnce > 1) return `${atOnce} groups at a time`;
  return budget === 1
    ? 'one group at a time'
    : `one group at a time, although maxUnavailable allows ${budget}: the feature gate MaxUnavailableStatefulSet of the cluster is off`;
}

function evidenceText({ least, most, groups }: NonNullable<Expected['load']>): string {
  const [low, high] = [printDuration(least), printDuration(most)];
  return `from ${groupsText(groups)} that took ${low === high ? low : `${low} – ${high}`}`;
}

function pausesText({ seconds, manual }: Expected['pauses']): string {
  const timed = seconds === 0 ? [] : [printDuration(seconds)];
  const people = manual === 0 ? [] : [`${manual === 1 ? 'one that waits' : `${manual} that wait`} for someone`];
  return [...timed, ...people].join(', and ');
}
