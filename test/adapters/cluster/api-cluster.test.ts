/** The cluster adapter against servers that answer as recorded, badly, slowly, or not at all. */

import http from 'node:http';
import { createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { apiCluster } from '../../../src/adapters/cluster/api-cluster.ts';
import { type Connection, CredentialError } from '../../../src/adapters/cluster/connection.ts';
import { type ClusterLimits, clusterLimits } from '../../../src/adapters/cluster/limits.ts';
import { resources } from '../../../src/api/resources.ts';
import type { Cluster } from '../../../src/ports/cluster.ts';
import { whole } from '../../support/fake-cluster.ts';
import { type RecordedError, recordedErrors, recordedItems, recordedList } from '../../support/recorded.ts';
import { type Reply, type ScriptedServer, type Seen, scriptedServer } from '../../support/scripted-server.ts';

type Script = Parameters<typeof scriptedServer>[0];

const open: ScriptedServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

type World = {
  readonly cluster: Cluster;
  readonly server: ScriptedServer;
  readonly waits: number[];
  readonly lines: string[];
};

function clusterAt(url: string, limits: Partial<ClusterLimits> = {}, options?: Connection['options']) {
  const waits: number[] = [];
  const lines: string[] = [];
  const note = (line: string): void => void lines.push(line);
  const cluster = apiCluster({
    connection: {
      server: new URL(url),
      options: options ?? (async () => ({ headers: { authorization: 'Bearer s3cr3t' } })),
    },
    limits: { ...clusterLimits, ...limits },
    clock: { now: () => 0, sleep: async (seconds) => void waits.push(seconds) },
    log: { info: note, warn: note, error: note },
  });
  return { cluster, waits, lines };
}

async function world(script: Script, limits: Partial<ClusterLimits> = {}): Promise<World> {
  const server = await scriptedServer(script);
  open.push(server);
  return { server, ...clusterAt(server.url, limits) };
}

const inference = { namespace: 'inference', labelSelector: '' };
const pods = (cluster: Cluster) => cluster.list(resources.pods, inference, whole);
const page = (items: readonly unknown[], next = '', resourceVersion = '7') => ({
  kind: 'PodList',
  apiVersion: 'v1',
  metadata: { resourceVersion, continue: next },
  items,
});
const version: Reply = { body: { major: '1', minor: '36', gitVersion: 'v1.36.3' } };

describe('reading', () => {
  test('recorded lists', async () => {
    const { cluster, server } = await world(({ url }) => ({
      body: recordedList('mid-canary', url.includes('/pods') ? 'pods' : 'lws'),
    }));
    expect(await pods(cluster)).toEqual({ kind: 'known', value: recordedItems('mid-canary', 'pods') });
    expect(await cluster.list(resources.lws, inference, whole)).toEqual({
      kind: 'known',
      value: recordedItems('mid-canary', 'lws'),
    });
    expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /api/v1/namespaces/inference/pods?limit=500',
      'GET /apis/leaderworkerset.x-k8s.io/v1/namespaces/inference/leaderworkersets?limit=500',
    ]);
    expect(server.seen[0]!.headers.authorization).toBe('Bearer s3cr3t');
  });

  test('a server below a path, a selector with every kind of sign', async () => {
    const server = await scriptedServer(() => ({ body: page([]) }));
    open.push(server);
    const { cluster } = clusterAt(`${server.url}/k8s/clusters/c-1/`);
    const labelSelector = 'a.b/c=d,e in (f,g),!h&limit=1';
    expect(await cluster.list(resources.statefulSets, { namespace: 'llm', labelSelector }, whole)).toEqual({
      kind: 'known',
      value: [],
    });
    const url = new URL(server.seen[0]!.url, server.url);
    expect(url.pathname).toBe('/k8s/clusters/c-1/apis/apps/v1/namespaces/llm/statefulsets');
    expect(url.searchParams.get('labelSelector')).toBe(labelSelector);
    expect(url.searchParams.get('limit')).toBe('500');
  });

  test('many pages are one list', async () => {
    const { cluster, server } = await world(({ url }) => {
      const at = Number(new URL(url, 'http://x').searchParams.get('continue') ?? 0);
      return { body: page([{ n: at }, { n: at + 1 }], at < 4 ? String(at + 2) : '') };
    });
    expect(await pods(cluster)).toEqual({ kind: 'known', value: [0, 1, 2, 3, 4, 5].map((n) => ({ n })) });
    expect(server.seen).toHaveLength(3);
  });

  test('Go writes an empty list as null', async () => {
    const { cluster } = await world(() => ({ body: { ...page([]), items: null } }));
    expect(await pods(cluster)).toEqual({ kind: 'known', value: [] });
  });

  test.each([['..'], [''], ['a/b'], ['a?b'], ['a..b'], ['LLM']])(
    'namespace %j is not even asked for',
    async (namespace) => {
      const { cluster, server } = await world(() => ({ body: page([]) }));
      const answer = await cluster.list(resources.pods, { namespace, labelSelector: '' }, whole);
      expect(answer.kind).toBe('unknown');
      expect(server.seen).toEqual([]);
    },
  );
});

