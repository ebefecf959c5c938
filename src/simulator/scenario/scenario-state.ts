/** The settled state of a scenario, in the format of the recorded traces. */

import type { Json, JsonObject } from '../../api/json.ts';
import type { Cluster } from '../cluster-model.ts';
import { isRunningAndReady } from '../lws/group-state.ts';
import { isSince09 } from '../modes.ts';
import { GROUP_INDEX, isLeader, LWS_NAME, REPLICAS_SEEN, revisionKeyOf, SIZE } from '../objects/labels.ts';
import {
  annotationsOf,
  controllerOf,
  count,
  type KubeObject,
  labelsOf,
  objects,
  part,
  specOf,
  statusOf,
  text,
} from '../objects/objects.ts';
import { CONTROLLER_REVISIONS, LWS, PODS, STATEFUL_SETS } from '../objects/resource-table.ts';
import { letterOf, SCENARIO_LWS } from './scenario-manifest.ts';

export type ScenarioState = {
  readonly lws: JsonObject;
  readonly sts: JsonObject | null;
  readonly groups: readonly JsonObject[];
  /** ControllerRevisions that the LWS owns, and that the leader StatefulSet owns. */
  readonly revisions: number;
  readonly leaderStsRevisions: number;
};

/** UIDs and revision names seen so far: what "replaced" and `r1`, `r2` … refer to. */
type ScenarioMemory = {
  readonly names: Map<string, string>;
  leaders: ReadonlyMap<string, string>;
  workers: ReadonlyMap<string, string>;
};

/** The memory before the first state. */
export function emptyMemory(): ScenarioMemory {
  return { names: new Map(), leaders: new Map(), workers: new Map() };
}

const CONDITIONS = ['Available', 'Progressing', 'UpdateInProgress'];

/** Reads the cluster, and remembers the UIDs for the next state. */
export function scenarioState(cluster: Cluster, memory: ScenarioMemory): ScenarioState {
  const { namespace, name } = SCENARIO_LWS;
  const lws = cluster.objects.get({ resource: LWS, namespace, name });
  const sts = cluster.objects.get({ resource: STATEFUL_SETS, namespace, name });
  const rev = (object: KubeObject): string => {
    const key = revisionKeyOf(object);
    const known = memory.names.get(key) ?? `r${memory.names.size + 1}`;
    memory.names.set(key, known);
    return known;
  };
  const setState = sts === undefined ? null : stateOfSet(sts, rev(sts));
  const pods = cluster.objects.list(PODS, namespace).filter((pod) => labelsOf(pod)[LWS_NAME] === name);
  const leaders = pods.filter(isLeader).sort((left, right) => groupOf(left) - groupOf(right));
  const sets = new Map(cluster.objects.list(STATEFUL_SETS, namespace).map((object) => [object.metadata.name, object]));
  const groups = leaders.map((leader) =>
    stateOfGroup({ leader, pods, workers: sets.get(leader.metadata.name), rev, memory }),
  );
  memory.leaders = uids(leaders);
  memory.workers = keptUids(memory.workers, { leaders, sets });
  return {
    lws: lws === undefined ? {} : stateOfLws(lws, cluster),
    sts: setState,
    groups,
    revisions: owned(cluster, lws),
    leaderStsRevisions: owned(cluster, sts),
  };
}

function stateOfLws(lws: KubeObject, cluster: Cluster): JsonObject {
  const spec = specOf(lws);
  const template = part(spec, 'leaderWorkerTemplate');
  const rolling = part(part(spec, 'rolloutStrategy'), 'rollingUpdateConfiguration');
  const status = statusOf(lws);
  const conditions = objects(status['conditions']);
  const truth = CONDITIONS.map((type): [string, Json] => {
    const condition = conditions.find((entry) => entry['type'] === type);
    return [type, condition?.['status'] ?? 'absent'];
  });
  const observed = status['observedGeneration'];
  const modern = isSince09(cluster.modes().lws) || observed !== undefined;
  return {
    replicas: spec['replicas'] ?? 1,
    size: template['size'] ?? 1,
    template: imageLetter(part(template, 'leaderTemplate')),
    partition: rolling['partition'] ?? 0,
    maxSurge: rolling['maxSurge'] ?? 0,
    maxUnavailable: rolling['maxUnavailable'] ?? 1,
    observed: modern ? observed === lws.metadata.generation : null,
    conditions: Object.fromEntries(truth),
    readyReplicas: count(status['readyReplicas'], 0),
    updatedReplicas: count(status['updatedReplicas'], 0),
    statusReplicas: count(status['replicas'], 0),
  };
}

