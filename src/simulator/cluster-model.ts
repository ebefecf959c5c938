/** A whole cluster in memory: the objects, the controllers, a kubelet that follows orders, and the time. */

import type { JsonObject } from '../api/json.ts';
import { applyManifests, type ManifestAnswer } from './agent/agent.ts';
import { ALL_TIMERS, BUSY_TIMERS, ControlLoop, QUIET_SECONDS, TIMERS_MAX, type Timer } from './control-loop.ts';
import type { LwsVersion, Modes } from './modes.ts';
import { EventList } from './objects/event-list.ts';
import { type Change, ObjectStore, type Propagation, type Reading } from './objects/object-store.ts';
import { isDeleting, type KubeObject } from './objects/objects.ts';
import { LWS, PODS, STATEFUL_SETS } from './objects/resource-table.ts';
import { chosenPods, type KubeletOptions, type LwsName, type PodChoice, podTimer } from './pods/kubelet.ts';
import { Nodes } from './pods/nodes.ts';
import { type PodCondition, podStatus } from './pods/pod-status.ts';
import { placement } from './pods/scheduler.ts';
import { type Answer, Store } from './server/store.ts';
import { type ClusterEvent, emptyMemo, queueKey, type Stock, splitKey, type World } from './world.ts';

export type { LwsName, PodChoice } from './pods/kubelet.ts';

export type ClusterOptions = Modes &
  KubeletOptions & {
    /** Seconds since the epoch at the start. */
    readonly nowSeconds: number;
  };

export class Cluster {
  readonly objects: ObjectStore;
  /** The API, for agents, people and HTTP. After writes through it, `settle` lets the controllers act. */
  readonly store: Store;
  /** Losing nodes; `settle` afterwards. */
  readonly nodes: Nodes;
  /** Only these controllers stand still from now on, LWS aside; `settle` afterwards. */
  readonly stopControllers: ControlLoop['stop'] = (controllers) => this.loop.stop(controllers);
  private readonly options: ClusterOptions;
  private readonly world: World;
  readonly loop: ControlLoop;
  private lwsVersion: LwsVersion;
  private stock: Stock | undefined;
  private readonly recorded: EventList;

  constructor(options: ClusterOptions, from?: Cluster) {
    this.options = options;
    this.lwsVersion = from?.lwsVersion ?? options.lws;
    this.stock = from === undefined ? options.stock : from.stock;
    this.recorded = new EventList(from?.recorded);
    this.loop = new ControlLoop(from?.loop);
    const now = from?.objects.nowSeconds ?? options.nowSeconds;
    this.objects = new ObjectStore(now, (change) => this.noticed(change), from?.objects);
    const modes = (): Modes => ({ lws: this.lwsVersion, gate: options.gate });
    this.store = new Store(this.objects, { modes, webhooksUp: () => this.loop.lwsUp }, from?.store);
    this.nodes = new Nodes(this.objects, this.loop, from?.nodes);
    this.world = {
      objects: this.objects,
      modes,
      memo: from?.world.memo ?? emptyMemo(),
      stock: () => this.stock,
      nodeName: options.terminationSeconds === undefined ? '' : 'node-1',
      record: (event) => this.recorded.add(event),
      later: (queue, key, seconds) =>
        this.loop.addTimer({ atSeconds: this.objects.nowSeconds + seconds, why: 'wait', queue, key, uid: '' }),
      retry: (queue, key) => this.loop.retry(queue, key, this.objects.nowSeconds),
      succeeded: (queue, key) => this.loop.succeeded(queue, key),
    };
  }

  get nowSeconds(): number {
    return this.objects.nowSeconds;
  }

  /** The version of LWS and the gate that are in force now. */
  modes(): Modes {
    return this.world.modes();
  }

  /** A second cluster in the same state; what happens to one does not reach the other. */
  fork(): Cluster {
    return new Cluster(this.options, this);
  }

  /** Everything as it is now, for stale reads. */
  snapshot(): Reading {
    return this.objects.snapshot();
  }

  events(): readonly ClusterEvent[] {
    return this.recorded.list();
  }

  /** Why each reconcile of this LWS fails at present; undefined where they do not. */
  lwsFault({ namespace, name }: LwsName): string | undefined {
    return this.loop.isFailing('lws', `${namespace}/${name}`) ? this.recorded.newestWarning(name) : undefined;
  }

  /** Server-side apply with force, as GitOps agents do it, in the order given; then the controllers act. */
  apply(manifests: readonly JsonObject[], manager: string): readonly ManifestAnswer[] {
    const answers = applyManifests(this.store, manifests, { manager, namespace: 'default' });
    this.settle();
    return answers;
  }

  scale(lws: LwsName, replicas: number): Answer {
    const answer = this.store.scale({ resource: LWS, ...lws }, replicas, 'autoscaler');
    this.settle();
    return answer;
  }

  /** The kubelet reports this for the chosen pods, those that exist. */
  setPods(choice: PodChoice, condition: PodCondition): void {
    this.orderPods(choice, condition);
    this.settle();
  }

