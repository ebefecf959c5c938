/** The kubelet's part: when pods become ready or end by themselves, and which pods an order is for. */

import { GROUP_INDEX, isLeader, LWS_NAME } from '../objects/labels.ts';
import type { Change, ObjectStore } from '../objects/object-store.ts';
import { isDeleting, type KubeObject, labelsOf } from '../objects/objects.ts';
import { PODS } from '../objects/resource-table.ts';
import { queueKey, type Stock } from '../world.ts';
import { placement } from './scheduler.ts';

/** An LWS by name. */
export type LwsName = { readonly namespace: string; readonly name: string };

/** Pods of one group; a number is one worker, counted from 1. */
export type PodChoice = LwsName & { readonly group: number; readonly pods: 'all' | 'leader' | 'workers' | number };

export type KubeletOptions = {
  /** How long a pod loads before it is ready, asked when it is created. Without it only orders make pods ready. */
  readonly readiness?: (pod: KubeObject) => number | 'never';
  /** Pods sit on a node and take this long to end; without it a deleted pod is gone at once. */
  readonly terminationSeconds?: number;
  /** The devices that pods share; without it every pod finds a place. */
  readonly stock?: Stock;
};

export type PodTimer = {
  readonly why: 'ready' | 'ended';
  readonly seconds: number;
  readonly key: string;
  readonly uid: string;
};

/** What will happen to a pod by itself after this change; undefined where nothing will. */
export function podTimer(options: KubeletOptions, change: Change): PodTimer | undefined {
  if (change.resource !== PODS) return undefined;
  const { object } = change;
  const pod = { key: queueKey(object), uid: object.metadata.uid };
  if (startsLoading(options, change)) {
    const seconds = options.readiness?.(object) ?? 'never';
    return seconds === 'never' ? undefined : { why: 'ready', seconds, ...pod };
  }
  const grace = object.metadata.deletionGracePeriodSeconds ?? 0;
  if (change.type === 'DELETED' || grace === 0) return undefined;
  return { why: 'ended', seconds: options.terminationSeconds ?? 0, ...pod };
}

/** Loading starts when the pod has a place. */
function startsLoading(options: KubeletOptions, change: Change): boolean {
  if (options.stock === undefined) return change.type === 'ADDED';
  if (change.type !== 'MODIFIED' || change.before === undefined || isDeleting(change.object)) return false;
  return placement(change.before) !== 'placed' && placement(change.object) === 'placed';
}

/** The chosen pods that exist, by name. */
export function chosenPods(objects: ObjectStore, choice: PodChoice): readonly KubeObject[] {
  return objects.list(PODS, choice.namespace).filter((pod) => {
    const labels = labelsOf(pod);
    if (labels[LWS_NAME] !== choice.name || labels[GROUP_INDEX] !== String(choice.group)) return false;
    if (typeof choice.pods === 'number') return pod.metadata.name === `${choice.name}-${choice.group}-${choice.pods}`;
    return choice.pods === 'all' || isLeader(pod) === (choice.pods === 'leader');
  });
}
