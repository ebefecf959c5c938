/** The simulated API over HTTP: discovery, lists in pages, watches, writes of every kind, tables. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { at } from '../../../src/api/json.ts';
import { shortDuration } from '../../../src/demo/api-server/columns.ts';
import { fieldSelector, labelSelector } from '../../../src/demo/api-server/selectors.ts';
import { type ApiServer, startApiServer } from '../../../src/demo/api-server/start-api-server.ts';
import type { Cluster } from '../../../src/simulator/cluster-model.ts';
import type { KubeObject } from '../../../src/simulator/objects/objects.ts';
import { resourceKinds } from '../../../src/simulator/objects/resource-table.ts';
import { recordedItems } from '../../support/recorded.ts';
import { lwsManifest, restingCluster } from '../../support/simulated-cluster.ts';

const LWS = '/apis/leaderworkerset.x-k8s.io/v1/namespaces/llm/leaderworkersets';
const PODS = '/api/v1/namespaces/llm/pods';

let model: Cluster;
let server: ApiServer;
const streams: AbortController[] = [];

beforeEach(async () => {
  model = restingCluster();
  const kinds = resourceKinds.filter(({ group }) => group !== 'keda.sh');
  server = await startApiServer({ model, kinds, port: 0, interfere: undefined });
});
afterEach(async () => {
  for (const stream of streams.splice(0)) stream.abort();
  await server.close();
});

/** The fields of answers that tests look at; which of them are there is what they assert. */
type Wire = {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion: string;
    readonly continue: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly replicas: number };
  readonly status: unknown;
  readonly data: unknown;
  readonly items: readonly Wire[];
  readonly groups: readonly { readonly name: string }[];
  readonly resources: readonly {
    readonly name: string;
    readonly namespaced: boolean;
    readonly shortNames?: readonly string[];
  }[];
  readonly columnDefinitions: readonly { readonly name: string }[];
  readonly rows: readonly { readonly cells: readonly unknown[] }[];
};
type Answer = { readonly status: number; readonly body: Wire };

async function ask(
  method: string,
  path: string,
  body?: unknown,
  contentType = 'application/json',
  accept = '',
): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { 'content-type': contentType, accept },
    ...(text === undefined ? {} : { body: text }),
  });
  const reply = await response.text();
  return { status: response.status, body: reply.startsWith('{') ? JSON.parse(reply) : reply };
}
const get = (path: string, accept = '') => ask('GET', path, undefined, '', accept);
const names = ({ body }: Answer): readonly string[] => body.items.map((item) => item.metadata.name);
const live = () =>
  model.store.objects.get({ resource: 'leaderworkersets.leaderworkerset.x-k8s.io', namespace: 'llm', name: 'vllm' })!;

describe('discovery', () => {
  test.each([
    ['/version', { gitVersion: 'v1.36.3' }],
    ['/api', { versions: ['v1'] }],
    ['/apis/leaderworkerset.x-k8s.io', { preferredVersion: { groupVersion: 'leaderworkerset.x-k8s.io/v1' } }],
    ['/openapi/v3', { paths: { 'apis/apps/v1': { serverRelativeURL: '/openapi/v3/apis/apps/v1?hash=1' } } }],
  ])('%s', async (path, wanted) => {
    expect(await get(path)).toMatchObject({ status: 200, body: wanted });
  });

  test('resources have short names, scopes and subresources', async () => {
    const { body } = await get('/apis/leaderworkerset.x-k8s.io/v1');
    expect(body.resources.map(({ name, namespaced, shortNames }) => [name, namespaced, shortNames])).toEqual([
      ['leaderworkersets', true, ['lws']],
      ['leaderworkersets/status', true, undefined],
      ['leaderworkersets/scale', true, undefined],
    ]);
    const core = await get('/api/v1');
    expect(core.body.resources.find(({ name }) => name === 'namespaces')?.namespaced).toBe(false);
    expect((await get('/apis')).body.groups.map(({ name }) => name)).toContain('apps');
  });

  test.each([
    '/',
    '/apis/keda.sh',
    '/apis/keda.sh/v1alpha1',
    '/apis/keda.sh/v1alpha1/namespaces/llm/scaledobjects',
    '/api/v2',
    '/apis/apps/v1/x/y/z',
  ])('%s is not served', async (path) => {
    expect(await get(path)).toEqual({ status: 404, body: '404 page not found\n' });
  });
});

