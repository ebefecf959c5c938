/** A pipeline that renders and carries before every pass: the delivery goes as without it, and no group restarts for it. */

import { expect, test } from 'vitest';
import { carryOver } from '../../src/reconcile/carry/carry.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT } from '../support/vllm.ts';
import { World } from '../support/world.ts';

/** Commits have other names where others came between them. */
const COMMIT = /"[0-9a-f]{40}@/;
const NEWER = 'vllm/vllm-openai:v0.10.2';
const RENDER = 'rendered/vllm.yaml';
const SOURCE = LWS_TEXT.replace('# The model server of team search.\n', '').replace(
  'partition: 0',
  'partition: 1000000',
);
const STEPS = ROLLOUT_TEXT.replace('pause: {}', 'pause: {duration: 60}');

/** A branch that holds what is rendered, and the source, which is nowhere in it. */
class Pipeline {
  readonly world: World;
  /** Each time that a group has another image, or is not there: its place in the course, and all groups. */
  readonly course: string[] = [];
  /** What a render alone has done to the groups, before any pass. */
  readonly unplanned: string[] = [];
  private readonly renders: boolean;
  private image = OLD;

  constructor({ renders }: { readonly renders: boolean }) {
    const files = { [LWS_FILE]: SOURCE, [ROLLOUT_FILE]: STEPS, 'tranche.yaml': 'paths: [apps, rollouts]\n' };
    this.world = new World({ files });
    this.renders = renders;
    this.world.sync();
  }

  /** Rendered before each pass; the agent is at once with what stands on the branch, before tranche and after. */
  async rounds(count: number): Promise<void> {
    for (let round = 0; round < count; round += 1) {
      if (this.renders) this.render();
      this.settle();
      await this.world.pass();
      this.settle();
      this.world.tick(30);
      this.settle();
    }
  }

  /** A person changes the source. Without a pipeline that renders at every pass it is rendered for this once. */
  asks(image: string): void {
    this.image = image;
    this.render();
  }

  get branch(): string {
    return this.world.repository.text('main', LWS_FILE) ?? '';
  }

  order(annotation: string): void {
    const [, release = ''] = /tranche\.dev\/release: "?([0-9a-f.]+)/.exec(this.branch) ?? [];
    const line = `    ${annotation}: ${release}\n`;
    this.world.edit(ROLLOUT_FILE, 'namespace: llm\n', `namespace: llm\n  annotations:\n${line}`);
  }

  private settle(): void {
    this.world.sync();
    const groups = this.world.groups().replace(/[+-]/g, '');
    if (this.course.at(-1) !== groups) this.course.push(groups);
  }

  private render(): void {
    const { repository } = this.world;
    const fresh = SOURCE.replaceAll(OLD, this.image);
    const carried = carryOver(new Map([[LWS_FILE, this.branch]]), new Map([[RENDER, fresh]]));
    if (carried.kind === 'refused') throw new Error(JSON.stringify(carried.issues));
    const text = carried.texts.get(RENDER) ?? fresh;
    if (text === this.branch) return;
    const before = this.world.groups();
    repository.commit('main', { writes: [{ path: LWS_FILE, text }], message: 'render' });
    this.settle();
    if (this.world.groups() !== before) this.unplanned.push(`${before} → ${this.world.groups()}`);
  }
}

/** What is done to the workload, and which image all groups have in the end. */
const DELIVERIES: readonly (readonly [string, string, (pipeline: Pipeline) => Promise<void>])[] = [
  ['a delivery to its end', NEW, (pipeline) => pipeline.rounds(20)],
  [
    'a newer template in mid-delivery',
    NEWER,
    async (pipeline) => {
      await pipeline.rounds(4);
      pipeline.asks(NEWER);
      await pipeline.rounds(24);
    },
  ],
  [
    'an abort, while the source still has the release',
    OLD,
    async (pipeline) => {
      await pipeline.rounds(4);
      pipeline.order('tranche.dev/abort');
      await pipeline.rounds(12);
    },
  ],
  [
    'the stable template put back into the source',
    OLD,
    async (pipeline) => {
      await pipeline.rounds(4);
      pipeline.asks(OLD);
      await pipeline.rounds(12);
    },
  ],
];

async function played(renders: boolean, act: (pipeline: Pipeline) => Promise<void>): Promise<Pipeline> {
  const pipeline = new Pipeline({ renders });
  await pipeline.rounds(3);
  pipeline.asks(NEW);
  await act(pipeline);
  return pipeline;
}

test.each(DELIVERIES)(
  '%s: groups restart as without the renders, and at rest nobody writes',
  async (name, image, act) => {
    const [rendered, plain] = [await played(true, act), await played(false, act)];
    expect(rendered.course).toEqual(plain.course);
    expect(rendered.branch.replace(COMMIT, '')).toBe(plain.branch.replace(COMMIT, ''));
    const version = image.split(':')[1] ?? '';
    expect(rendered.course.at(-1)).toBe([0, 1, 2, 3].map((group) => `${group}:${version}`).join(' '));
    expect(rendered.branch).not.toMatch(/tranche\.dev\/step/);
    // Only somebody who puts the stable template back wants groups to move at once.
    expect(rendered.unplanned).toHaveLength(name.startsWith('the stable template') ? 1 : 0);
    const { repository } = rendered.world;
    const head = repository.head('main');
    await rendered.rounds(3);
    expect(repository.head('main')).toBe(head);
  },
);
