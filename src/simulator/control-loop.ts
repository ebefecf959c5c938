/** Which controller has to look at what, and when: queues fed by changes, and timers. */

import { reconcileLws } from './lws/lws-controller.ts';
import { reconcilePod } from './lws/pod-controller.ts';
import { collectGarbage, goneKey, waitingKey, waitingOwnerKey } from './objects/garbage-collector.ts';
import { LWS_NAME } from './objects/labels.ts';
import type { Change } from './objects/object-store.ts';
import { controllerOf, isDeleting, labelsOf, statusOf } from './objects/objects.ts';
import { LWS, PODS, STATEFUL_SETS } from './objects/resource-table.ts';
import type { PodTimer } from './pods/kubelet.ts';
import { placement, schedulePod } from './pods/scheduler.ts';
import { syncStatefulSet } from './stateful-set/stateful-set-controller.ts';
import { reconcileEndpoints, servicesTouched } from './traffic/endpoint-slices.ts';
import { reconcileRoute, routesTouched } from './traffic/gateway.ts';
import { type QueueName, queueKey, queueNames, type World } from './world.ts';

/** A timer that puts a key on a queue, or one of the kubelet's. */
export type Timer = {
  readonly atSeconds: number;
  readonly why: 'wait' | 'retry' | 'ready' | 'ended' | 'evicted';
  /** A queue, or none for the kubelet. */
  readonly queue: QueueName | undefined;
  /** Key of the queue, or of the pod. */
  readonly key: string;
  readonly uid: string;
};

export const ALL_TIMERS: ReadonlySet<Timer['why']> = new Set(['wait', 'retry', 'ready', 'ended', 'evicted']);
/** All but loading and eviction, which take as long as they take. */
export const BUSY_TIMERS: ReadonlySet<Timer['why']> = new Set(['wait', 'retry', 'ended']);
/** Two quiet seconds are what the recordings call rest. */
export const QUIET_SECONDS = 2;
export const TIMERS_MAX = 100_000;

/** controller-runtime's backoff: 5 ms, doubled with each failure, at most this. */
const BACKOFF_SECONDS = 0.005;
const BACKOFF_SECONDS_MAX = 1000;

/** More work than this for one change is a loop of the model's own. */
const STEPS_MAX = 100_000;

const run = {
  garbage: collectGarbage,
  scheduler: schedulePod,
  pods: reconcilePod,
  statefulSets: syncStatefulSet,
  endpoints: reconcileEndpoints,
  routes: reconcileRoute,
  lws: reconcileLws,
} satisfies Record<QueueName, (world: World, key: string) => void>;

/**
 * Controllers that lag behind the others, each alone: those of StatefulSets and endpoints are in one process of
 * Kubernetes, but have queues of their own; the gateway is anybody's.
 */
type Stoppable = 'statefulSets' | 'endpoints' | 'routes';

/** The LWS controller's own queues stand still while it is down. */
const OF_LWS: ReadonlySet<QueueName> = new Set(['pods', 'lws']);

export class ControlLoop {
  /** Whether LWS's controller and webhooks run. */
  lwsUp = true;
  /** Other controllers that do nothing now: they work off what has come in once they go on. */
  private readonly stopped: Set<Stoppable>;
  private readonly queues: Readonly<Record<QueueName, Set<string>>>;
  /** By what they are for; in the order in which they were set. */
  private readonly timers: Map<string, Timer>;
  private readonly failures: Map<string, number>;

  constructor(from?: ControlLoop) {
    this.lwsUp = from?.lwsUp ?? true;
    this.stopped = new Set(from?.stopped);
    this.queues = {
      garbage: new Set(from?.queues.garbage),
      scheduler: new Set(from?.queues.scheduler),
      pods: new Set(from?.queues.pods),
      statefulSets: new Set(from?.queues.statefulSets),
      endpoints: new Set(from?.queues.endpoints),
      routes: new Set(from?.queues.routes),
      lws: new Set(from?.queues.lws),
    };
    this.timers = new Map(from?.timers);
    this.failures = new Map(from?.failures ?? []);
  }

  /** Wakes the controllers that watch this object. LWS watches StatefulSets, not pods. */
  noticed(world: World, change: Change): void {
    const { object, resource } = change;
    const gone = change.type === 'DELETED';
    const owner = controllerOf(object);
    const { namespace } = object.metadata;
    if (resource === LWS && !isOwnWrite(change, 'conditions')) this.queues.lws.add(queueKey(object));
    if (resource === STATEFUL_SETS) {
      if (!isOwnWrite(change, 'currentRevision')) this.queues.statefulSets.add(queueKey(object));
      const lws = labelsOf(object)[LWS_NAME];
      if (lws !== undefined) this.queues.lws.add(`${namespace}/${lws}`);
      if (owner?.kind === 'Pod') this.queues.pods.add(`${namespace}/${owner.name}`);
    }
    if (resource === PODS) {
      this.queues.pods.add(queueKey(object));
      if (change.type === 'ADDED' && world.stock() !== undefined) this.queues.scheduler.add(queueKey(object));
      if (gone) this.wakeWaiting(world);
      if (owner !== undefined) this.queues.statefulSets.add(`${namespace}/${owner.name}`);
    }
    for (const key of servicesTouched(world, change)) this.queues.endpoints.add(key);
    for (const key of routesTouched(world, change)) this.queues.routes.add(key);
    if (gone) {
      this.queues.garbage.add(goneKey(object));
      const waiting = waitingOwnerKey(world, object);
      if (waiting !== undefined) this.queues.garbage.add(waiting);
    } else if (isDeleting(object) && object.metadata.finalizers !== undefined) {
      this.queues.garbage.add(waitingKey(resource, object));
    }
  }