  /** The same, but the controllers act only at the next `settle`. */
  orderPods(choice: PodChoice, condition: PodCondition): void {
    for (const pod of this.pods(choice)) if (this.runs(pod)) this.report(pod, condition);
  }

  /** Deletes the chosen pods, as `kubectl delete pod` does. */
  kill(choice: PodChoice): void {
    for (const pod of this.pods(choice)) this.objects.remove(PODS, pod, 'Background');
    this.settle();
  }

  deleteLeaderSet(lws: LwsName, propagation: Propagation = 'Background'): Answer {
    const answer = this.store.remove({ resource: STATEFUL_SETS, ...lws }, { propagation });
    this.settle();
    return answer;
  }

  deleteLws(lws: LwsName, propagation: Propagation = 'Background'): Answer {
    const answer = this.store.remove({ resource: LWS, ...lws }, { propagation });
    this.settle();
    return answer;
  }

  /** Another version of the LWS controller takes over, and looks at everything once. */
  upgradeController(to: LwsVersion): void {
    this.lwsVersion = to;
    this.wakeLws();
  }

  /** Devices are bought, or lost with their node (whose pods the caller deletes). */
  setStock(amount: number): void {
    if (this.stock !== undefined) this.stock = { ...this.stock, amount };
    this.loop.wakeWaiting(this.world);
    this.settle();
  }

  /** Stops or starts the LWS controller; its webhooks go and come with it. */
  setControllerUp(up: boolean): void {
    this.loop.lwsUp = up;
    if (up) this.wakeLws();
  }

  /** Lets the controllers act at the present time until nothing changes; `onPause` before each decision of LWS. */
  settle(onPause?: () => void): void {
    this.loop.drain(this.world, onPause);
  }

  /** Lets time pass: loading ends, terminations end, retries happen. */
  tick(seconds: number): void {
    this.settle();
    this.advance(this.nowSeconds + seconds);
  }

  /** Lets time pass until nothing has happened for two seconds, pods that load aside. */
  rest(): void {
    this.settle();
    for (let fired = 0; fired < TIMERS_MAX; fired++) {
      if (!this.fireNext(this.nowSeconds + QUIET_SECONDS, BUSY_TIMERS)) {
        this.objects.nowSeconds += QUIET_SECONDS;
        return;
      }
    }
    throw new Error(`the model found no rest in ${TIMERS_MAX} timers`);
  }

  /** Sets the clock, which never goes back, and lets happen what is due by then. */
  advanceTo(nowSeconds: number): void {
    if (nowSeconds > this.nowSeconds) this.tick(nowSeconds - this.nowSeconds);
  }

  /** When something happens next by itself; undefined where nothing will. */
  nextTimer(): number | undefined {
    return this.loop.nextTimer();
  }

  private advance(until: number): void {
    for (let fired = 0; fired < TIMERS_MAX; fired++) {
      if (!this.fireNext(until, ALL_TIMERS)) {
        this.objects.nowSeconds = Math.max(this.nowSeconds, until);
        return;
      }
    }
    throw new Error(`more than ${TIMERS_MAX} timers of the model were due at once`);
  }

  /** Lets happen what is due next by then, all of the same instant at once; false where there is nothing. */
  private fireNext(until: number, kinds: ReadonlySet<Timer['why']>): boolean {
    const due = this.loop.takeDue(until, kinds);
    const [first] = due;
    if (first === undefined) return false;
    this.objects.nowSeconds = Math.max(this.nowSeconds, first.atSeconds);
    for (const timer of due) this.fire(timer);
    this.settle();
    return true;
  }

  private fire(timer: Timer): void {
    if (timer.queue !== undefined) {
      this.loop.enqueue(timer.queue, timer.key);
      return;
    }
    const pod = this.objects.get({ resource: PODS, ...splitKey(timer.key) });
    if (pod === undefined || pod.metadata.uid !== timer.uid) return;
    if (this.nodes.takes(timer, pod)) return;
    if (timer.why === 'ended') this.objects.finishTermination(PODS, pod);
    else if (!isDeleting(pod)) this.report(pod, { kind: 'ready' });
  }

  private noticed(change: Change): void {
    this.loop.noticed(this.world, change);
    this.loop.addPodTimer(podTimer(this.options, change), this.nowSeconds);
  }

  /** A pod that waits for devices, or whose node is lost, has no kubelet that could report anything. */
  private runs(pod: KubeObject): boolean {
    return !this.nodes.isLost(pod) && (this.stock === undefined || placement(pod) === 'placed');
  }

  private report(pod: KubeObject, condition: PodCondition): void {
    this.objects.putStatus(PODS, pod, podStatus(pod, condition, this.nowSeconds));
  }

  /** The chosen pods that exist, by name. */
  pods(choice: PodChoice): readonly KubeObject[] {
    return chosenPods(this.objects, choice);
  }

  private wakeLws(): void {
    for (const object of this.objects.unordered(LWS)) this.loop.enqueue('lws', queueKey(object));
    for (const object of this.objects.unordered(PODS)) this.loop.enqueue('pods', queueKey(object));
    this.settle();
  }
}

/** An empty cluster. */
export function createCluster(options: ClusterOptions): Cluster {
  return new Cluster(options);
}
