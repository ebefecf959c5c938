/** Partition and replicas of the leader StatefulSet: LWS's rolling update, a pure function of what it sees. */

import { isSince09, type LwsVersion } from '../modes.ts';

/** One group as LWS judges it. */
export type GroupState = { readonly ready: boolean; readonly updated: boolean };

type RollingInput = {
  readonly lws: LwsVersion;
  /** N. */
  readonly replicas: number;
  /** P. */
  readonly partition: number;
  /** U, resolved. */
  readonly unavailable: number;
  /** S, resolved and at most N. */
  readonly surge: number;
  /** The template differs from the revision that the StatefulSet is on. */
  readonly changed: boolean;
  /** Undefined before the leader StatefulSet exists. */
  readonly current:
    | {
        readonly replicas: number;
        readonly partition: number;
        /** Annotation `replicas`: N at the last reconcile. */
        readonly replicasSeen: number;
      }
    | undefined;
  /** States of ordinals 0 … current.replicas − 1; asked only where they matter. */
  readonly groups: () => readonly GroupState[];
};

export type Parameters = { readonly partition: number; readonly replicas: number };

/** LC:287-379: the five cases. P is a floor under whatever comes out. */
export function rollingParameters(input: RollingInput): Parameters {
  const { partition, replicas } = withoutFloor(input);
  return { partition: Math.max(partition, input.partition), replicas };
}

function withoutFloor(input: RollingInput): Parameters {
  const { current, replicas } = input;
  if (current === undefined) return { partition: 0, replicas };
  if (input.changed) {
    const partition = Math.min(replicas, current.replicas);
    if (scalesFirst(input)) return { partition, replicas };
    return { partition, replicas: wantedReplicas(input, replicas) };
  }
  if (current.partition === 0 && current.replicas === replicas) return { partition: 0, replicas };
  if (scalesFirst(input)) return { partition: current.partition, replicas };

  const groups = input.groups();
  const wanted = wantedReplicas(input, unreadyGroups(groups, replicas));
  if (current.replicasSeen !== replicas) {
    return { partition: Math.min(current.partition, replicas + input.surge), replicas: wanted };
  }
  const step = input.unavailable + input.surge - (replicas + input.surge - current.replicas);
  return { partition: movedPartition(groups, { ...current, step, lws: input.lws }), replicas: wanted };
}

/** Since 0.9 missing groups are created before anything rolls. */
function scalesFirst(input: RollingInput): boolean {
  return isSince09(input.lws) && input.current !== undefined && input.current.replicas < input.replicas;
}

/** How many surge groups stay: all of them while more are unready than they can stand in for (LC:691, lws#778). */
function wantedReplicas(input: RollingInput, unready: number): number {
  const { replicas, surge } = input;
  if (unready > surge) return replicas + surge;
  const spared = isSince09(input.lws) ? input.unavailable : 1;
  return replicas + Math.max(0, unready - spared);
}

function unreadyGroups(groups: readonly GroupState[], replicas: number): number {
  let unready = 0;
  for (let index = 0; index < replicas; index++) {
    const group = groups[index];
    if (group === undefined || !group.ready || !group.updated) unready += 1;
  }
  return unready;
}

/** LC:649-690: only moves down within one revision; since 0.7 unhealthy lower groups use up the budget (lws#488, #568). */
function movedPartition(
  groups: readonly GroupState[],
  current: { readonly replicas: number; readonly partition: number; readonly step: number; readonly lws: LwsVersion },
): number {
  let done = 0;
  while (done < current.replicas && isDone(groups[current.replicas - 1 - done])) done += 1;
  const base = Math.max(0, current.replicas - done - current.step);
  if (current.lws === '0.6') return Math.min(base, current.partition);
  let partition = base;
  for (let index = 0; index < base; index++) if (groups[index]?.ready !== true) partition += 1;
  // It may pass groups that are broken or updated already, but never goes below the base.
  for (let index = Math.min(partition, current.replicas - 1); index >= base; index--) {
    const group = groups[index];
    if (group?.ready === true && !group.updated) break;
    partition = index;
  }
  return Math.min(partition, current.partition);
}

function isDone(group: GroupState | undefined): boolean {
  return group !== undefined && group.ready && group.updated;
}
