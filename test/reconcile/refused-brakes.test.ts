/** A rollback that the server refuses in each pass: it keeps nobody else's pull requests from being opened, told and heard. */

import { expect, test } from 'vitest';
import type { Git } from '../../src/ports/git.ts';
import { FakeForge } from '../support/fake-forge.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const ADA = { login: 'ada', isBot: false };
const OTHER_FILE = 'apps/sglang/lws.yaml';
const OTHER_ROLLOUT = 'rollouts/sglang.yaml';
const named = (text: string): string => text.replaceAll('name: vllm\n', 'name: sglang\n');

/** Two Rollouts by pull requests; once it is on, a hook of the server takes no commit of ours on the file of vllm. */
class Two {
  readonly world = new World({
    files: {
      [LWS_FILE]: LWS_TEXT,
      [ROLLOUT_FILE]: ROLLOUT_TEXT,
      [OTHER_FILE]: named(LWS_TEXT),
      [OTHER_ROLLOUT]: named(ROLLOUT_TEXT),
      'tranche.yaml': 'promotion: pullRequest\n',
    },
  });
  readonly forge = new FakeForge(this.world.repository, () => this.world.now);
  isHooked = false;
  /** How often the forge had been asked when a push was refused last. */
  askedBefore = -1;
  refusedAfter = (): number => -1;

  private git(): Git {
    const git = this.world.repository.open();
    return {
      ...git,
      push: async (updates) => {
        const isTouched = updates.some(
          (update) =>
            update.branch === 'main' &&
            'commits' in update &&
            update.commits.some(({ writes }) => writes.some(({ path }) => path === LWS_FILE)),
        );
        if (this.isHooked && isTouched) this.askedBefore = this.refusedAfter();
        return this.isHooked && isTouched
          ? { kind: 'refused', branch: 'main', rule: 'pre-receive hook declined', advice: undefined }
          : git.push(updates);
      },
    };
  }

  /** What the record of sglang says of its status. */
  gates(): string | undefined {
    const record = this.world.repository.text('tranche-status', 'rollouts/default/llm/sglang.json') ?? '{}';
    return JSON.parse(record).proposal?.gates;
  }

  async later(seconds = 30): Promise<Readonly<Record<string, readonly string[]>>> {
    this.world.sync();
    this.world.tick(seconds);
    const { outcomes } = await this.world.pass({ forge: this.forge.port(), git: this.git() });
    return Object.fromEntries(
      outcomes.map(({ key, plan }) => [key.name, plan?.holds.map(({ reason }) => reason) ?? []]),
    );
  }
}

/** The first step of vllm is out, it is aborted, and its rollback is refused. */
async function refused(): Promise<Two> {
  const two = new Two();
  for (let round = 0; round < 4; round += 1) {
    await two.later();
    for (const pull of two.forge.open) two.forge.merge(pull, ADA, true);
  }
  two.world.edit(LWS_FILE, OLD, NEW);
  await two.later();
  const [first] = two.forge.open;
  two.forge.merge(first!, ADA, true);
  await two.later();
  const [, release = ''] =
    /tranche\.dev\/release: "?([0-9a-f]+\.\d+)/.exec(two.world.repository.text('main', LWS_FILE) ?? '') ?? [];
  two.isHooked = true;
  two.world.edit(ROLLOUT_FILE, '  annotations:\n', `  annotations:\n    tranche.dev/abort: "${release}"\n`);
  expect(await two.later()).toMatchObject({ vllm: ['PushRefused'] });
  return two;
}

test('what others ask for is proposed all the same', async () => {
  const two = await refused();
  two.world.edit(OTHER_FILE, OLD, NEW);
  expect(await two.later()).toEqual({ vllm: ['PushRefused'], sglang: ['ProposalOpen'] });
  expect(two.forge.open).toHaveLength(1);
});

test('a gate of others that shuts fails their status all the same', async () => {
  const two = await refused();
  two.world.edit(OTHER_FILE, OLD, NEW);
  await two.later();
  expect(two.gates()).toBe('open');
  two.world.edit(OTHER_ROLLOUT, 'strategy:\n', 'strategy:\n    paused: true\n');
  expect(await two.later()).toEqual({ vllm: ['PushRefused'], sglang: ['Paused'] });
  expect(two.gates()).toBe('shut');
});

test('it is tried first in each pass, before the forge is asked, and goes once the server takes it', async () => {
  const two = await refused();
  const asked: string[] = [];
  two.forge.fault = (call) => void asked.push(call);
  two.world.edit(OTHER_FILE, OLD, NEW);
  two.refusedAfter = () => asked.length;
  await two.later();
  expect([two.askedBefore, asked.includes('create')]).toEqual([0, true]);
  two.isHooked = false;
  expect(await two.later()).toMatchObject({ vllm: [] });
  expect(two.world.repository.text('main', LWS_FILE)).toContain(OLD);
});
