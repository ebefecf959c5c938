/** The law about maxUnavailable in our commits: it rises for groups that stand in the way, never for those that only load. */

import { GOING_BACK, type OurCommit } from './our-commit.ts';
import type { Truth } from './truth.ts';
import { isBroken } from './versions.ts';

/** Rises only to get past groups, never above N + 1, and comes down with the first commit after all are ready. */
export function budget(commit: OurCommit): string | undefined {
  const { before, after, reason } = commit;
  const [was, is] = [before.maxUnavailable, after.maxUnavailable];
  const raised = before.marks?.setBudget === was;
  // Where a second workload is filled, it comes back with the end of the delivery: T5.
  if (was === is && commit.workload.fills !== undefined) return undefined;
  if (was === is) return raised && after.marks?.setBudget === is ? overdue(commit) : undefined;
  if (is < was && raised) {
    const people = before.marks?.peoplesBudget ?? 1;
    // A new release may need less than the one before.
    return is === people || (is > people && after.marks?.setBudget === is) ? undefined : `${reason}: ${was} → ${is}`;
  }
  const raises = [...GOING_BACK, 'Superseded', 'BudgetRaised'].includes(reason);
  if (raises && is > was && commit.since.some((truth) => fits(commit, truth)) && after.marks?.setBudget === is)
    return loadsOnly(commit);
  return `${reason}: maxUnavailable ${was} → ${is}`;
}

/**
 * Its own value and the number of groups that are not ready, at most N, or N + 1 where none is. A group that changes
 * while it is read may look unready once: what was so around that time counts together.
 */
function fits({ universe, workload, before, after, since }: OurCommit, truth: Truth): boolean {
  const from = truth.atSeconds - universe.longestPassSeconds;
  const around = since.filter(({ atSeconds }) => atSeconds >= from && atSeconds <= truth.atSeconds);
  const wanted = Math.max(truth.replicas, workload.autoscaled ? 0 : before.replicas);
  const isReady = (index: number): boolean =>
    around.every(({ groups }) => groups.some((group) => group.index === index && group.ready));
  const unready = Array.from({ length: wanted }, (_, index) => index).filter((index) => !isReady(index)).length;
  return (
    unready > 0 && after.maxUnavailable <= Math.max(Math.min(wanted, before.maxUnavailable + unready), unready + 1)
  );
}

/** Time enough is twice the longest load that was seen, and that may have been a short one. */
const SHORTEST_LOAD_SECONDS = 2;

/** A newer request raises it for what will not get ready by itself: a broken group, or one that has had time enough. */
function loadsOnly({ universe, workload, reason, after, before, since }: OurCommit): string | undefined {
  const goingOn = reason === 'Superseded' || (reason === 'BudgetRaised' && after.marks?.step !== 'rollback');
  const truths = universe.truths.get(workload.name) ?? [];
  const last = since.at(-1);
  if (!goingOn || last === undefined) return undefined;
  const stands = last.groups.some(({ index, ready, leaderVersion: version }) => {
    if (ready || version === undefined) return false;
    if (isBroken(universe.setup.seed, version, index)) return true;
    const other = truths.findLast(({ groups }) =>
      groups.some((group) => group.index === index && (group.ready || group.leaderVersion !== version)),
    );
    return last.atSeconds - (other?.atSeconds ?? 0) > SHORTEST_LOAD_SECONDS;
  });
  return stands
    ? undefined
    : `${reason}: maxUnavailable ${before.maxUnavailable} → ${after.maxUnavailable}, though groups only load`;
}

/** Every group has been ready for as long as the longest pass, and the commit keeps what was raised. */
function overdue({ universe, workload, reason, before, since }: OurCommit): string | undefined {
  const truths = universe.truths.get(workload.name) ?? [];
  const last = since.at(-1);
  if (last === undefined) return undefined;
  const from = last.atSeconds - 2 * universe.longestPassSeconds;
  const recent = truths.filter(({ atSeconds }) => atSeconds >= from);
  const calm = truths[0] !== undefined && truths[0].atSeconds < from && recent.every((truth) => allReady(truth));
  return calm ? `${reason}: maxUnavailable stays ${before.maxUnavailable}, though every group is ready` : undefined;
}

function allReady({ replicas, groups }: Truth): boolean {
  const ready = groups.filter((group) => group.ready && group.index < replicas);
  return ready.length === replicas;
}
