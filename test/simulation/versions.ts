/** The texts of a workload, by the number of its version, and how pods of each version fare. */

import { isJsonObject, type JsonObject } from '../../src/api/json.ts';
import { GROUP_INDEX, LWS_NAME, WORKER_INDEX } from '../../src/api/lws-labels.ts';
import type { KubeObject } from '../../src/simulator/objects/objects.ts';
import { hash } from './chance.ts';
import type { WorkloadSetup } from './setup.ts';

export const REGISTRY = 'registry.example.com/vllm';

type Sized = Pick<WorkloadSetup, 'name' | 'size' | 'resizes'>;

/** Pods of the largest groups. */
const SIZE_MAX = 3;

/** `registry.example.com/vllm:7` is version 7. */
export function imageOf(version: number): string {
  return `${REGISTRY}:${version}`;
}

/** The version of an image; undefined for anything else. */
export function versionOf(image: unknown): number | undefined {
  if (typeof image !== 'string' || !image.startsWith(`${REGISTRY}:`)) return undefined;
  return Number(image.slice(REGISTRY.length + 1));
}

/** What becomes of the groups of a version. */
export type Health = 'good' | 'never' | 'second' | 'first';

export function healthOf(seed: string, version: number): Health {
  if (version === 0) return 'good';
  const drawn = hash(`${seed} health ${version}`) % 100;
  if (drawn < 66) return 'good';
  return drawn < 78 ? 'never' : drawn < 90 ? 'second' : 'first';
}

/** Whether a group of this version ever gets ready. `second`: only some of the groups break, not the first ones to go. */
export function isBroken(seed: string, version: number, group: number): boolean {
  const health = healthOf(seed, version);
  if (health === 'good') return false;
  if (health === 'never') return true;
  const odd = (group + hash(`${seed} parity ${version}`)) % 2 === 0;
  return health === 'second' ? odd : !odd;
}

/** Seconds that a pod loads; a pure function, so that forked worlds fare alike. */
export function loading(seed: string, seconds: number, each: 'group' | 'pod'): (pod: KubeObject) => number | 'never' {
  return (pod) => {
    const version = versionOf(containerImage(pod)) ?? 0;
    const group = Number(pod.metadata.labels?.[GROUP_INDEX] ?? '0');
    if (isBroken(seed, version, group)) return 'never';
    const place = each === 'group' ? `${group}` : `${group} ${pod.metadata.labels?.[WORKER_INDEX]}`;
    return 1 + (hash(`${seed} load ${pod.metadata.labels?.[LWS_NAME]} ${version} ${place}`) % Math.max(1, seconds));
  };
}

export function containerImage(pod: KubeObject): unknown {
  const spec = pod['spec'];
  const containers = isJsonObject(spec) && Array.isArray(spec['containers']) ? spec['containers'] : [];
  const first = containers[0];
  return isJsonObject(first) ? first['image'] : undefined;
}

/** Pods of a group of this version. */
export function sizeOf({ name, size, resizes }: Sized, version: number): number {
  return resizes === true && version > 0 ? 1 + (hash(`${name} size ${version}`) % SIZE_MAX) : size;
}

/** Everything under `leaderWorkerTemplate:`. Versions differ in more than the image: lists, maps and keys come and go. */
export function templateText(version: number, size: number): string {
  const env = version % 3 === 1 ? [`            env:`, `              - {name: VERSION, value: "${version}"}`] : [];
  const labels = version % 2 === 1 ? `{app: vllm, role: leader, odd: "yes"}` : `{app: vllm, role: leader}`;
  const grace = version % 5 === 2 ? ['        terminationGracePeriodSeconds: 20  # drain'] : [];
  return [
    `    size: ${size}`,
    '    leaderTemplate:',
    '      metadata:',
    `        labels: ${labels}`,
    '      spec:',
    ...grace,
    '        containers:',
    '          - name: leader',
    `            image: ${imageOf(version)}  # the model server`,
    ...env,
    '    workerTemplate:',
    '      spec:',
    '        containers:',
    '          - name: worker',
    `            image: ${imageOf(version)}`,
    '',
  ].join('\n');
}

/** The image that a workload object asks for. */
export function wantedVersion(spec: JsonObject): number | undefined {
  const template = spec['leaderWorkerTemplate'];
  const leader = isJsonObject(template) ? template['leaderTemplate'] : undefined;
  return isJsonObject(leader) ? versionOf(containerImage(podLike(leader))) : undefined;
}

function podLike(template: JsonObject): KubeObject {
  return { ...template, apiVersion: 'v1', kind: 'Pod', metadata: {} } as unknown as KubeObject;
}
