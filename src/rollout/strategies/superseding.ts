/** A newer request that reaches the cluster in mid-delivery: the roll is stopped and the request taken from step 1. */

import type { Marks } from '../../api/marks.ts';
import { printRelease } from '../../api/release.ts';
import { partitionOf } from '../batches.ts';
import { nameUnready, wanted } from '../gates/cluster.ts';
import { nameGroups } from '../groups.ts';
import { hold } from '../hold.ts';
import { type Decision, holding, type Move, moving } from '../move.ts';
import { lowest, nextRelease, type Situation, unavailableBudget, unreadyOf } from '../situation.ts';
import { raisedBudget } from './going-back.ts';

/**
 * Step 1 of the file's text. It is live already, at the present partition, so P only rises, to stop the roll: to the
 * highest that keeps within step 1, with every group that is on the new text, and with every broken one that is not
 * on the stable text. Done also while paused: not doing it lets the whole range follow (traces 14, 34f, 35a, 35h).
 */
export function supersede(situation: Situation): Decision {
  const { marks, digest, steps, snapshot, replicas } = situation;
  if (marks === undefined) return holding([], 'StepUpgrade');
  if (replicas === undefined)
    return holding(
      [hold('ScalerUnreadable', 'a newer request is live, but the number of groups is not known')],
      'StepUpgrade',
    );
  const release = nextRelease(digest, marks);
  const partition = stoppedPartition(situation, replicas);
  const budget = blockedBudget(situation, replicas);
  const next: Marks = {
    release,
    step: { kind: 'step', index: 1, of: Math.max(1, steps.length) },
    stable: marks.stable,
    restore: { floor: Math.min(marks.restore?.floor ?? partition, partition), maxUnavailable: budget.displaced },
    aborted: marks.aborted,
  };
  const move: Move = {
    reason: 'Superseded',
    label: `step 1/${Math.max(1, steps.length)}`,
    marks: next,
    partition: partition === situation.partition ? undefined : partition,
    maxUnavailable: budget.set,
    text: undefined,
    why: explain(situation, partition, printRelease(release)),
  };
  // An orphan has no steps to take the request through; the roll is stopped all the same.
  const holds =
    snapshot.rollout === undefined
      ? [hold('OrphanArmed', 'no Rollout names this workload: the roll is stopped, and stays so')]
      : [];
  return moving(move, 'StepUpgrade', holds);
}

/** The partition that stops the roll, never below the present one. */
export function stoppedPartition(situation: Situation, replicas: number): number {
  const { steps, observed, partition } = situation;
  const [first] = steps;
  const bounds = [first === undefined ? replicas : partitionOf(first.replicas, replicas)];
  if (observed !== undefined) {
    const groups = wanted(observed, replicas);
    const onIt = lowest(groups.filter((group) => group.version === 'release'));
    const broken = lowest(unreadyOf(groups).filter((group) => group.key !== observed.stableKey));
    if (onIt !== undefined) bounds.push(onIt);
    if (broken !== undefined) bounds.push(broken);
  }
  return Math.max(Math.min(partition, replicas), Math.min(...bounds));
}

/** Where a broken group has spent the budget, the new request could not reach it either: U rises as in going back. */
function blockedBudget(situation: Situation, replicas: number): ReturnType<typeof raisedBudget> {
  const { observed, maxUnavailable, marks } = situation;
  const keep = { set: undefined, displaced: marks?.restore?.maxUnavailable };
  if (observed === undefined) return keep;
  const unready = unreadyOf(wanted(observed, replicas));
  const broken = unready.filter((group) => group.key !== observed.stableKey && group.version !== 'release');
  const spent = unready.length >= unavailableBudget(maxUnavailable, replicas);
  return broken.length > 0 && spent ? raisedBudget(situation) : keep;
}

function explain({ marks, observed, replicas }: Situation, partition: number, release: string): string {
  const was = marks === undefined ? '' : printRelease(marks.release);
  const groups = observed === undefined || replicas === undefined ? [] : wanted(observed, replicas);
  const onIt = groups.filter((group) => group.version === 'release').map((group) => group.index);
  const broken = unreadyOf(groups).filter((group) => group.key !== observed?.stableKey);
  const started = onIt.length === 0 ? 'No group is on it yet.' : `${nameGroups(onIt)} already on it.`;
  const sick = broken.length === 0 ? '' : ` ${nameUnready(broken)} not ready.`;
  return `The template was edited while ${was} was being delivered. The newer text is ${release}; it is taken from step 1, and the partition of ${partition} keeps the other groups where they are. ${started}${sick}`;
}
