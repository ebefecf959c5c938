/** A world of pull requests: a simulated GitHub over a real repository, a cluster with an agent on it, and people. */

import { forgeAddress } from '../../src/adapters/forge/github/address.ts';
import { forgeLimits } from '../../src/adapters/forge/github/limits.ts';
import { openGithub } from '../../src/adapters/forge/github/open-github.ts';
import { openGit } from '../../src/adapters/git/open.ts';
import { plainNetwork } from '../../src/adapters/network/proxy.ts';
import { newTrials } from '../../src/reconcile/desired/trials.ts';
import { NO_OVERRIDES, newMemory, type PassResult, type Ports } from '../../src/reconcile/pass.ts';
import { runPass } from '../../src/reconcile/run.ts';
import { syncCommit } from '../../src/simulator/agent/agent.ts';
import { Cluster } from '../../src/simulator/cluster-model.ts';
import { fakeCluster } from './fake-cluster.ts';
import type { Account, ForgePull, ForgeRepository } from './forge/repository.ts';
import type { SimulatedForge } from './forge/start-forge.ts';
import { manualTimers } from './manual-timers.ts';
import { PATIENT } from './patient-git.ts';
import { START_SECONDS } from './simulated-cluster.ts';
import { yamlValues } from './yaml-values.ts';

export const APP: Account = { login: 'tranche[bot]', id: 77, type: 'Bot' };
export const ADA: Account = { login: 'ada', id: 1, type: 'User' };
export const BOB: Account = { login: 'bob', id: 2, type: 'User' };
export const STALE: Account = { login: 'stale[bot]', id: 78, type: 'Bot' };
export const FORGE_TOKEN = 'ghs_of-the-app';

/** A repository of its own on the forge, with a cluster that has what is in `apps`. */
export async function forgeWorld(
  forge: SimulatedForge,
  name: string,
  files: Readonly<Record<string, string>>,
): Promise<ForgeWorld> {
  const repository = await forge.createRepository('team', name);
  const permissions = { contents: 'write', pull_requests: 'write', statuses: 'write', checks: 'write' } as const;
  forge.tokens.set(FORGE_TOKEN, { account: APP, permissions, repositories: [`team/${name}`] });
  repository.permissions.set('ada', 'write');
  await repository.git.commit('main', files, 'first files');
  const world = new ForgeWorld(forge, repository);
  await world.sync();
  world.tick(60);
  return world;
}

export class ForgeWorld {
  readonly forge: SimulatedForge;
  readonly repository: ForgeRepository;
  readonly log: string[] = [];
  private readonly parsed = newMemory().parsed;
  private readonly trials = newTrials();
  readonly cluster = new Cluster({ lws: '0.10', gate: 'off', nowSeconds: START_SECONDS, readiness: () => 20 });

  constructor(forge: SimulatedForge, repository: ForgeRepository) {
    this.forge = forge;
    this.repository = repository;
    forge.now = this.cluster.nowSeconds;
  }

  /** Its page on the forge. */
  get url(): string {
    return `${this.forge.url}/team/${this.repository.name}`;
  }

  /** The ports of one process; replace any of them to make it fail. */
  ports(replaced: Partial<Ports> = {}): Ports {
    const say = (message: string): void => void this.log.push(message);
    const clock = { now: () => this.cluster.nowSeconds, sleep: async () => undefined };
    const { url } = this;
    const address = forgeAddress(url, undefined);
    if (address === undefined) throw new Error(`${url} is no address of a forge`);
    const timers = manualTimers();
    timers.skipPauses();
    return {
      git: openGit({ location: `${url}.git`, token: FORGE_TOKEN, limits: PATIENT }),
      cluster: fakeCluster({ model: this.cluster }),
      clock,
      log: { info: say, warn: say, error: say },
      forge: openGithub({
        address,
        credential: { kind: 'token', token: FORGE_TOKEN, from: 'TRANCHE_FORGE_TOKEN' },
        network: plainNetwork,
        clock,
        timers,
        limits: forgeLimits,
        userAgent: 'tranche-test',
      }),
      ...replaced,
    };
  }

  /** One pass of a fresh process: nothing is remembered but what the branches and the forge hold, and how files read. */
  async pass(replaced: Partial<Ports> = {}): Promise<PassResult> {
    await this.repository.settle();
    const result = await runPass(
      this.ports(replaced),
      { ...newMemory(), parsed: this.parsed, trials: this.trials },
      { overrides: NO_OVERRIDES, write: true, only: [] },
    );
    await this.repository.settle();
    return result;
  }

  /** Passes, and an agent that follows, half a minute apart, until this is waited for. */
  async until(reason: string, most = 30): Promise<PassResult> {
    for (let round = 0; round < most; round += 1) {
      const result = await this.pass();
      await this.sync();
      if (reasonsOf(result).includes(reason)) return result;
      this.tick(30);
    }
    throw new Error(`nothing waits for ${reason} after ${most} passes`);
  }

  /** The agent applies the head of main. */
  async sync(): Promise<void> {
    const git = openGit({ location: this.repository.git.path });
    const [main = ''] = await git.heads(['main']);
    const { files } = await git.readAt(main, { paths: ['apps'], suffixes: [], markers: [] });
    const found = new Map(
      files.flatMap(({ path, content }) =>
        content.kind === 'text' ? [[path, yamlValues(content.text)] as const] : [],
      ),
    );
    syncCommit(this.cluster.store, found, { manager: 'kustomize-controller', namespace: 'llm', prune: true });
    this.cluster.settle();
  }

  tick(seconds: number): void {
    this.cluster.tick(seconds);
    this.forge.now = this.cluster.nowSeconds;
  }

  /** Someone changes a file on main. */
  async edit(path: string, from: string, to: string): Promise<void> {
    const text = await this.text(path);
    if (!text.includes(from)) throw new Error(`${path} does not contain ${from}`);
    await this.repository.git.commit('main', { [path]: text.replaceAll(from, to) }, `edit ${path}`);
  }

  async text(path: string, at = 'main'): Promise<string> {
    return `${await this.git('show', `${at}:${path}`)}\n`;
  }

  git(...args: readonly string[]): Promise<string> {
    return this.repository.git.git(...args);
  }

  /** The branches of pull requests that are there. */
  async branches(): Promise<readonly string[]> {
    const lines = await this.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/tranche');
    return lines === '' ? [] : lines.split('\n');
  }

  /** The only open pull request. */
  get pull(): ForgePull {
    const open = this.repository.pulls.filter(({ state }) => state === 'open');
    if (open[0] === undefined || open.length > 1) throw new Error(`${open.length} pull requests are open`);
    return open[0];
  }

  /** Subjects of main since its first commit, the newest last. */
  async subjects(): Promise<readonly string[]> {
    return (await this.git('log', '--first-parent', '--reverse', '--format=%s', 'main')).split('\n').slice(1);
  }
}

/** What the rollouts of a pass wait for. */
export function reasonsOf({ outcomes }: PassResult): readonly string[] {
  return outcomes.flatMap(({ plan }) => plan?.holds.map(({ reason }) => reason) ?? []);
}

/** What people read of what it waits for, and of what failed. */
export function messagesOf({ outcomes }: PassResult): readonly string[] {
  return outcomes.flatMap(({ plan, error }) => [
    ...(plan?.holds.map(({ message }) => message) ?? []),
    ...(error === undefined ? [] : [error]),
  ]);
}
