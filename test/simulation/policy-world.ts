/**
 * A small world for policies: two Rollouts under one policy that people edit, take away and break in the middle of
 * deliveries, passes of two processes at once, and clocks that are wrong for one pass. Laws look at each commit of ours.
 */

import { factsDigest } from '../../src/reconcile/documents/digests.ts';
import { order } from '../../src/reconcile/order.ts';
import { NO_OVERRIDES, type Ports } from '../../src/reconcile/pass.ts';
import { runPass } from '../../src/reconcile/run.ts';
import { parseTrailers } from '../../src/rollout/commits/trailers.ts';
import { type Intent, planIntent } from '../../src/rollout/orders/intent.ts';
import { FakeForge } from '../support/fake-forge.ts';
import { LWS_TEXT, OLD, ROLLOUT_TEXT } from '../support/vllm.ts';
import { World } from '../support/world.ts';
import { Chance } from './chance.ts';

export const NAMES = ['chat', 'code'] as const;
export const POLICY_FILE = 'policies/gates.yaml';
const HOUR = 3600;
const ADA = { login: 'ada', isBot: false };

/** What the policy of one commit says: plain fields, so that the laws need none of the parsers that they judge. */
export type Said = {
  readonly maxStepGroups?: number;
  readonly maxDeliveriesPerNamespace?: number;
  readonly soakSeconds?: number;
  /** Minutes from the full hour. */
  readonly allowMinutes?: number;
  /** Someone approves each step by a pull request. */
  readonly proposed?: true;
  readonly stopped?: true;
  readonly broken?: true;
};

/** The policy as people write it; what it says stands in its first line, for the laws. */
export function policyText(said: Said): string {
  const { maxStepGroups, maxDeliveriesPerNamespace, soakSeconds, allowMinutes, proposed, stopped, broken } = said;
  const lines = [
    `# ${JSON.stringify(said)}`,
    'apiVersion: tranche.dev/v1alpha1',
    'kind: RolloutPolicy',
    'metadata: {name: gates}',
    'spec:',
    '  finalSoakSeconds: 1',
    ...(maxStepGroups === undefined ? [] : [`  maxStepGroups: ${maxStepGroups}`]),
    ...(maxDeliveriesPerNamespace === undefined ? [] : [`  maxDeliveriesPerNamespace: ${maxDeliveriesPerNamespace}`]),
    ...(soakSeconds === undefined ? [] : [`  soakSeconds: ${soakSeconds}`]),
    ...(allowMinutes === undefined
      ? []
      : ['  allow:', `    - {cron: "0 * * * *", minutes: ${allowMinutes}, timeZone: UTC}`]),
    ...(proposed === true ? ['  promotion: pullRequest'] : []),
    ...(stopped === true ? ['  deny:', '    - {from: "2020-01-01T00:00:00Z", to: "2040-01-01T00:00:00Z"}'] : []),
    ...(broken === true ? ['  surge: many'] : []),
  ];
  return `${lines.join('\n')}\n`;
}

export const file = (name: string): string => `apps/${name}/lws.yaml`;
const named = (text: string, name: string): string => text.replaceAll(/\bvllm(?!\/|-openai)/g, name);
const STEPS =
  'steps:\n        - replicas: 1\n          pause: {duration: 0}\n        - replicas: 50%\n          pause: {duration: 0}\n        - replicas: 100%\n';

/** `processes`: one or two for all Rollouts, or a shard for each. `forge`: policies may want pull requests. */
export type Setting = {
  readonly processes: 'any' | 'shards';
  readonly forge: boolean;
  /** What each process gets of the world. */
  readonly portsOf: (ports: Ports) => Ports;
};

const PLAIN: Setting = { processes: 'any', forge: false, portsOf: (ports) => ports };

/** Both Rollouts and their workloads. */
export const rolloutFiles: Readonly<Record<string, string>> = Object.fromEntries(
  NAMES.flatMap((name) => [
    [file(name), named(LWS_TEXT, name)],
    [`rollouts/${name}.yaml`, named(ROLLOUT_TEXT, name).replace(/steps:[\s\S]*$/, STEPS)],
  ]),
);

