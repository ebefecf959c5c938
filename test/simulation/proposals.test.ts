/**
 * The race of pull requests: people merge late and twice, squash, close, open again, push, edit, revert and order while
 * passes go on, are cut off, and do not hear the forge. Laws hold after each pass, and in the end the delivery ends.
 */

import { expect, test } from 'vitest';
import type { Actor } from '../../src/ports/forge.ts';
import { factsDigest } from '../../src/reconcile/documents/digests.ts';
import { order as giveOrder } from '../../src/reconcile/order.ts';
import { NO_OVERRIDES, newMemory, type PassResult } from '../../src/reconcile/pass.ts';
import { runPass } from '../../src/reconcile/run.ts';
import { trailersIn } from '../../src/rollout/commits/trailers.ts';
import { type Intent, planIntent } from '../../src/rollout/orders/intent.ts';
import { fakeCluster } from '../support/fake-cluster.ts';
import { FakeForge } from '../support/fake-forge.ts';
import { FakeCrash, type FakeFault } from '../support/fake-git.ts';
import { LWS_FILE, NEW, ROLLOUT_FILE, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';
import { Chance } from './chance.ts';
import { forgeThatSaysBack } from './forge-spoken-back.ts';
import { isSecret, overheard, withTokens } from './secret.ts';

const ADA: Actor = { login: 'ada', isBot: false };
const STALE: Actor = { login: 'stale[bot]', isBot: true };
const POLICY = `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata:
  name: production
spec:
  promotion: pullRequest
`;

/** Another number of groups in the first step. */
const PLAN = ['replicas: 25%', 'replicas: 50%  # more'] as const;

/** One schedule: a repository, a cluster, a forge, and what people have said so far. */
class Race {
  readonly world = new World({ files: VLLM_FILES });
  readonly forge = new FakeForge(this.world.repository, () => this.world.now);
  /** Words that people have given, with the title of the pull request that they merged; '' for an order. */
  readonly words = new Map<string, string>();
  /** Branches that people have said no to, with the number of the pull request. */
  readonly vetoes = new Map<string, number>();
  readonly told: string[] = [];
  private readonly chance: Chance;
  private seenPulls = 0;
  private seenMain = '';
  private requests = 0;

  /** `isGuarded`: pull requests are the steps themselves, and people merge them past the rules as well. */
  constructor(seed: number, isGuarded: boolean) {
    this.chance = new Chance(`proposals ${seed}`);
    this.forge.isGuarded = isGuarded;
  }

  /** Taken over, then a request, and a policy that wants someone for each step. */
  async begin(): Promise<void> {
    const { world } = this;
    world.sync();
    world.tick(60);
    await world.pass();
    world.sync();
    world.repository.commit('main', { writes: [{ path: 'policies/production.yaml', text: POLICY }] });
    this.request();
    world.sync();
    this.seenMain = world.repository.head('main') ?? '';
  }

  request(): void {
    this.requests += 1;
    const text = this.world.repository.text('main', LWS_FILE) ?? '';
    const image = this.requests === 1 ? NEW : `${NEW}-${this.requests}`;
    const writes = [{ path: LWS_FILE, text: text.replaceAll(/vllm\/vllm-openai:\S+/g, image) }];
    this.world.repository.commit('main', { writes, message: `ask for ${image}` });
  }

  async pass(): Promise<PassResult | undefined> {
    const { world, forge } = this;
    const result = await runPass(
      world.ports({
        git: world.repository.open({ before: () => this.gitFault() }),
        forge: overheard(forgeThatSaysBack(forge.port()), (call) => this.forgeCalls.push(call)),
        cluster: withTokens(fakeCluster({ model: world.cluster })),
      }),
      newMemory(),
      { overrides: NO_OVERRIDES, write: true, only: [] },
    ).catch((error: unknown) => {
      if (error instanceof FakeCrash) return undefined;
      throw error;
    });
    this.check();
    this.secretless(result);
    return result;
  }

  /** What each call to the forge handed over since the last look. */
  private readonly forgeCalls: string[] = [];

  /** H3: what a webhook gives live pods is in no call to the forge, no branch, no log and no answer. */
  private secretless(result: PassResult | undefined): void {
    const { repository, log } = this.world;
    const written = repository
      .branches()
      .filter((branch) => branch !== 'main')
      .flatMap((branch) => [repository.log(branch)[0]?.message ?? '', ...Object.values(repository.files(branch))]);
    const said = [
      ...this.forgeCalls.splice(0),
      ...written,
      ...log,
      JSON.stringify([result?.issues, result?.warnings, result?.outcomes.map(({ error, plan }) => [error, plan])]),
    ];
    expect(
      said.filter((text) => isSecret(text)),
      'H3 no secret leaves',
    ).toEqual([]);
  }

  /** What the faults of a pass are; none where there is nothing left to go wrong. */
  faulty = true;

  private gitFault(): FakeFault | undefined {
    if (!this.faulty || !this.chance.flip(0.01)) return undefined;
    return { kind: 'crash', when: this.chance.pick(['before', 'after'] as const) };
  }

  async run(events: number): Promise<void> {
    this.forge.fault = () =>
      this.faulty && this.chance.flip(0.05) ? this.chance.pick(['silent', 'lostReply'] as const) : undefined;
    for (let count = 0; count < events; count += 1) {
      const [name, event] = this.chance.pick(this.events());
      this.told.push(name);
      await event();
    }
  }

  private events(): readonly (readonly [name: string, event: () => unknown])[] {
    const { world, forge, chance } = this;
    const some = (): FakeForge['open'][number] | undefined => {
      forge.settle();
      return forge.open[0];
    };
    const pass = ['pass', () => this.pass()] as const;
    const wait = ['wait', () => world.tick(chance.pick([5, 30, 60, 700]))] as const;
    const sync = ['sync', () => world.sync()] as const;
    const merge = ['merge', () => this.merge(some(), chance.flip(0.8) ? ADA : STALE)] as const;
    return [
      ...Array.from({ length: 8 }, () => pass),
      ...Array.from({ length: 3 }, () => wait),
      ...Array.from({ length: 3 }, () => sync),
      ...Array.from({ length: 2 }, () => merge),
      ['two passes', () => Promise.all([this.pass(), this.pass()])],
      ['a week', () => (chance.flip(0.2) ? world.tick(8 * 86_400) : undefined)],
      ['close', () => this.close(some())],
      ['close, and time goes by', () => this.closeForLong(some())],
      ['reopen', () => this.reopen()],
      ['push', () => this.push(some())],
      ['update branch', () => this.update(some())],
      ['branch gone', () => this.branchGone(some())],
      ['revert', () => this.revert()],
      ['plan', () => this.edit(PLAN)],
      ['pause', () => this.edit(['strategy:\n', 'strategy:\n    paused: true\n'])],
      ['request', () => (chance.flip(0.3) ? this.request() : undefined)],
      ['abort', () => (chance.flip(0.2) ? this.order({ kind: 'abort', keepNewer: false }) : undefined)],
      ['approve', () => this.order({ kind: 'approve', step: undefined })],
      ['propose', () => this.order({ kind: 'propose' })],
      ['no record', () => world.repository.setHead('tranche-status', undefined)],
    ];
  }

  merge(pull: FakeForge['open'][number] | undefined, by: Actor): void {
    const before = this.word;
    if (pull === undefined || !this.forge.merge(pull, by, this.chance.flip(0.5))) return;
    // What is the step itself brings no word, and the one that stands there was given for another step.
    if (this.word !== before) this.heard(pull.title);
  }

  /** What stands in the Rollout now was said by someone. */
  private heard(title: string): void {
    if (this.word !== undefined) this.words.set(this.word, title);
  }

  private get word(): string | undefined {
    return approveIn(this.world.repository.text('main', ROLLOUT_FILE) ?? '');
  }

  private close(pull: FakeForge['open'][number] | undefined): void {
    if (pull === undefined) return;
    const by = this.chance.flip(0.7) ? ADA : STALE;
    this.forge.close(pull, by);
    // One that someone already wants proposed again is closed in any case.
    if (by === ADA && pull.number > this.fresh()) this.vetoes.set(pull.branch, pull.number);
  }

  /** Up to this number someone wants it proposed again, whatever becomes of them; as main says it. */
  private fresh(): number {
    const rollout = this.world.repository.text('main', ROLLOUT_FILE) ?? '';
    return Number(/tranche\.dev\/propose: \S+#(\d+)/.exec(rollout)?.[1] ?? 0);
  }

  /** This long that whatever forgets a no proposes it again; the plan may be another in between, and the record be lost. */
  private async closeForLong(pull: FakeForge['open'][number] | undefined): Promise<void> {
    this.close(pull);
    const isEdited = this.chance.flip(0.5);
    await this.pass();
    if (isEdited) {
      if (this.chance.flip(0.5)) this.world.repository.setHead('tranche-status', undefined);
      this.edit(PLAN);
      for (let count = 0; count < 3; count += 1) await this.later();
      this.edit(PLAN);
    }
    for (let count = 0; count < 2; count += 1) await this.later();
  }

  /** As the hold asks for. */
  private takenAway(): void {
    const { repository } = this.world;
    for (const branch of repository.branches())
      if (branch.startsWith('tranche/')) repository.setHead(branch, undefined);
  }

  private async later(): Promise<void> {
    this.world.tick(700);
    await this.pass();
  }

  private reopen(): void {
    const closed = this.forge.pulls.filter(({ state }) => state.kind === 'closed');
    const pull = closed.length === 0 ? undefined : this.chance.pick(closed);
    if (pull !== undefined && this.forge.open.length === 0 && this.forge.reopen(pull)) this.vetoes.delete(pull.branch);
  }

  private push(pull: FakeForge['open'][number] | undefined): void {
    if (pull !== undefined)
      this.world.repository.commit(pull.branch, { writes: [{ path: 'README.md', text: `${this.told.length}\n` }] });
  }

  private update(pull: FakeForge['open'][number] | undefined): void {
    if (pull !== undefined) this.forge.bringUpToDate(pull);
  }

  private branchGone(pull: FakeForge['open'][number] | undefined): void {
    if (pull !== undefined && this.chance.flip(0.3)) this.world.repository.setHead(pull.branch, undefined);
  }

  private revert(): void {
    const text = this.world.repository.text('main', ROLLOUT_FILE) ?? '';
    const without = text.replace(/\n {4}tranche\.dev\/approve: .*/, '');
    if (without !== text)
      this.world.repository.commit('main', { writes: [{ path: ROLLOUT_FILE, text: without }], message: 'Revert' });
  }

  /** There and back. */
  edit([from, to]: readonly [string, string]): void {
    const text = this.world.repository.text('main', ROLLOUT_FILE) ?? '';
    const edited = text.includes(to) ? text.replace(to, from) : text.replace(from, to);
    this.world.repository.commit('main', { writes: [{ path: ROLLOUT_FILE, text: edited }], message: 'edit' });
  }

  async order(intent: Intent): Promise<void> {
    const at = { target: { name: 'vllm', namespace: '' }, overrides: NO_OVERRIDES, by: 'ada' };
    const wanted = await giveOrder(this.world.ports(), at, ({ snapshot }) =>
      planIntent(intent, { snapshot, digestOf: factsDigest }),
    );
    if (wanted.kind !== 'written') return;
    if (intent.kind === 'approve') this.heard('');
    const upTo = this.fresh();
    if (intent.kind === 'propose')
      for (const [branch, number] of this.vetoes) if (number <= upTo) this.vetoes.delete(branch);
  }

  /** The laws, over what has come since the last pass. */
  private check(): void {
    const { repository } = this.world;
    this.forge.settle();
    expect(this.forge.open.length, 'one pull request at a time').toBeLessThanOrEqual(1);
    for (const pull of this.forge.pulls.slice(this.seenPulls))
      expect(this.vetoes.has(pull.branch) ? `${pull.branch} was vetoed` : '', 'a no is a no').toBe('');
    this.seenPulls = this.forge.pulls.length;
    const line = repository.log('main');
    const fresh = line.slice(
      0,
      line.findIndex(({ oid }) => oid === this.seenMain),
    );
    for (const { oid, parents, message } of fresh) {
      const [trailers] = trailersIn(message);
      if (trailers === undefined || !isStep(trailers.reason)) continue;
      const [parent = ''] = parents;
      const word = approveIn(repository.text(parent, ROLLOUT_FILE) ?? '') ?? 'none';
      expect([...this.words.keys()], `${oid}: ${message.split('\n')[0]} was approved`).toContain(word);
      expect(groupsOf(message), 'what was merged is what is written').toEqual(
        groupsIn(this.words.get(word) ?? '') ?? groupsOf(message),
      );
    }
    this.seenMain = line[0]?.oid ?? '';
  }

  /** People go on as they should, and nothing fails: in the end all groups are on what Git says. */
  async end(): Promise<string> {
    this.faulty = false;
    if ((this.world.repository.text('main', ROLLOUT_FILE) ?? '').includes('paused: true'))
      this.edit(['strategy:\n', 'strategy:\n    paused: true\n']);
    let waits = '';
    for (let round = 0; round < 120; round += 1) {
      const result = await this.pass();
      const plan = result?.outcomes[0]?.plan;
      const reasons = plan?.holds.map(({ reason }) => reason) ?? [];
      waits = reasons.join(' ');
      if (plan?.record.settled === true && reasons.length === 0) return 'settled';
      if (reasons.includes('ReleaseAborted')) this.request();
      if (reasons.includes('BranchTaken')) this.takenAway();
      for (const held of ['LateMerge', 'StepScaledAway', 'Overshoot'] as const)
        if (reasons.includes(held)) await this.order({ kind: 'approve', step: undefined, hold: held });
      if (reasons.some((reason) => /^Proposal(Vetoed|Closed|Reverted|Changed)$/.test(reason)))
        await this.order({ kind: 'propose' });
      else this.merge(this.forge.open[0], ADA);
      this.world.sync();
      this.world.tick(60);
    }
    return `still ${waits}`;
  }
}

/** The word that stands in a Rollout. */
function approveIn(text: string): string | undefined {
  return /\n {4}tranche\.dev\/approve: "?([^"\n]+)"?/.exec(text)?.[1];
}

