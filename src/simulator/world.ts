/** What every controller of the model gets: the objects, the modes, and three ways to leave something for later. */

import type { JsonObject } from '../api/json.ts';
import type { Modes } from './modes.ts';
import type { ObjectStore } from './objects/object-store.ts';
import type { KubeObject } from './objects/objects.ts';

/** An entry of Kubernetes' event list; events are no signals, and the model's differ in number from real ones. */
export type ClusterEvent = {
  readonly reason: string;
  readonly note: string;
  readonly type: 'Normal' | 'Warning';
  readonly regarding: KubeObject;
};

/** The queues of the controllers, in the order in which the model serves them. */
export const queueNames = ['garbage', 'scheduler', 'pods', 'statefulSets', 'endpoints', 'routes', 'lws'] as const;
export type QueueName = (typeof queueNames)[number];

/** Results that depend on nothing but immutable parts of objects, kept by the identity of these parts. */
type Memo = {
  readonly defaulted: WeakMap<JsonObject, JsonObject>;
  readonly revisionText: WeakMap<JsonObject, string>;
  readonly leaderTemplates: WeakMap<JsonObject, Map<string, JsonObject>>;
  readonly templateText: WeakMap<JsonObject, string>;
  readonly specText: WeakMap<JsonObject, string>;
};

export type World = {
  readonly objects: ObjectStore;
  readonly modes: () => Modes;
  readonly record: (event: ClusterEvent) => void;
  /** Puts `key` on a queue again after `seconds`. */
  readonly later: (queue: QueueName, key: string, seconds: number) => void;
  /** The same for what has failed: each time the wait doubles. */
  readonly retry: (queue: QueueName, key: string) => void;
  /** Ends the row of failures of `key`. */
  readonly succeeded: (queue: QueueName, key: string) => void;
  readonly memo: Memo;
  /** The devices of the cluster; undefined where there are always enough. */
  readonly stock: () => Stock | undefined;
  /** Where pods are put; empty where they stay without a node, and so vanish at once when deleted. */
  readonly nodeName: string;
};

/** Nothing kept yet. */
export function emptyMemo(): Memo {
  return {
    defaulted: new WeakMap(),
    revisionText: new WeakMap(),
    leaderTemplates: new WeakMap(),
    templateText: new WeakMap(),
    specText: new WeakMap(),
  };
}

/** `namespace/name`, the key of every queue. */
export function queueKey(object: KubeObject): string {
  return `${object.metadata.namespace}/${object.metadata.name}`;
}

/** The two halves of a queue's key. */
export function splitKey(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** What the nodes of the model have of one resource. */

/** How many devices of one resource in the whole cluster, as `nvidia.com/gpu`. Nodes are not modelled one by one. */
export type Stock = { readonly resource: string; readonly amount: number };
