/** Every refusal that was recorded from a real API server, asked of ours: the same status and the same words. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/api/json.ts';
import { type ApiServer, startApiServer } from '../../../src/demo/api-server/start-api-server.ts';
import type { Cluster } from '../../../src/simulator/cluster-model.ts';
import { forbidden, unauthorized } from '../../support/api-refusals.ts';
import { type RecordedError, recordedErrors } from '../../support/recorded.ts';
import { lwsManifest, restingCluster } from '../../support/simulated-cluster.ts';

let model: Cluster;
let server: ApiServer;

beforeEach(async () => {
  const subgroups = lwsManifest({ name: 'subgroups', namespace: 'inference', replicas: 1 });
  const template = {
    ...((subgroups['spec'] as JsonObject)['leaderWorkerTemplate'] as JsonObject),
    size: 4,
    subGroupPolicy: { subGroupSize: 2 },
  };
  model = restingCluster([
    lwsManifest({ namespace: 'inference' }),
    { ...subgroups, spec: { ...(subgroups['spec'] as JsonObject), leaderWorkerTemplate: template } },
  ]);
  server = await startApiServer({
    model,
    port: 0,
    kinds: undefined,
    interfere: ({ authorization }, target) => {
      if (authorization === 'Bearer bad token') return unauthorized;
      if (authorization !== 'Bearer limited' || target === undefined) return undefined;
      const { kind, namespace, name } = target;
      return forbidden('limited', { verb: name === '' ? 'list' : 'get', ...kind, namespace, name });
    },
  });
});
afterEach(() => server.close());

const lwsPath = '/apis/leaderworkerset.x-k8s.io/v1/namespaces/inference/leaderworkersets';
type Request = RecordedError['request'] & { readonly contentType?: string; readonly as?: string };

/** What the recorded request leaves out, or what must happen before it. */
const prepare: Readonly<Record<string, (request: Request) => Request>> = {
  'already-exists': (request) => ({ ...request, body: lwsManifest({ namespace: 'inference' }) }),
  'bad-name': (request) => ({ ...request, body: { ...lwsManifest({ namespace: 'inference', name: '9vllm' }) } }),
  'apply-conflict': (request) => {
    const { apiVersion, kind, metadata } = lwsManifest({ namespace: 'inference' });
    const spec = { rolloutStrategy: { rollingUpdateConfiguration: { partition: 2 } } };
    return { ...request, body: { apiVersion, kind, metadata, spec } };
  },
  'conflict-stale-put': (request) => ({ ...request, body: stale(lwsManifest({ namespace: 'inference' })) }),
  'conflict-stale-merge-patch': (request) => ({ ...request, body: { metadata: { resourceVersion: '1' } } }),
  'json-patch-test-failed': (request) => ({ ...request, body: [{ op: 'test', path: '/spec/replicas', value: 9 }] }),
  'unsupported-media-type': (request) => ({ ...request, body: {} }),
  'webhook-down': (request) => {
    model.setControllerUp(false);
    return request;
  },
  'expired-list-continue': (request) => {
    const next = Buffer.from('5 inference/vllm-0').toString('base64url');
    return { ...request, path: `/api/v1/namespaces/inference/pods?limit=1&continue=${next}` };
  },
  'expired-watch': (request) => {
    // The log of changes is finite: after enough of them, the first is forgotten.
    for (let i = 0; i < 10_000; i += 1) {
      model.store.patch(
        { resource: 'services', namespace: 'inference', name: 'vllm' },
        { metadata: { labels: { i: String(i) } } },
        'me',
      );
    }
    return request;
  },
};

function stale(manifest: JsonObject): JsonObject {
  return { ...manifest, metadata: { ...(manifest['metadata'] as JsonObject), resourceVersion: '1' } };
}

async function ask({ method, path, body, contentType = 'application/json', as }: Request) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { 'content-type': contentType, ...(as === undefined ? {} : { authorization: `Bearer ${as}` }) },
    ...(text === undefined ? {} : { body: text }),
  });
  const reply = await response.text();
  return { httpStatus: response.status, body: reply.startsWith('{') ? (JSON.parse(reply) as unknown) : reply };
}

/** Versions and tokens are the server's own; everything else must be as recorded. */
function comparable(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replace(/too old resource version: 1 \(\d+\)/, 'too old resource version: 1 (…)')
    .replace(/current: \d+/, 'current: …');
  return JSON.parse(text, (key, inner: unknown) => (key === 'continue' ? undefined : inner));
}

/** Recorded, but not served here, each with the reason. */
const different: Readonly<Record<string, string>> = {
  'bad-request-json': 'the words of the JSON parser are those of Go',
  'strict-unknown-field': 'the words hold the whole object, its managed fields too',
};

