/** A delivery that is under way, and what somebody who may merge writes into its marks. */

import { factsDigest } from '../../src/reconcile/observe/digests.ts';
import { order as giveOrder } from '../../src/reconcile/order.ts';
import { NO_OVERRIDES, type PassResult } from '../../src/reconcile/pass.ts';
import { type Intent, planIntent } from '../../src/rollout/orders/intent.ts';
import { LWS_FILE, NEW, OLD, VLLM_FILES } from './vllm.ts';
import { World } from './world.ts';

/** A template that nobody has asked for. */
export const EVIL = 'evil.example/miner:v1';

export class Forgery {
  readonly world: World;

  constructor(files: Readonly<Record<string, string>> = VLLM_FILES) {
    this.world = new World({ files });
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

  /** A mark of the workload, whatever it says; another one is added beside the first of all. */
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
  async round(seconds = 60): Promise<PassResult> {
    this.world.sync();
    this.world.tick(seconds);
    return this.world.pass();
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

  async order(intent: Intent): Promise<string> {
    const at = { target: { name: 'vllm', namespace: 'llm' }, overrides: NO_OVERRIDES, by: 'ada' };
    const done = await giveOrder(this.world.ports(), at, ({ snapshot }) =>
      planIntent(intent, { snapshot, digestOf: factsDigest }),
    );
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