/** Plays a recorded refusal, whatever is asked. */
function replay({ httpStatus, body }: RecordedError): Script {
  return ({ url }) => (url === '/version' ? version : { status: httpStatus, body });
}

describe('recorded refusals', () => {
  const wanted: Readonly<Record<string, string>> = {
    'forbidden-list':
      'unknown list pods in inference: forbidden; needs verb list on pods in namespace inference: pods is forbidden: User "limited" cannot list resource "pods" in API group "" in the namespace "inference"',
    unauthorized:
      'unknown list pods in inference: the API server does not accept these credentials (401); log in again, or check the context',
    'path-not-found': 'absent',
    // About one object, `nope`: it says nothing about the list that we asked for.
    'not-found': 'unknown list pods in inference: 404, but not from the API server; check the address',
    'expired-list-continue': 'unknown list pods in inference: the list expired 3 times while it was read',
    'webhook-down':
      'unknown list pods in inference: the API server answered 500: Internal error occurred: failed calling webhook',
    'size-zero':
      'unknown list pods in inference: refused by a webhook: admission webhook "vleaderworkerset.kb.io" denied',
    'future-resource-version':
      'unknown list pods in inference: the API server answered 504: Timeout: Too large resource version',
  };
  const refusals = recordedErrors.filter(({ httpStatus }) => httpStatus !== 200);
  const tell = (answer: { kind: string; why?: string }) =>
    answer.why === undefined ? answer.kind : `${answer.kind} ${answer.why}`;

  test.each(refusals.map((error) => [error.name, error] as const))('%s', async (name, error) => {
    const { cluster } = await world(replay(error));
    const list = tell(await pods(cluster));
    const expected = wanted[name] ?? 'unknown list pods in inference: ';
    expect(list.startsWith(expected) ? expected : list).toBe(expected);
    expect(list.length).toBeLessThan(500);
  });

  test('every expectation above is of a refusal that was recorded', () => {
    expect(Object.keys(wanted).filter((name) => !refusals.some((error) => error.name === name))).toEqual([]);
  });
});

