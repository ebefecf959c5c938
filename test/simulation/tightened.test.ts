/**
 * Two first steps are proposed at once, and then a policy lets one delivery in at a time: people merge both, late, before
 * and after passes and the agent, in either form. One at most goes on; the other is taken back, or held once it is merged.
 */

import { expect, test } from 'vitest';
import type { Ports } from '../../src/reconcile/pass.ts';
import { FakeForge } from '../support/fake-forge.ts';
import { NEW, OLD } from '../support/vllm.ts';
import { World } from '../support/world.ts';
import { Chance } from './chance.ts';
import { file, NAMES, POLICY_FILE, policyText, rolloutFiles } from './policy-world.ts';

const ADA = { login: 'ada', isBot: false };
const GROUPS = 4;
/** Passes until both are proposed. */
const PASSES_MAX = 6;
/** `TIGHTENED_SEEDS=100` lives more than a test run has time for. */
const SCHEDULES = Number(process.env['TIGHTENED_SEEDS'] ?? 6);

class Tightened {
  readonly world: World;
  readonly forge: FakeForge;
  readonly told: string[] = [];
  /** What each Rollout waits for by the last pass. */
  holds: Readonly<Record<string, readonly string[]>> = {};
  /** Its passes read every policy as it was before it was tightened. */
  isBlind = false;
  /** The last word of our status, by head. */
  private readonly statuses = new Map<string, string>();

  constructor(isGuarded: boolean, from?: Tightened) {
    const files = { ...rolloutFiles, [POLICY_FILE]: policyText({}) };
    this.world = from?.world.fork() ?? new World({ files });
    this.forge = new FakeForge(this.world.repository, () => this.world.now, from?.forge);
    this.forge.isGuarded = isGuarded;
  }

  /** Both are taken over, asked for, and proposed. */
  async begin(): Promise<void> {
    const { world, forge } = this;
    world.sync();
    world.tick(60);
    await this.pass();
    world.sync();
    this.write(policyText({ proposed: true }));
    for (const name of NAMES) {
      const text = world.repository.text('main', file(name)) ?? '';
      world.repository.commit('main', { writes: [{ path: file(name), text: text.replaceAll(OLD, NEW) }] });
    }
    for (let pass = 0; pass < PASSES_MAX && forge.open.length < NAMES.length; pass += 1) {
      world.sync();
      world.tick(60);
      await this.pass();
    }
    expect(forge.open).toHaveLength(NAMES.length);
  }

  async pass(): Promise<void> {
    const port = this.forge.port();
    const forge = {
      ...port,
      setStatus: (status: Parameters<typeof port.setStatus>[0]) => {
        this.statuses.set(status.oid, status.state);
        return port.setStatus(status);
      },
    };
    const { git } = this.world.ports();
    const { outcomes } = await this.world.pass({ forge, ...(this.isBlind ? { git: blind(git) } : {}) });
    this.holds = Object.fromEntries(
      outcomes.map(({ key, plan }) => [key.name, plan?.holds.map(({ reason }) => reason) ?? []]),
    );
    this.forge.settle();
  }

  tighten(): void {
    this.write(policyText({ proposed: true, maxDeliveriesPerNamespace: 1 }));
  }

  private write(text: string): void {
    this.world.repository.commit('main', { writes: [{ path: POLICY_FILE, text }], message: 'policies' });
  }

  /** One that is still open: what was taken back nobody can merge. */
  merge(name: string, isSquash: boolean): void {
    const pull = this.forge.open.find(({ branch }) => branch.includes(`/${name}/`));
    if (pull !== undefined && this.forge.merge(pull, ADA, isSquash)) this.told.push(`merged ${name}`);
  }

  /** Rollouts that by Git let groups go, and are not held as merged too late. */
  private inEffect(): readonly string[] {
    return NAMES.filter((name) => {
      const text = this.world.repository.text('main', file(name)) ?? '';
      const partition = Number(/^ +partition: (\d+)/m.exec(text)?.[1] ?? 0);
      const isStep = /tranche\.dev\/step: "?\d/.test(text);
      return isStep && partition < GROUPS && this.holds[name]?.includes('LateMerge') !== true;
    });
  }

