/** Runs a scenario: event by event, each until everything has come to rest, and the state after each. */

import type { Json, JsonObject } from '../../api/json.ts';
import { type Cluster, createCluster, type PodChoice } from '../cluster-model.ts';
import { isRunningAndReady } from '../lws/group-state.ts';
import { GROUP_INDEX, isLeader } from '../objects/labels.ts';
import { withoutValue } from '../objects/object-edit.ts';
import type { Propagation } from '../objects/object-store.ts';
import {
  count,
  items,
  type KubeObject,
  labelsOf,
  type NewObject,
  objects,
  part,
  specOf,
  text,
} from '../objects/objects.ts';
import { LWS, PODS } from '../objects/resource-table.ts';
import type { Answer } from '../server/store.ts';
import { lwsFields } from './scenario-fields.ts';
import { type Scenario, type ScenarioEvent, versionOf } from './scenario-file.ts';
import { letterOf, SCENARIO_LWS } from './scenario-manifest.ts';
import { emptyMemory, type ScenarioState, scenarioState } from './scenario-state.ts';

export type ScenarioStep = ScenarioState & {
  readonly event: JsonObject;
  /** The API server's answer, where the event was refused. */
  readonly rejected?: JsonObject;
};

const START_SECONDS = 1_790_000_000;
const LWS_KEY = { resource: LWS, ...SCENARIO_LWS };
/** Made ready, replaced by the StatefulSet, made ready again; and once to see. */
const READY_ROUNDS_MAX = 4;
const PERSON = 'kubectl';
const AGENT = 'gitops';

type Stage = { readonly cluster: Cluster; readonly scenario: Scenario };
type Act = (stage: Stage, fields: JsonObject) => Answer | undefined;

/** What each event does. An event that is not here is refused with its name. */
const acts: Readonly<Record<string, Act>> = {
  create,
  readyAll,
  patch: ({ cluster }, fields) => patch(cluster, fields),
  apply,
  putWithoutPartition: ({ cluster }) => putWithout(cluster, ['partition']),
  putWithoutRolling: ({ cluster }) => putWithout(cluster, []),
  scale: ({ cluster }, fields) => cluster.scale(SCENARIO_LWS, count(fields['replicas'], 0)),
  ready: ({ cluster }, fields) => each(fields, 'all', (choice) => makeReady(cluster, choice)),
  readyLeader: ({ cluster }, fields) => each(fields, 'leader', (choice) => cluster.setPods(choice, { kind: 'ready' })),
  readyWorkers: ({ cluster }, fields) =>
    each(fields, 'workers', (choice) => cluster.setPods(choice, { kind: 'ready' })),
  unready: ({ cluster }, fields) => each(fields, 'all', (choice) => cluster.setPods(choice, { kind: 'unready' })),
  kill: ({ cluster }, fields) => each(fields, 'leader', (choice) => cluster.kill(choice)),
  killWorker: ({ cluster }, fields) => each(fields, 1, (choice) => cluster.kill(choice)),
  crash: ({ cluster }, fields) => {
    const restarts = count(fields['restartCount'], 1);
    return each(fields, 'leader', (choice) => cluster.setPods(choice, { kind: 'restarted', restarts }));
  },
  crashLoop: ({ cluster }, fields) => {
    const restarts = count(fields['restartCount'], 1);
    return each(fields, 'leader', (choice) => cluster.setPods(choice, { kind: 'crashing', restarts }));
  },
  imageMissing: ({ cluster }, fields) =>
    each(fields, 'all', (choice) => cluster.setPods(choice, { kind: 'imageMissing', attempts: 2 })),
  loseNode: ({ cluster }, fields) => each(fields, 'all', (choice) => cluster.nodes.lose(cluster.pods(choice))),
  findNode: ({ cluster }, fields) => each(fields, 'all', (choice) => cluster.nodes.find(cluster.pods(choice))),
  removeNode: ({ cluster }, fields) => each(fields, 'all', (choice) => cluster.nodes.remove(cluster.pods(choice))),
  deleteSts: ({ cluster }, fields) => cluster.deleteLeaderSet(SCENARIO_LWS, propagationOf(fields)),
  deleteLws: ({ cluster }, fields) => cluster.deleteLws(SCENARIO_LWS, propagationOf(fields)),
  wait: ({ cluster }, fields) => {
    cluster.tick(count(fields['ms'], 0) / 1000);
    return undefined;
  },
  controllerUpgrade: ({ cluster }, fields) => {
    cluster.upgradeController(versionOf(text(fields['to'])));
    return undefined;
  },
};

