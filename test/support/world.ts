/** A whole world in memory: a repository, a cluster with an agent on it, a clock, and passes of the production code. */

import type { JsonObject } from '../../src/api/json.ts';
import { newTrials, type Trials } from '../../src/reconcile/desired/trials.ts';
import { type Memory, NO_OVERRIDES, newMemory, type PassResult, type Ports } from '../../src/reconcile/pass.ts';
import { runPass } from '../../src/reconcile/run.ts';
import { syncCommit } from '../../src/simulator/agent/agent.ts';
import { Cluster, type ClusterOptions } from '../../src/simulator/cluster-model.ts';
import { fakeCluster } from './fake-cluster.ts';
import { FakeRepository } from './fake-git.ts';
import { START_SECONDS } from './simulated-cluster.ts';
import { signaturesOf, statusKeysText } from './status-key.ts';
import { yamlValues } from './yaml-values.ts';

export type WorldOptions = {
  readonly files: Readonly<Record<string, string>>;
  readonly cluster?: Partial<ClusterOptions>;
  /** Folders that the agent applies. */
  readonly synced?: readonly string[];
  /** True: main names a key, and every process has it. */
  readonly signed?: boolean;
};

export const AGENT = 'kustomize-controller';

/** Every manifest below the folders of an agent in a commit, by path. */
export function manifestsAt(
  repository: FakeRepository,
  at: string,
  folders: readonly string[],
): ReadonlyMap<string, readonly JsonObject[]> {
  const found = new Map<string, readonly JsonObject[]>();
  for (const [path, text] of Object.entries(repository.files(at))) {
    if (!folders.some((folder) => path.startsWith(`${folder}/`)) || !/\.(ya?ml|json)$/.test(path)) continue;
    found.set(path, yamlValues(text));
  }
  return found;
}

function filesOf({ files, signed }: WorldOptions): Readonly<Record<string, string>> {
  if (signed !== true) return files;
  const config = files['tranche.yaml'] ?? '';
  const cluster = /^cluster: *(\S+)$/m.exec(config)?.[1];
  return {
    ...files,
    'tranche.yaml': `${config}${config === '' || config.endsWith('\n') ? '' : '\n'}${statusKeysText(1, cluster)}`,
  };
}

export class World {
  readonly repository: FakeRepository;
  readonly cluster: Cluster;
  readonly log: string[] = [];
  /** Looks at every second that passes. */
  everySecond: (() => void) | undefined;
  private readonly parsed: Memory['parsed'];
  private readonly trials: Trials;
  private readonly options: WorldOptions;
  private readonly synced: readonly string[];

  constructor(options: WorldOptions, from?: World) {
    this.options = options;
    this.repository = from?.repository.copy() ?? FakeRepository.withFiles(filesOf(options));
    this.cluster =
      from?.cluster.fork() ??
      new Cluster({ lws: '0.10', gate: 'off', nowSeconds: START_SECONDS, readiness: () => 20, ...options.cluster });
    this.synced = options.synced ?? ['apps'];
    this.parsed = from?.parsed ?? newMemory().parsed;
    this.trials = from?.trials ?? newTrials();
  }

  /** The same world, independent from now on. */
  fork(): World {
    return new World(this.options, this);
  }

  get now(): number {
    return this.cluster.nowSeconds;
  }

  /** The ports of one process; replace any of them to make it fail. */
  ports(replaced: Partial<Ports> = {}): Ports {
    const say = (message: string): void => void this.log.push(message);
    return {
      git: this.repository.open(),
      cluster: fakeCluster({ model: this.cluster }),
      clock: { now: () => this.now, sleep: async () => undefined },
      log: { info: say, warn: say, error: say },
      ...(this.options.signed === true ? { signatures: signaturesOf() } : {}),
      ...replaced,
    };
  }

  /** Of a fresh process, which knows nothing but how texts read and what was tried on them: that is done once. */
  memory(): Memory {
    return { ...newMemory(), parsed: this.parsed, trials: this.trials };
  }

  /** One pass of a fresh process: nothing is remembered but what the branches hold. */
  pass(replaced: Partial<Ports> = {}): Promise<PassResult> {
    return runPass(this.ports(replaced), this.memory(), { overrides: NO_OVERRIDES, write: true, only: [] });
  }

  /** The agent applies the head of main, or another commit. */
  sync(at = 'main'): void {
    syncCommit(this.cluster.store, manifestsAt(this.repository, at, this.synced), {
      manager: AGENT,
      namespace: 'llm',
      prune: true,
    });
    this.cluster.settle();
  }

  /** Someone changes a file: the first occurrence of `from` becomes `to`. */
  edit(path: string, from: string, to: string, message = `edit ${path}`): void {
    const text = this.repository.text('main', path) ?? '';
    if (!text.includes(from)) throw new Error(`${path} does not contain ${from}`);
    this.repository.commit('main', { writes: [{ path, text: text.replaceAll(from, to) }], message });
  }

  tick(seconds: number): void {
    if (this.everySecond === undefined) return this.cluster.tick(seconds);
    for (let second = 0; second < seconds; second += 1) {
      this.cluster.tick(1);
      this.everySecond();
    }
  }

  /** The subject of the newest commit of main. */
  subject(): string {
    return this.repository.log('main')[0]?.message.split('\n')[0] ?? '';
  }

  /** The groups of an LWS as `0:image+ …`, for messages and assertions. */
  groups(name = 'vllm', namespace = 'llm'): string {
    const leaders = this.cluster.objects
      .list('pods', namespace)
      .filter(
        (pod) =>
          pod.metadata.labels?.['leaderworkerset.sigs.k8s.io/worker-index'] === '0' &&
          pod.metadata.labels['leaderworkerset.sigs.k8s.io/name'] === name,
      );
    return leaders
      .map((pod) => {
        const spec = pod['spec'] as { containers: { image: string }[] };
        const status = pod['status'] as { conditions?: { type: string; status: string }[] } | undefined;
        const ready =
          status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false;
        return `${pod.metadata.labels?.['leaderworkerset.sigs.k8s.io/group-index']}:${spec.containers[0]?.image.split(':')[1]}${ready ? '+' : '-'}`;
      })
      .sort()
      .join(' ');
  }
}
