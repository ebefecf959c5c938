/** Plays Kruise's end-to-end scenarios on a world in memory: what people do, and what is seen once all is at rest. */

import { INTENT } from '../../src/api/intents.ts';
import type { JsonObject } from '../../src/api/json.ts';
import type { RolloutRecord } from '../../src/api/record.ts';
import { printRelease } from '../../src/api/release.ts';
import { recordWritten } from '../../src/rollout/plan.ts';
import {
  isRouted,
  type KruiseStep,
  type KruiseStory,
  routeFiles,
  secondOf,
  sharesIn,
  strategyOf,
  styleOf,
} from './kruise-shares.ts';
import { LWS_FILE, LWS_TEXT, OLD, ROLLOUT_FILE } from './vllm.ts';
import { manifestsAt, World } from './world.ts';

/** An entry of the expectations: something that people do, or a moment that is waited for. */
export type Moment = JsonObject & {
  readonly do?: string;
  readonly at?: string;
  readonly replicas?: number;
  readonly to?: number;
  readonly steps?: readonly KruiseStep[];
};

/** Groups, where a scenario does not say how many: those of Kruise's own test files. */
const GROUPS = { partition: 4, canary: 5, blueGreen: 5 };
const BROKEN = 'vllm/vllm-openai:v0.10.1-broken';
const LOAD_SECONDS = 20;
/** An Ingress says no timeout, so that its last requests are given ten minutes. */
const ROUND_SECONDS = { routed: 320, plain: 40 };
/** At rest is what has not changed for this many passes; no pause of a scenario ends by itself. */
const QUIET_ROUNDS = 3;
const ROUNDS_MAX = 100;

/** The same list, each moment with what was seen at it. */
export async function playKruiseStory(given: KruiseStory, moments: readonly Moment[]): Promise<readonly JsonObject[]> {
  const player = new Player(given);
  await player.rest();
  // Some start when the new revision is there already.
  if (moments[0]?.do === undefined) player.act({ do: 'new revision' });
  const told: JsonObject[] = [];
  for (const [place, moment] of moments.entries()) {
    if (moment.do === undefined) {
      await player.rest();
      // Two moments without an act between them: each step up to the second was approved.
      if (moments[place - 1]?.do === undefined) await player.approveUpTo(moment.at ?? '');
      told.push(player.seen());
    } else {
      player.act(moment);
      told.push(moment);
    }
  }
  return told;
}

/** `step 2 StepPaused` is 2. */
const stepIn = (moment: string): number => Number(/^step (\d+) /.exec(moment)?.[1] ?? Number.NaN);

class Player {
  private readonly world: World;
  private readonly story: KruiseStory;
  private steps: KruiseStory['steps'];
  private orders: Readonly<Record<string, string>> = {};
  private record: RolloutRecord | undefined;
  private stable: string | undefined;
  /** The version that people have asked for. */
  private wanted = OLD;

  constructor(story: KruiseStory) {
    this.story = story;
    this.steps = story.steps;
    const groups = story.replicas ?? GROUPS[styleOf(story)];
    this.world = new World({
      files: {
        [LWS_FILE]: LWS_TEXT.replace('replicas: 4', `replicas: ${groups}`),
        [ROLLOUT_FILE]: this.rollout(),
        ...routeFiles(story),
      },
      cluster: { readiness: (pod) => (JSON.stringify(pod['spec']).includes(BROKEN) ? 'never' : LOAD_SECONDS) },
    });
    this.world.sync();
  }

  /** Passes and the agent take turns until nothing changes any more. */
  async rest(): Promise<void> {
    let quiet = 0;
    for (let round = 0; quiet < QUIET_ROUNDS; round++) {
      if (round === ROUNDS_MAX) throw new Error('the story finds no rest');
      const before = this.state();
      const { outcomes } = await this.world.pass();
      // A quiet pass looks at nothing.
      const [outcome] = outcomes;
      this.record = outcome?.plan === undefined ? this.record : recordWritten(outcome.plan);
      this.world.sync();
      this.world.tick(isRouted(this.story) ? ROUND_SECONDS.routed : ROUND_SECONDS.plain);
      quiet = this.state() === before ? quiet + 1 : 0;
    }
  }

  /** Approves step by step until a moment is there, or what waits is no step before it. */
  async approveUpTo(moment: string): Promise<void> {
    for (;;) {
      const here = this.at();
      const isBefore = moment === 'Healthy' || stepIn(here) < stepIn(moment);
      if (here === moment || !isBefore || !here.endsWith('StepPaused')) return;
      this.approve();
      await this.rest();
      if (this.at() === here) return;
    }
  }