/** The names of all events that a scenario may hold. */
export function scenarioEvents(): readonly string[] {
  return Object.keys(acts);
}

/** Whether the model knows an event of this name. */
export function isScenarioEvent(type: string): boolean {
  return Object.hasOwn(acts, type);
}

/**
 * The states after each event, in order; `seen` is shown the cluster after each. Throws on an event that the model does
 * not know.
 */
export function runScenario(scenario: Scenario, seen?: (cluster: Cluster) => void): readonly ScenarioStep[] {
  const cluster = createCluster({
    lws: scenario.lws,
    gate: scenario.gate,
    nowSeconds: START_SECONDS,
    ...(scenario.terminationSeconds === undefined ? {} : { terminationSeconds: scenario.terminationSeconds }),
  });
  const memory = emptyMemory();
  const stage = { cluster, scenario };
  // Some recordings start with a running LWS.
  if (scenario.events[0]?.type !== 'create') {
    create(stage);
    cluster.rest();
  }
  return scenario.events.map((event) => {
    const answer = actOn(stage, event);
    cluster.rest();
    seen?.(cluster);
    const state = { event: event.fields, ...scenarioState(cluster, memory) };
    if (answer === undefined || answer.ok) return state;
    const { code, reason, message } = answer.status;
    return { ...state, rejected: { code, ...(reason === undefined ? {} : { reason }), message } };
  });
}

function actOn(stage: Stage, event: ScenarioEvent): Answer | undefined {
  const act = isScenarioEvent(event.type) ? acts[event.type] : undefined;
  if (act === undefined) throw new Error(`scenario ${stage.scenario.name}: unknown event ${event.type}`);
  return act(stage, event.fields);
}

function create({ cluster, scenario }: Stage): Answer {
  const createdBy = text(scenario.initial['createdBy']);
  const manifest = manifestOf(scenario.initial);
  return createdBy === ''
    ? cluster.store.create(LWS, manifest, PERSON)
    : cluster.store.apply(LWS, manifest, { manager: createdBy, force: true });
}

/** The object as it is created. A field that is null is as one that is missing. */
function manifestOf(given: JsonObject): NewObject {
  const { spec, metadata } = lwsFields({ ...CREATED, ...withoutNulls(given) }, CREATED.template);
  return {
    apiVersion: 'leaderworkerset.x-k8s.io/v1',
    kind: 'LeaderWorkerSet',
    metadata: { ...metadata, ...SCENARIO_LWS },
    spec,
  };
}

/** What every manifest of a scenario spells out. */
const CREATED = {
  template: 'A',
  rolloutStrategy: { type: 'RollingUpdate', rollingUpdateConfiguration: {} },
  startupPolicy: 'LeaderCreated',
  restartPolicy: 'RecreateGroupOnPodRestart',
} as const satisfies JsonObject;

