/** Going back: the commit that aborts a release, from every state. Needs no metrics, approval or window. */

import { type Marks, stableMark } from '../../api/marks.ts';
import { shortRelease } from '../../api/release.ts';
import { putAside, type Surge, withSurge } from '../../api/restore.ts';
import { type Budget, budgetKept, budgetText, peoplesBudget } from '../budget.ts';
import { type Draft, drafting, type WorkloadMove, workloadMove } from '../edits/workload-change.ts';
import { recreated } from '../gates/cluster.ts';
import { hold } from '../hold.ts';
import { type Decision, holding, MOVES, moving } from '../move.ts';
import { type Group, nameGroups } from '../observed/groups.ts';
import { wanted } from '../observed/groups-asked.ts';
import { surgeInGit } from '../observed/surge.ts';
import { type Aborted, remember } from '../orders/aborted-release.ts';
import { lowest, type Seen, type Situation, type Unseen, unavailableBudget, unreadyOf } from '../situation.ts';
import type { Stable } from '../snapshot.ts';
import { advice, commandLine } from '../texts/advice.ts';
import { capital, notReady, ofGroupsAre, policySaying } from '../texts/sentences.ts';
import { budgetBack, loadingAway } from './budget-back.ts';
import { standIn, surgeEnds, surgeStays } from './surge-back.ts';

/** From `requested`: nothing has moved, so the stable template comes back and the workload is settled as before. */
export function withdraw(
  situation: Situation,
  { given, marks }: { readonly given: Aborted; readonly marks: Marks },
): Decision {
  const { snapshot } = situation;
  if (snapshot.stable.kind !== 'known') return holding([noText(situation)], 'BeforeStepUpgrade');
  const stable = snapshot.stable.value;
  // Where a hand has said that another one has settled, that is not what comes back.
  const isSame = stable.release.digest === marks.release.digest;
  const back = isSame ? marks : { ...marks, release: stable.release, stable: stableMark(stable) };
  const move = workloadMove(situation, {
    reason: 'RequestWithdrawn',
    label: MOVES.RequestWithdrawn.label,
    marks: { ...back, aborted: remember(given, marks) },
    text: stable,
    why: `${given.because} No step had released a group for update: the workload stays locked, and the template of ${shortRelease(back.release)} is back.`,
  });
  return moving(move, 'Completed');
}

/** What is aborted, and why; without a release nobody knows which one it was. */
type Given = Pick<Aborted, 'reason' | 'because' | 'newer'> & { readonly release?: Aborted['release'] };

/** The same as a draft; a hold where the stable template is not there. */
export function returning(situation: Situation, at: { readonly given: Given; readonly marks: Marks }): Draft {
  const fields = goBack(situation, at);
  return fields === undefined ? holding([noText(situation)], 'StepUpgrade') : drafting(fields, 'StepUpgrade');
}

/**
 * From a step or from a rollback that a bot has overwritten: the stable template, the partition at the lowest group that
 * is not on it (never raised: groups above would stay where they are for ever, trace 06), and a budget that the
 * broken groups have not spent already (traces 31m, 32a). undefined: the stable template is not there.
 */
export function goBack(
  situation: Situation,
  { given, marks }: { readonly given: Given; readonly marks: Marks },
): WorkloadMove | undefined {
  const { stable } = situation.snapshot;
  if (stable.kind !== 'known') return undefined;
  const partition = partitionBack(situation, given.reason);
  const surge = surgeInGit(situation.workload);
  const kept = surge !== undefined && standIn(situation) ? surge : undefined;
  const { budget, said } =
    situation.view === 'seen' ? seenBack(situation, { partition, kept }) : unseenBack(situation, partition);
  const floor = Math.min(partition, marks.restore?.floor ?? partition);
  const restore = putAside(marks.restore, { floor, maxUnavailable: budget.displaced });
  const next: Marks = {
    release: stable.value.release,
    step: { kind: 'rollback' },
    stable: stableMark(stable.value),
    restore: withSurge(restore, kept),
    aborted: given.release === undefined ? marks.aborted : remember({ ...given, release: given.release }, marks),
    ...(marks.serves === undefined ? {} : { serves: marks.serves }),
  };
  return {
    reason: given.reason,
    label: MOVES[given.reason].label,
    marks: next,
    // A missing one counts as 0 and is written out: nothing else may stand in a managed workload.
    partition: partition === situation.workload.partition ? undefined : partition,
    maxUnavailable: budget.set,
    replicas: kept === undefined ? surge?.was : undefined,
    text: isBack(situation, stable.value) ? undefined : stable.value,
    why: `${given.because} ${said}${surge === undefined ? '' : kept === undefined ? surgeEnds(surge) : surgeStays(surge)}`,
  };
}

/**
 * Whether the file has the stable template already, with its version label, which no digest covers: someone who puts the
 * template back by hand leaves the label of the release, and under that LWS would take every group for an older one.
 */
function isBack({ digest, workload }: Situation, { release, version }: Stable): boolean {
  return digest === release.digest && workload.version === version;
}

/**
 * P of the rollback, never above the present one: the lowest ordinal that is not on the stable template, or the floor
 * where the cluster cannot tell. 0 where every group may have left it: after a whole step (trace 34h), for objects
 * that were recreated (trace 29l), where no revision holds the stable template any more, and after a release that has settled.
 */