export class PolicyWorld {
  readonly world: World;
  readonly forge: FakeForge;
  private readonly setting: Setting;
  private readonly chance: Chance;
  private versions = 0;
  /** Commits of main that a pass with a wrong clock wrote. */
  readonly skewed = new Set<string>();

  constructor(seed: string, setting: Partial<Setting> = {}) {
    this.chance = new Chance(seed);
    this.setting = { ...PLAIN, ...setting };
    this.world = new World({ files: { ...rolloutFiles, [POLICY_FILE]: policyText(this.anyPolicy()) } });
    this.forge = new FakeForge(this.world.repository, () => this.world.now);
  }

  /** How many turns of people, passes, the agent and time. */
  async live(turns: number): Promise<void> {
    for (let turn = 0; turn < 3; turn += 1) await this.turn();
    for (let turn = 0; turn < turns; turn += 1) {
      await this.people();
      await this.turn();
    }
  }

  /** Everybody aborts under a policy that cannot be read: what is in progress goes back all the same. */
  async giveUp(): Promise<void> {
    this.write(policyText({ broken: true }));
    for (const name of NAMES) await this.abort(name);
    for (let turn = 0; turn < 20; turn += 1) await this.turn();
  }

  private async turn(): Promise<void> {
    const { world, chance } = this;
    if (chance.flip(0.9)) world.sync();
    world.tick(chance.pick([30, 120, 900]));
    const off = chance.flip(0.25) ? chance.pick([-5 * HOUR, -HOUR / 2, HOUR / 2, 5 * HOUR]) : 0;
    const before = new Set(world.repository.log('main').map(({ oid }) => oid));
    const ports = (): Ports => {
      const own = world.ports();
      const clock = { ...own.clock, now: () => world.now + off, offSeconds: () => -off };
      return this.setting.portsOf({ ...own, clock, ...(this.setting.forge ? { forge: this.forge.port() } : {}) });
    };
    if (this.setting.processes === 'shards') await this.shards(ports);
    else await Promise.all(Array.from({ length: chance.pick([1, 2]) }, () => world.pass(ports())));
    this.forge.settle();
    if (off !== 0) for (const { oid } of world.repository.log('main')) if (!before.has(oid)) this.skewed.add(oid);
  }

  /** One for each Rollout, all at once or without the last. */
  private async shards(ports: () => Ports): Promise<void> {
    const { world, chance } = this;
    const of = NAMES.length;
    const awake = chance.flip(0.8) ? of : of - 1;
    const overrides = (index: number) => ({ ...NO_OVERRIDES, shard: { index, of } });
    const passes = Array.from({ length: awake }, (_none, index) =>
      runPass(ports(), world.memory(), { overrides: overrides(index), write: true, only: [] }),
    );
    await Promise.all(passes);
  }

  /** Of the pull requests that are open someone merges the first, or says no to it. */
  private judge(): void {
    const [pull] = this.forge.open;
    if (pull === undefined) return;
    if (this.chance.flip(0.8)) this.forge.merge(pull, ADA, this.chance.flip(0.5));
    else this.forge.close(pull, ADA);
  }

  private async people(): Promise<void> {
    const { chance } = this;
    const name = chance.pick(NAMES);
    await chance.weighted([
      [4, async () => this.request(name)],
      [3, async () => this.write(policyText(this.anyPolicy()))],
      [1, async () => this.write(undefined)],
      [1, async () => this.write(policyText({ ...this.anyPolicy(), broken: true }))],
      [1, async () => this.write(policyText({ ...this.anyPolicy(), stopped: true }))],
      [1, () => this.abort(name)],
      [2, () => this.say(name, { kind: 'approve', step: undefined, hold: 'PolicyGone' })],
      [this.setting.forge ? 8 : 0, async () => this.judge()],
      [6, async () => undefined],
    ] as const)();
  }

  private anyPolicy(): Said {
    const { chance } = this;
    return {
      ...(chance.flip(0.4) ? { maxStepGroups: chance.between(1, 2) } : {}),
      ...(chance.flip(0.6) ? { maxDeliveriesPerNamespace: 1 } : {}),
      ...(chance.flip(0.4) ? { soakSeconds: chance.pick([60, 600]) } : {}),
      ...(chance.flip(0.5) ? { allowMinutes: chance.pick([15, 40]) } : {}),
      ...(this.setting.forge && chance.flip(0.8) ? { proposed: true } : {}),
    };
  }

