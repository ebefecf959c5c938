/** What the pods of the demo say: the log of a container and the events of a pod, made from its status. */

import { at, type JsonObject } from '../api/json.ts';
import { type KubeObject, objects, statusOf, text } from '../simulator/objects/objects.ts';

type Container = { readonly name: string; readonly image: string; readonly waiting: string; readonly ready: boolean };

function containerOf(pod: KubeObject): Container {
  const [status] = objects(statusOf(pod)['containerStatuses']);
  const waiting = text(at(status, ['state', 'waiting', 'reason']));
  return {
    name: text(status?.['name'], 'vllm'),
    image: text(status?.['image']),
    waiting,
    ready: status?.['ready'] === true,
  };
}

/** What a container says before it crashes. */
export const CRASH_LINE = 'ERROR engine core failed: CUDA out of memory while loading the weights\n';

/** The last line of its container. Empty: it has not started. */
export function podLog(pod: KubeObject): string {
  const { image, waiting, ready } = containerOf(pod);
  if (waiting === 'CrashLoopBackOff') return CRASH_LINE;
  if (waiting !== '' || text(statusOf(pod)['phase']) === 'Pending') return '';
  return ready ? `INFO serving ${image} on port 8080\n` : `INFO loading the weights of ${image}\n`;
}

/** An EventList of these pods, as `kubectl describe` asks for it. */
export function podEvents(pods: readonly KubeObject[]): JsonObject {
  const items = pods.flatMap(eventsOf);
  return { kind: 'EventList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items };
}

function eventsOf(pod: KubeObject): readonly JsonObject[] {
  const { name, waiting, ready } = containerOf(pod);
  const node = text(at(pod, ['spec', 'nodeName']), 'node');
  const unscheduled = objects(statusOf(pod)['conditions']).find(
    (condition) => condition['type'] === 'PodScheduled' && condition['status'] === 'False',
  );
  if (unscheduled !== undefined)
    return [event(pod, { type: 'Warning', reason: 'FailedScheduling', message: text(unscheduled['message']) })];
  const placed = event(pod, { type: 'Normal', reason: 'Scheduled', message: `assigned to ${node}` });
  if (waiting === 'CrashLoopBackOff')
    return [
      placed,
      event(pod, { type: 'Warning', reason: 'BackOff', message: `Back-off restarting failed container ${name}` }),
    ];
  if (waiting !== '')
    return [placed, event(pod, { type: 'Warning', reason: waiting, message: `container ${name} waits` })];
  const started = event(pod, { type: 'Normal', reason: 'Started', message: `Started container ${name}` });
  const unready = { type: 'Warning', reason: 'Unhealthy', message: 'Readiness probe failed: no answer on port 8080' };
  return ready ? [placed, started] : [placed, started, event(pod, unready)];
}

function event(
  pod: KubeObject,
  { type, reason, message }: { readonly type: string; readonly reason: string; readonly message: string },
): JsonObject {
  const { name, namespace, uid, creationTimestamp } = pod.metadata;
  return {
    kind: 'Event',
    apiVersion: 'v1',
    metadata: { name: `${name}.${reason.toLowerCase()}`, namespace, uid: `${uid}-${reason}`, creationTimestamp },
    involvedObject: { kind: 'Pod', apiVersion: 'v1', namespace, name, uid },
    type,
    reason,
    message,
    source: { component: reason === 'Scheduled' ? 'default-scheduler' : 'kubelet' },
    firstTimestamp: creationTimestamp,
    lastTimestamp: creationTimestamp,
    count: 1,
  };
}
