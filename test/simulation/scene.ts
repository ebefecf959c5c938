/** What is so around a workload whose deliveries fill a second one: both sides, the route, and whom its Services reach. */

import { at, isJsonObject, type JsonObject } from '../../src/api/json.ts';
import { LWS_NAME, REVISION_KEY, WORKER_INDEX } from '../../src/api/lws-labels.ts';
import { VERSION } from '../../src/api/version-label.ts';
import type { Reading } from '../../src/simulator/objects/object-store.ts';
import { ENDPOINT_SLICES, PODS, resourceOf, SERVICES } from '../../src/simulator/objects/resource-table.ts';
import { directTo, type Rules, rulesOf, shareIn } from './client-routes.ts';
import { routeTexts } from './route-texts.ts';
import { isAsked, kindsOf, routeName, secondOf, serviceNames } from './routed-files.ts';
import type { WorkloadSetup } from './setup.ts';
import { type GroupTruth, NAMESPACE, type Truth, truthOf } from './truth.ts';

/** Whom a Service reaches. */
export type Reached = {
  /** The workload that its selector names. */
  readonly selects: string | undefined;
  /** Whether it takes in the leaders of one version only. */
  readonly pinned: boolean;
  /** UIDs of the pods behind its ready endpoints. */
  readonly ready: readonly string[];
  /** Names of those among them that are workers. */
  readonly workers: readonly string[];
};

export type Scene = {
  readonly atSeconds: number;
  readonly own: Truth | undefined;
  readonly second: Truth | undefined;
  /** Where the live routes send each client; empty: there is none. */
  readonly rules: Rules;
  readonly services: ReadonlyMap<string, Reached>;
};

export function sceneOf(reading: Pick<Reading, 'get' | 'list'>, workload: WorkloadSetup, atSeconds: number): Scene {
  const second = secondOf(workload);
  return {
    atSeconds,
    own: truthOf(reading, workload, atSeconds),
    second: second === undefined ? undefined : truthOf(reading, second, atSeconds),
    rules: rulesNow(reading, workload),
    services: servicesOf(reading, workload),
  };
}

/** By every route that there is; a second Ingress has the name that its kind gives it. */
function rulesNow(reading: Pick<Reading, 'get'>, workload: WorkloadSetup): Rules {
  const [kinds, service] = [kindsOf(workload), serviceNames(workload).stable];
  if (kinds.length === 0)
    return isAsked(workload) && reading.get({ resource: SERVICES, namespace: NAMESPACE, name: service }) !== undefined
      ? directTo(service)
      : [];
  const name = routeName(workload.name);
  const found = kinds.flatMap((kind) => {
    const resource = resourceOf(routeTexts[kind]);
    return [name, `${name}-canary`].map((one) => reading.get({ resource, namespace: NAMESPACE, name: one }));
  });
  return rulesOf(found.filter((one) => one !== undefined));
}

function servicesOf(reading: Pick<Reading, 'get' | 'list'>, workload: WorkloadSetup): Scene['services'] {
  const slices = reading.list(ENDPOINT_SLICES, NAMESPACE);
  const found = new Map<string, Reached>();
  for (const name of Object.values(serviceNames(workload))) {
    const service = reading.get({ resource: SERVICES, namespace: NAMESPACE, name });
    if (service === undefined) continue;
    const selects = at(service, ['spec', 'selector', LWS_NAME]);
    const own = slices.filter((one) => one.metadata.labels?.['kubernetes.io/service-name'] === name);
    const refs = own.flatMap(readyPods);
    const pods = refs.map((ref) => reading.get({ resource: PODS, namespace: NAMESPACE, name: ref.name }));
    found.set(name, {
      selects: typeof selects === 'string' ? selects : undefined,
      pinned: [VERSION, REVISION_KEY].some((key) => at(service, ['spec', 'selector', key]) !== undefined),
      ready: refs.map(({ uid }) => uid),
      workers: pods.flatMap((pod) =>
        pod === undefined || pod.metadata.labels?.[WORKER_INDEX] === '0' ? [] : [pod.metadata.name],
      ),
    });
  }
  return found;
}

function readyPods(slice: JsonObject): readonly { readonly uid: string; readonly name: string }[] {
  const endpoints = Array.isArray(slice['endpoints']) ? slice['endpoints'] : [];
  return endpoints.flatMap((endpoint) => {
    const [uid, name] = [at(endpoint, ['targetRef', 'uid']), at(endpoint, ['targetRef', 'name'])];
    const isReady = isJsonObject(endpoint) && at(endpoint, ['conditions', 'ready']) === true;
    return isReady && typeof uid === 'string' && typeof name === 'string' ? [{ uid, name }] : [];
  });
}

/** Groups of a workload that serve: ready, and reached by a Service that selects it, where one does. */
export function servingIn(scene: Scene, name: string, truth: Truth | undefined): readonly GroupTruth[] {
  const ready = truth?.groups.filter((group) => group.ready) ?? [];
  const selecting = [...scene.services.values()].filter(({ selects }) => selects === name);
  if (selecting.length === 0) return ready;
  return ready.filter(({ leaderUid }) => selecting.some((one) => one.ready.includes(leaderUid)));
}

/** Groups that a Service reaches: of a version, of all others, or of any. */
export function reachedBy(
  scene: Scene,
  service: string,
  of: { readonly version?: number | undefined; readonly not?: number | undefined } = {},
): readonly GroupTruth[] {
  const ready = scene.services.get(service)?.ready ?? [];
  const reached = scene.own?.groups.filter(({ leaderUid }) => ready.includes(leaderUid)) ?? [];
  return reached.filter(
    ({ leaderVersion }) =>
      (of.version === undefined || leaderVersion === of.version) && (of.not === undefined || leaderVersion !== of.not),
  );
}

/** Per cent of the requests that the live routes send to the Service of the new version. */
export function liveShare({ rules }: Scene, workload: WorkloadSetup): number {
  return shareIn(rules, serviceNames(workload).canary);
}

/** `5 % → vllm-canary`, for timelines. */
export function showScene(scene: Scene, workload: WorkloadSetup): string {
  const services = [...scene.services].map(([name, { selects, ready }]) => `${name}→${selects ?? '?'} ${ready.length}`);
  return `${round(liveShare(scene, workload))} % to the new version; ${services.join(', ')}`;
}

function round(share: number): number {
  return Math.round(share * 100) / 100;
}