function partitionBack(situation: Situation, reason: Aborted['reason']): number {
  const { partition, marks, state } = situation;
  const isSettled = reason === 'Undone' && situation.view === 'unseen';
  const whole = isSettled || (state.kind === 'step' && (state.row === 'rolling' || state.row === 'locked'));
  if (whole || recreated(situation) !== undefined) return 0;
  if (situation.view === 'unseen') return Math.min(partition, marks?.restore?.floor ?? partition);
  const { observed, replicas } = situation;
  if (observed.stableKey === undefined) return 0;
  // A group without a leader is coming back by itself, on the version that its partition gives it.
  const elsewhere = wanted(observed, replicas).filter((group) => group.uid !== '' && group.key !== observed.stableKey);
  return Math.min(partition, lowest(elsewhere) ?? partition);
}

/** The budget of the rollback, and what the commit says of it. */
type Back = { readonly budget: Budget; readonly said: string };

function unseenBack(situation: Unseen, partition: number): Back {
  const said = `The cluster cannot be read, so the partition is the lowest of this delivery, ${partition}; groups restart as LWS finds them.`;
  return { budget: budgetKept(situation), said };
}

function seenBack(situation: Seen, to: { readonly partition: number; readonly kept: Surge | undefined }): Back {
  const { partition, kept } = to;
  const count = kept === undefined ? situation.replicas : situation.asked;
  const budget = budgetBack(situation, { count, partition });
  return { budget, said: explain(situation, { partition, budget, count }) };
}

function explain(
  situation: Seen,
  to: { readonly partition: number; readonly budget: Budget; readonly count: number },
): string {
  const { observed } = situation;
  const { partition, budget, count } = to;
  const groups = wanted(observed, count);
  const back = groups.filter((group) => group.index >= partition && group.key !== observed.stableKey);
  const unready = unreadyOf(groups);
  const broken = unready.length === 0 ? '' : ` ${capital(notReady(unready))}.`;
  const raised = budgetText(situation, budget, 'back');
  const restarts =
    back.length === 0
      ? 'No group is on another version now.'
      : `${capital(nameGroups(back.map((group) => group.index)))} ${back.length === 1 ? 'restarts' : 'restart'} on the stable version.`;
  const loading = waitsForLoading(situation, { count, partition });
  return `${restarts}${broken}${raised}${loading}${dipText(situation, to)}`;
}

/** How many groups of the workload serve at the lowest while those from the partition on go back, and which limit that exceeds. */
export function dipText(
  situation: Seen,
  { partition, budget, count }: { readonly partition: number; readonly budget: Budget; readonly count: number },
): string {
  const { observed } = situation;
  const groups = wanted(observed, count);
  const back = groups.filter((group) => group.index >= partition && group.key !== observed.stableKey);
  const serving = groups.length - unreadyOf(groups).length;
  const limits = beyondLimits(situation, { budget, serving, back, count });
  if (back.length === 0) return limits;
  const low = lowestOf(situation, { serving, back, count });
  return ` Capacity: ${ofGroupsAre(serving, groups.length)} ready now, at the lowest ${low} while they load.${limits}`;
}

/** Groups that only load have not raised maxUnavailable: LWS goes on once they are ready, or take too long. */
function waitsForLoading(situation: Seen, range: { readonly count: number; readonly partition: number }): string {
  const loading = loadingAway(situation, range);
  if (loading.length === 0) return '';
  const names = capital(nameGroups(loading.map(({ index }) => index)));
  return ` ${names} only ${loading.length === 1 ? 'loads' : 'load'}, and maxUnavailable is not raised for that.`;
}

/** A rollback is held to no limit; what it exceeds is said. */
function beyondLimits(
  situation: Seen,
  to: {
    readonly budget: Budget;
    readonly serving: number;
    readonly back: readonly Group[];
    readonly count: number;
  },
): string {
  const { snapshot, maxUnavailable, replicas } = situation;
  const { maxUnavailableGroups: most, minReadyGroups: least = 0, minReadyPercent: share = 0 } = snapshot.policy;
  const set = to.budget.displaced?.set ?? maxUnavailable;
  const down = unavailableBudget(set, to.count);
  const low = lowestOf(situation, to);
  const told = [
    ...(most !== undefined && down > most
      ? [`maxUnavailable is more than the ${most} that ${policySaying(snapshot, 'maxUnavailableGroups')} allows`]
      : []),
    ...(low < least ? [`fewer serve than the ${least} that ${policySaying(snapshot, 'minReadyGroups')} wants`] : []),
    ...(low < Math.ceil((share * replicas) / 100)
      ? [`fewer serve than the ${share} % that ${policySaying(snapshot, 'minReadyPercent')} wants`]
      : []),
  ];
  return told.length === 0 ? '' : ` ${capital(told.join(', and '))}: a rollback is not held to that.`;
}

/**
 * Only groups that go back can fall, as many at a time as people allow in addition to those that are down already; one, where
 * the StatefulSet's own gate is off, whatever they allow.
 */
function lowestOf(
  situation: Seen,
  of: { readonly serving: number; readonly back: readonly Group[]; readonly count: number },
): number {
  const falling = of.back.filter((group) => group.ready).length;
  const isGated = situation.observed.leaderSet.maxUnavailable === undefined;
  const atOnce = isGated ? 1 : Math.max(1, unavailableBudget(peoplesBudget(situation), of.count));
  return of.serving - Math.min(falling, atOnce);
}

/** The stable template is asked for and cannot be had. */
export function noText({ snapshot }: Situation): ReturnType<typeof hold> {
  const why = snapshot.stable.kind === 'unknown' ? snapshot.stable.why : 'no annotation names it';
  return hold('StableUnavailable', {
    seen: `asked to go back, but the stable template was not found: ${why}`,
    action: advice`Put the earlier template into the file by hand, or name a commit of main that has it: ${commandLine('abort', snapshot.key, '--from COMMIT')}`,
  });
}
