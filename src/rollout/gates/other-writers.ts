/** Whether somebody else writes the fields of a LeaderWorkerSet: another controller, or two that write one field in turn. */

import { type Hold, hold } from '../hold.ts';
import { contestHold } from '../observed/contest.ts';
import type { Situation } from '../situation.ts';

/**
 * The controller of another object makes this LeaderWorkerSet: a DisaggregatedSet (KEP-766, whose webhook refuses a
 * partition), KServe, Dynamo. What Git says of it would be written over, or written by two in turn.
 */
export function workloadOwned({ snapshot: { live, key } }: Situation): Hold | undefined {
  const owner = live.lws.kind === 'known' ? live.lws.value.owner : undefined;
  if (owner === undefined) return undefined;
  return hold('WorkloadOwned', {
    seen: `LeaderWorkerSet ${key.namespace}/${key.name} is made by the controller of ${owner.kind} ${owner.name}, which writes its fields`,
    action: `Release it with ${owner.kind} ${owner.name}, and delete this Rollout; or keep the LeaderWorkerSet in Git and take it away from ${owner.kind} ${owner.name}`,
  });
}

/** Whether somebody else still writes what our commits own, though just now it is what Git says. */
export function fieldContested({ snapshot, notApplied, contest }: Situation): Hold | undefined {
  return notApplied === undefined ? contestHold(snapshot, contest) : undefined;
}
