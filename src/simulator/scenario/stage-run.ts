/** The stages that a rollout will go through: a copy of the cluster is let run, one group becoming ready after the other. */

import type { Cluster } from '../cluster-model.ts';
import type { LwsName } from '../pods/kubelet.ts';
import { type Stage, stageOf } from './stage-table.ts';

type StageRun = {
  /** Which of the groups that are not ready is ready next; the highest ordinal without it. */
  readonly next?: (waiting: readonly number[]) => number | undefined;
  /** What starts the rollout, done to the copy after the first stage. */
  readonly change: (copy: Cluster) => void;
};

/** More stages than any rollout within the limits of a Rollout can have; a run that gets here is cut. */
export const STAGES_MAX = 500;

/** A ready leader brings its workers (`LeaderReady`), or is replaced as soon as it is ready. */
const READY_ROUNDS_MAX = 4;

/** The stages from the present state to rest, each with a note of what changed. The cluster itself stays as it is. */
export function predictStages(cluster: Cluster, lws: LwsName, run: StageRun): readonly Stage[] {
  const copy = cluster.fork();
  const stages: Stage[] = [];
  const see = (): void => {
    const stage = stageOf(copy, lws);
    const last = stages.at(-1);
    if (stage === undefined || (last !== undefined && isSame(stage, last))) return;
    stages.push({ ...stage, note: last === undefined ? 'Before rolling update' : noteOf(last, stage) });
  };
  see();
  run.change(copy);
  copy.settle(see);
  while (stages.length < STAGES_MAX) {
    const waiting = (stages.at(-1)?.groups ?? []).flatMap((cell, index) => (cell === 'rolling' ? [index] : []));
    const group = run.next === undefined ? waiting.at(-1) : run.next(waiting);
    if (group === undefined) break;
    const known = stages.length;
    for (let round = 0; round < READY_ROUNDS_MAX && stages.length === known; round++) {
      copy.orderPods({ ...lws, group, pods: 'all' }, { kind: 'ready' });
      copy.settle(see);
    }
    // A group that does not get ready by being made ready would be made ready for ever.
    if (stages.length === known) break;
  }
  return stages;
}

function isSame(left: Stage, right: Stage): boolean {
  return (
    left.partition === right.partition &&
    left.replicas === right.replicas &&
    left.groups.length === right.groups.length &&
    left.groups.every((cell, index) => cell === right.groups[index])
  );
}

function noteOf(before: Stage, after: Stage): string {
  const notes: string[] = [];
  if (after.groups.includes('old') && !before.groups.includes('old')) notes.push('Rolling update started');
  else if (after.partition !== before.partition) {
    notes.push(`Partition changes from ${before.partition} to ${after.partition}`);
  }
  const added = after.replicas - before.replicas;
  if (added > 0) notes.push(`${added} more ${groups(added)} created`);
  if (added < 0) notes.push(`${-added} surge ${groups(-added)} released`);
  const done = after.groups.every((cell) => cell === 'updated');
  if (done) notes.push('Rolling update completed');
  return notes.join('; ');
}

function groups(amount: number): string {
  return amount === 1 ? 'group' : 'groups';
}
