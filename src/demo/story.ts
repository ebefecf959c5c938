/** Lets the demo happen: time goes on, the agent applies, the reconciler passes, people act when it is their turn. */

import type { Instant } from '../api/time.ts';
import type { Oid } from '../ports/git.ts';
import { NO_OVERRIDES, newMemory, type PassResult } from '../reconcile/pass.ts';
import { runPass } from '../reconcile/run.ts';
import { stateCell } from '../reconcile/status/status-page.ts';
import type { Hold } from '../rollout/hold.ts';
import { recordWritten } from '../rollout/plan.ts';
import type { Act } from './acts.ts';
import { NAME } from './files.ts';
import { readFleet, readSecond, readShares } from './fleet.ts';
import type { Happening, Scene, Traffic } from './scene.ts';
import { ROUTE } from './strategies.ts';
import { BRANCH, type DemoWorld } from './world.ts';

const TICK_SECONDS = 5;
const AGENT_SECONDS = 30;
/** A story that takes longer has gone wrong. */
const LONGEST_SECONDS = 3300;
const COMMITS_A_TICK = 50;

export type StoryEnd = 'settled' | 'stopped' | 'late';

/** Plays until everything is settled again, and says how that went. `show` sees a scene after every tick. */
export async function playStory(
  world: DemoWorld,
  acts: readonly Act[],
  at: { readonly show: (scene: Scene) => Promise<void>; readonly signal: AbortSignal },
): Promise<StoryEnd> {
  const story = new Story(world, acts);
  while (story.elapsed() < LONGEST_SECONDS) {
    if (at.signal.aborted) return 'stopped';
    await at.show(await story.tick());
    if (await story.isOver()) return 'settled';
  }
  return 'late';
}

class Story {
  private readonly world: DemoWorld;
  private readonly acts: Act[];
  private readonly memory = newMemory();
  private readonly happened: Happening[] = [];
  private shownHead: Oid | undefined;
  private agentAt: Instant;
  private passAt: Instant;
  /** Since when the next act's moment has been there. */
  private momentSince: Instant | undefined;
  private last: PassResult | undefined;
  private state = 'not adopted';
  private holds: readonly Hold[] = [];

  constructor(world: DemoWorld, acts: readonly Act[]) {
    this.world = world;
    this.acts = [...acts];
    this.agentAt = world.startedAt + AGENT_SECONDS;
    this.passAt = world.startedAt;
  }

  elapsed(): number {
    return this.world.ports.clock.now() - this.world.startedAt;
  }

  async tick(): Promise<Scene> {
    if (this.last !== undefined) this.world.letPass(TICK_SECONDS);
    await this.letAgentApply();
    await this.letReconcilerPass();
    await this.noteCommits();
    const before = await this.scene();
    return (await this.letPeopleAct(before)) ? this.scene() : before;
  }

  /** Nobody has anything left to do, and nothing is on its way. */
  async isOver(): Promise<boolean> {
    const [head] = await this.world.ports.git.heads([BRANCH]);
    const isDone = this.last?.main === head && this.world.agent.applied() === head;
    return this.acts.length === 0 && this.state === 'settled' && isDone && this.holds.length === 0;
  }

  private async scene(): Promise<Scene> {
    const fleet = await readFleet(this.world.apiUrl, NAME);
    const [traffic, requests] = [await this.traffic(), { ...this.world.clients.total() }];
    const { shownHead, state, holds } = this;
    const unapplied = shownHead === undefined || shownHead === this.world.agent.applied() ? '' : shownHead;
    return { at: this.elapsed(), fleet, traffic, requests, state, holds, unapplied, happened: [...this.happened] };
  }

  private async traffic(): Promise<Traffic | undefined> {
    const { apiUrl, plan } = this.world;
    if (!plan.routed) return undefined;
    const shares = await readShares(apiUrl, ROUTE);
    if (plan.second === undefined) return { second: undefined, shares };
    const fleet = await readSecond(apiUrl, plan.second);
    return { second: { side: plan.second.slice(NAME.length + 1), fleet }, shares };
  }

  private async letAgentApply(): Promise<void> {
    const { agent, ports } = this.world;
    if (ports.clock.now() < this.agentAt) return;
    this.agentAt = ports.clock.now() + AGENT_SECONDS;
    if (await agent.sync()) this.happened.push({ kind: 'agent', at: this.elapsed(), oid: agent.applied() ?? '' });
  }

  private async letReconcilerPass(): Promise<void> {
    const { ports } = this.world;
    if (ports.clock.now() < this.passAt) return;
    const result = await runPass(ports, this.memory, { overrides: NO_OVERRIDES, write: true, only: [] });
    this.last = result;
    this.passAt = ports.clock.now() + result.requeueAfterSeconds;
    if (result.quiet) return;
    const [outcome] = result.outcomes;
    if (outcome?.plan === undefined) throw new Error(outcome?.error ?? 'the pass found no Rollout');
    this.holds = outcome.plan.holds;
    this.state = stateCell(recordWritten(outcome.plan)).replaceAll('*', '');
  }

  private async letPeopleAct(scene: Scene): Promise<boolean> {
    const [act] = this.acts;
    if (act === undefined || !act.when(scene)) {
      this.momentSince = undefined;
      return false;
    }
    this.momentSince ??= scene.at;
    if (scene.at - this.momentSince < act.afterSeconds) return false;
    this.acts.shift();
    this.momentSince = undefined;
    this.happened.push({ kind: 'person', at: this.elapsed(), says: act.says });
    await act.run(this.world);
    await this.noteCommits();
    return true;
  }

  private async noteCommits(): Promise<void> {
    const { git } = this.world.ports;
    const [head] = await git.heads([BRANCH]);
    if (head === undefined || head === this.shownHead) return;
    const line = await git.history(head, this.shownHead, COMMITS_A_TICK);
    for (const { oid, author, message } of line.toReversed()) {
      if (oid === this.shownHead) continue;
      const subject = message.split('\n')[0] ?? '';
      this.happened.push({ kind: 'commit', at: this.elapsed(), oid, author: author.name, subject });
    }
    this.shownHead = head;
  }
}