function withoutNulls(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

function readyAll({ cluster }: Stage): undefined {
  const groups = cluster.objects.list(PODS, SCENARIO_LWS.namespace).filter(isLeader);
  const indexes = groups.map((pod) => Number(labelsOf(pod)[GROUP_INDEX])).sort((left, right) => left - right);
  for (const group of indexes) makeReady(cluster, { ...SCENARIO_LWS, group, pods: 'all' });
  return undefined;
}

/** Until the whole group is ready: a leader may bring its workers, or be replaced as soon as it is ready. */
function makeReady(cluster: Cluster, choice: PodChoice): void {
  for (
    let round = 0;
    round < READY_ROUNDS_MAX && cluster.pods(choice).some((pod) => !isRunningAndReady(pod));
    round++
  ) {
    cluster.setPods(choice, { kind: 'ready' });
  }
}

/** Acts on the pods of one group or of several; the event may name other pods than is usual. */
function each(fields: JsonObject, pods: PodChoice['pods'], act: (choice: PodChoice) => void): undefined {
  const named = fields['group'] ?? fields['groups'];
  const groups = Array.isArray(named) ? items(named) : [named];
  const chosen = podsOf(fields['pod'] ?? fields['pods']) ?? pods;
  for (const group of groups) act({ ...SCENARIO_LWS, group: Number(group ?? -1), pods: chosen });
  return undefined;
}

/** `leader`, `worker` (the first), `workers`, `all`, a number, or the name of a pod; undefined where it is none. */
function podsOf(named: Json | undefined): PodChoice['pods'] | undefined {
  if (typeof named === 'number') return named === 0 ? 'leader' : named;
  if (typeof named !== 'string') return undefined;
  if (named === 'worker') return 1;
  if (named === 'all' || named === 'leader' || named === 'workers') return named;
  const number = /(?:^|-)(\d+)$/.exec(named)?.[1];
  if (number === undefined) return undefined;
  // `vllm-3-1` is a worker, `vllm-3` a leader.
  return named.split('-').length === 2 && named.startsWith(`${SCENARIO_LWS.name}-`) ? 'leader' : Number(number);
}

function patch(cluster: Cluster, fields: JsonObject): Answer {
  return cluster.store.patch(LWS_KEY, { ...lwsFields(fields, liveLetter(cluster)) }, PERSON);
}

/** What the agent's manifest says: the fields of the creation, but for those that the event sets or omits. */
function apply({ cluster, scenario }: Stage, fields: JsonObject): Answer {
  const { partition: _, ...initial } = scenario.initial;
  const manifest = manifestOf({ ...initial, template: liveLetter(cluster), ...fields });
  const omitted: (readonly string[])[] = [];
  if (fields['omitReplicas'] === true) omitted.push(['spec', 'replicas']);
  if (fields['omitRollout'] === true) omitted.push(['spec', 'rolloutStrategy']);
  const config = omitted.reduce<JsonObject>((rest, path) => withoutValue(rest, path), manifest);
  const { apiVersion, kind, metadata } = manifest;
  const options = { manager: text(fields['manager'], AGENT), force: fields['force'] !== false };
  return cluster.store.apply(LWS, { ...config, apiVersion, kind, metadata }, options);
}

function putWithout(cluster: Cluster, keys: readonly string[]): Answer | undefined {
  const live = cluster.objects.get(LWS_KEY);
  if (live === undefined) return undefined;
  const path = ['spec', 'rolloutStrategy', 'rollingUpdateConfiguration', ...keys];
  const { apiVersion, kind, metadata } = live;
  const object: NewObject = { ...withoutValue(live, path), apiVersion, kind, metadata };
  return cluster.store.update(LWS, object, PERSON);
}

/** As `kubectl delete --cascade` spells them, in any case. */
function propagationOf(fields: JsonObject): Propagation {
  const named = text(fields['propagation']).toLowerCase();
  if (named === 'foreground') return 'Foreground';
  return named === 'orphan' ? 'Orphan' : 'Background';
}

function liveLetter(cluster: Cluster): string {
  const live: KubeObject | undefined = cluster.objects.get(LWS_KEY);
  if (live === undefined) return 'A';
  const template = part(part(specOf(live), 'leaderWorkerTemplate'), 'leaderTemplate');
  return letterOf(text(objects(specOf(template)['containers'])[0]?.['image']));
}
