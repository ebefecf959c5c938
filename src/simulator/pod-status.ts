/** The status of a pod as its kubelet reports it. */

import type { JsonObject } from '../api/json.ts';
import { isoTime } from './iso-time.ts';
import { count, type KubeObject, objects, specOf, statusOf, text } from './objects.ts';

/** What a pod does: `waiting` is scheduled and pulling, `running` runs without being ready. */
export type PodCondition =
  | { readonly kind: 'ready' }
  | { readonly kind: 'running' }
  /** Not ready any more; a pod that never ran stays Pending. */
  | { readonly kind: 'unready' }
  /** The containers have been restarted this often; whether they are ready is as before. */
  | { readonly kind: 'restarted'; readonly restarts: number }
  | { readonly kind: 'waiting'; readonly reason: string }
  | { readonly kind: 'unschedulable'; readonly message: string };

/** The whole status; what the pod reported before is kept where the condition says nothing about it. */
export function podStatus(pod: KubeObject, condition: PodCondition, nowSeconds: number): JsonObject {
  const now = isoTime(nowSeconds);
  const qosClass = text(statusOf(pod)['qosClass'], 'Burstable');
  if (condition.kind === 'unschedulable') {
    const scheduled = { type: 'PodScheduled', status: 'False', lastProbeTime: null, lastTransitionTime: now };
    const conditions = [{ ...scheduled, reason: 'Unschedulable', message: condition.message }];
    return { phase: 'Pending', conditions, qosClass };
  }
  const ready = readiness(pod, condition);
  return {
    phase: phaseOf(pod, condition),
    conditions: [
      state('PodScheduled', true, now),
      state('Initialized', true, now),
      state('ContainersReady', ready, now),
      state('Ready', ready, now),
    ],
    hostIP: '127.0.0.1',
    hostIPs: [{ ip: '127.0.0.1' }],
    startTime: text(statusOf(pod)['startTime'], now),
    containerStatuses: objects(specOf(pod)['containers']).map((container) =>
      containerStatus(container, { pod, condition, now, ready }),
    ),
    qosClass,
  };
}

function readiness(pod: KubeObject, condition: PodCondition): boolean {
  if (condition.kind !== 'restarted') return condition.kind === 'ready';
  const before = objects(statusOf(pod)['conditions']).find((entry) => entry['type'] === 'Ready');
  return before?.['status'] === 'True';
}

function phaseOf(pod: KubeObject, condition: PodCondition): string {
  if (condition.kind === 'waiting') return 'Pending';
  return condition.kind === 'unready' || condition.kind === 'restarted'
    ? text(statusOf(pod)['phase'], 'Pending')
    : 'Running';
}

function state(type: string, isTrue: boolean, now: string): JsonObject {
  const base = { type, status: isTrue ? 'True' : 'False', lastProbeTime: null, lastTransitionTime: now };
  return isTrue ? base : { ...base, reason: 'ContainersNotReady', message: 'containers with unready status' };
}

function containerStatus(
  container: JsonObject,
  of: { readonly pod: KubeObject; readonly condition: PodCondition; readonly now: string; readonly ready: boolean },
): JsonObject {
  const { condition, now, ready } = of;
  const before = objects(statusOf(of.pod)['containerStatuses']).find((status) => status['name'] === container['name']);
  const restarts = condition.kind === 'restarted' ? condition.restarts : count(before?.['restartCount'], 0);
  return {
    name: text(container['name']),
    state: condition.kind === 'waiting' ? { waiting: { reason: condition.reason } } : { running: { startedAt: now } },
    lastState: {},
    ready,
    restartCount: restarts,
    image: text(container['image']),
    imageID: '',
    started: ready,
  };
}
