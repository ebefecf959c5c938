/** Runs a scenario: event by event, each until everything has come to rest, and the state after each. */

import { isJsonObject, type Json, type JsonObject } from '../api/json.ts';
import { type Cluster, createCluster, type PodChoice } from './cluster-model.ts';
import { isRunningAndReady } from './group-state.ts';
import { GROUP_INDEX, isLeader } from './labels.ts';
import { withoutValue } from './object-edit.ts';
import { count, items, type KubeObject, labelsOf, type NewObject, objects, part, specOf, text } from './objects.ts';
import { LWS, PODS } from './resource-table.ts';
import { type Scenario, type ScenarioEvent, versionOf } from './scenario-file.ts';
import { letterOf, podTemplates, SCENARIO_LWS, scenarioManifest } from './scenario-manifest.ts';
import { emptyMemory, type ScenarioState, scenarioState } from './scenario-state.ts';
import type { Answer } from './store.ts';

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
  deleteSts: ({ cluster }) => cluster.deleteLeaderSet(SCENARIO_LWS),
  deleteLws: ({ cluster }) => cluster.deleteLws(SCENARIO_LWS),
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

/** The states after each event, in order. Throws on an event that the model does not know. */
export function runScenario(scenario: Scenario): readonly ScenarioStep[] {
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
  const { createdBy } = scenario.initial;
  const manifest = scenarioManifest(scenario.initial);
  return createdBy === ''
    ? cluster.store.create(LWS, manifest, PERSON)
    : cluster.store.apply(LWS, manifest, { manager: createdBy, force: true });
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
  const groups = typeof fields['group'] === 'number' ? [fields['group']] : items(fields['group']);
  const named = fields['pod'];
  const chosen = named === 'worker' ? 1 : named === 'all' || named === 'leader' || named === 'workers' ? named : pods;
  for (const group of groups) act({ ...SCENARIO_LWS, group: count(group, -1), pods: chosen });
  return undefined;
}

function patch(cluster: Cluster, fields: JsonObject): Answer {
  const rolling = pick(fields, ['partition', 'maxSurge', 'maxUnavailable']);
  const template: Record<string, Json> = pick(fields, ['size', 'restartPolicy', 'volumeClaimTemplates']);
  if (fields['template'] !== undefined || fields['extra'] !== undefined) {
    const letter = text(fields['template'], liveLetter(cluster));
    Object.assign(template, podTemplates(letter, part(fields, 'extra')));
  }
  const spec: Record<string, Json> = pick(fields, ['replicas', 'startupPolicy']);
  if (Object.keys(rolling).length > 0) spec['rolloutStrategy'] = { rollingUpdateConfiguration: rolling };
  if (Object.keys(template).length > 0) spec['leaderWorkerTemplate'] = template;
  const metadata = fields['metadata'];
  const body = { spec, ...(isJsonObject(metadata) ? { metadata } : {}) };
  return cluster.store.patch(LWS_KEY, body, PERSON);
}

/** What the agent's manifest says: the fields of the creation, but for those that the event sets or omits. */
function apply({ cluster, scenario }: Stage, fields: JsonObject): Answer {
  const { initial } = scenario;
  const { partition: _, ...rolling } = initial.rolling;
  const manifest = scenarioManifest({
    ...initial,
    replicas: count(fields['replicas'], initial.replicas),
    template: text(fields['template'], liveLetter(cluster)),
    rolling: { ...rolling, ...pick(fields, ['partition', 'maxSurge', 'maxUnavailable']) },
  });
  const omitted: (readonly string[])[] = [];
  if (fields['omitReplicas'] === true) omitted.push(['spec', 'replicas']);
  if (fields['omitRollout'] === true) omitted.push(['spec', 'rolloutStrategy']);
  const config = omitted.reduce<JsonObject>((rest, path) => withoutValue(rest, path), manifest);
  const { apiVersion, kind, metadata } = manifest;
  const options = { manager: text(fields['manager'], AGENT), force: true };
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

function liveLetter(cluster: Cluster): string {
  const live: KubeObject | undefined = cluster.objects.get(LWS_KEY);
  if (live === undefined) return 'A';
  const template = part(part(specOf(live), 'leaderWorkerTemplate'), 'leaderTemplate');
  return letterOf(text(objects(specOf(template)['containers'])[0]?.['image']));
}

function pick(fields: JsonObject, keys: readonly string[]): Record<string, Json> {
  const picked: Record<string, Json> = {};
  for (const key of keys) {
    const value = fields[key];
    if (value !== undefined) picked[key] = value;
  }
  return picked;
}