function stateOfSet(sts: KubeObject, rev: string): JsonObject {
  const spec = specOf(sts);
  const status = statusOf(sts);
  const rolling = part(part(spec, 'updateStrategy'), 'rollingUpdate');
  const most = rolling['maxUnavailable'];
  return {
    replicas: spec['replicas'] ?? 1,
    partition: rolling['partition'] ?? 0,
    ...(most === undefined ? {} : { maxUnavailable: most }),
    rev,
    currentIsUpdate: status['currentRevision'] === status['updateRevision'],
    readyReplicas: count(status['readyReplicas'], 0),
    updatedReplicas: count(status['updatedReplicas'], 0),
    currentReplicas: count(status['currentReplicas'], 0),
    annotationReplicas: annotationsOf(sts)[REPLICAS_SEEN] ?? null,
    observed: status['observedGeneration'] === sts.metadata.generation,
  };
}

type GroupFrom = {
  readonly leader: KubeObject;
  readonly workers: KubeObject | undefined;
  readonly pods: readonly KubeObject[];
  readonly rev: (object: KubeObject) => string;
  readonly memory: ScenarioMemory;
};

function stateOfGroup({ leader, workers, pods, rev, memory }: GroupFrom): JsonObject {
  const index = groupOf(leader);
  const mine = pods.filter((pod) => !isLeader(pod) && groupOf(pod) === index);
  return {
    index,
    revision: imageLetter(leader),
    rev: rev(leader),
    leaderReady: isRunningAndReady(leader),
    leaderPhase: statusOf(leader)['phase'] ?? 'Pending',
    workers: {
      revision: workers === undefined ? null : imageLetter(part(specOf(workers), 'template')),
      rev: workers === undefined ? null : rev(workers),
      total: mine.length,
      ready: mine.filter(isRunningAndReady).length,
      want: workers === undefined ? null : (specOf(workers)['replicas'] ?? null),
    },
    sizeAnnotation: annotationsOf(leader)[SIZE] ?? null,
    leaderReplaced: isReplaced(memory.leaders, leader),
    workersReplaced: workers !== undefined && isReplaced(memory.workers, workers),
  };
}

function isReplaced(before: ReadonlyMap<string, string>, object: KubeObject): boolean {
  const uid = before.get(object.metadata.name);
  return uid !== undefined && uid !== object.metadata.uid;
}

function imageLetter(template: JsonObject): string {
  return letterOf(text(objects(specOf(template)['containers'])[0]?.['image']));
}

function groupOf(pod: KubeObject): number {
  return Number(labelsOf(pod)[GROUP_INDEX]);
}

function uids(list: readonly KubeObject[]): ReadonlyMap<string, string> {
  return new Map(list.map((object) => [object.metadata.name, object.metadata.uid]));
}

/** A group whose workers are not made yet is remembered with those that it had. */
function keptUids(
  before: ReadonlyMap<string, string>,
  now: { readonly leaders: readonly KubeObject[]; readonly sets: ReadonlyMap<string, KubeObject> },
): ReadonlyMap<string, string> {
  const kept = new Map<string, string>();
  for (const { metadata } of now.leaders) {
    const uid = now.sets.get(metadata.name)?.metadata.uid ?? before.get(metadata.name);
    if (uid !== undefined) kept.set(metadata.name, uid);
  }
  return kept;
}

function owned(cluster: Cluster, owner: KubeObject | undefined): number {
  if (owner === undefined) return 0;
  const uid = owner.metadata.uid;
  return cluster.objects.list(CONTROLLER_REVISIONS).filter((revision) => controllerOf(revision)?.uid === uid).length;
}
