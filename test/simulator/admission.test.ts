/** Defaults and refusals of a LeaderWorkerSet, against the answers that a real API server gave. */

import { expect, test } from 'vitest';
import { at, type JsonObject } from '../../src/api/json.ts';
import { newObject } from '../../src/simulator/agent/agent.ts';
import { Cluster } from '../../src/simulator/cluster-model.ts';
import { LWS } from '../../src/simulator/objects/resource-table.ts';
import type { Answer } from '../../src/simulator/server/store.ts';
import { recordedErrors, recordedItems } from '../support/recorded.ts';

const key = { resource: LWS, namespace: 'inference', name: 'vllm' };

function recorded(): JsonObject {
  const [lws] = recordedItems('at-rest-armed', 'lws') as readonly JsonObject[];
  return { ...lws, metadata: { name: 'vllm', namespace: 'inference' }, status: {} };
}

function cluster(): Cluster {
  const made = new Cluster({ lws: '0.10', gate: 'off', nowSeconds: 0 });
  expect(made.store.create(LWS, newObject(recorded(), '')!, 'kubectl').ok).toBe(true);
  return made;
}

function refusal(answer: Answer): unknown {
  return answer.ok ? 'accepted' : answer.status;
}

const refusedPatches = recordedErrors.filter(
  ({ name, request }) => request.body !== undefined && request.method === 'PATCH' && !notOfThisObject().has(name),
);

/** What no object decides: undecodable bodies, strict field validation, an outage, another LWS than ours. */
function notOfThisObject(): ReadonlySet<string> {
  return new Set(['bad-request-json', 'strict-unknown-field', 'webhook-down', 'subgroup-size-change']);
}

test('there are recorded refusals to compare with', () => {
  expect(refusedPatches.map(({ name }) => name)).toHaveLength(12);
});

test.each(refusedPatches.map((error) => [error.name, error] as const))('%s', (_, error) => {
  const answer = cluster().store.patch(key, error.request.body as JsonObject, 'kubectl');
  expect(refusal(answer)).toEqual(error.body);
});

test('a name that is no DNS label', () => {
  const error = recordedErrors.find(({ name }) => name === 'bad-name')!;
  const object = newObject({ ...recorded(), metadata: { name: '9vllm', namespace: 'inference' } }, '')!;
  expect(refusal(cluster().store.create(LWS, object, 'kubectl'))).toEqual(error.body);
});

test('subGroupSize is fixed at creation', () => {
  const error = recordedErrors.find(({ name }) => name === 'subgroup-size-change')!;
  const made = cluster();
  const spec = recorded()['spec'] as JsonObject;
  const template = { ...(spec['leaderWorkerTemplate'] as JsonObject), size: 8, subGroupPolicy: { subGroupSize: 2 } };
  const object = {
    ...recorded(),
    metadata: { name: 'subgroups', namespace: 'inference' },
    spec: { ...spec, leaderWorkerTemplate: template },
  };
  expect(made.store.create(LWS, newObject(object, '')!, 'kubectl').ok).toBe(true);
  const answer = made.store.patch({ ...key, name: 'subgroups' }, error.request.body as JsonObject, 'kubectl');
  expect(refusal(answer)).toEqual(error.body);
});

test('while the controller is down no LWS can be written', () => {
  const error = recordedErrors.find(({ name }) => name === 'webhook-down')!;
  const made = cluster();
  made.setControllerUp(false);
  expect(refusal(made.store.patch(key, error.request.body as JsonObject, 'kubectl'))).toEqual(error.body);
  made.setControllerUp(true);
  expect(made.store.patch(key, error.request.body as JsonObject, 'kubectl').ok).toBe(true);
});

test.each([
  // written, path, stored
  [{ spec: { networkConfig: null } }, ['spec', 'networkConfig'], { subdomainPolicy: 'Shared' }],
  [
    { spec: { rolloutStrategy: null } },
    ['spec', 'rolloutStrategy'],
    { type: 'RollingUpdate', rollingUpdateConfiguration: { partition: 0, maxUnavailable: 1, maxSurge: 0 } },
  ],
  [
    { spec: { leaderWorkerTemplate: { restartPolicy: 'Default' } } },
    ['spec', 'leaderWorkerTemplate', 'restartPolicy'],
    'None',
  ],
  [{ spec: { replicas: null } }, ['spec', 'replicas'], 1],
])('%j is defaulted', (patch, path, stored) => {
  const answer = cluster().store.patch(key, patch, 'kubectl');
  expect(answer.ok && at(answer.object, path)).toEqual(stored);
});

test('RecreateGroupAfterStart came with 0.9', () => {
  const patch = { spec: { leaderWorkerTemplate: { restartPolicy: 'RecreateGroupAfterStart' } } };
  const old = new Cluster({ lws: '0.8', gate: 'off', nowSeconds: 0 });
  old.store.create(LWS, newObject(recorded(), '')!, 'kubectl');
  expect(refusal(old.store.patch(key, patch, 'kubectl'))).toMatchObject({ code: 422 });
  expect(cluster().store.patch(key, patch, 'kubectl').ok).toBe(true);
});