describe('404 that proves nothing', () => {
  test.each<[string, Reply, Reply]>([
    [
      'an HTML page of a gateway',
      { status: 404, body: '<h1>404</h1>', headers: { 'content-type': 'text/html' } },
      version,
    ],
    [
      'the same text as HTML',
      { status: 404, body: '404 page not found\n', headers: { 'content-type': 'text/html' } },
      version,
    ],
    [
      'a Go server that is no API server',
      { status: 404, body: '404 page not found\n' },
      { status: 404, body: '404 page not found\n' },
    ],
    [
      'a server with JSON of another kind at /version',
      { status: 404, body: '404 page not found\n' },
      { body: { version: 1 } },
    ],
  ])('%s', async (_, reply, atVersion) => {
    const { cluster } = await world(({ url }) => (url === '/version' ? atVersion : reply));
    expect(await pods(cluster)).toMatchObject({ kind: 'unknown' });
  });

  test('the version is asked for once', async () => {
    const { cluster, server } = await world(({ url }) =>
      url === '/version' ? version : { status: 404, body: '404 page not found\n' },
    );
    expect(await cluster.list(resources.scaledObjects, inference, whole)).toEqual({ kind: 'absent' });
    expect(await cluster.list(resources.scaledObjects, inference, whole)).toEqual({ kind: 'absent' });
    expect(server.seen.filter(({ url }) => url === '/version')).toHaveLength(1);
  });
});

describe('answers that are no answers', () => {
  test.each<[string, Reply]>([
    ['HTML', { body: '<html>log in</html>', headers: { 'content-type': 'text/html' } }],
    ['half of a list', { body: JSON.stringify(page([{ a: 1 }])).slice(0, -9) }],
    ['no items', { body: { kind: 'PodList', metadata: {} } }],
    ['items of another type', { body: { ...page([]), items: {} } }],
    ['a continue token of another type', { body: { ...page([]), metadata: { continue: 7 } } }],
    ['more to come, and no way to ask for it', { body: { ...page([{}]), metadata: { remainingItemCount: 3 } } }],
    ['JSON that is no object', { body: [] }],
    ['nothing', { body: '' }],
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' }],
    ['no content', { status: 204 }],
  ])('%s', async (_, reply) => {
    const { cluster } = await world(() => reply);
    expect(await pods(cluster)).toMatchObject({ kind: 'unknown' });
  });

  test.each([200, 404, 502])('a web page (%i) is told as one, and not quoted', async (status) => {
    const reply = { status, body: '<!DOCTYPE html><title>s3cr3t</title>', headers: { 'content-type': 'text/html' } };
    const { cluster } = await world(() => reply);
    const why = expect.stringContaining(
      `: a web page came back (HTTP ${status}), so a proxy, a login page or an ingress`,
    );
    expect(await pods(cluster)).toEqual({ kind: 'unknown', why });
  });
});

describe('lists that change or end while they are read', () => {
  const token = ({ url }: Seen) => new URL(url, 'http://x').searchParams.get('continue');

  test('410 on the second page: the list starts again, its first pages are thrown away', async () => {
    let expired = 0;
    const { cluster } = await world((seen) => {
      if (token(seen) === null) return { body: page([{ reading: expired }], 'next', String(expired)) };
      expired += 1;
      return expired === 1 ? { status: 410, body: {} } : { body: page([{ last: true }], '', '1') };
    });
    expect(await pods(cluster)).toEqual({ kind: 'known', value: [{ reading: 1 }, { last: true }] });
  });

  test('pages of different moments are no list', async () => {
    let requests = 0;
    const { cluster } = await world((seen) => {
      requests += 1;
      return { body: page([{}], token(seen) === null ? 'next' : '', String(requests)) };
    });
    expect(await pods(cluster)).toEqual({
      kind: 'unknown',
      why: 'list pods in inference: the list expired 3 times while it was read',
    });
    expect(requests).toBe(6);
  });

  test.each<[string, Reply]>([
    ['403 on the second page', { status: 403, body: {} }],
    ['500 on the second page', { status: 500, body: {} }],
    ['404 on the second page', { status: 404, body: 'gone' }],
    ['half of the second page', { body: '{"items":[' }],
  ])('%s: nothing is known', async (_, second) => {
    const { cluster } = await world((seen) => (token(seen) === null ? { body: page([{}], 'next') } : second));
    expect(await pods(cluster)).toMatchObject({ kind: 'unknown' });
  });

  test('pages without end', async () => {
    const { cluster, server } = await world(() => ({ body: page([{}, {}], 'next') }), { listItems: 7 });
    expect(await pods(cluster)).toMatchObject({ kind: 'unknown' });
    expect(server.seen).toHaveLength(4);
    const empty = await world(() => ({ body: page([], 'next') }));
    expect(await pods(empty.cluster)).toMatchObject({ kind: 'unknown' });
    expect(empty.server.seen).toHaveLength(1);
  });
});

