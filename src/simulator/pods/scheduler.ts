/** The scheduler, where the stock of GPUs is finite: a pod is placed when its devices are free, and waits otherwise. */

import { printInstant } from '../../api/time.ts';
import { count, isDeleting, type KubeObject, objects, part, specOf, statusOf, text } from '../objects/objects.ts';
import { PODS } from '../objects/resource-table.ts';
import { splitKey, type World } from '../world.ts';
import { podStatus } from './pod-status.ts';

/** Places the pod with this queue key, or says why it waits. Without a stock there is no scheduler. */
export function schedulePod(world: World, key: string): void {
  const stock = world.stock();
  const pod = world.objects.get({ resource: PODS, ...splitKey(key) });
  if (stock === undefined || pod === undefined || isDeleting(pod) || placement(pod) === 'placed') return;
  const free = stock.amount - used(world, stock.resource);
  const now = world.objects.nowSeconds;
  if (requested(pod, stock.resource) <= free) {
    const scheduled = {
      type: 'PodScheduled',
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: printInstant(now),
    };
    world.objects.putStatus(PODS, pod, { ...statusOf(pod), conditions: [scheduled] });
  } else if (placement(pod) === 'new') {
    // In the scheduler's words; the whole stock is one node.
    const message =
      `0/1 nodes are available: 1 Insufficient ${stock.resource}. no new claims to deallocate, ` +
      'preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.';
    world.objects.putStatus(PODS, pod, podStatus(pod, { kind: 'unschedulable', message }, now));
  }
}

/** Whether a pod has its devices: `new` has not been looked at yet. */
export function placement(pod: KubeObject): 'new' | 'waiting' | 'placed' {
  const scheduled = objects(statusOf(pod)['conditions']).find((condition) => condition['type'] === 'PodScheduled');
  if (scheduled === undefined) return 'new';
  return scheduled['status'] === 'True' ? 'placed' : 'waiting';
}

function used(world: World, resource: string): number {
  let sum = 0;
  for (const pod of world.objects.unordered(PODS)) if (placement(pod) === 'placed') sum += requested(pod, resource);
  return sum;
}

function requested(pod: KubeObject, resource: string): number {
  return objects(specOf(pod)['containers']).reduce((sum, container) => {
    const limit = part(part(container, 'resources'), 'limits')[resource];
    return sum + (typeof limit === 'string' ? Number(text(limit, '0')) : count(limit, 0));
  }, 0);
}
