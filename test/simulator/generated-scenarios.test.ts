/** Scenarios that nobody recorded: every event with every field, and what must hold of a controller at rest. */

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { asWritten, type JsonObject } from '../../src/api/json.ts';
import type { Cluster } from '../../src/simulator/cluster-model.ts';
import { runScenario, type ScenarioStep } from '../../src/simulator/scenario/scenario.ts';
import { parseScenario, type Scenario } from '../../src/simulator/scenario/scenario-file.ts';
import { emptyMemory, scenarioState } from '../../src/simulator/scenario/scenario-state.ts';

const SENTINEL = 1_000_000;
const RUNS = 150;

const partition = fc.constantFrom(0, 1, 2, 3, 4, 5, SENTINEL);
const unavailable = fc.constantFrom(0, 1, 2, 4, 10, '25%', '50%', '100%');
const surge = fc.constantFrom(0, 1, 2, 3, 9, '25%', '50%', '100%');
const replicas = fc.constantFrom(0, 1, 2, 3, 4, 6);
const template = fc.constantFrom('A', 'B', 'C');
const group = fc.oneof(fc.nat(6), fc.uniqueArray(fc.nat(5), { maxLength: 3 }));
const pod = fc.constantFrom('all', 'leader', 'worker', 'workers');
const claims = [{ metadata: { name: 'cache' }, spec: { accessModes: ['ReadWriteOnce'] } }];