describe('refusals', () => {
  test.each(
    recordedErrors.filter(({ name }) => different[name] === undefined).map((error) => [error.name, error] as const),
  )('%s', async (name, { request, httpStatus, body }) => {
    const answer = await ask((prepare[name] ?? ((same) => same))(request));
    expect(comparable(answer)).toEqual(comparable({ httpStatus, body }));
  });

  test('those that differ are still refused with the same status, or are listed', async () => {
    const { request, httpStatus } = recordedErrors.find(({ name }) => name === 'bad-request-json')!;
    expect(await ask(request)).toMatchObject({ httpStatus, body: { reason: 'BadRequest', code: 400 } });
    const strict = recordedErrors.find((error) => error.name === 'strict-unknown-field')!;
    const refused = await ask(strict.request);
    expect(refused.httpStatus).toBe(strict.httpStatus);
    const { message } = refused.body as { readonly message: string };
    expect(message).toMatch(/^ "" is invalid: patch: Invalid value: "\{.*\}": strict decoding error: unknown field/);
    expect(message.endsWith('unknown field "spec.paused"')).toBe(true);
    expect(Object.keys(different).every((name) => recordedErrors.some((error) => error.name === name))).toBe(true);
  });

  test.each<[string, Request, number]>([
    ['a body of the wrong kind', { method: 'POST', path: lwsPath, body: { apiVersion: 'v1', kind: 'Pod' } }, 400],
    [
      'another namespace than the path',
      { method: 'POST', path: lwsPath, body: lwsManifest({ namespace: 'llm' }) },
      400,
    ],
    [
      'another name than the path',
      { method: 'PUT', path: `${lwsPath}/vllm`, body: lwsManifest({ namespace: 'inference', name: 'x' }) },
      400,
    ],
    [
      'no field manager',
      { method: 'PATCH', path: `${lwsPath}/vllm`, contentType: 'application/apply-patch+yaml', body: {} },
      422,
    ],
    ['a form', { method: 'POST', path: lwsPath, contentType: 'text/plain', body: {} }, 415],
    [
      'YAML with an alias',
      {
        method: 'PATCH',
        path: `${lwsPath}/vllm?fieldManager=x`,
        contentType: 'application/apply-patch+yaml',
        body: 'a: &a [1]\nb: *a',
      },
      400,
    ],
    [
      'a JSON patch of the prototype',
      {
        method: 'PATCH',
        path: `${lwsPath}/vllm`,
        contentType: 'application/json-patch+json',
        body: [{ op: 'add', path: '/__proto__/x', value: 1 }],
      },
      422,
    ],
    [
      'a merge patch of a missing object',
      { method: 'PATCH', path: `${lwsPath}/nope`, contentType: 'application/merge-patch+json', body: {} },
      404,
    ],
    ['a selector that is none', { method: 'GET', path: `${lwsPath}?labelSelector=a+b` }, 400],
    ['a field that cannot be selected', { method: 'GET', path: `${lwsPath}?fieldSelector=spec.replicas%3D1` }, 400],
    ['a continue token that is none', { method: 'GET', path: `${lwsPath}?continue=x` }, 400],
    ['a subresource that is none', { method: 'GET', path: `${lwsPath}/vllm/logs` }, 404],
    ['two rules for one version', { method: 'GET', path: `${lwsPath}?resourceVersionMatch=Exact` }, 422],
    ['a rule that is none', { method: 'GET', path: `${lwsPath}?resourceVersion=1&resourceVersionMatch=Soon` }, 422],
    ['exactly any version', { method: 'GET', path: `${lwsPath}?resourceVersion=0&resourceVersionMatch=Exact` }, 422],
    ['a version that is no number', { method: 'GET', path: `${lwsPath}?resourceVersion=x` }, 400],
    ['a watch from the future', { method: 'GET', path: `${lwsPath}?watch=1&resourceVersion=99999999` }, 504],
    ['a first state without a rule', { method: 'GET', path: `${lwsPath}?watch=1&sendInitialEvents=true` }, 422],
    ['an object of the future', { method: 'GET', path: `${lwsPath}/vllm?resourceVersion=99999999` }, 504],
    [
      'a field that is none, when applied',
      {
        method: 'PATCH',
        path: `${lwsPath}/vllm?fieldManager=x`,
        contentType: 'application/apply-patch+yaml',
        body: { ...lwsManifest({ namespace: 'inference' }), spec: { paused: true } },
      },
      500,
    ],
    [
      'a field that is none, in a strict PUT',
      {
        method: 'POST',
        path: `${lwsPath}?fieldValidation=Strict`,
        body: { ...lwsManifest({ namespace: 'inference', name: 'x' }), spec: { paused: true } },
      },
      400,
    ],
    [
      'a validation that is none',
      { method: 'POST', path: `${lwsPath}?fieldValidation=Lax`, body: lwsManifest({ namespace: 'inference' }) },
      400,
    ],
    [
      'a delete of another version',
      { method: 'DELETE', path: `${lwsPath}/vllm`, body: { preconditions: { resourceVersion: '1' } } },
      409,
    ],
    [
      'a delete of another uid',
      { method: 'DELETE', path: `${lwsPath}/vllm`, body: { preconditions: { uid: 'x' } } },
      409,
    ],
    [
      'negative replicas in a scale',
      { method: 'PUT', path: `${lwsPath}/vllm/scale`, body: { spec: { replicas: -1 } } },
      400,
    ],
  ])('%s', async (_, request, status) => {
    expect(await ask(request)).toMatchObject({ httpStatus: status });
  });
});
