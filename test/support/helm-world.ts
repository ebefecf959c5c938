/** A world whose agent renders a HelmRelease: a chart of ours in the shape of those for NIM, and its post-renderers over that. */

import { at, isJsonObject, type Json, type JsonObject } from '../../src/api/json.ts';
import { eject, intent, type OrderWish } from '../../src/commands/order.ts';
import type { Oid } from '../../src/ports/git.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { type Ports } from '../../src/reconcile/pass.ts';
import type { EjectWish } from '../../src/rollout/orders/eject-scene.ts';
import { syncCommit } from '../../src/simulator/agent/agent.ts';
import { COMMON_OPTIONS } from './common-options.ts';
import { FakeForge } from './fake-forge.ts';
import { HELM_FILES, RELEASE_FILE } from './helm-files.ts';
import { ROLLOUT_FILE } from './vllm.ts';
import { AGENT, World, type WorldOptions } from './world.ts';
import { yamlValues } from './yaml-values.ts';

const ORDER = { ...COMMON_OPTIONS, by: 'ana' } as const;

/** What the chart makes of these values; none where they switch the multi-node mode off. */
export type Chart = (values: JsonObject, release: { readonly name: string }) => JsonObject | undefined;

function textAt(values: Json | undefined, path: readonly string[], otherwise: string): string {
  const value = at(values, path);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : otherwise;
}

/** As such charts are: no value for the partition, and the number of groups is one. */
export const CHART: Chart = (values) => {
  const image = `vllm/vllm-openai:${textAt(values, ['image', 'tag'], 'latest')}`;
  const pod = (name: string): JsonObject => ({
    spec: { containers: [{ name, image, ports: [{ containerPort: 8080 }] }] },
  });
  if (at(values, ['multiNode', 'enabled']) === false) return undefined;
  return {
    apiVersion: 'leaderworkerset.x-k8s.io/v1',
    kind: 'LeaderWorkerSet',
    metadata: { name: 'vllm' },
    spec: {
      replicas: Number(textAt(values, ['replicas'], '4')),
      leaderWorkerTemplate: {
        size: Number(textAt(values, ['multiNode', 'workers'], '2')),
        leaderTemplate: { metadata: { labels: { app: 'vllm' } }, ...pod('leader') },
        workerTemplate: pod('worker'),
      },
    },
  };
};

/** The same files, and no step of the Rollout waits for somebody. */
export const RUNNING_FILES: Readonly<Record<string, string>> = {
  ...HELM_FILES,
  [ROLLOUT_FILE]: HELM_FILES[ROLLOUT_FILE].replace('pause: {}', 'pause: {duration: 0}'),
};

/** The one of these files: of another group none is a release to Flux, and of another namespace it is another. */
function isRelease(document: JsonObject): boolean {
  const isOfFlux = textAt(document, ['apiVersion'], '').startsWith('helm.toolkit.fluxcd.io/');
  return isOfFlux && textAt(document, ['metadata', 'namespace'], 'llm') === 'llm';
}

/** A strategic merge of maps: no list of a workload is patched here. */
function merged(value: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const below = isJsonObject(value) ? value : {};
  return {
    ...below,
    ...Object.fromEntries(Object.entries(patch).map(([key, inner]) => [key, merged(below[key], inner)])),
  };
}

export class HelmWorld extends World {
  chart: Chart = CHART;
  /** Upgrades that failed: Helm keeps the release before. */
  failed = 0;

  /** Its pull requests; not there: tranche has no forge. */
  forge: FakeForge | undefined;

  constructor(options: Partial<WorldOptions> = {}, from?: HelmWorld) {
    super({ files: RUNNING_FILES, ...options }, from);
    if (from !== undefined) this.chart = from.chart;
  }

  /** The same world, independent from now on. */
  override fork(): HelmWorld {
    return new HelmWorld({}, this);
  }

  /** Commits that nobody can fetch any more: the clone is not so deep. */
  private gone: ReadonlySet<Oid> = new Set();

  override ports(replaced: Partial<Ports> = {}): Ports {
    const git = this.repository.open();
    const missing = (oid: Oid, operation: 'read' | 'history'): PortError =>
      new PortError(`${oid.slice(0, 12)} is not there`, { port: 'git', operation, retryable: false, hint: '' });
    return super.ports({
      ...(this.forge === undefined ? {} : { forge: this.forge.port() }),
      git: {
        ...git,
        readAt: async (commit, request) => {
          if (this.gone.has(commit)) throw missing(commit, 'read');
          return git.readAt(commit, request);
        },
        history: async (from, until, limit) => {
          const found = await git.history(from, until, limit);
          const cut = found.find(({ oid }) => this.gone.has(oid));
          if (cut !== undefined) throw missing(cut.oid, 'history');
          return found;
        },
      },
      ...replaced,
    });
  }

