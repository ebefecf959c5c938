/** Lives one delivery by passes of the production code, and marks the moments at which measured passes start. */

import { parseAllDocuments } from 'yaml';
import { openGit } from '../src/adapters/git/open.ts';
import type { JsonObject } from '../src/api/json.ts';
import { NO_OVERRIDES, newMemory, type PassResult } from '../src/reconcile/pass.ts';
import { runPass } from '../src/reconcile/run.ts';
import { syncCommit } from '../src/simulator/agent/agent.ts';
import { Cluster } from '../src/simulator/cluster-model.ts';
import { fakeCluster } from '../test/support/fake-cluster.ts';
import { bareRepository } from '../test/support/git-server.ts';
import { signaturesOf, statusKeysText } from '../test/support/status-key.ts';
import { NEW, OLD } from '../test/support/vllm.ts';

/** Where the branches of a repository are. */
export type Heads = { readonly main: string; readonly status: string };

export type Moments = {
  /** Everything delivered and recorded: a pass finds nothing to look at. */
  readonly settled: Heads;
  /** Step 1 of 3 is on its group and ready: the next pass writes step 2. */
  readonly moving: Heads;
  /** The same where main names no key: the record and the index are believed as far as main and the cluster bear them out. */
  readonly movingUnsigned: Heads;
  /** And with one, without a configuration of paths; its cluster is the same as well, but for annotations. */
  readonly movingWithoutPaths: Heads;
  /** And where main names no key: nothing that the last pass has said of files is believed, so each of them is read. */
  readonly readingAll: Heads;
  /** All settled, without a key. */
  readonly settledUnsigned: Heads;
};

export type StoryPlace = {
  /** The folder, and where passes find it: what they leave for the next one depends on that. */
  readonly repository: string;
  readonly url: string;
  readonly lwsFile: string;
  readonly configFile: string;
};

/** The simulated time that the story may take: it ends about now, so that no audit is due. */
const storySeconds = 900;
const roundSeconds = 60;
const mostRounds = 12;

/** Plays the story on a bare repository on disk, and returns the cluster as it is at its end. */
export async function playStory(place: StoryPlace): Promise<{ readonly cluster: Cluster; readonly moments: Moments }> {
  const nowSeconds = Math.floor(Date.now() / 1000) - storySeconds;
  const cluster = new Cluster({ lws: '0.10', gate: 'off', nowSeconds, readiness: () => 20 });
  const stage: Stage = { ...place, cluster, ...bareRepository(place.repository) };
  await rounds(stage, async () => (await pass(stage, true)).quiet);
  const settled = await headsOf(stage);
  const [twin, third] = [1, 2].map(() => ({ ...stage, cluster: cluster.fork() }));
  if (twin === undefined || third === undefined) throw new Error('there are two');
  const moving = await deliver(stage, {});
  const movingUnsigned = await withoutKey(stage, place.configFile);
  const back = async (): Promise<void> => {
    await stage.git('update-ref', 'refs/heads/main', settled.main);
    await stage.git('update-ref', 'refs/heads/tranche-status', settled.status);
  };
  await back();
  const movingWithoutPaths = await deliver(twin, { [place.configFile]: statusKeysText() });
  await back();
  const readingAll = await deliver(third, { [place.configFile]: undefined });
  await back();
  await withoutKey(stage, place.configFile);
  await stage.git('update-ref', '-d', 'refs/heads/tranche-status');
  await pass({ ...stage, cluster: third.cluster }, true);
  const settledUnsigned = await headsOf(stage);
  return { cluster, moments: { settled, moving, movingUnsigned, movingWithoutPaths, readingAll, settledUnsigned } };
}

/** Someone asks for the new version; everything goes on until step 2 is due. */
async function deliver(stage: Stage, files: Readonly<Record<string, string | undefined>>): Promise<Heads> {
  const edit = { ...files, [stage.lwsFile]: (await lwsText(stage)).replaceAll(OLD, NEW) };
  await stage.commit('main', edit, 'vllm: v0.10.1');
  await rounds(stage, async () => {
    const [outcome] = (await pass(stage, false)).outcomes;
    const isDue = outcome?.plan?.commit?.subject.includes('step 2/3') === true;
    if (!isDue) await pass(stage, true);
    return isDue;
  });
  return headsOf(stage);
}

type Stage = StoryPlace & ReturnType<typeof bareRepository> & { readonly cluster: Cluster };

/** Lets the agent apply, pods start and passes run until one of them says that the moment has come. */
async function rounds(stage: Stage, hasCome: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < mostRounds; round += 1) {
    await sync(stage);
    stage.cluster.tick(roundSeconds);
    if (await hasCome()) return;
  }
  throw new Error(`the story did not get on in ${mostRounds} rounds`);
}

function pass(stage: Stage, write: boolean): Promise<PassResult> {
  const ports = {
    git: openGit({ location: stage.url }),
    cluster: fakeCluster({ model: stage.cluster }),
    clock: { now: () => stage.cluster.nowSeconds, sleep: async () => undefined },
    log: { info: () => undefined, warn: console.warn, error: console.error },
    signatures: signaturesOf(),
  };
  return runPass(ports, newMemory(), { overrides: NO_OVERRIDES, write, only: [] });
}

async function sync(stage: Stage): Promise<void> {
  const manifests = parseAllDocuments(await lwsText(stage)).map((document) => document.toJS() as JsonObject);
  syncCommit(stage.cluster.store, new Map([[stage.lwsFile, manifests]]), {
    manager: 'kustomize-controller',
    namespace: 'llm',
    prune: true,
  });
  stage.cluster.settle();
}

async function lwsText(stage: Stage): Promise<string> {
  return `${await stage.git('cat-file', 'blob', `main:${stage.lwsFile}`)}\n`;
}

/** Somebody takes the key out of the configuration: what is signed by it is nobody's word from then on. */
export async function withoutKey(stage: ReturnType<typeof bareRepository>, configFile: string): Promise<Heads> {
  const config = await stage.git('cat-file', 'blob', `main:${configFile}`);
  await stage.commit('main', { [configFile]: `${config.replace(/statusKeys.*/, '')}\n` });
  return headsOf(stage);
}

export async function headsOf(stage: ReturnType<typeof bareRepository>): Promise<Heads> {
  const [main = '', status = ''] = (await stage.git('rev-parse', 'main', 'tranche-status')).split('\n');
  return { main, status };
}
