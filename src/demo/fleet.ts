/** Looks at the workload of the demo through the Kubernetes API, as anybody could: versions and readiness of its groups. */

import { imagesOf } from '../api/images.ts';
import { at, isRecord } from '../api/json.ts';
import { GROUP_INDEX, LWS_NAME, WORKER_INDEX } from '../api/lws-labels.ts';
import { NAMESPACE } from './files.ts';

export type GroupView = {
  readonly index: number;
  /** The image that its leader runs; empty where there is no leader just now. */
  readonly leaderImage: string;
  /** Images of its pods, without repetition: more than one while it restarts. */
  readonly images: readonly string[];
  /** All of its pods are there, Ready and not about to go. */
  readonly ready: boolean;
};

export type Fleet = {
  readonly replicas: number;
  readonly partition: unknown;
  readonly maxUnavailable: unknown;
  /** The image that the live template asks for. */
  readonly image: string;
  readonly annotations: Readonly<Record<string, unknown>>;
  /** True where the leader StatefulSet has one revision only: nothing is half-way. */
  readonly flipped: boolean;
  readonly groups: readonly GroupView[];
};

/** Reads everything of a workload again. Throws where the API does not answer, or has no such workload. */
export async function readFleet(api: string, name: string): Promise<Fleet> {
  const fleet = await readSecond(api, name);
  if (fleet === undefined) throw new Error(`the API has no LeaderWorkerSet ${name}`);
  return fleet;
}

/** The same of a workload that may not be there; undefined: it is not. */
export async function readSecond(api: string, name: string): Promise<Fleet | undefined> {
  const [lws, leaderSet, list] = await Promise.all([
    ask(api, `apis/leaderworkerset.x-k8s.io/v1/namespaces/${NAMESPACE}/leaderworkersets/${name}`),
    ask(api, `apis/apps/v1/namespaces/${NAMESPACE}/statefulsets/${name}`),
    ask(api, `api/v1/namespaces/${NAMESPACE}/pods?labelSelector=${encodeURIComponent(`${LWS_NAME}=${name}`)}`),
  ]);
  if (lws === undefined) return undefined;
  const rolling = at(lws, ['spec', 'rolloutStrategy', 'rollingUpdateConfiguration']);
  const template = at(lws, ['spec', 'leaderWorkerTemplate']);
  const annotations = at(lws, ['metadata', 'annotations']);
  const replicas = numberAt(lws, ['spec', 'replicas']);
  const pods = itemsOf(list);
  return {
    replicas,
    partition: at(rolling, ['partition']),
    maxUnavailable: at(rolling, ['maxUnavailable']),
    image: imagesOf(at(template, ['leaderTemplate', 'spec', 'containers']))[0] ?? '',
    annotations: isRecord(annotations) ? annotations : {},
    flipped: at(leaderSet, ['status', 'currentRevision']) === at(leaderSet, ['status', 'updateRevision']),
    groups: Array.from({ length: replicas }, (_, index) => groupOf(index, pods, numberAt(template, ['size']))),
  };
}

/** Where the first rule of the route sends requests: backends with their per cent, those with none left out. */
export type RouteShare = { readonly backend: string; readonly percent: number };

/** The shares of a route, as the API has it. Throws where it has none of that name. */
export async function readShares(api: string, route: string): Promise<readonly RouteShare[]> {
  const found = await ask(api, `apis/gateway.networking.k8s.io/v1/namespaces/${NAMESPACE}/httproutes/${route}`);
  const backends = listOf(at(listOf(at(found, ['spec', 'rules']))[0], ['backendRefs']));
  const weights = backends.map((backend) => numberAt({ weight: 1, ...(isRecord(backend) ? backend : {}) }, ['weight']));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return backends
    .map((backend, index) => ({
      backend: String(at(backend, ['name'])),
      percent: Math.round((100 * (weights[index] ?? 0)) / total),
    }))
    .filter(({ percent }) => percent > 0);
}

function groupOf(index: number, pods: readonly unknown[], size: number): GroupView {
  const own = pods.filter((pod) => at(pod, ['metadata', 'labels', GROUP_INDEX]) === String(index));
  const leader = own.find((pod) => at(pod, ['metadata', 'labels', WORKER_INDEX]) === '0');
  const places = new Set(own.map((pod) => at(pod, ['metadata', 'labels', WORKER_INDEX])));
  return {
    index,
    leaderImage: imagesOf(at(leader, ['spec', 'containers']))[0] ?? '',
    images: [...imagesOf(own.map((pod) => at(pod, ['spec', 'containers'])))].sort(),
    ready: places.size === size && own.length === size && own.every(isReady),
  };
}

function isReady(pod: unknown): boolean {
  const conditions = at(pod, ['status', 'conditions']);
  const isTrue = (condition: unknown): boolean =>
    at(condition, ['type']) === 'Ready' && at(condition, ['status']) === 'True';
  return at(pod, ['metadata', 'deletionTimestamp']) === undefined && listOf(conditions).some(isTrue);
}

function itemsOf(list: unknown): readonly unknown[] {
  return listOf(at(list, ['items']));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function numberAt(root: unknown, path: readonly string[]): number {
  const value = at(root, path);
  return typeof value === 'number' ? value : 0;
}

/** undefined: the API has no such object. */
async function ask(api: string, path: string): Promise<unknown> {
  const response = await fetch(`${api}/${path}`, { headers: { accept: 'application/json' } });
  if (response.status === 404) return undefined;
  if (!response.ok) throw new Error(`GET /${path}: the API answered ${response.status}`);
  return response.json();
}
