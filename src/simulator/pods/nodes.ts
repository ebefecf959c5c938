/**
 * Nodes that are lost: their pods stop being ready, are evicted after five minutes, and stay terminating, because no
 * kubelet ends them, until the node is back or is removed. Which pods share a node is the caller's to say.
 */

import type { ControlLoop, Timer } from '../control-loop.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { isDeleting, type KubeObject, specOf, text } from '../objects/objects.ts';
import { PODS } from '../objects/resource-table.ts';
import { queueKey } from '../world.ts';
import { type PodCondition, podStatus } from './pod-status.ts';

/** `tolerationSeconds` of node.kubernetes.io/unreachable, as the API server gives it to every pod. */
const EVICTION_SECONDS = 300;

export class Nodes {
  private readonly objects: ObjectStore;
  private readonly timers: Pick<ControlLoop, 'addTimer'>;
  private readonly lost: Set<string>;

  constructor(objects: ObjectStore, timers: Pick<ControlLoop, 'addTimer'>, from?: Nodes) {
    this.objects = objects;
    this.timers = timers;
    this.lost = new Set(from?.lost);
  }

  /** The nodes of these pods report no more. A pod without a node has none to lose. */
  lose(pods: readonly KubeObject[]): void {
    for (const pod of pods) {
      if (text(specOf(pod)['nodeName']) === '' || this.lost.has(pod.metadata.uid)) continue;
      this.report(pod, { kind: 'nodeLost' });
      this.lost.add(pod.metadata.uid);
      const atSeconds = this.objects.nowSeconds + EVICTION_SECONDS;
      this.timers.addTimer({
        atSeconds,
        why: 'evicted',
        queue: undefined,
        key: queueKey(pod),
        uid: pod.metadata.uid,
      });
    }
  }

  /** They are back: what was evicted meanwhile ends, the others are ready again. */
  find(pods: readonly KubeObject[]): void {
    for (const pod of pods) {
      if (!this.lost.delete(pod.metadata.uid)) continue;
      if (isDeleting(pod)) this.objects.finishTermination(PODS, pod);
      else this.report(pod, { kind: 'ready' });
    }
  }

  /** The Node objects are deleted: the collector of pods removes what was on them, without anybody's grace. */
  remove(pods: readonly KubeObject[]): void {
    for (const pod of pods) {
      if (!this.lost.delete(pod.metadata.uid)) continue;
      this.objects.remove(PODS, pod, 'Background');
      const rest = this.objects.get({ ...pod.metadata, resource: PODS });
      if (rest !== undefined) this.objects.finishTermination(PODS, rest);
    }
  }

  /** No kubelet of a lost node reports or ends anything. */
  isLost(pod: KubeObject): boolean {
    return this.lost.has(pod.metadata.uid);
  }

  /** Whether a timer of a kubelet has nothing more to do: evicting is done here, and lost kubelets are silent. */
  takes(timer: Timer, pod: KubeObject): boolean {
    const isLost = this.isLost(pod);
    if (isLost && timer.why === 'evicted') this.objects.remove(PODS, pod, 'Background');
    return isLost || timer.why === 'evicted';
  }

  private report(pod: KubeObject, condition: PodCondition): void {
    this.objects.putStatus(PODS, pod, podStatus(pod, condition, this.objects.nowSeconds));
  }
}