describe('reading', () => {
  test('lists have the shape of recorded ones: built-in items without kind, custom ones with it', async () => {
    const [pods, lws] = [await get(PODS), await get(LWS)];
    expect(pods.body).toMatchObject({ kind: 'PodList', apiVersion: 'v1' });
    expect(Object.keys(pods.body.items[0]!).sort()).toEqual(
      Object.keys(recordedItems('mid-canary', 'pods')[0] as object).sort(),
    );
    expect(Object.keys(lws.body.items[0]!).sort()).toEqual(
      Object.keys(recordedItems('mid-canary', 'lws')[0] as object).sort(),
    );
    expect(Object.keys((await get(`${LWS}/vllm`)).body).sort()).toEqual([
      'apiVersion',
      'kind',
      'metadata',
      'spec',
      'status',
    ]);
  });

  test('pages are of one moment, whatever happens between them', async () => {
    const first = await get(`${PODS}?limit=5`);
    expect(first.body.metadata).toMatchObject({ remainingItemCount: 3 });
    model.scale({ namespace: 'llm', name: 'vllm' }, 1);
    const second = await get(`${PODS}?limit=5&continue=${first.body.metadata.continue}`);
    expect([...names(first), ...names(second)]).toHaveLength(8);
    expect(second.body.metadata).toStrictEqual({ resourceVersion: first.body.metadata.resourceVersion });
    expect(names(await get(PODS))).toEqual(['vllm-0', 'vllm-0-1']);
    server.compact();
    expect(await get(`${PODS}?limit=5&continue=${first.body.metadata.continue}`)).toMatchObject({
      status: 410,
      body: { reason: 'Expired' },
    });
  });

  test.each([
    ['fieldSelector=metadata.name%3Dvllm-1', ['vllm-1']],
    ['fieldSelector=status.phase%21%3DRunning', []],
    ['fieldSelector=metadata.namespace%3Dother', []],
    ['labelSelector=role%3Dleader&fieldSelector=metadata.name%21%3Dvllm-0', ['vllm-1', 'vllm-2', 'vllm-3']],
  ])('pods with %s', async (query, wanted) => {
    expect(names(await get(`${PODS}?${query}`))).toEqual(wanted);
  });

  test('all namespaces, and a namespace that is implied by what is in it', async () => {
    expect(names(await get('/api/v1/pods'))).toHaveLength(8);
    expect(await get('/api/v1/namespaces/llm')).toMatchObject({ status: 200, body: { kind: 'Namespace' } });
    expect(await get('/api/v1/namespaces/empty')).toMatchObject({ status: 404 });
  });

  test('the scale of a LeaderWorkerSet', async () => {
    expect((await get(`${LWS}/vllm/scale`)).body).toMatchObject({
      kind: 'Scale',
      spec: { replicas: 4 },
      status: {
        replicas: 4,
        selector: 'leaderworkerset.sigs.k8s.io/name=vllm,leaderworkerset.sigs.k8s.io/worker-index=0',
      },
    });
  });

  test('a table, where the client prefers one', async () => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
    const { body } = await get(LWS, accept);
    expect(body.columnDefinitions.map(({ name }) => name)).toEqual(['Name', 'Ready', 'Desired', 'Up-to-date', 'Age']);
    expect(body.rows.map(({ cells }) => cells)).toEqual([['vllm', 4, 4, 4, '60s']]);
    expect((await get(`${LWS}/vllm`, accept)).body.kind).toBe('Table');
  });
});

