/** Lists of the cluster that a pass asks for once, however many rollouts want them. */

import type { Known } from '../../api/known.ts';
import type { Cluster, Resource } from '../../ports/cluster.ts';

export type ListOf<T> = (namespace: string) => Promise<Known<readonly T[]>>;

/** All of a kind that the selector means, in a namespace; `take` keeps of each object what is wanted. */
export function listOnce<T>(
  cluster: Cluster,
  { resource, labelSelector }: { readonly resource: Resource; readonly labelSelector: string },
  take: (object: unknown) => T,
): ListOf<T> {
  const readings = new Map<string, Promise<Known<readonly T[]>>>();
  return (namespace) => {
    const reading = readings.get(namespace) ?? cluster.list(resource, { namespace, labelSelector }, take);
    readings.set(namespace, reading);
    return reading;
  };
}
