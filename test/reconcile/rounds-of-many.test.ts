/** What a pass without a key asks Git for many deliveries in mid-step: as often as for a few of them. */

import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fleetFiles, fleetFolder, fleetLws } from '../../bench/fleet-place.ts';
import { openGit } from '../../src/adapters/git/open.ts';
import { NO_OVERRIDES, newMemory, type PassResult, type Ports } from '../../src/reconcile/pass.ts';
import { runPass } from '../../src/reconcile/run.ts';
import { syncCommit } from '../../src/simulator/agent/agent.ts';
import { Cluster } from '../../src/simulator/cluster-model.ts';
import { fakeCluster } from '../support/fake-cluster.ts';
import { bareRepository, createFilledRepository, type GitServer, startGitServer } from '../support/git-server.ts';
import { NEW, OLD } from '../support/vllm.ts';
import { yamlValues } from '../support/yaml-values.ts';

let server: GitServer;
let few: Fleet;
let many: Fleet;

beforeAll(async () => {
  server = await startGitServer();
  // Whatever is asked for at once has come before the first of it is answered.
  server.fault = async () => {
    for (let turn = 0; turn < 50; turn += 1) await new Promise((done) => setImmediate(done));
    return undefined;
  };
  few = await fleetOf(2);
  many = await fleetOf(12);
});
afterAll(() => server.stop());

type Fleet = {
  readonly name: string;
  readonly canaries: number;
  readonly model: Cluster;
  /** Where main and the status are when the pods of step 2 are due for each canary. */
  readonly heads: { readonly main: string; readonly status: string };
};

const ROUNDS_MOST = 14;

/** Canaries of which each waits for its next commit, written by passes without a key; next to them two Rollouts at rest. */
async function fleetOf(canaries: number): Promise<Fleet> {
  const name = `${canaries}.git`;
  const path = join(server.folder, name);
  const files = { ...fleetFiles(canaries + 2, canaries), 'tranche.yaml': 'paths: [apps]\n' };
  const { git, commit } = await createFilledRepository(path, files);
  const model = new Cluster({ lws: '0.10', gate: 'off', nowSeconds: 1_700_000_000, readiness: () => 20 });
  const ports = portsOf(path, model);
  const memory = newMemory();
  const pass = (write: boolean): Promise<PassResult> =>
    runPass(ports, memory, { overrides: NO_OVERRIDES, write, only: [] });
  for (let round = 0, asked = false; round < ROUNDS_MOST; round += 1) {
    await sync(path, model, canaries + 2);
    model.tick(60);
    const { outcomes } = await pass(false);
    const due = outcomes.filter(({ plan }) => plan?.commit?.subject.includes('step 2/2, pods') === true);
    if (due.length === canaries) {
      const [main = '', status = ''] = (await git('rev-parse', 'main', 'tranche-status')).split('\n');
      return { name, canaries, model, heads: { main, status } };
    }
    const { quiet } = await pass(true);
    if (!quiet || asked) continue;
    asked = true;
    for (let at = 0; at < canaries; at += 1) {
      const text = await git('cat-file', 'blob', `main:${fleetLws(at)}`);
      await commit('main', { [fleetLws(at)]: `${text.replaceAll(OLD, NEW)}\n` }, `service-${at}: new version`);
    }
  }
  throw new Error(`the canaries did not get on in ${ROUNDS_MOST} rounds`);
}

function portsOf(location: string, model: Cluster): Ports {
  const silent = (): void => undefined;
  return {
    git: openGit({ location }),
    cluster: fakeCluster({ model }),
    clock: { now: () => model.nowSeconds, sleep: async () => undefined },
    log: { info: silent, warn: silent, error: silent },
  };
}

/** The agent applies what main has of each. */
async function sync(path: string, model: Cluster, rollouts: number): Promise<void> {
  const { git } = bareRepository(path);
  const wanted = Array.from({ length: rollouts }, (_none, at) => fleetFolder(at));
  const names = (await git('ls-tree', '-r', '--name-only', 'main', ...wanted)).split('\n');
  const applied = names.filter((file) => /(lws|service|route)\.yaml$/.test(file));
  const manifests = new Map<string, ReturnType<typeof yamlValues>>();
  for (const file of applied) manifests.set(file, yamlValues(await git('cat-file', 'blob', `main:${file}`)));
  syncCommit(model.store, manifests, { manager: 'kustomize-controller', namespace: 'default', prune: true });
  model.settle();
}

type Cost = { readonly result: PassResult; readonly requests: readonly string[]; readonly rounds: number };

/** A pass of a new process. */
async function costOf({ name, model, heads }: Fleet): Promise<Cost> {
  const { git } = bareRepository(join(server.folder, name));
  await git('update-ref', 'refs/heads/main', heads.main);
  await git('update-ref', 'refs/heads/tranche-status', heads.status);
  server.requests.length = 0;
  server.rounds.ended = 0;
  const ports = portsOf(`${server.url}/${name}`, model);
  const result = await runPass(ports, newMemory(), { overrides: NO_OVERRIDES, write: true, only: [] });
  const requests = server.requests.map(({ kind }) => kind);
  return { result, requests, rounds: Math.max(0, ...server.requests.map(({ round }) => round)) };
}

function steps({ result }: Cost): number {
  return result.outcomes.filter(({ plan }) => plan?.commit?.subject.includes('step 2/2, pods') === true).length;
}

test('twelve canaries in mid-step cost no round more than two, and few requests', async () => {
  const [two, twelve] = [await costOf(few), await costOf(many)];
  expect([steps(two), steps(twelve)]).toEqual([2, 12]);
  // Main has a commit more for each rung of each: its line comes in one round more.
  expect(two.rounds).toBeLessThanOrEqual(11);
  expect(twelve.rounds).toBeLessThanOrEqual(13);
  expect(twelve.requests.length).toBeLessThanOrEqual(two.requests.length + 4);
});
