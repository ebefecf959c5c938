/** The status of a pod as its kubelet reports it. */

import type { JsonObject } from '../../api/json.ts';
import { printInstant } from '../../api/time.ts';
import { count, type KubeObject, objects, specOf, statusOf, text } from '../objects/objects.ts';

/** What a pod does: `waiting` is scheduled and pulling, `running` runs without being ready. */
export type PodCondition =
  | { readonly kind: 'ready' }
  | { readonly kind: 'running' }
  /** Not ready any more; a pod that never ran stays Pending. */
  | { readonly kind: 'unready' }
  /** The containers have been restarted this often; whether they are ready is as before. */
  | { readonly kind: 'restarted'; readonly restarts: number }
  | { readonly kind: 'waiting'; readonly reason: string }
  /** The image has been asked for in vain this often: first an error, from then on mostly the wait before the next. */
  | { readonly kind: 'imageMissing'; readonly attempts: number }
  /** The containers have ended with an error this often, and wait to be started again. */
  | { readonly kind: 'crashing'; readonly restarts: number }
  /** The node controller's word for a pod whose node is silent. */
  | { readonly kind: 'nodeLost' }
  | { readonly kind: 'unschedulable'; readonly message: string };

/** The whole status; what the pod reported before is kept where the condition says nothing about it. */
export function podStatus(pod: KubeObject, condition: PodCondition, nowSeconds: number): JsonObject {
  const now = printInstant(nowSeconds);
  const qosClass = text(statusOf(pod)['qosClass'], 'Burstable');
  if (condition.kind === 'unschedulable') {
    const scheduled = { type: 'PodScheduled', status: 'False', lastProbeTime: null, lastTransitionTime: now };
    const conditions = [{ ...scheduled, reason: 'Unschedulable', message: condition.message }];
    return { phase: 'Pending', conditions, qosClass };
  }
  if (condition.kind === 'nodeLost') return withoutReadiness(statusOf(pod), now);
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

/** Everything stays as the kubelet said it last, but for the condition Ready. */
function withoutReadiness(status: JsonObject, now: string): JsonObject {
  const conditions = objects(status['conditions']).map((condition) =>
    condition['type'] === 'Ready' && condition['status'] === 'True'
      ? { ...condition, status: 'False', lastTransitionTime: now }
      : condition,
  );
  return { ...status, conditions };
}

function readiness(pod: KubeObject, condition: PodCondition): boolean {
  if (condition.kind !== 'restarted') return condition.kind === 'ready';
  const before = objects(statusOf(pod)['conditions']).find((entry) => entry['type'] === 'Ready');
  return before?.['status'] === 'True';
}

function phaseOf(pod: KubeObject, condition: PodCondition): string {
  if (condition.kind === 'waiting' || condition.kind === 'imageMissing') return 'Pending';
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
  const counts = condition.kind === 'restarted' || condition.kind === 'crashing';
  return {
    name: text(container['name']),
    state: stateOf(container, of),
    lastState: condition.kind === 'crashing' ? { terminated: { exitCode: 1, reason: 'Error', finishedAt: now } } : {},
    ready,
    restartCount: counts ? condition.restarts : count(before?.['restartCount'], 0),
    image: text(container['image']),
    imageID: '',
    started: ready,
  };
}

/** The kubelet's backoff of crashes: 10 s, doubled each time, at most this. */
const CRASH_SECONDS = 10;
const CRASH_SECONDS_MAX = 300;

/** In the kubelet's words. */
function stateOf(
  container: JsonObject,
  { pod, condition, now }: { readonly pod: KubeObject; readonly condition: PodCondition; readonly now: string },
): JsonObject {
  if (condition.kind === 'waiting') return { waiting: { reason: condition.reason } };
  if (condition.kind === 'imageMissing') {
    const image = JSON.stringify(text(container['image']));
    const failure = `failed to pull and unpack image ${image}: not found`;
    return condition.attempts <= 1
      ? { waiting: { reason: 'ErrImagePull', message: failure } }
      : {
          waiting: { reason: 'ImagePullBackOff', message: `Back-off pulling image ${image}: ErrImagePull: ${failure}` },
        };
  }
  if (condition.kind !== 'crashing') return { running: { startedAt: now } };
  const seconds = Math.min(CRASH_SECONDS * 2 ** Math.max(0, condition.restarts - 1), CRASH_SECONDS_MAX);
  const { name, namespace, uid } = pod.metadata;
  const place = `container=${text(container['name'])} pod=${name}_${namespace}(${uid})`;
  const message = `back-off ${duration(seconds)} restarting failed ${place}`;
  return { waiting: { reason: 'CrashLoopBackOff', message } };
}

/** As Go writes it: `40s`, `2m40s`, `5m0s`. */
function duration(seconds: number): string {
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