  act(moment: Moment): void {
    const acts: Readonly<Record<string, () => void>> = {
      'new revision': () => this.image('vllm/vllm-openai:v0.10.1'),
      'new revision v3': () => this.image('vllm/vllm-openai:v0.10.2'),
      'new revision with a bad image': () => this.image(BROKEN),
      'back to v2': () => this.image('vllm/vllm-openai:v0.10.1'),
      'rollback to v1': () => this.image(OLD),
      approve: () => this.approve(),
      jump: () => this.order(INTENT.jump, moment.to ?? 0),
      'edit steps': () => this.edit(moment.steps),
      scale: () => this.write(LWS_FILE, this.text.replace(/replicas: \d+/, `replicas: ${moment.replicas}`)),
      'delete rollout': () => this.write(ROLLOUT_FILE, undefined),
    };
    const act = acts[moment.do ?? ''];
    if (act === undefined) throw new Error(`nobody knows how to ${moment.do}`);
    this.stable = this.stableImage;
    act();
  }

  /** In the words of Kruise's expectations. */
  seen(): JsonObject {
    const { record } = this;
    const [primary, second] = [this.groups('vllm'), this.groups(secondOf(this.story))];
    const groups = [...primary, ...second];
    const version = this.wanted.split(':')[1];
    const updated = groups.filter((group) => group.slice(group.indexOf(':') + 1, -1) === version);
    const ready = (list: readonly string[]): number => list.filter((group) => group.endsWith('+')).length;
    const paused = record?.currentStepState === 'StepPaused';
    return {
      at: this.at(),
      updated: this.story.replicas === undefined && updated.length === primary.length ? 'all' : updated.length,
      updatedReady: ready(updated),
      ready: ready(primary),
      total: groups.length,
      totalReady: ready(groups),
      canaryReady: ready(second),
      partition: Number(/partition: (\d+)/.exec(this.text)?.[1]),
      nextStepIndex: record?.nextStepIndex ?? 0,
      progressingReason: record?.conditions.find(({ type }) => type === 'Progressing')?.reason ?? '',
      stuck: record?.phase === 'Progressing' && !paused,
      stableRevisionUnchanged: this.stableImage === this.stable,
      ...sharesIn([...manifestsAt(this.world.repository, 'main', ['apps']).values()].flat(), this.story),
    };
  }

  private groups(name: string): readonly string[] {
    return this.world.groups(name).split(' ').filter(Boolean);
  }

  private state(): string {
    return [this.world.repository.head('main'), this.world.groups(), this.world.groups(secondOf(this.story))].join(' ');
  }

  private at(): string {
    const { record, world } = this;
    if (world.repository.text('main', ROLLOUT_FILE) === undefined) return 'gone';
    if (record?.phase !== 'Progressing') return record?.phase ?? '';
    return `step ${record.currentStepIndex} ${record.currentStepState}`;
  }

  private get text(): string {
    return this.world.repository.text('main', LWS_FILE) ?? '';
  }

  private get stableImage(): string | undefined {
    return /image: (\S+)/.exec(this.record?.stable?.text ?? '')?.[1];
  }

  private image(image: string): void {
    this.wanted = image;
    this.write(LWS_FILE, this.text.replace(/image: \S+/g, `image: ${image}`));
  }

  private approve(): void {
    this.order(INTENT.approve, this.record?.currentStepIndex ?? 0);
  }

  private order(intent: string, step: number): void {
    const marks = this.record?.marks;
    if (marks === undefined) throw new Error(`no delivery for ${intent}`);
    this.orders = { [intent]: `${step}@${printRelease(marks.release)}` };
    this.write(ROLLOUT_FILE, this.rollout());
  }

  private edit(steps: KruiseStory['steps']): void {
    this.steps = steps;
    this.write(ROLLOUT_FILE, this.rollout());
  }

  private write(path: string, text: string | undefined): void {
    this.world.repository.commit('main', { writes: [{ path, text }], message: `edit ${path}` });
  }

  private rollout(): string {
    return JSON.stringify({
      apiVersion: 'rollouts.kruise.io/v1beta1',
      kind: 'Rollout',
      metadata: { name: 'vllm', namespace: 'llm', annotations: this.orders },
      spec: {
        workloadRef: { apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet', name: 'vllm' },
        strategy: strategyOf(this.story, this.steps),
      },
    });
  }
}