  /** From now on nobody can fetch these. */
  lose(commits: readonly Oid[]): void {
    this.gone = new Set([...this.gone, ...commits]);
  }

  /** From now on there is a forge. */
  withForge(): FakeForge {
    this.forge = new FakeForge(this.repository, () => this.now);
    return this.forge;
  }

  /** Flux applies the HelmRelease, and renders it; an upgrade that fails leaves the cluster as it is. */
  apply(ref = 'main'): void {
    const documents = yamlValues(this.repository.files(ref)[RELEASE_FILE] ?? '');
    this.upgrade(documents.find(isRelease));
  }

  /** The agent comes by. */
  async deploy(): Promise<void> {
    this.apply();
  }

  protected upgrade(release: JsonObject | undefined): void {
    const rendered = release === undefined ? undefined : this.rendered(release);
    if (rendered === undefined) return void (this.failed += 1);
    syncCommit(this.cluster.store, new Map([[RELEASE_FILE, [rendered]]]), {
      manager: AGENT,
      namespace: 'llm',
      prune: true,
    });
    this.cluster.settle();
  }

  protected rendered(release: JsonObject): JsonObject | undefined {
    const values = at(release, ['spec', 'values']);
    let object = this.chart(isJsonObject(values) ? values : {}, { name: textAt(release, ['metadata', 'name'], '') });
    const renderers = at(release, ['spec', 'postRenderers']);
    for (const one of Array.isArray(renderers) ? renderers : []) {
      const patches = at(one, ['kustomize', 'patches']);
      for (const { patch, target } of (Array.isArray(patches) ? patches : []) as { patch: string; target?: Json }[]) {
        const [wanted] = yamlValues(patch);
        if (wanted === undefined || object === undefined) return undefined;
        const isIt = ['kind', 'name', 'namespace'].every((key) => {
          const path = key === 'kind' ? [key] : ['metadata', key];
          return at(wanted, path) === at(object, path);
        });
        if (!isIt && target === undefined) return undefined;
        const next = merged(object, wanted);
        object = isJsonObject(next) ? next : undefined;
      }
    }
    return object;
  }

  /** Commits of main. */
  commits(): number {
    return this.repository.log('main').length;
  }

  release(): string {
    return this.repository.text('main', RELEASE_FILE) ?? '';
  }

  /** Someone orders, as on the command line. */
  async order(wish: OrderWish | EjectWish): Promise<string> {
    let said = '';
    const note = (text: string): void => void (said += text);
    const io = { env: {}, folder: '', out: note, err: note, isTerminal: false, signal: new AbortController().signal };
    const options = { ...ORDER, target: { namespace: 'llm', name: 'vllm' } };
    if ('kind' in wish) await intent(wish, options, this.ports(), io);
    else await eject(wish, options, this.ports(), io);
    return said;
  }

  /** Steps until one says nothing: which groups each found, what it has written, and what it waits for. */
  async play(most = 24): Promise<readonly string[]> {
    const told: string[] = [];
    for (let step = 0; step < most; step += 1) {
      const groups = this.groups();
      const said = await this.step();
      if (said === '') return told;
      told.push(`${groups.replaceAll('v0.10.', '')} ${said}`);
    }
    throw new Error(`no rest after ${most} steps:\n${told.join('\n')}`);
  }

  /** A pass, the agent, and this many seconds. */
  async step(seconds = 60): Promise<string> {
    const result = await this.pass();
    const [one] = result.outcomes;
    const said = one?.error ?? one?.plan?.holds.map(({ reason, message }) => `${reason}: ${message}`).join('\n') ?? '';
    const written = one?.written === undefined ? '' : this.subject();
    await this.deploy();
    this.tick(seconds);
    return [written, said].filter((text) => text !== '').join('\n');
  }

  /** Two of four groups are on a newer tag. */
  static async halfWay(options: Partial<WorldOptions> = {}): Promise<HelmWorld> {
    const world = await HelmWorld.adopted(options);
    world.edit(RELEASE_FILE, 'v0.10.0', 'v0.10.1');
    world.apply();
    for (let step = 0; step < 5; step += 1) await world.step();
    return world;
  }

  /** Taken over and at rest. */
  static async adopted(options: Partial<WorldOptions> = {}): Promise<HelmWorld> {
    const world = new HelmWorld(options);
    world.apply();
    world.tick(120);
    await world.play();
    return world;
  }
}
