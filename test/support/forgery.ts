/** A delivery that is in progress, and what somebody who may merge writes into its marks. */

import type { CommitHeader, Oid } from '../../src/ports/git.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { factsDigest } from '../../src/reconcile/documents/digests.ts';
import { order as giveOrder } from '../../src/reconcile/order.ts';
import { NO_OVERRIDES, type PassResult, type Ports } from '../../src/reconcile/pass.ts';
import { runPass } from '../../src/reconcile/run.ts';
import { planEject } from '../../src/rollout/orders/eject.ts';
import type { EjectWish } from '../../src/rollout/orders/eject-scene.ts';
import { type Intent, planIntent } from '../../src/rollout/orders/intent.ts';
import { planRepair } from '../../src/rollout/orders/repair.ts';
import { FakeForge } from './fake-forge.ts';
import { LWS_FILE, NEW, OLD, VLLM_FILES } from './vllm.ts';
import { World } from './world.ts';

/** A template that nobody has asked for. */
export const EVIL = 'evil.example/miner:v1';

export class Forgery {
  readonly world: World;

  /** Commits that nobody can fetch any more: rewritten, or older than the clone. */
  private gone: ReadonlySet<Oid> = new Set();

  /** What the last order said of what to order afterwards; undefined: nothing. */
  next: string | undefined;

  /** Its pull requests; not there: tranche has no forge. */
  readonly forge: FakeForge | undefined;

  constructor(
    from: Readonly<Record<string, string>> | Forgery = VLLM_FILES,
    how: { readonly signed?: boolean; readonly pulls?: boolean } = {},
  ) {
    this.world = from instanceof Forgery ? from.world.fork() : new World({ files: from, signed: how.signed ?? false });
    const before = from instanceof Forgery ? from.forge : undefined;
    const isProposed = how.pulls === true || before !== undefined;
    this.forge = isProposed ? new FakeForge(this.world.repository, () => this.world.now, before) : undefined;
  }

  /** The same delivery, independent from now on. */
  fork(): Forgery {
    return new Forgery(this);
  }

  /** The ports of one process, which has what can be fetched. */
  private ports(): Ports {
    const git = this.world.repository.open();
    const missing = (oid: Oid, operation: 'read' | 'history'): PortError =>
      new PortError(`${oid.slice(0, 12)} is not there`, { port: 'git', operation, retryable: false, hint: '' });
    return this.world.ports({
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
    });
  }

  /** From now on nobody can fetch these. */
  lose(commits: readonly Oid[]): void {
    this.gone = new Set([...this.gone, ...commits]);
  }

  /** Main's own line, oldest first. */
  line(): readonly CommitHeader[] {
    return [...this.world.repository.log('main')].reverse();
  }

  /** Main becomes a line of these trees, each the files of one of its commits before; those before cannot be fetched. */
  rewrite(trees: readonly Readonly<Record<string, string>>[], message: string): void {
    const { repository } = this.world;
    const before = this.line().map(({ oid }) => oid);
    let last: Readonly<Record<string, string>> = {};
    repository.setHead('main', undefined);
    for (const [place, tree] of trees.entries()) {
      const paths = [...new Set([...Object.keys(last), ...Object.keys(tree)])];
      const writes = paths.map((path) => ({ path, text: tree[path] }));
      repository.commit('main', { writes, message: `${message} ${place}`, orphan: place === 0 });
      last = tree;
    }
    this.lose(before);
  }

  text(path = LWS_FILE): string {
    return this.world.repository.text('main', path) ?? '';
  }

  /** A merged change of somebody's. */
  write(path: string, text: string | undefined, message = `edit ${path}`): string {
    return this.world.repository.commit('main', { writes: [{ path, text }], message });
  }

  edit(path: string, from: string | RegExp, to: string): string {
    const text = this.text(path);
    const edited = text.replace(from, to);
    if (edited === text) throw new Error(`${path} does not contain ${from}`);
    return this.write(path, edited);
  }