/** Commits that someone approves first. */
function isStep(reason: string): boolean {
  return ['StepReady', 'Jumped', 'StepsEdited', 'SizeChanged', 'Promoted'].includes(reason);
}

/** Groups on the release before and after, as a subject has them by the partition; of four. */
function groupsOf(message: string): readonly number[] | undefined {
  const [, from, to] = /partition (\d+) → (\d+)/.exec(message) ?? [];
  return from === undefined ? undefined : [from, to].map((partition) => Math.max(0, 4 - Number(partition)));
}

/** The same of a title; undefined: it does not say. */
function groupsIn(title: string): readonly number[] | undefined {
  const [, from, to] = /: (\d) → (\d) of 4 groups/.exec(title) ?? [];
  return from === undefined ? undefined : [Number(from), Number(to)];
}

/** `PROPOSAL_SEEDS=1-200`: others than the few of every run. */
const [FROM, TO] = (process.env['PROPOSAL_SEEDS'] ?? '1-3').split('-').map(Number);

const seeds = Array.from({ length: (TO ?? 1) - (FROM ?? 1) + 1 }, (_, at) => (FROM ?? 1) + at);

test.each(seeds.flatMap((seed) => [[seed, 'words'] as const, [seed, 'steps'] as const]))(
  'schedule %i of %s',
  async (seed, what) => {
    const race = new Race(seed, what === 'steps');
    await race.begin();
    try {
      await race.run(60);
      expect(await race.end()).toBe('settled');
    } catch (error) {
      throw new Error(`seed ${seed}, after ${race.told.slice(-40).join(', ')}`, { cause: error });
    }
  },
);
