/** A bare repository on disk, a cluster, and passes of the production code over both: what a hostile pusher meets. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openGit } from '../../src/adapters/git/open.ts';
import type { Signatures } from '../../src/ports/signatures.ts';
import { type Memory, NO_OVERRIDES, newMemory, type PassResult } from '../../src/reconcile/pass.ts';
import { runPass } from '../../src/reconcile/run.ts';
import { syncCommit } from '../../src/simulator/agent/agent.ts';
import { Cluster } from '../../src/simulator/cluster-model.ts';
import { fakeCluster } from './fake-cluster.ts';
import { bareRepository, createBareRepository, type ServedRepository } from './git-server.ts';
import { START_SECONDS } from './simulated-cluster.ts';
import { LWS_FILE } from './vllm.ts';
import { AGENT } from './world.ts';
import { yamlValues } from './yaml-values.ts';

export const STATUS = 'tranche-status';

/** Where both branches are, and the cluster as it is then. */
export type Moment = { readonly main: string; readonly status: string; readonly cluster: Cluster };

/** Who looks: a fresh process without a key, if nothing else is said. */
export type Process = {
  readonly signatures?: Signatures | undefined;
  readonly memory?: Memory;
  /** How far most clocks are ahead of that of this process; not there: no server dates its answers. */
  readonly agreedSeconds?: number;
};

export class BareWorld {
  readonly repository: Omit<ServedRepository, 'url'>;
  cluster: Cluster;

  private constructor(repository: Omit<ServedRepository, 'url'>) {
    this.repository = repository;
    this.cluster = new Cluster({ lws: '0.10', gate: 'off', nowSeconds: START_SECONDS, readiness: () => 20 });
  }

  static async open(files: Readonly<Record<string, string>>): Promise<BareWorld> {
    const path = join(mkdtempSync(join(tmpdir(), 'tranche-bare-')), 'bare.git');
    await createBareRepository(path);
    const repository = bareRepository(path);
    await repository.commit('main', files);
    return new BareWorld(repository);
  }

  /** A text of a branch; undefined: it is not there. */
  async text(branch: string, path: string): Promise<string | undefined> {
    try {
      return `${await this.repository.git('cat-file', 'blob', `${branch}:${path}`)}\n`;
    } catch {
      return undefined;
    }
  }

  async edit(path: string, from: string, to: string): Promise<void> {
    const text = (await this.text('main', path)) ?? '';
    if (!text.includes(from)) throw new Error(`${path} does not contain ${from}`);
    await this.repository.commit('main', { [path]: text.replaceAll(from, to) });
  }

  async pass({ signatures, memory = newMemory(), agreedSeconds }: Process = {}): Promise<PassResult> {
    const silent = (): void => undefined;
    const ports = {
      git: openGit({ location: this.repository.path }),
      cluster: fakeCluster({ model: this.cluster }),
      clock: {
        now: () => this.cluster.nowSeconds,
        sleep: async () => undefined,
        ...(agreedSeconds === undefined ? {} : { agreed: () => this.cluster.nowSeconds + agreedSeconds }),
      },
      log: { info: silent, warn: silent, error: silent },
      signatures,
    };
    return runPass(ports, memory, { overrides: NO_OVERRIDES, write: true, only: [] });
  }

  /** The agent applies main, this many seconds pass. */
  async goOn(seconds = 60): Promise<void> {
    const text = (await this.text('main', LWS_FILE)) ?? '';
    syncCommit(this.cluster.store, new Map([[LWS_FILE, yamlValues(text)]]), {
      manager: AGENT,
      namespace: 'llm',
      prune: true,
    });
    this.cluster.settle();
    this.cluster.tick(seconds);
  }

  async rounds(count: number, process: Process): Promise<PassResult | undefined> {
    let last: PassResult | undefined;
    for (let round = 0; round < count; round += 1) {
      await this.goOn();
      last = await this.pass(process);
    }
    return last;
  }

  async moment(): Promise<Moment> {
    const [main = '', status = ''] = (await this.repository.git('rev-parse', 'main', STATUS)).split('\n');
    return { main, status, cluster: this.cluster.fork() };
  }

  async back({ main, status, cluster }: Moment): Promise<void> {
    await this.repository.git('update-ref', 'refs/heads/main', main);
    await this.repository.git('update-ref', `refs/heads/${STATUS}`, status);
    this.cluster = cluster.fork();
  }

  /** The newest subject of main. */
  subject(): Promise<string> {
    return this.repository.git('log', '-1', '--format=%s', 'main');
  }
}
