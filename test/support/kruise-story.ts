/** Plays Kruise's end-to-end scenarios on a world in memory: what people do, and what is seen once all is at rest. */

import type { IntOrPercent } from '../../src/api/int-or-percent.ts';
import { INTENT } from '../../src/api/intents.ts';
import type { JsonObject } from '../../src/api/json.ts';
import type { RolloutRecord } from '../../src/api/record.ts';
import { printRelease } from '../../src/api/release.ts';
import { recordWritten } from '../../src/rollout/plan.ts';
import { LWS_FILE, LWS_TEXT, OLD, ROLLOUT_FILE } from './vllm.ts';
import { World } from './world.ts';

export type KruiseStory = { readonly replicas?: number; readonly steps?: readonly KruiseStep[] };
type KruiseStep = IntOrPercent | { readonly replicas: IntOrPercent };

/** An entry of the expectations: something that people do, or a moment that is waited for. */
export type Moment = JsonObject & { readonly do?: string; readonly at?: string; readonly replicas?: number };

/** What the scenarios deliver where they do not say it, in the words of their own test files. */
const DEFAULTS = { replicas: 4, steps: ['20%', '100%'] } as const;
const BROKEN = 'vllm/vllm-openai:v0.10.1-broken';
const LOAD_SECONDS = 20;
const ROUND_SECONDS = 30;
/** At rest is what has not changed for so many passes; no pause of a scenario ends by itself. */
const QUIET_ROUNDS = 4;
const ROUNDS_MAX = 100;

/** The same list, each moment with what was seen at it. */
export async function playKruiseStory(given: KruiseStory, moments: readonly Moment[]): Promise<readonly JsonObject[]> {
  const player = new Player(given);
  await player.rest();
  // Some begin when the new revision is there already.
  if (moments[0]?.do === undefined) player.act({ do: 'new revision' });
  const told: JsonObject[] = [];
  for (const moment of moments) {
    if (moment.do === undefined) {
      await player.rest();
      told.push(player.seen());
    } else {
      player.act(moment);
      told.push(moment);
    }
  }
  return told;
}

/** Kruise waits for approval after each step; after one of 100 % only where the pause is written. */
function stepOf(replicas: IntOrPercent): JsonObject {
  return replicas === '100%' ? { replicas } : { replicas, pause: {} };
}

class Player {
  private readonly world: World;
  private readonly steps: readonly IntOrPercent[];
  private readonly counted: boolean;
  private approval = '';
  private record: RolloutRecord | undefined;
  private stable: string | undefined;

  constructor({ replicas, steps = DEFAULTS.steps }: KruiseStory) {
    this.counted = replicas !== undefined;
    this.steps = steps.map((step) => (typeof step === 'object' ? step.replicas : step));
    this.world = new World({
      files: {
        [LWS_FILE]: LWS_TEXT.replace('replicas: 4', `replicas: ${replicas ?? DEFAULTS.replicas}`),
        [ROLLOUT_FILE]: this.rollout(),
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
      const before = `${this.world.repository.head('main')} ${this.world.groups()}`;
      const { outcomes } = await this.world.pass();
      // A quiet pass looks at nothing.
      const [outcome] = outcomes;
      this.record = outcome?.plan === undefined ? this.record : recordWritten(outcome.plan);
      this.world.sync();
      this.world.tick(ROUND_SECONDS);
      quiet = `${this.world.repository.head('main')} ${this.world.groups()}` === before ? quiet + 1 : 0;
    }
  }

  act(moment: Moment): void {
    const acts: Readonly<Record<string, () => void>> = {
      'new revision': () => this.image('vllm/vllm-openai:v0.10.1'),
      'new revision v3': () => this.image('vllm/vllm-openai:v0.10.2'),
      'new revision with a bad image': () => this.image(BROKEN),
      'rollback to v1': () => this.image(OLD),
      approve: () => this.approve(),
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
    const { record, world } = this;
    const wanted = /image: (\S+)/.exec(this.text)?.[1]?.split(':')[1] ?? '';
    const groups = world.groups().split(' ');
    const updated = groups.filter((group) => group.slice(group.indexOf(':') + 1, -1) === wanted);
    const ready = (list: readonly string[]): number => list.filter((group) => group.endsWith('+')).length;
    const paused = record?.currentStepState === 'StepPaused';
    return {
      at: this.at(),
      updated: !this.counted && updated.length === groups.length ? 'all' : updated.length,
      updatedReady: ready(updated),
      ready: ready(groups),
      partition: Number(/partition: (\d+)/.exec(this.text)?.[1]),
      progressingReason: record?.conditions.find(({ type }) => type === 'Progressing')?.reason ?? '',
      stuck: record?.phase === 'Progressing' && !paused,
      stableRevisionUnchanged: this.stableImage === this.stable,
    };
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
    this.write(LWS_FILE, this.text.replace(/image: \S+/g, `image: ${image}`));
  }

  private approve(): void {
    const marks = this.record?.marks;
    if (marks === undefined) throw new Error('no step to approve');
    this.approval = `${this.record?.currentStepIndex}@${printRelease(marks.release)}`;
    this.write(ROLLOUT_FILE, this.rollout());
  }

  private write(path: string, text: string | undefined): void {
    this.world.repository.commit('main', { writes: [{ path, text }], message: `edit ${path}` });
  }

  private rollout(): string {
    return JSON.stringify({
      apiVersion: 'rollouts.kruise.io/v1beta1',
      kind: 'Rollout',
      metadata: {
        name: 'vllm',
        namespace: 'llm',
        annotations: this.approval === '' ? {} : { [INTENT.approve]: this.approval },
      },
      spec: {
        workloadRef: { apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet', name: 'vllm' },
        strategy: { canary: { steps: this.steps.map(stepOf) } },
      },
    });
  }
}