  /** Devices may have become free: the pods that wait for some are looked at again, by name. */
  wakeWaiting(world: World): void {
    if (world.stock() === undefined) return;
    for (const pod of world.objects.list(PODS))
      if (placement(pod) === 'waiting') this.queues.scheduler.add(queueKey(pod));
  }

  /**
   * Runs the controllers at the present time until no queue has work left. Throws where that never happens.
   * `onPause` is called whenever all but LWS are at rest: what a watcher sees between two decisions of LWS.
   */
  drain(world: World, onPause?: () => void): void {
    for (let steps = 0; steps < STEPS_MAX; steps++) {
      const queue = queueNames.find((name) => this.queues[name].size > 0 && this.runs(name));
      if (queue === undefined || queue === 'lws') onPause?.();
      if (queue === undefined) return;
      const [key] = this.queues[queue];
      if (key === undefined) return;
      this.queues[queue].delete(key);
      run[queue](world, key);
    }
    throw new Error(`the controllers of the model found no rest in ${STEPS_MAX} steps`);
  }

  private runs(queue: QueueName): boolean {
    const isStopped: ReadonlySet<QueueName> = this.stopped;
    return !isStopped.has(queue) && (this.lwsUp || !OF_LWS.has(queue));
  }

  /** Only these stand still from now on. */
  stop(controllers: readonly Stoppable[]): void {
    this.stopped.clear();
    for (const name of controllers) this.stopped.add(name);
  }

  standsStill(controller: Stoppable): boolean {
    return this.stopped.has(controller);
  }

  enqueue(queue: QueueName, key: string): void {
    this.queues[queue].add(key);
  }

  /** Of two timers for the same thing the earlier one counts. */
  addTimer(timer: Timer): void {
    const thing = `${timer.queue ?? ''} ${timer.why} ${timer.key} ${timer.uid}`;
    const known = this.timers.get(thing);
    if (known !== undefined && known.atSeconds <= timer.atSeconds) return;
    this.timers.delete(thing);
    this.timers.set(thing, timer);
  }

  /** What the kubelet will do by itself, if anything. */
  addPodTimer(timer: PodTimer | undefined, nowSeconds: number): void {
    if (timer !== undefined) this.addTimer({ ...timer, atSeconds: nowSeconds + timer.seconds, queue: undefined });
  }

  retry(queue: QueueName, key: string, nowSeconds: number): void {
    const failed = this.failures.get(`${queue} ${key}`) ?? 0;
    this.failures.set(`${queue} ${key}`, failed + 1);
    const seconds = Math.min(BACKOFF_SECONDS * 2 ** failed, BACKOFF_SECONDS_MAX);
    this.addTimer({ atSeconds: nowSeconds + seconds, why: 'retry', queue, key, uid: '' });
  }

  /** Whether the last look at `key` failed, and the next is a retry. */
  isFailing(queue: QueueName, key: string): boolean {
    return this.failures.has(`${queue} ${key}`);
  }

  succeeded(queue: QueueName, key: string): void {
    this.failures.delete(`${queue} ${key}`);
  }

  /** The timers of the earliest instant by `seconds`, of these kinds, oldest first; they are taken out. */
  takeDue(seconds: number, kinds: ReadonlySet<Timer['why']>): readonly Timer[] {
    let instant = Number.POSITIVE_INFINITY;
    for (const timer of this.timers.values()) {
      if (timer.atSeconds <= seconds && kinds.has(timer.why)) instant = Math.min(instant, timer.atSeconds);
    }
    const due = [...this.timers].filter(([, timer]) => timer.atSeconds === instant && kinds.has(timer.why));
    for (const [thing] of due) this.timers.delete(thing);
    return due.map(([, timer]) => timer);
  }

  /** When the earliest timer is due; undefined where there is none. */
  nextTimer(): number | undefined {
    let instant: number | undefined;
    for (const { atSeconds } of this.timers.values()) instant = Math.min(instant ?? atSeconds, atSeconds);
    return instant;
  }
}

/**
 * A controller's own write of a status whose part `read`, the only one that it reads back, stays the same: the real
 * one is woken by it too, and then does nothing.
 */
function isOwnWrite(change: Change, read: string): boolean {
  const { before, object } = change;
  if (change.type !== 'MODIFIED' || before === undefined || statusOf(before)[read] !== statusOf(object)[read])
    return false;
  const { labels, annotations, generation, deletionTimestamp } = object.metadata;
  return (
    before['status'] !== object['status'] &&
    before['spec'] === object['spec'] &&
    before.metadata.labels === labels &&
    before.metadata.annotations === annotations &&
    before.metadata.generation === generation &&
    before.metadata.deletionTimestamp === deletionTimestamp
  );
}