/** Each key is there or not, and at least one is. */
function some(keys: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> {
  return fc.record(keys, { requiredKeys: [] }).filter((made) => Object.keys(made).length > 0);
}

const patch = some({
  template,
  partition,
  replicas,
  maxUnavailable: unavailable,
  maxSurge: surge,
});
const rarePatch = some({
  size: fc.constantFrom(1, 2, 3),
  restartPolicy: fc.constantFrom('RecreateGroupOnPodRestart', 'RecreateGroupAfterStart', 'None', 'Default'),
  startupPolicy: fc.constantFrom('LeaderCreated', 'LeaderReady'),
  subdomainPolicy: fc.constantFrom('Shared', 'UniquePerReplica'),
  extra: fc.constantFrom({ envReversed: true }, { labels: { a: 'b' } }, { intQuantity: true }),
  metadata: fc.constantFrom({ labels: { touched: 'yes' } }, { labels: { touched: null } }),
});

function event(
  type: string,
  fields: Record<string, fc.Arbitrary<unknown>>,
  keys: readonly string[] = [],
): fc.Arbitrary<object> {
  return fc.record(fields, { requiredKeys: [...keys] }).map((made) => ({ type, ...made }));
}

const events = fc.oneof(
  { weight: 6, arbitrary: patch.map((fields) => ({ type: 'patch', ...fields })) },
  { weight: 1, arbitrary: rarePatch.map((fields) => ({ type: 'patch', ...fields })) },
  { weight: 6, arbitrary: event('ready', { group }, ['group']) },
  { weight: 1, arbitrary: event('readyAll', {}) },
  { weight: 1, arbitrary: event('readyLeader', { group }, ['group']) },
  { weight: 1, arbitrary: event('readyWorkers', { group }, ['group']) },
  { weight: 2, arbitrary: event('unready', { group, pod }, ['group']) },
  { weight: 1, arbitrary: event('kill', { group, pod }, ['group']) },
  { weight: 1, arbitrary: event('killWorker', { group }, ['group']) },
  { weight: 1, arbitrary: event('crash', { group, pod, restartCount: fc.constantFrom(1, 2) }, ['group']) },
  { weight: 1, arbitrary: event('crashLoop', { group, pod }, ['group']) },
  { weight: 1, arbitrary: event('imageMissing', { group, pod }, ['group']) },
  { weight: 1, arbitrary: event('scale', { replicas }, ['replicas']) },
  {
    weight: 2,
    arbitrary: event('apply', {
      template,
      partition,
      replicas,
      manager: fc.constantFrom('argocd', 'gitops'),
      omitReplicas: fc.boolean(),
      omitRollout: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: event('wait', { ms: fc.constantFrom(10, 8000) }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<object>(
      { type: 'putWithoutPartition' },
      { type: 'putWithoutRolling' },
      { type: 'deleteSts' },
      { type: 'deleteSts', propagation: 'foreground' },
      { type: 'deleteSts', propagation: 'orphan' },
      { type: 'deleteLws' },
      { type: 'deleteLws', propagation: 'foreground' },
      { type: 'deleteLws', propagation: 'orphan' },
      { type: 'create' },
      { type: 'controllerUpgrade', from: '0.8.0', to: '0.10.0' },
      { type: 'patch', volumeClaimTemplates: claims },
    ),
  },
);

const scenario = fc
  .record({
    lws: fc.constantFrom('0.6.2', '0.8.0', '0.10.0'),
    maxUnavailableGate: fc.constantFrom('off', 'on', 'on-1.37'),
    bound: fc.boolean(),
    initial: fc.record(
      {
        replicas,
        size: fc.constantFrom(1, 2, 3),
        partition,
        maxUnavailable: unavailable,
        maxSurge: surge,
        startupPolicy: fc.constantFrom('LeaderCreated', 'LeaderReady'),
        restartPolicy: fc.constantFrom('RecreateGroupOnPodRestart', 'RecreateGroupAfterStart', 'None'),
        createdBy: fc.constant('gitops'),
      },
      { requiredKeys: ['replicas', 'size', 'partition'] },
    ),
    later: fc.array(events, { minLength: 1, maxLength: 14 }),
  })
  .map(({ bound, later, ...rest }) => ({
    name: 'generated',
    ...rest,
    ...(bound ? { podsBoundToNodes: true, terminationMs: 500 } : {}),
    events: [{ type: 'create' }, { type: 'readyAll' }, ...later],
  }));

function parsed(raw: object): Scenario {
  const result = parseScenario('generated.json', asWritten(raw));
  if (result.kind !== 'ok') throw new Error(JSON.stringify(result.issues));
  expect(result.warnings).toEqual([]);
  return result.value;
}

function number(object: JsonObject, key: string): number {
  return Number(object[key] ?? 0);
}

/** Reference, 8: counters and conditions as they follow from the groups. */
function checkStatus(step: ScenarioStep, lwsVersion: string): void {
  const { lws, sts, groups } = step;
  if (sts === null) return;
  const size = number(lws, 'size');
  const [n, p] = [number(lws, 'replicas'), number(lws, 'partition')];
  let [ready, updated, inPart, updatedInPart, done, readyBelow] = [0, 0, 0, 0, 0, 0];
  for (const one of groups) {
    const workers = one['workers'] as JsonObject;
    if (size > 1 && workers['want'] === null) continue;
    const reached = lwsVersion === '0.10' ? workers['ready'] : workers['total'];
    const isReady =
      one['leaderReady'] === true && one['leaderPhase'] === 'Running' && (size === 1 || reached === workers['want']);
    const isUpdated = one['rev'] === sts['rev'] && (size === 1 || workers['rev'] === sts['rev']);
    const index = number(one, 'index');
    if (isReady) ready += 1;
    if (isUpdated) updated += 1;
    if (isReady && index < n) readyBelow += 1;
    if (index < p || index >= n) continue;
    inPart += 1;
    if (isUpdated) updatedInPart += 1;
    if (isUpdated && isReady) done += 1;
  }
  expect({ ready: lws['readyReplicas'], updated: lws['updatedReplicas'] }).toEqual({ ready, updated });
  const conditions = lws['conditions'] as Readonly<Record<string, string>>;
  if (updatedInPart < inPart) {
    expect(conditions).toMatchObject({ UpdateInProgress: 'True', Progressing: 'True' });
  } else if (readyBelow === n && done === inPart) {
    expect(conditions['Available']).toBe('True');
    expect(conditions['Progressing']).not.toBe('True');
    expect(conditions['UpdateInProgress']).not.toBe('True');
  } else expect(conditions['Progressing']).toBe('True');
}

function checkSet(step: ScenarioStep): void {
  const { lws, sts, groups } = step;
  if (sts === null) return;
  expect(groups.map((one) => one['index'])).toEqual(groups.map((_, at) => at));
  expect(groups).toHaveLength(number(sts, 'replicas'));
  expect(lws['statusReplicas']).toBe(groups.length);
  expect(number(sts, 'partition')).toBeGreaterThanOrEqual(number(lws, 'partition'));
  expect(number(sts, 'replicas')).toBeGreaterThanOrEqual(number(lws, 'replicas'));
  expect(sts['observed']).toBe(true);
  expect(sts['annotationReplicas']).toBe(String(number(lws, 'replicas')));
}

/** A refused StatefulSet stops LWS: then status, partition and replicas are of before. */
function isWedged(cluster: Cluster): boolean {
  const newest = cluster.events().at(-1)?.reason;
  return (
    newest === 'FailedUpdate' || newest === 'FailedCreate' || cluster.events().some((one) => one.type === 'Warning')
  );
}

test('every scenario is accepted, ends in rest after each event, and its states follow the rules', () => {
  fc.assert(
    fc.property(scenario, (raw) => {
      const memory: { readonly wedged: boolean; readonly version: string; readonly text: string }[] = [];
      const steps = runScenario(parsed(raw), (cluster) => {
        const { lws } = cluster.modes();
        const fork = cluster.fork();
        const before = JSON.stringify(scenarioState(fork, emptyMemory()));
        // The controller restarts: nothing is left that it would have done.
        fork.upgradeController(lws);
        fork.rest();
        const after = JSON.stringify(scenarioState(fork, emptyMemory()));
        memory.push({ wedged: isWedged(cluster), version: lws, text: before === after ? '' : `${before}\n${after}` });
      });
      for (const [at, step] of steps.entries()) {
        const { wedged, version, text } = memory[at]!;
        if (wedged || Object.keys(step.lws).length === 0) break;
        checkStatus(step, version);
        checkSet(step);
        // The pods of a group are looked at when one of them changes, not when the LWS does.
        const asleep = step.groups.some((one) => (one['workers'] as JsonObject)['want'] === null);
        const crashed = steps.slice(0, at + 1).some(({ event: { type } }) => type === 'crash' || type === 'crashLoop');
        if (!asleep && !crashed) expect(text).toBe('');
      }
    }),
    { numRuns: RUNS, seed: 20_261_121 },
  );
});
