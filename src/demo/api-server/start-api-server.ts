/** Serves the simulated cluster as a Kubernetes REST API over HTTP on loopback: for the demo, for tests, for kubectl. */

import http from 'node:http';
import type { Cluster } from '../../simulator/cluster-model.ts';
import type { KubeObject } from '../../simulator/objects/objects.ts';
import { type ResourceKind, resourceKinds } from '../../simulator/objects/resource-table.ts';
import { notFound } from '../../simulator/objects/status-body.ts';
import type { Store } from '../../simulator/server/store.ts';
import { remove, removeAll } from './deletes.ts';
import { discovery } from './discovery.ts';
import { futureVersion } from './list-options.ts';
import { Lists } from './lists.ts';
import { patch } from './patches.ts';
import { fromProtobuf, PROTOBUF } from './protobuf-body.ts';
import { badRequest, methodNotAllowed, ok, pageNotFound, type Reply, statusReply } from './reply.ts';
import { type ApiRequest, type Target, targetOf } from './route.ts';
import { Watches } from './watches.ts';
import { formOf, wireOne, wireScale } from './wire-object.ts';
import { create, keyOf, replace } from './writes.ts';

/** As in kube-apiserver. */
const BODY_BYTES_MAX = 3 * 1024 * 1024;

/** What of the model is served; others may write to it and move its time meanwhile, in the same process. */
export type ServedModel = Pick<Cluster, 'store' | 'settle' | 'fork'>;

export type ApiServerOptions = {
  /** After each accepted write its controllers are let act, at the model's present time. */
  readonly model: ServedModel;
  /** 0 takes any free port. */
  readonly port: number;
  /** What is installed; undefined: everything that the model knows. */
  readonly kinds: readonly ResourceKind[] | undefined;
  /** A reply instead of the real one: for refusals such as 401, 403 and 429. */
  readonly interfere: ((request: ApiRequest, target: Target | undefined) => Reply | undefined) | undefined;
  /** Whether answers are dated by the clock of the model; by that of this machine otherwise. */
  readonly isDated?: boolean;
};

export type ApiServer = {
  readonly url: string;
  /** The text of a kubeconfig with one context, `simulated`. */
  readonly kubeconfig: string;
  /** Forgets old list pages, so that those who are reading them get 410. */
  readonly compact: () => void;
  readonly close: () => Promise<void>;
};

/** Starts the server. It listens on 127.0.0.1 only and asks for no credentials. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { store } = options.model;
  const lists = new Lists(store);
  const watches = new Watches(store);
  const served: Served = { ...options, kinds: options.kinds ?? resourceKinds, lists, watches };
  const server = http.createServer((request, response) => {
    readRequest(request)
      .then((asked) => (asked === undefined ? badRequest('the body is too large') : answer(served, asked, response)))
      .catch((error: unknown) => internalError(error))
      .then((reply) => reply === undefined || write(response, dated(served, reply)))
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : options.port}`;
  return {
    url,
    kubeconfig: kubeconfigFor(url),
    compact: () => lists.compact(),
    close: () => {
      watches.close();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

type Served = ApiServerOptions & {
  readonly kinds: readonly ResourceKind[];
  readonly lists: Lists;
  readonly watches: Watches;
};

/** Undefined when the response has become a stream. */
function answer(served: Served, request: ApiRequest, response: http.ServerResponse): Reply | undefined {
  const target = targetOf(request.path, served.kinds);
  const interference = served.interfere?.(request, target);
  if (interference !== undefined) return interference;
  if (target === undefined) {
    const reply = discovery(request.path, served.kinds) ?? pageNotFound;
    return request.method === 'GET' || reply === pageNotFound ? reply : methodNotAllowed;
  }
  if (request.method === 'GET') return read(served, { target, request, response });
  const { model } = served;
  if (isDryRun(request)) return inForm(writeReply(model.fork().store, target, request), { model, target, request });
  const reply = inForm(writeReply(model.store, target, request), { model, target, request });
  if (reply.status < 300) {
    model.settle();
    served.watches.flush();
  }
  return reply;
}