  private request(name: string): void {
    const { repository } = this.world;
    this.versions += 1;
    const text = repository.text('main', file(name)) ?? named(LWS_TEXT, name);
    const [image = ''] = OLD.split(':');
    const next = text.replaceAll(new RegExp(`${image}:[\\w.]+`, 'g'), `${image}:v1.${this.versions}`);
    repository.commit('main', { writes: [{ path: file(name), text: next }], message: `ask for ${this.versions}` });
  }

  private write(text: string | undefined): void {
    const { repository } = this.world;
    if (text === undefined && repository.text('main', POLICY_FILE) === undefined) return;
    repository.commit('main', { writes: [{ path: POLICY_FILE, text }], message: 'policies' });
  }

  private abort(name: string): Promise<void> {
    return this.say(name, { kind: 'abort', keepNewer: false });
  }

  /** An order that does not fit is refused, which changes nothing. */
  private async say(name: string, intent: Intent): Promise<void> {
    const at = { target: { name, namespace: 'llm' }, overrides: NO_OVERRIDES, by: 'Ada' };
    await order(this.world.ports(), at, ({ snapshot }) => planIntent(intent, { snapshot, digestOf: factsDigest }));
  }
}

/** Moves that policies hold. */
const HELD = ['StepReady', 'SurgePrepared', 'SizeChanged', 'StepsEdited', 'Jumped'];

/** What each commit of ours on main breaks of what its parent's policy says; empty: nothing. */
export function brokenLaws({ world, skewed }: PolicyWorld): readonly string[] {
  const { repository } = world;
  const written = new Map<string, number>();
  return [...repository.log('main')].reverse().flatMap(({ oid, parents, message, author }) => {
    const trailers = parseTrailers(message);
    const parent = parents[0];
    if (trailers === undefined || parent === undefined || !HELD.includes(trailers.reason)) return [];
    const { rollout, release, step } = trailers;
    const at = author.atSeconds;
    const last = written.get(rollout);
    // When a wrong clock wrote it, its time says nothing of how long the next one waited.
    if (skewed.has(oid)) written.delete(rollout);
    else written.set(rollout, at);
    const text = repository.text(parent, POLICY_FILE);
    const said: Said = text === undefined ? {} : JSON.parse(text.split('\n')[0]?.slice(2) ?? '{}');
    const first = step.startsWith('1/');
    const [, from = '0', to = '0'] = /partition (\d+) → (\d+)/.exec(message) ?? [];
    const others = NAMES.filter((name) => !rollout.endsWith(`/${name}`)).filter((name) =>
      /tranche\.dev\/step:/.test(repository.text(parent, file(name)) ?? ''),
    );
    const rules: readonly (readonly [law: string, isBroken: boolean])[] = [
      ['a policy that cannot be read holds', said.broken === true],
      ['a stopped line holds', said.stopped === true],
      ['no step starts outside of the windows', at % HOUR >= 60 * (said.allowMinutes ?? 60)],
      ['a wrong clock opens no window', skewed.has(oid) && said.allowMinutes !== undefined],
      ['no step is too large', Math.min(Number(from), 4) - Number(to) > (said.maxStepGroups ?? 4)],
      ['nobody starts out of turn', first && others.length >= (said.maxDeliveriesPerNamespace ?? 2)],
      ['no soak is cut short', !first && last !== undefined && at - last < (said.soakSeconds ?? 0) && !skewed.has(oid)],
    ];
    return rules.flatMap(([law, isBroken]) => (isBroken ? [`${law}: ${rollout} ${release} ${step}`] : []));
  });
}

/** Workloads that are not at rest: an aborted delivery has gone back, whatever policies say. */
export function underWay({ world }: PolicyWorld): readonly string[] {
  return NAMES.filter((name) => /tranche\.dev\/step:/.test(world.repository.text('main', file(name)) ?? ''));
}
