/** What is so in the simulated cluster, read straight from the model and by no code of the product. */

import { isJsonObject, type JsonObject } from '../../src/api/json.ts';
import { GROUP_INDEX, LWS_NAME, WORKER_INDEX } from '../../src/api/lws-labels.ts';
import { TOPOLOGY } from '../../src/simulator/objects/labels.ts';
import type { Reading } from '../../src/simulator/objects/object-store.ts';
import type { KubeObject } from '../../src/simulator/objects/objects.ts';
import { LWS, PODS, STATEFUL_SETS } from '../../src/simulator/objects/resource-table.ts';
import type { WorkloadSetup } from './setup.ts';
import { containerImage, sizeOf, versionOf, wantedVersion } from './versions.ts';

export type GroupTruth = {
  readonly index: number;
  readonly leaderUid: string;
  /** The leader is on its way out. */
  readonly ending: boolean;
  /** The version that all its pods have; undefined while they differ, end or are missing. */
  readonly version: number | undefined;
  readonly leaderVersion: number | undefined;
  readonly ready: boolean;
  /** It has another number of pods than its version has: it was made again while another size was asked for. */
  readonly odd: boolean;
  /** The exclusive topology that its leader was made with. */
  readonly topology: string | undefined;
};

export type Truth = {
  readonly atSeconds: number;
  readonly uid: string;
  readonly setUid: string;
  /** The StatefulSet counts the new revision as the current one: what is recreated stays on it. */
  readonly flipped: boolean;
  readonly replicas: number;
  readonly partition: number;
  readonly maxUnavailable: number;
  readonly version: number | undefined;
  /** What the StatefulSet of the leaders asks for. */
  readonly setVersion: number | undefined;
  /** The StatefulSet may replace groups from this one on: within one template LWS takes nothing of that back. */
  readonly released: number;
  /** The exclusive topology that the workload asks for. */
  readonly topology: string | undefined;
  readonly groups: readonly GroupTruth[];
};

export const NAMESPACE = 'llm';

/** undefined: there is no such LeaderWorkerSet. */
export function truthOf(
  reading: Pick<Reading, 'get' | 'list'>,
  workload: WorkloadSetup,
  atSeconds: number,
): Truth | undefined {
  const { name } = workload;
  const lws = reading.get({ resource: LWS, namespace: NAMESPACE, name });
  if (lws === undefined) return undefined;
  const spec = objectAt(lws, 'spec');
  const rolling = objectAt(objectAt(spec, 'rolloutStrategy'), 'rollingUpdateConfiguration');
  const set = reading.get({ resource: STATEFUL_SETS, namespace: NAMESPACE, name });
  const setRolling =
    set === undefined ? {} : objectAt(objectAt(objectAt(set, 'spec'), 'updateStrategy'), 'rollingUpdate');
  return {
    atSeconds,
    uid: lws.metadata.uid,
    setUid: set?.metadata.uid ?? '',
    flipped:
      set !== undefined &&
      statusOf(set)['observedGeneration'] === set.metadata.generation &&
      statusOf(set)['currentRevision'] === statusOf(set)['updateRevision'],
    replicas: Number(spec['replicas'] ?? 1),
    partition: Number(rolling['partition'] ?? 0),
    maxUnavailable: Number(rolling['maxUnavailable'] ?? 1),
    version: wantedVersion(spec),
    setVersion: set === undefined ? undefined : versionOf(containerImage(podOf(set))),
    released: Number(setRolling['partition'] ?? 0),
    topology: lws.metadata.annotations?.[TOPOLOGY],
    groups: groupsOf(reading, workload),
  };
}

function groupsOf(reading: Pick<Reading, 'list'>, of: WorkloadSetup): readonly GroupTruth[] {
  const pods = new Map<number, KubeObject[]>();
  for (const pod of reading.list(PODS, NAMESPACE)) {
    const labels = pod.metadata.labels ?? {};
    if (labels[LWS_NAME] !== of.name) continue;
    const index = Number(labels[GROUP_INDEX]);
    pods.set(index, [...(pods.get(index) ?? []), pod]);
  }
  return [...pods]
    .sort(([a], [b]) => a - b)
    .flatMap(([index, all]) => {
      const leader = all.find((pod) => pod.metadata.labels?.[WORKER_INDEX] === '0');
      if (leader === undefined) return [];
      const leaderVersion = versionOf(containerImage(leader));
      const size = sizeOf(of, leaderVersion ?? 0);
      // Workers beyond its size, from a change that LWS cannot hold back, take nothing from a group.
      const own = all.filter((pod) => Number(pod.metadata.labels?.[WORKER_INDEX]) < size);
      const versions = new Set(own.map((pod) => versionOf(containerImage(pod))));
      const whole = own.length === size && !own.some((pod) => pod.metadata.deletionTimestamp !== undefined);
      return [
        {
          index,
          leaderUid: leader.metadata.uid,
          ending: leader.metadata.deletionTimestamp !== undefined,
          version: whole && versions.size === 1 ? [...versions][0] : undefined,
          leaderVersion,
          // A leader that runs next to the workers of the one before serves nobody.
          ready: whole && versions.size === 1 && own.every(isReady),
          odd: all.length !== size,
          topology: leader.metadata.annotations?.[TOPOLOGY],
        },
      ];
    });
}

/** What a StatefulSet makes its pods from. */
function podOf(set: KubeObject): KubeObject {
  return { ...set, ...objectAt(objectAt(set, 'spec'), 'template'), metadata: set.metadata };
}

function statusOf(object: KubeObject): JsonObject {
  return objectAt(object, 'status');
}

function isReady(pod: KubeObject): boolean {
  const status = objectAt(pod, 'status');
  const conditions = Array.isArray(status['conditions']) ? status['conditions'] : [];
  return conditions.some(
    (condition) => isJsonObject(condition) && condition['type'] === 'Ready' && condition['status'] === 'True',
  );
}

function objectAt(value: JsonObject, key: string): JsonObject {
  const inner = value[key];
  return isJsonObject(inner) ? inner : {};
}

/** Groups that N asks for: those above are on their way out. */
export function wantedGroups(truth: Pick<Truth, 'replicas' | 'groups'>): readonly GroupTruth[] {
  return truth.groups.filter((group) => group.index < truth.replicas);
}

/** Whether no group is to be replaced that LWS has let go by an earlier budget. */
export function nothingGoes(truth: Truth): boolean {
  return wantedGroups(truth).every(
    ({ index, leaderVersion }) => index < truth.released || leaderVersion === truth.setVersion,
  );
}

/** `0:v3+ 1:v4-`, for timelines. */
export function showTruth(truth: Truth | undefined): string {
  if (truth === undefined) return 'no LWS';
  const groups = truth.groups.map(
    ({ index, version, leaderVersion, ready }) =>
      `${index}:v${leaderVersion ?? '?'}${version === undefined ? '~' : ''}${ready ? '+' : '-'}`,
  );
  return `v${truth.version ?? '?'} N${truth.replicas} P${truth.partition} U${truth.maxUnavailable} [${groups.join(' ')}]`;
}
