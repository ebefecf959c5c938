/** A process of its own: a Kubernetes API with ten workloads in one namespace, and far more pods than a model would hold. */

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { parseAllDocuments } from 'yaml';
import type { JsonObject } from '../src/api/json.ts';
import { resources } from '../src/api/resources.ts';
import { syncCommit } from '../src/simulator/agent/agent.ts';
import { Cluster } from '../src/simulator/cluster-model.ts';
import { fakeCluster } from '../test/support/fake-cluster.ts';
import { fleetFiles, fleetLws, fleetNamespace } from './fleet-place.ts';

export type PodsReady = { readonly namespace: string; readonly names: readonly string[] };

/** What was sent since the last question. */
export type PodsCounted = { readonly requests: number; readonly megabytes: number };

const workloads = 10;
/** As of a model server with its volumes, environment and managed fields. */
const podBytes = 10 * 1024;
const pageMost = 500;

const [, , pods = '', kubeconfig = ''] = process.argv;
const namespace = fleetNamespace(0);
const model = new Cluster({ lws: '0.10', gate: 'off', nowSeconds: 1_700_000_000, readiness: () => 20 });
const files = fleetFiles(workloads);
const manifests = Object.keys(files)
  .filter((path) => path.endsWith('lws.yaml'))
  .map((path): [string, readonly JsonObject[]] => [
    path,
    parseAllDocuments(files[path] ?? '').map((document) => document.toJS() as JsonObject),
  ]);
syncCommit(model.store, new Map(manifests), { manager: 'kustomize-controller', namespace: 'default', prune: true });
model.settle();
model.tick(60);

const lists = new Map<string, readonly string[]>();
for (const [name, labelSelector] of [
  ['lws', ''],
  ['statefulSets', ''],
  ['controllerRevisions', 'leaderworkerset.sigs.k8s.io/name'],
  ['horizontalPodAutoscalers', ''],
  ['scaledObjects', ''],
] as const)
  lists.set(resources[name].plural, await textsOf(name, labelSelector));
lists.set('pods', many(await textsOf('pods', 'leaderworkerset.sigs.k8s.io/worker-index=0'), Number(pods)));

const counted = { requests: 0, bytes: 0 };
const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const items = lists.get(url.pathname.slice(url.pathname.lastIndexOf('/') + 1)) ?? [];
  const from = Number(url.searchParams.get('continue') ?? '0');
  const to = Math.min(items.length, from + Math.min(pageMost, Number(url.searchParams.get('limit') ?? pageMost)));
  const metadata = { resourceVersion: '1', ...(to < items.length ? { continue: String(to) } : {}) };
  const body = `{"kind":"List","apiVersion":"v1","metadata":${JSON.stringify(metadata)},"items":[${items.slice(from, to).join()}]}`;
  counted.requests += 1;
  counted.bytes += body.length;
  response.writeHead(200, { 'content-type': 'application/json' }).end(body);
});
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
const address = server.address();
const port = typeof address === 'object' && address !== null ? address.port : 0;
writeFileSync(
  kubeconfig,
  `apiVersion: v1
kind: Config
current-context: bench
clusters: [{name: bench, cluster: {server: "http://127.0.0.1:${port}"}}]
users: [{name: bench, user: {}}]
contexts: [{name: bench, context: {cluster: bench, user: bench}}]
`,
);
process.on('message', () => {
  const since: PodsCounted = { requests: counted.requests, megabytes: counted.bytes / 1024 / 1024 };
  Object.assign(counted, { requests: 0, bytes: 0 });
  process.send?.(since);
});
process.once('disconnect', () => process.exit());
const names = Array.from({ length: workloads }, (_none, at) => fleetLws(at).split('/').at(-2) ?? '');
const ready: PodsReady = { namespace, names };
process.send?.(ready);

async function textsOf(name: keyof typeof resources, labelSelector: string): Promise<readonly string[]> {
  const list = await fakeCluster({ model }).list(resources[name], { namespace, labelSelector }, (item) => item);
  return list.kind === 'known' ? list.value.map((item) => JSON.stringify(item)) : [];
}

/** How many pods like these, each with a name of its own. */
function many(like: readonly string[], count: number): readonly string[] {
  return Array.from({ length: count }, (_none, at) => {
    const pod = JSON.parse(like[at % like.length] ?? '{}') as { metadata: Record<string, unknown> };
    const name = `${String(pod.metadata['name'])}-${at}`;
    const filled = { ...pod, metadata: { ...pod.metadata, name, uid: name, annotations: { filled: '' } } };
    filled.metadata.annotations.filled = 'x'.repeat(Math.max(0, podBytes - JSON.stringify(filled).length));
    return JSON.stringify(filled);
  });
}