  /** A mark of the workload, whatever it says; another one is added next to the first of all. */
  mark(name: string, value: string): string {
    const line = `tranche.dev/${name}: ${JSON.stringify(value)}`;
    const there = new RegExp(`tranche\\.dev/${name}: .*`);
    return there.test(this.text())
      ? this.edit(LWS_FILE, there, line)
      : this.edit(LWS_FILE, 'tranche.dev/release:', `${line}\n    tranche.dev/release:`);
  }

  /** A commit that nobody has merged. */
  unmerged(path: string, text: string): string {
    const { repository } = this.world;
    repository.setHead('evil', repository.head('main'));
    return repository.commit('evil', { writes: [{ path, text }], message: 'not merged' });
  }

  /** The agent follows, time goes by, and a pass looks. */
  async round(seconds = 60, overrides = NO_OVERRIDES): Promise<PassResult> {
    this.world.sync();
    this.world.tick(seconds);
    const result = await runPass(this.ports(), this.world.memory(), { overrides, write: true, only: [] });
    this.forge?.settle();
    return result;
  }

  /** Someone merges what tranche proposes, if it does. */
  mergeOpen(): void {
    for (const pull of this.forge?.open ?? []) this.forge?.merge(pull, { login: 'ada', isBot: false }, false);
  }

  /** Until a commit of main has this subject. */
  async until(subject: string, rounds = 20): Promise<void> {
    for (let round = 0; round < rounds; round += 1) {
      if (this.world.subject().includes(subject)) return;
      await this.round();
    }
    throw new Error(`no commit says ${subject}: ${this.world.subject()}`);
  }

  /** Taken over, and a newer template in its first step. */
  async stepped(): Promise<this> {
    await this.until('adopt');
    await this.round();
    this.edit(LWS_FILE, new RegExp(OLD, 'g'), NEW);
    await this.until('step 1/');
    return this;
  }

  async order(intent: Intent, name = 'vllm'): Promise<string> {
    const reads = intent.kind === 'undo' || intent.kind === 'abort' ? ('delivery' as const) : undefined;
    const from = intent.kind === 'abort' ? intent.from : undefined;
    const at = { target: { name, namespace: 'llm' }, overrides: NO_OVERRIDES, by: 'ada', reads, from };
    const done = await giveOrder(this.ports(), at, (scene) => planIntent(intent, { ...scene, digestOf: factsDigest }));
    this.next = done.kind === 'refused' ? undefined : done.next;
    return done.kind === 'refused' ? done.why : done.what;
  }

  /** Hands the workload back. */
  async eject(wish: Partial<EjectWish> = {}): Promise<string> {
    const at = {
      target: { name: 'vllm', namespace: 'llm' },
      overrides: NO_OVERRIDES,
      by: 'ada',
      reads: 'stable' as const,
    };
    const done = await giveOrder(this.ports(), at, (scene) =>
      planEject({ abort: false, partition: undefined, ...wish }, scene),
    );
    return done.kind === 'refused' ? done.why : `${done.what}; ${done.next ?? ''}`;
  }

  /** The annotations as the last commit of tranche wrote them. */
  async repair(): Promise<string> {
    const at = {
      target: { name: 'vllm', namespace: 'llm' },
      overrides: NO_OVERRIDES,
      by: 'ada',
      reads: 'marks' as const,
    };
    const done = await giveOrder(this.ports(), at, planRepair);
    return done.kind === 'refused' ? done.why : done.what;
  }
}

/** The holds and issues of the only Rollout, by their reasons. */
export function reasonsOf({ outcomes, issues }: PassResult): readonly string[] {
  const [one] = outcomes;
  const own = [...(one?.plan?.holds ?? []), ...(one?.plan?.issues ?? [])];
  return [...own, ...issues].map(({ reason }) => reason);
}

/** What is said of them to people. */
export function saidOf({ outcomes }: PassResult): string {
  const [one] = outcomes;
  const { holds = [], issues = [], warnings = [] } = one?.plan ?? {};
  return [one?.error, ...[...holds, ...issues, ...warnings].map(({ message }) => message)].filter(Boolean).join('\n');
}