describe('a busy server', () => {
  test.each([
    [429, '3', 3],
    [503, '2', 2],
    [503, undefined, 1],
    [429, 'Fri, 20 Nov 2026 12:00:00 GMT', 1],
  ])('%i with Retry-After %s is asked again after %i s', async (status, retryAfter, wait) => {
    let requests = 0;
    const { cluster, waits } = await world(() => {
      requests += 1;
      const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
      return requests < 3 ? { status, headers, body: {} } : { body: page([]) };
    });
    expect(await pods(cluster)).toEqual({ kind: 'known', value: [] });
    expect(waits).toEqual([wait, wait]);
  });

  test('it is not asked for ever', async () => {
    const { cluster, server } = await world(() => ({ status: 429, headers: { 'retry-after': '1' }, body: {} }));
    expect(await pods(cluster)).toMatchObject({ kind: 'unknown' });
    expect(server.seen).toHaveLength(clusterLimits.tries);
  });

  test('a wait that is longer than the deadline is not started', async () => {
    const { cluster, waits } = await world(() => ({ status: 429, headers: { 'retry-after': '3600' }, body: {} }));
    expect(await pods(cluster)).toMatchObject({ kind: 'unknown', why: expect.stringContaining('come back in 3600 s') });
    expect(waits).toEqual([]);
  });

  test.each([500, 502, 504])('%i is not asked again', async (status) => {
    const { cluster, server } = await world(() => ({ status, body: {} }));
    expect(await pods(cluster)).toMatchObject({
      kind: 'unknown',
      why: `list pods in inference: the API server answered ${status}`,
    });
    expect(server.seen).toHaveLength(1);
  });
});

