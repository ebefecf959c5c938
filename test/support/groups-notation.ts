/** Groups in the compact notation of all tables, `0:A+ 1:B/A- 2:Bw#2`, and what the cluster has of them. */

import type { LiveLeader, LiveStatefulSet } from '../../src/api/live.ts';
import type { Letter } from './marks-notation.ts';

export type NotedGroup = {
  readonly index: number;
  /** The template of its leader. `A` to `F`, `X`: this one; `G`: the one that Git has, `O`: the one before it. */
  readonly letter: Letter;
  /** That of its workers: the same, where it is not written. */
  readonly workers: Letter;
  /**
   * `+` ready, `-` leader not ready, `w` workers not ready, `~` leader being deleted; `u`, `v`: no place for the leader,
   * for a worker; `c`: its container was restarted four times.
   */
  readonly state: string;
  /** `#2`: the second pod of that name. */
  readonly again: string;
};

/** `3:B/A-`: the leader on B, the workers still on A. Index that is not named: no pod. Throws on anything else. */
export function readGroups(notation: string): readonly NotedGroup[] {
  const words = notation.split(' ').filter((word) => word !== '');
  return words.map((word) => {
    const [, index, letter = '', workers, state = '', again = ''] =
      /^([0-9]+):([A-GOX])(?:\/([A-GOX]))?([-+w~uvc])(#[0-9]+)?$/.exec(word) ?? [];
    if (index === undefined) throw new Error(`no group: ${word}`);
    return { index: Number(index), letter, workers: workers ?? letter, state, again };
  });
}

export const UNSCHEDULABLE = '0/8 nodes are available: 8 Insufficient nvidia.com/gpu';
const CRASHED = { container: 'leader', exit: { code: 1, reason: 'Error', isPrevious: true }, message: '' } as const;
const WAITING_ON: Readonly<Record<string, string>> = {
  '-': 'ImagePullBackOff',
  u: 'Unschedulable',
  c: 'CrashLoopBackOff',
};

/** The leader of a group of a workload of this name; `version`: the label of a version, where it has one. */
export function leaderNoted(
  { index, state, again }: NotedGroup,
  workload: string,
  of: { readonly size: number; readonly revisionKey: string; readonly version?: string | undefined },
): LiveLeader {
  const { version, ...rest } = of;
  return {
    name: `${workload}-${index}`,
    uid: `pod-${workload}-${index}${again}`,
    groupIndex: index,
    ...rest,
    ...(version === undefined ? {} : { version }),
    deleting: state === '~',
    ready: ['+', 'w', 'v'].includes(state),
    createdAt: undefined,
    readyAt: undefined,
    waitingOn: WAITING_ON[state] ?? '',
    unschedulable: state === 'u' ? UNSCHEDULABLE : '',
    restarts: state === 'c' ? 4 : 0,
    ...(state === 'u' ? { unplaced: true } : {}),
    ...(state === 'c' ? { fault: CRASHED } : {}),
  };
}

/** A StatefulSet of this name, all of whose pods are of one revision and there. */
export function setNamed(
  name: string,
  of: { readonly ownerUid: string; readonly revisionKey: string; readonly revision: string },
): LiveStatefulSet {
  return {
    name,
    uid: `set-${name}`,
    ownerUid: of.ownerUid,
    deleting: false,
    generation: 1,
    observedGeneration: 1,
    replicas: 1,
    partition: 0,
    maxUnavailable: undefined,
    revisionKey: of.revisionKey,
    replicasSeen: undefined,
    groupIndex: undefined,
    currentRevision: of.revision,
    updateRevision: of.revision,
    readyReplicas: 1,
    availableReplicas: 1,
    updatedReplicas: 1,
  };
}