  /** Once a pass has seen the policy: what is still open next to a delivery can be merged by nobody who heeds our status. */
  check(): void {
    const inEffect = this.inEffect();
    expect(inEffect.length, 'one goes on at most').toBeLessThanOrEqual(1);
    const open = this.forge.open.filter(({ branch }) => !inEffect.some((name) => branch.includes(`/${name}/`)));
    const ready = open.filter(({ head }) => this.statuses.get(head) === 'success');
    expect(inEffect.length + ready.length, 'one may be merged into effect').toBeLessThanOrEqual(1);
  }
}

/** What a process reads that has not seen the policy of today. */
function blind(git: Ports['git']): Ports['git'] {
  const content = { kind: 'text', text: policyText({ proposed: true }) } as const;
  return {
    ...git,
    readAt: async (commit, request) => {
      const tree = await git.readAt(commit, request);
      const files: typeof tree.files = tree.files.map((one) =>
        one.path === POLICY_FILE ? { ...one, oid: 'b'.repeat(40), content } : one,
      );
      return { ...tree, files };
    },
  };
}

const begun = new Map<boolean, Promise<Tightened>>();

/** The same beginning for all schedules of a form. */
function begin(isGuarded: boolean): Promise<Tightened> {
  const known = begun.get(isGuarded) ?? made(isGuarded);
  begun.set(isGuarded, known);
  return known;
}

async function made(isGuarded: boolean): Promise<Tightened> {
  const race = new Tightened(isGuarded);
  await race.begin();
  return race;
}

/** Every place of the policy among the merges, and chance for the rest. */
async function live(race: Tightened, chance: Chance): Promise<void> {
  const [first, second] = chance.flip(0.5) ? NAMES : [NAMES[1], NAMES[0]];
  const tightensAt = chance.between(0, 1);
  const quiet = async (): Promise<void> => {
    for (let count = chance.between(0, 2); count > 0; count -= 1) {
      if (chance.flip(0.5)) race.world.sync();
      race.world.tick(chance.pick([5, 60, 700]));
      await race.pass();
      race.told.push('pass');
      race.check();
    }
  };
  for (const [place, name] of [first, second].entries()) {
    if (place === tightensAt) {
      race.tighten();
      race.told.push('tightened');
      await quiet();
    }
    race.merge(name, chance.flip(0.5));
    if (place >= tightensAt) await quiet();
  }
  for (let round = 0; round < 3; round += 1) {
    race.world.tick(60);
    await race.pass();
    race.check();
    race.world.sync();
  }
}

/** All schedules of a form; what Rollouts waited for in the end. */
async function all(isGuarded: boolean, isBlind: boolean): Promise<ReadonlySet<string>> {
  const start = await begin(isGuarded);
  const seen = new Set<string>();
  for (let seed = 0; seed < SCHEDULES; seed += 1) {
    const race = new Tightened(isGuarded, start);
    race.isBlind = isBlind;
    await live(race, new Chance(`tightened ${seed}`)).catch((error: unknown) => {
      throw new Error(`schedule ${seed}: ${race.told.join(', ')}; ${JSON.stringify(race.holds)}`, { cause: error });
    });
    for (const reason of Object.values(race.holds).flat()) seen.add(reason);
  }
  return seen;
}

test.each([
  ['steps', true, ['LateMerge', 'NotItsTurn']],
  ['words', false, ['NotItsTurn']],
] as const)('two proposals of %s, and room for one', async (_, isGuarded, reasons) => {
  const seen = await all(isGuarded, false);
  expect(reasons.filter((reason) => !seen.has(reason))).toEqual([]);
});

test.each([
  ['steps', true],
  ['words', false],
] as const)('a process that has not seen the policy lets both in: %s', async (_, isGuarded) => {
  await expect(all(isGuarded, true)).rejects.toThrow(/schedule/);
});