describe('writing', () => {
  const applyType = 'application/apply-patch+yaml';

  test('the controllers act after each write', async () => {
    expect((await ask('POST', LWS, lwsManifest({ name: 'new', replicas: 1 }))).status).toBe(201);
    expect(names(await get(`${PODS}?labelSelector=app%3Dnew`))).toEqual(['new-0', 'new-0-1']);
  });

  test('apply takes YAML, creates once, and owns what it sets', async () => {
    const yaml = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n  namespace: llm\ndata:\n  a: "1"\n`;
    const path = '/api/v1/namespaces/llm/configmaps/c?fieldManager=me';
    expect(await ask('PATCH', path, yaml, applyType)).toMatchObject({ status: 201, body: { data: { a: '1' } } });
    expect((await ask('PATCH', path, yaml, applyType)).status).toBe(200);
    const other = yaml.replace('"1"', '"2"');
    expect((await ask('PATCH', path.replace('=me', '=you'), other, applyType)).status).toBe(409);
    expect((await ask('PATCH', `${path.replace('=me', '=you')}&force=true`, other, applyType)).body.data).toEqual({
      a: '2',
    });
  });

  test('a dry run answers and changes nothing', async () => {
    const version = model.store.objects.resourceVersion;
    const path = `${LWS}/vllm?fieldManager=me&force=true&dryRun=All`;
    expect((await ask('PATCH', path, lwsManifest({ replicas: 9 }), applyType)).body.spec.replicas).toBe(9);
    expect(model.store.objects.resourceVersion).toBe(version);
    expect((await get(`${LWS}/vllm`)).body.spec.replicas).toBe(4);
  });

  test.each<[string, string, unknown, string]>([
    ['merge patch', 'application/merge-patch+json', { spec: { replicas: 2 }, status: { replicas: 99 } }, ''],
    ['JSON patch', 'application/json-patch+json', [{ op: 'replace', path: '/spec/replicas', value: 2 }], ''],
    ['merge patch of the scale', 'application/merge-patch+json', { spec: { replicas: 2 } }, '/scale'],
    [
      'JSON patch of the scale',
      'application/json-patch+json',
      [{ op: 'replace', path: '/spec/replicas', value: 2 }],
      '/scale',
    ],
  ])('%s', async (_, type, patch, subresource) => {
    expect(await ask('PATCH', `${LWS}/vllm${subresource}`, patch, type)).toMatchObject({
      status: 200,
      body: { spec: { replicas: 2 } },
    });
    expect(live()).toMatchObject({ spec: { replicas: 2 }, metadata: { generation: 2 }, status: { replicas: 2 } });
  });

  test('PUT replaces what is not status; the newest version is needed where one is named', async () => {
    const { body } = await get(`${LWS}/vllm`);
    const changed = { ...body, spec: { ...body.spec, replicas: 3 }, status: {} };
    expect((await ask('PUT', `${LWS}/vllm`, changed)).body.spec.replicas).toBe(3);
    expect(live()).toMatchObject({ status: { readyReplicas: 3 } });
    expect((await ask('PUT', `${LWS}/vllm`, changed)).status).toBe(409);
  });

  test('the status is written through its subresource only', async () => {
    const path = '/api/v1/namespaces/llm/pods/vllm-3';
    const { body } = await get(path);
    expect((await ask('PUT', `${path}/status`, { ...body, status: { phase: 'Failed' } })).body.status).toEqual({
      phase: 'Failed',
    });
    expect(
      (await ask('PATCH', `${path}/status`, { status: { reason: 'Evicted' } }, 'application/merge-patch+json')).body
        .status,
    ).toMatchObject({ reason: 'Evicted' });
  });

  test('strategic merge patches of built-in kinds: lists are merged by the key of their items', async () => {
    const type = 'application/strategic-merge-patch+json';
    const path = '/apis/apps/v1/namespaces/llm/deployments/web';
    const env = [{ name: 'A', value: '1' }];
    const web = { name: 'web', image: 'web:1', args: ['a', 'b'], env };
    const log = { name: 'log', image: 'log:1' };
    const spec = {
      strategy: { type: 'RollingUpdate', rollingUpdate: {} },
      template: { spec: { containers: [web, log] } },
    };
    const made = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'llm' }, spec };
    expect((await ask('POST', path.replace('/web', ''), made)).status).toBe(201);
    const changed = async (change: unknown) => (await ask('PATCH', path, change, type)).body;
    expect((await changed({ metadata: { labels: { x: 'y' } } })).metadata.labels).toEqual({ x: 'y' });
    const inPods = ['spec', 'template', 'spec', 'containers'];
    const containers = async (list: readonly unknown[], order: unknown) =>
      at(
        await changed({ spec: { template: { spec: { '$setElementOrder/containers': order, containers: list } } } }),
        inPods,
      );
    expect(
      await containers([{ name: 'web', image: 'web:2', args: ['c'], env: [{ name: 'B', value: '2' }] }], undefined),
    ).toEqual([{ ...web, image: 'web:2', args: ['c'], env: [...env, { name: 'B', value: '2' }] }, log]);
    const added = { name: 'new', image: 'new:1' };
    const order = [{ name: 'new' }, { name: 'web' }];
    const left = await containers([{ name: 'log', $patch: 'delete' }, { name: 'web', env: null }, added], order);
    expect(left).toEqual([added, { name: 'web', image: 'web:2', args: ['c'] }]);
    const recreated = await changed({ spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } });
    expect(at(recreated, ['spec', 'strategy'])).toEqual({ type: 'Recreate' });
  });

  test('DELETE says what is gone, and asks for the right one', async () => {
    const wrong = { kind: 'DeleteOptions', preconditions: { uid: 'another' } };
    expect((await ask('DELETE', `${LWS}/vllm`, wrong)).status).toBe(409);
    expect((await ask('DELETE', `${LWS}/vllm`)).body).toMatchObject({
      status: 'Success',
      details: { name: 'vllm', kind: 'leaderworkersets' },
    });
    expect(names(await get(PODS))).toEqual([]);
    expect((await ask('DELETE', `${LWS}/vllm`)).status).toBe(404);
  });

  test('a body without end is refused', async () => {
    expect(await ask('POST', LWS, ' '.repeat(3 * 1024 * 1024 + 1))).toMatchObject({ status: 400 });
  });
});

describe('forms', () => {
  const partial = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
  const one = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
  const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

  test('metadata only, of a list, of one object and of what a write made', async () => {
    const list = await get(PODS, partial);
    expect(list.body).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' });
    expect(Object.keys(list.body.items[0]!).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
    const single = await get(`${LWS}/vllm`, one);
    expect(single.body).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'vllm' } });
    expect(single.body.spec).toBeUndefined();
    const patched = await ask(
      'PATCH',
      `${LWS}/vllm`,
      { metadata: { labels: { a: 'b' } } },
      'application/merge-patch+json',
      one,
    );
    expect(patched.body).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { labels: { a: 'b' } } });
  });

  test.each([
    ['', 'PartialObjectMetadata'],
    ['?includeObject=Object', 'Pod'],
    ['?includeObject=None', undefined],
  ])('rows of a table%s carry %s', async (query, kind) => {
    const { body } = await get(`${PODS}${query}`, table);
    const [row] = body.rows as readonly { readonly object?: { readonly kind: string } }[];
    expect(row?.object?.kind).toBe(kind);
  });

  test('an older moment is listed exactly, until it is compacted', async () => {
    const { resourceVersion } = (await get(LWS)).body.metadata;
    const before = await get(PODS);
    await ask('PATCH', `${LWS}/vllm/scale`, { spec: { replicas: 1 } }, 'application/merge-patch+json');
    const exact = `?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`;
    expect((await get(`${LWS}${exact}`)).body.items[0]!.spec.replicas).toBe(4);
    expect((await get(`${PODS}${exact}`)).body).toEqual(before.body);
    expect(
      (await get(`${LWS}?resourceVersion=${resourceVersion}&resourceVersionMatch=NotOlderThan`)).body.items[0]!.spec
        .replicas,
    ).toBe(1);
    server.compact();
    expect((await get(`${LWS}${exact}`)).status).toBe(410);
  });

  test('anyone who holds a page that is over goes on with the token of the refusal', async () => {
    const first = await get(`${PODS}?limit=3`);
    await ask('PATCH', `${LWS}/vllm`, { metadata: { labels: { a: 'b' } } }, 'application/merge-patch+json');
    server.compact();
    const refused = await get(`${PODS}?limit=3&continue=${first.body.metadata.continue}`);
    expect(refused.status).toBe(410);
    const next = await get(`${PODS}?continue=${refused.body.metadata.continue}`);
    expect([...names(first), ...names(next)]).toEqual(names(await get(PODS)));
  });

  test('unknown fields are pruned with a warning', async () => {
    const response = await fetch(`${server.url}${LWS}/vllm`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ spec: { paused: true } }),
    });
    expect(response.headers.get('warning')).toBe('299 - "unknown field \\"spec.paused\\""');
    expect(((await response.json()) as { spec: object }).spec).not.toHaveProperty('paused');
  });

  test('a collection is deleted by selector, and a dry run of that deletes nothing', async () => {
    const dry = await ask('DELETE', `${PODS}/vllm-0`, { dryRun: ['All'] });
    expect(dry.status).toBe(200);
    await ask('POST', LWS, lwsManifest({ name: 'other', replicas: 0 }));
    await ask('PATCH', `${LWS}/other`, { metadata: { labels: { old: 'yes' } } }, 'application/merge-patch+json');
    expect(names(await ask('DELETE', `${LWS}?labelSelector=old%3Dyes`))).toEqual(['other']);
    expect(names(await get(LWS))).toEqual(['vllm']);
    expect(names(await get(PODS))).toContain('vllm-0');
  });
});

describe('watching', () => {
  /** Of an event of type END, which the tests add, there is no object. */
  type Event = { readonly type: string; readonly object: Wire };

  /** The events of a watch, one after the other. */
  async function watch(path: string): Promise<() => Promise<Event>> {
    const stream = new AbortController();
    streams.push(stream);
    const response = await fetch(`${server.url}${path}`, { signal: stream.signal });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    return async () => {
      while (!text.includes('\n')) {
        const { value, done } = await reader.read();
        if (done) return { type: 'END', object: {} as Wire };
        text += value;
      }
      const line = text.slice(0, text.indexOf('\n'));
      text = text.slice(line.length + 1);
      return JSON.parse(line) as Event;
    };
  }
  const told = ({ type, object }: Event) => `${type} ${object.metadata.name}`;

  test('from now: what is there, then what changes, also without a request', async () => {
    const next = await watch(`${LWS}?watch=true`);
    expect(told(await next())).toBe('ADDED vllm');
    model.scale({ namespace: 'llm', name: 'vllm' }, 5);
    expect(await next()).toMatchObject({ type: 'MODIFIED', object: { spec: { replicas: 5 } } });
    await ask('DELETE', `${LWS}/vllm`);
    let event = await next();
    while (event.type === 'MODIFIED') event = await next();
    expect(told(event)).toBe('DELETED vllm');
  });

  test('the first state and a bookmark behind it, and one object alone', async () => {
    const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const next = await watch(`${LWS}?${query}`);
    expect(told(await next())).toBe('ADDED vllm');
    expect(await next()).toMatchObject({
      type: 'BOOKMARK',
      object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
    });
    const one = await watch(`${PODS}/vllm-1?watch=1`);
    expect(told(await one())).toBe('ADDED vllm-1');
    model.kill({ namespace: 'llm', name: 'vllm', group: 0, pods: 'leader' });
    model.kill({ namespace: 'llm', name: 'vllm', group: 1, pods: 'leader' });
    expect((await one()).object.metadata.name).toBe('vllm-1');
  });

  test('from the version of a list: nothing is missed, nothing comes twice', async () => {
    const list = await get(LWS);
    await ask('POST', LWS, lwsManifest({ name: 'other', replicas: 0 }));
    const next = await watch(`${LWS}?watch=1&resourceVersion=${list.body.metadata.resourceVersion}`);
    expect(told(await next())).toBe('ADDED other');
  });

  test('an object that stops to match the selector is deleted for the client', async () => {
    const next = await watch(`${PODS}?watch=1&labelSelector=role%3Dleader&fieldSelector=metadata.name%3Dvllm-0`);
    expect(told(await next())).toBe('ADDED vllm-0');
    const label = (role: string) =>
      ask('PATCH', `${PODS}/vllm-0`, { metadata: { labels: { role } } }, 'application/merge-patch+json');
    await label('other');
    expect(told(await next())).toBe('DELETED vllm-0');
    await label('leader');
    expect(told(await next())).toBe('ADDED vllm-0');
  });

  test('a version that is forgotten ends the stream with an error event', async () => {
    const key = { resource: 'pods', namespace: 'llm', name: 'vllm-0' };
    for (let i = 0; i < 10_000; i += 1) model.store.patch(key, { metadata: { labels: { i: String(i) } } }, 'me');
    const next = await watch(`${PODS}?watch=1&resourceVersion=2`);
    expect(await next()).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
    expect(await next()).toMatchObject({ type: 'END' });
  });

  test('a watch ends by itself after timeoutSeconds', async () => {
    const next = await watch(
      `${PODS}?watch=1&resourceVersion=${model.store.objects.resourceVersion}&timeoutSeconds=0.2`,
    );
    expect(await next()).toMatchObject({ type: 'END' });
  });
});

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'n', labels: { a: '1', 'x.io/b': 'two' } },
} as unknown as KubeObject;

test.each([
  ['', true],
  ['a=1', true],
  ['a==1,x.io/b=two', true],
  ['a=2', false],
  ['a!=2', true],
  ['c!=2', true],
  ['c=', false],
  ['a in (1,2)', true],
  ['a in (2)', false],
  ['c notin (1)', true],
  ['a notin ( 1 , 2 )', false],
  ['a', true],
  ['!a', false],
  ['!toString', true],
  ['a in (1,2),!c', true],
  ['a in 1', undefined],
  ['a in (1', undefined],
  ['-a=1', undefined],
  ['a=b=c', undefined],
])('label selector %j matches: %s', (text, wanted) => {
  const selector = labelSelector(text);
  expect(selector.kind === 'bad' ? undefined : selector.matches(pod)).toBe(wanted);
});

test.each([
  ['metadata.name=p', true],
  ['metadata.name==p,metadata.namespace!=n', false],
  ['status.phase=', true],
  ['spec.replicas=1', undefined],
  ['metadata.name', undefined],
])('field selector %j matches: %s', (text, wanted) => {
  const selector = fieldSelector(text);
  expect(selector.kind === 'bad' ? undefined : selector.matches(pod)).toBe(wanted);
});

test.each([
  [-5, '0s'],
  [119.9, '119s'],
  [120, '2m'],
  [450, '7m30s'],
  [600, '10m'],
  [10_800, '3h'],
  [11_520, '3h12m'],
  [50_000, '13h'],
  [2 * 86_400 + 5 * 3600, '2d5h'],
  [40 * 86_400, '40d'],
])('%d seconds are %s', (seconds, wanted) => {
  expect(shortDuration(seconds)).toBe(wanted);
});