/** In the query, or in the DeleteOptions of the body. */
function isDryRun({ method, query, body }: ApiRequest): boolean {
  return query.has('dryRun') || (method === 'DELETE' && /"dryRun"\s*:\s*\[\s*"All"/.test(body));
}

/** kubectl asks for the answer to some writes as metadata only, or as a table. */
function inForm(
  reply: Reply,
  { model, target, request }: { readonly model: ServedModel; readonly target: Target; readonly request: ApiRequest },
): Reply {
  const form = formOf(request);
  const { body } = reply;
  if (form.as === 'object' || reply.status >= 300 || typeof body === 'string') return reply;
  const object = model.store.objects.get(keyOf(target));
  const isObject = object !== undefined && body['kind'] === target.kind.kind;
  if (!isObject) return reply;
  return { ...reply, body: wireOne(target.kind, object, { nowSeconds: model.store.objects.nowSeconds, form }) };
}

type Read = { readonly target: Target; readonly request: ApiRequest; readonly response: http.ServerResponse };

function read({ model, lists, watches }: Served, { target, request, response }: Read): Reply | undefined {
  const { store } = model;
  const watch = request.query.get('watch') ?? '';
  if (target.subresource === '' && ['true', '1'].includes(watch)) return watches.start(target, request, response);
  if (target.name === '') return lists.list(target, request);
  const [asked, current] = [Number(request.query.get('resourceVersion') ?? ''), store.objects.resourceVersion];
  if (asked > current) return futureVersion({ asked, current });
  const object = store.objects.get(keyOf(target)) ?? impliedNamespace(store, target);
  if (object === undefined) {
    const status = notFound({ resource: target.resource, name: target.name });
    return { status: status.code, body: status };
  }
  if (target.subresource === 'scale') return ok(wireScale(object));
  return ok(wireOne(target.kind, object, { nowSeconds: store.objects.nowSeconds, form: formOf(request) }));
}

/** Nobody needs to create namespaces here: one exists where objects are in it. kubectl asks, to word its errors. */
function impliedNamespace(store: Store, { resource, name }: Target): KubeObject | undefined {
  if (resource !== 'namespaces') return undefined;
  const first = store.objects
    .resources()
    .flatMap((one) => store.objects.list(one, name).slice(0, 1))
    .at(0);
  if (first === undefined) return undefined;
  const { uid, resourceVersion, creationTimestamp } = first.metadata;
  const metadata = { name, namespace: '', uid, resourceVersion, creationTimestamp };
  return { apiVersion: 'v1', kind: 'Namespace', metadata, status: { phase: 'Active' } };
}

function writeReply(store: Store, target: Target, request: ApiRequest): Reply {
  const onObject = target.name !== '';
  if (request.method === 'DELETE' && !onObject && target.namespace !== '') return removeAll(store, target, request);
  if (request.method === 'POST' && !onObject) return create(store, target, request);
  if (request.method === 'PUT' && onObject) return replace(store, target, request);
  if (request.method === 'PATCH' && onObject) return patch(store, target, request);
  if (request.method === 'DELETE' && onObject && target.subresource === '') return remove(store, target, request);
  return methodNotAllowed;
}

/** Undefined when the body is too large. */
async function readRequest(request: http.IncomingMessage): Promise<ApiRequest | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!(chunk instanceof Buffer)) continue;
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  const url = new URL(request.url ?? '/', 'http://loopback');
  const body = Buffer.concat(chunks);
  const contentType = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const object = contentType === PROTOBUF ? fromProtobuf(body) : undefined;
  return {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    accept: request.headers.accept ?? '',
    contentType: object === undefined ? contentType : 'application/json',
    userAgent: request.headers['user-agent'] ?? '',
    authorization: request.headers.authorization ?? '',
    body: object === undefined ? body.toString('utf8') : JSON.stringify(object),
  };
}

function dated({ isDated = false, model }: Served, reply: Reply): Reply {
  if (!isDated) return reply;
  const date = new Date(model.store.objects.nowSeconds * 1000).toUTCString();
  return { ...reply, headers: { date, ...reply.headers } };
}

function write(response: http.ServerResponse, { status, body, headers }: Reply): void {
  const isText = typeof body === 'string';
  const type = isText ? 'text/plain; charset=utf-8' : 'application/json';
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(isText ? body : `${JSON.stringify(body)}\n`);
}

function internalError(error: unknown): Reply {
  const why = error instanceof Error ? error.message : String(error);
  return statusReply(500, { message: `Internal error occurred: ${why}`, reason: 'InternalError', details: {} });
}

function kubeconfigFor(url: string): string {
  return `apiVersion: v1
kind: Config
current-context: simulated
clusters:
  - name: simulated
    cluster:
      server: ${url}
users:
  - name: simulated
    user: {}
contexts:
  - name: simulated
    context:
      cluster: simulated
      user: simulated
`;
}