describe('a server that is slow, huge or gone', () => {
  test('silence', async () => {
    const { cluster } = await world(() => undefined, { idleSeconds: 0.1 });
    expect(await pods(cluster)).toMatchObject({
      kind: 'unknown',
      why: expect.stringContaining('no answer within 0.1 s'),
    });
  });

  test('a drip that never ends', async () => {
    const { cluster } = await world(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const drip = setInterval(() => response.write(' '), 10);
        response.on('close', () => clearInterval(drip));
        return undefined;
      },
      { idleSeconds: 5, totalSeconds: 0.2 },
    );
    expect(await pods(cluster)).toMatchObject({
      kind: 'unknown',
      why: expect.stringContaining('not complete within 0.2 s'),
    });
  });

  test('more bytes than allowed', async () => {
    const { cluster } = await world(() => ({ body: page(['x'.repeat(2000)]) }), { answerBytes: 1000 });
    expect(await pods(cluster)).toMatchObject({
      kind: 'unknown',
      why: expect.stringContaining('larger than 1000 bytes'),
    });
  });

  test('an answer that is cut off', async () => {
    const { cluster } = await world((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"items":[]', () => response.destroy());
      return undefined;
    });
    expect(await pods(cluster)).toMatchObject({ kind: 'unknown' });
  });

  test('a kept connection that the server closed is opened again', async () => {
    let requests = 0;
    const { server } = await world((_, response) => {
      requests += 1;
      if (requests !== 2) return { body: page([]) };
      response.socket?.destroy();
      return undefined;
    });
    const agent = new http.Agent({ keepAlive: true });
    const { cluster } = clusterAt(server.url, {}, async () => ({ agent }));
    expect(await pods(cluster)).toEqual({ kind: 'known', value: [] });
    expect(await pods(cluster)).toEqual({ kind: 'known', value: [] });
    expect(requests).toBe(3);
    agent.destroy();
  });

  test('where the server closed all that it had kept, one try fails and not one for each', async () => {
    const many = clusterLimits.tries;
    const first: http.ServerResponse[] = [];
    const kept = new Set<unknown>();
    const { server } = await world((_, response) => {
      if (first.length === many) {
        if (!kept.has(response.socket)) return { body: page([]) };
        response.socket?.destroy();
        return undefined;
      }
      // Answered all at once, so that each has a connection of its own.
      first.push(response);
      kept.add(response.socket);
      const header = { 'content-type': 'application/json' };
      if (first.length === many) for (const one of first) one.writeHead(200, header).end(JSON.stringify(page([])));
      return undefined;
    });
    const agent = new http.Agent({ keepAlive: true });
    const { cluster, waits } = clusterAt(server.url, {}, async () => ({ agent }));
    await Promise.all(Array.from({ length: many }, () => pods(cluster)));
    expect(await pods(cluster)).toEqual({ kind: 'known', value: [] });
    expect([server.seen.length, waits]).toEqual([many + 2, [0]]);
    agent.destroy();
  });

  test('nobody listens', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    const { cluster } = clusterAt(`http://127.0.0.1:${port}`);
    expect(await pods(cluster)).toEqual({
      kind: 'unknown',
      why: `list pods in inference at http://127.0.0.1:${port}: connection refused (ECONNREFUSED); check that an API server can be reached from here`,
    });
  });

  test('a server that does not speak TLS', async () => {
    const { server } = await world(() => ({ body: page([]) }));
    const { cluster } = clusterAt(server.url.replace('http:', 'https:'));
    expect(await pods(cluster)).toMatchObject({ kind: 'unknown', why: expect.stringMatching(/EPROTO|ERR_SSL/) });
  });
});

describe('credentials', () => {
  test.each([
    [new Error('Authorization: Bearer s3cr3t'), 'the kubeconfig could not be used (Error)'],
    [
      Object.assign(new Error('ENOENT: no such file: s3cr3t'), { code: 'ENOENT', path: '/var/run/token' }),
      '/var/run/token could not be read (ENOENT)',
    ],
    [new CredentialError('command login failed'), 'command login failed'],
  ])('of %s only what is safe is told', async (fault, told) => {
    const { cluster } = clusterAt('http://127.0.0.1:9', {}, async () => {
      throw fault;
    });
    expect(await pods(cluster)).toEqual({
      kind: 'unknown',
      why: `list pods in inference at http://127.0.0.1:9: no credentials: ${told}`,
    });
  });

  test('a token that cannot be sent', async () => {
    const { cluster } = clusterAt('http://127.0.0.1:9', {}, async () => ({
      headers: { authorization: 'Bearer s3\ncr3t' },
    }));
    expect(await pods(cluster)).toEqual({
      kind: 'unknown',
      why: 'list pods in inference at http://127.0.0.1:9: connection failed (ERR_INVALID_CHAR)',
    });
  });

  test('a command that hangs', async () => {
    const { cluster } = clusterAt('http://127.0.0.1:9', { totalSeconds: 0.1 }, () => new Promise(() => {}));
    expect(await pods(cluster)).toMatchObject({
      kind: 'unknown',
      why: expect.stringContaining('not complete within 0.1 s'),
    });
  });

  test('no message and no line of the log holds the token', async () => {
    for (const status of [200, 401, 403, 404, 410, 429, 500]) {
      const { cluster, lines } = await world(() => ({ status, body: { kind: 'Status', message: 'no', headers: {} } }));
      const answer = await pods(cluster);
      expect(JSON.stringify([answer, lines])).not.toContain('s3cr3t');
    }
  });
});

test('the port has no method that writes', () => {
  expect(Object.keys(clusterAt('http://127.0.0.1:9').cluster).sort()).toEqual(['list']);
});
