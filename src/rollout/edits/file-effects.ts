/** What merging a change does to the groups of one workload, from its file before and after: for people, before they merge. */

import type { ApproveIntent } from '../../api/intents.ts';
import { sameRelease, shortDigest, shortRelease } from '../../api/release.ts';
import { SENTINEL } from '../../api/workload.ts';
import type { RolloutKey, WorkloadFile } from '../snapshot.ts';
import { stateOf } from '../state.ts';
import { command } from '../texts/command-text.ts';

/** How loud each is. None of them forbids a merge: files that are wrong do. */
export const FILE_EFFECTS = {
  LocksRelease: { level: 'notice', is: 'the change locks a release: no group restarts at the merge, its steps follow' },
  ReachesGroups: { level: 'warning', is: 'the change reaches groups at the merge, before any step' },
  ReleasesGroups: { level: 'notice', is: 'the change is a step: it releases groups for update' },
  TakesStepBack: { level: 'warning', is: 'the change reverts a step in Git. Groups that were updated stay updated' },
  TakesWordBack: {
    level: 'warning',
    is: 'the change withdraws the approval of a step, as a revert of its pull request does. Groups that were updated stay updated',
  },
  MarksTakenOut: { level: 'warning', is: 'the change takes out what tranche keeps in the file' },
} as const;

type FileEffectName = keyof typeof FILE_EFFECTS;

export type FileEffect = { readonly name: FileEffectName; readonly seen: string; readonly action: string };

type Change = {
  readonly rollout: RolloutKey;
  readonly before: WorkloadFile;
  readonly after: WorkloadFile;
};

/** Approvals that stand in one Rollout, before and after. */
type Words = { readonly before: ApproveIntent | undefined; readonly after: ApproveIntent | undefined };

/** The approval of a pull request is gone: undefined where none was there, or another one is. `tranche propose` takes one out too. */
export function wordTakenBack(rollout: RolloutKey, { before, after }: Words): FileEffect | undefined {
  if (before?.digest === undefined || after !== undefined) return undefined;
  const place = before.index === 0 ? 'of what comes first' : `after step ${before.index}`;
  return {
    name: 'TakesWordBack',
    seen: `the approval ${place} of ${shortRelease(before.release)} is taken back: a step that is not written yet is held, and groups that restarted stay as they are`,
    action: `To bring them back: ${command('abort', rollout)}; to propose it again: ${command('propose', rollout)}`,
  };
}

/** The effects of one change; none where it leaves release, partition and marks as they are. */
export function fileEffects({ rollout, before, after }: Change): readonly FileEffect[] {
  const [from, to] = [situated(before), situated(after)];
  if (before.workload.marks !== undefined && after.workload.marks === undefined)
    return [
      {
        name: 'MarksTakenOut',
        seen: 'the annotations tranche.dev/* are there before the change and not after it',
        action: 'Leave them in; to hand the workload back, use tranche eject',
      },
    ];
  if (before.digest !== after.digest) return [ofRelease({ from, to, rollout })];
  if (to.partition === from.partition) return [];
  const steps = `${from.place} → ${to.place}`;
  if (to.partition > from.partition && from.inDelivery && isSameDelivery(before, after) && to.index <= from.index)
    return [
      {
        name: 'TakesStepBack',
        seen: `${steps}, partition ${from.partition} → ${to.partition}: groups that have the new version keep it`,
        action: `To bring them back: ${command('abort', rollout)}`,
      },
    ];
  const gone = reached(to) - reached(from);
  if (gone <= 0) return [];
  return [{ name: 'ReleasesGroups', seen: `${steps}: ${ofAll(gone, to)} restart on what the file holds`, action: '' }];
}

type Situated = {
  readonly replicas: number | undefined;
  readonly partition: number;
  readonly inDelivery: boolean;
  readonly index: number;
  /** `step 2/4`, or the name of the state. */
  readonly place: string;
  readonly digest: string;
};

function situated({ workload, digest }: WorkloadFile): Situated {
  const { marks, replicas, partition = 0 } = workload;
  const state = stateOf({ marks, digest, partition });
  const inDelivery = state.kind === 'step';
  const index = inDelivery ? state.index : 0;
  const place = inDelivery ? `step ${state.index}/${state.of}` : state.kind;
  return { replicas, partition, inDelivery, index, place, digest };
}

/** Another template: LWS gives it at once to the groups from the partition on. */
function ofRelease({
  from,
  to,
  rollout,
}: {
  readonly from: Situated;
  readonly to: Situated;
  readonly rollout: RolloutKey;
}): FileEffect {
  if (to.partition >= SENTINEL || reached(to) === 0)
    return {
      name: 'LocksRelease',
      seen: `the template becomes ${shortDigest(to.digest)}, and no group of ${to.replicas ?? 'those an autoscaler keeps'} is beyond partition ${to.partition}`,
      action: 'Its steps follow, as the Rollout says',
    };
  const why = from.inDelivery ? `a rollout is in progress (${from.place})` : `partition is ${to.partition}`;
  return {
    name: 'ReachesGroups',
    seen: `the template becomes ${shortDigest(to.digest)}, and ${ofAll(reached(to), to)} get it at once, because ${why}`,
    action: from.inDelivery
      ? `Merge it after the rollout, or give that up before: ${command('abort', rollout)}`
      : `Let tranche adopt the workload first: it sets the partition to ${SENTINEL}`,
  };
}

/** Groups from the partition on. Of a number that an autoscaler keeps: all that it may have. */
function reached({ replicas = SENTINEL, partition }: Situated): number {
  return Math.max(0, replicas - partition);
}

function ofAll(groups: number, { replicas }: Situated): string {
  return replicas === undefined ? 'groups' : `${groups} of ${replicas} groups`;
}

function isSameDelivery(before: WorkloadFile, after: WorkloadFile): boolean {
  return sameRelease(before.workload.marks?.release, after.workload.marks?.release);
}
