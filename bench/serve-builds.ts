/** A process of its own: makes a repository of many kustomize folders, delivers all of them, and serves their cluster. */

import { writeFileSync } from 'node:fs';
import { openGit } from '../src/adapters/git/open.ts';
import type { JsonObject } from '../src/api/json.ts';
import { startApiServer } from '../src/demo/api-server/start-api-server.ts';
import { withArgoImages } from '../src/manifests/argo-source.ts';
import { NO_OVERRIDES, newMemory } from '../src/reconcile/pass.ts';
import { closureKey, readClosures } from '../src/reconcile/roots/read-closures.ts';
import { runPass } from '../src/reconcile/run.ts';
import { syncCommit } from '../src/simulator/agent/agent.ts';
import { Cluster } from '../src/simulator/cluster-model.ts';
import { fakeCluster } from '../test/support/fake-cluster.ts';
import { bareRepository } from '../test/support/git-server.ts';
import { generateRepository } from '../test/support/repository-generator.ts';
import { signaturesOf } from '../test/support/status-key.ts';
import { yamlValues } from '../test/support/yaml-values.ts';
import { rootFiles, standInBuilder } from './builds-place.ts';
import { headsOf } from './story.ts';

const [, , path = '', roots = '', kubeconfig = ''] = process.argv;
const storySeconds = 900;
const roundSeconds = 60;
const mostRounds = 12;

await generateRepository(path, { files: 250, extra: rootFiles(Number(roots)) });
const nowSeconds = Math.floor(Date.now() / 1000) - storySeconds;
const cluster = new Cluster({ lws: '0.10', gate: 'off', nowSeconds, readiness: () => 20 });
const git = openGit({ location: path });
const memory = newMemory();
/** What the agent has built of each folder. */
const applied = new Map<string, { readonly key: string; readonly objects: readonly JsonObject[] }>();

await untilQuiet();
const api = await startApiServer({ model: cluster, port: 0, kinds: undefined, interfere: undefined });
writeFileSync(kubeconfig, api.kubeconfig);
process.once('disconnect', () => process.exit());
process.send?.(await headsOf(bareRepository(path)));

async function untilQuiet(): Promise<void> {
  for (let round = 0; round < mostRounds; round += 1) {
    await sync();
    cluster.tick(roundSeconds);
    if ((await pass()).quiet) return;
  }
  throw new Error(`the folders did not come to rest in ${mostRounds} rounds`);
}

function pass(): ReturnType<typeof runPass> {
  const ports = {
    git,
    cluster: fakeCluster({ model: cluster }),
    clock: { now: () => cluster.nowSeconds, sleep: async () => undefined },
    log: { info: () => undefined, warn: console.warn, error: console.error },
    signatures: signaturesOf(),
    builder: standInBuilder,
  };
  return runPass(ports, memory, { overrides: NO_OVERRIDES, write: true, only: [] });
}

async function sync(): Promise<void> {
  const [head = ''] = await git.heads(['main']);
  const folders = Array.from({ length: Number(roots) }, (_none, at) => `apps/service-${at}`);
  for (const [folder, closure] of await readClosures(git, head, folders)) {
    if (closure.kind !== 'whole') throw new Error(`${folder} is refused`);
    const key = closureKey(closure);
    if (applied.get(folder)?.key === key) continue;
    const build = await standInBuilder.build(withArgoImages(closure));
    applied.set(folder, { key, objects: build.kind === 'built' ? yamlValues(build.text) : [] });
  }
  const manifests = new Map([...applied].map(([folder, { objects }]) => [folder, objects]));
  syncCommit(cluster.store, manifests, { manager: 'kustomize-controller', namespace: 'llm', prune: true });
  cluster.settle();
}
