/** A process of its own: makes a repository of many Rollouts, lets some of them move, and serves their cluster. */

import { writeFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { openGit } from '../src/adapters/git/open.ts';
import type { JsonObject } from '../src/api/json.ts';
import { startApiServer } from '../src/demo/api-server/start-api-server.ts';
import { NO_OVERRIDES, newMemory, type PassResult } from '../src/reconcile/pass.ts';
import { runPass } from '../src/reconcile/run.ts';
import { syncCommit } from '../src/simulator/agent/agent.ts';
import { Cluster } from '../src/simulator/cluster-model.ts';
import { fakeCluster } from '../test/support/fake-cluster.ts';
import { bareRepository } from '../test/support/git-server.ts';
import { generateRepository } from '../test/support/repository-generator.ts';
import { signaturesOf } from '../test/support/status-key.ts';
import { NEW, OLD } from '../test/support/vllm.ts';
import { fleetFiles, fleetLws } from './fleet-place.ts';
import { configFile } from './place.ts';
import { type Heads, headsOf, withoutKey } from './story.ts';

export type FleetMoments = {
  /** Everything delivered and recorded. */
  readonly settled: Heads;
  /** The same where main names no key. */
  readonly settledUnsigned: Heads;
  /** The next pass writes step 2 of those that move, or its groups. */
  readonly moving: Heads;
  /** The same where main names no key. */
  readonly movingUnsigned: Heads;
};

const [, , path = '', rollouts = '', amount = '', kubeconfig = '', strategy = 'partition'] = process.argv;
const canaries = strategy === 'canary' ? Number(amount) : 0;
/** What a pass writes next of all that move. */
const second = canaries > 0 ? 'step 2/2, pods' : 'step 2/3';
const storySeconds = 900;
const roundSeconds = 60;
const mostRounds = 12;

await generateRepository(path, { files: 250, extra: fleetFiles(Number(rollouts), canaries) });
const repository = bareRepository(path);
const nowSeconds = Math.floor(Date.now() / 1000) - storySeconds;
const cluster = new Cluster({ lws: '0.10', gate: 'off', nowSeconds, readiness: () => 20 });
const git = openGit({ location: path });
const memory = newMemory();
/** What the agent has read of the files, by path, and of which blob. */
const applied = new Map<string, { readonly oid: string; readonly objects: readonly JsonObject[] }>();

await rounds(async () => (await pass(true)).quiet);
const settled = await headsOf(repository);
const settledUnsigned = await recordedWithoutKey(settled);
const edits: Record<string, string> = {};
for (let at = 0; at < Number(amount); at += 1) edits[fleetLws(at)] = (await textOf(fleetLws(at))).replaceAll(OLD, NEW);
await repository.commit('main', edits, 'v0.10.1');
await rounds(async () => {
  const due = (await pass(false)).outcomes.filter((one) => one.plan?.commit?.subject.includes(second) === true);
  const isDue = due.length === Number(amount);
  if (!isDue) await pass(true);
  return isDue;
});
const moving = await headsOf(repository);
const moments: FleetMoments = {
  settled,
  settledUnsigned,
  moving,
  movingUnsigned: await withoutKey(repository, configFile),
};
const api = await startApiServer({ model: cluster, port: 0, kinds: undefined, interfere: undefined });
writeFileSync(kubeconfig, api.kubeconfig);
process.once('disconnect', () => process.exit());
process.send?.(moments);

async function rounds(hasCome: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < mostRounds; round += 1) {
    await sync();
    cluster.tick(roundSeconds);
    if (await hasCome()) return;
  }
  const { outcomes } = await pass(false);
  const said = new Map<string, number>();
  for (const { plan, error } of outcomes) {
    const line =
      error ??
      plan?.commit?.subject.replace(/service-\d+/g, '').replace(/team-\d+/g, '') ??
      plan?.holds.map(({ reason }) => reason).join() ??
      '';
    said.set(line, (said.get(line) ?? 0) + 1);
  }
  throw new Error(`the fleet did not get on in ${mostRounds} rounds: ${JSON.stringify([...said].slice(0, 10))}`);
}

/** All records made again where main names no key; both branches are at `from` afterwards. */
async function recordedWithoutKey({ main, status }: Heads): Promise<Heads> {
  await withoutKey(repository, configFile);
  await repository.git('update-ref', '-d', 'refs/heads/tranche-status');
  await pass(true, newMemory());
  const heads = await headsOf(repository);
  await repository.git('update-ref', 'refs/heads/main', main);
  await repository.git('update-ref', 'refs/heads/tranche-status', status);
  return heads;
}

function pass(write: boolean, of = memory): Promise<PassResult> {
  const ports = {
    git,
    cluster: fakeCluster({ model: cluster }),
    clock: { now: () => cluster.nowSeconds, sleep: async () => undefined },
    log: { info: () => undefined, warn: console.warn, error: console.error },
    signatures: signaturesOf(),
  };
  return runPass(ports, of, { overrides: NO_OVERRIDES, write, only: [] });
}

async function sync(): Promise<void> {
  const head = (await git.heads(['main']))[0] ?? '';
  const tree = await git.readAt(head, {
    paths: ['apps'],
    suffixes: ['lws.yaml', 'service.yaml', 'route.yaml'],
    markers: [],
  });
  const manifests = new Map<string, readonly JsonObject[]>();
  for (const file of tree.files) {
    const before = applied.get(file.path);
    const text = file.content.kind === 'text' ? file.content.text : '';
    const objects =
      before?.oid === file.oid
        ? before.objects
        : parseAllDocuments(text).map((document) => document.toJS() as JsonObject);
    applied.set(file.path, { oid: file.oid, objects });
    manifests.set(file.path, objects);
  }
  syncCommit(cluster.store, manifests, { manager: 'kustomize-controller', namespace: 'default', prune: true });
  cluster.settle();
}

function textOf(file: string): Promise<string> {
  return repository.git('cat-file', 'blob', `main:${file}`).then((text) => `${text}\n`);
}
