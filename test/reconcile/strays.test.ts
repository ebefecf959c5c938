/** Open pull requests from branches of a Rollout that are not the one of its record: what is done about them, and for how many. */

import { expect, test } from 'vitest';
import type { Actor } from '../../src/ports/forge.ts';
import { FakeForge } from '../support/fake-forge.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const US = { login: 'tranche[bot]', isBot: true };
const ADA = { login: 'ada', isBot: false };

type At = { readonly world: World; readonly forge: FakeForge; readonly closed: number[] };

/** A workload that is taken over, and asks for its first step. */
async function asking(): Promise<At> {
  const world = new World({ files: VLLM_FILES });
  const forge = new FakeForge(world.repository, () => world.now);
  world.sync();
  world.tick(60);
  await world.pass();
  world.sync();
  world.repository.commit('main', { writes: [{ path: 'tranche.yaml', text: 'promotion: pullRequest\n' }] });
  world.edit(LWS_FILE, OLD, NEW);
  return { world, forge, closed: [] };
}

/** Somebody opens this many again, or their own, each of an earlier commit of the Rollout. */
function opened({ world, forge }: At, author: Actor, count: number): void {
  for (let at = 0; at < count; at += 1) {
    const number = forge.pulls.length + 1;
    const digest = number.toString(16).padStart(32, '0');
    const branch = `tranche/default/llm/vllm/${digest}.1-0-${digest}`;
    const head = world.repository.head('main') ?? '';
    world.repository.setHead(branch, head);
    const state = { kind: 'open', isDraft: false } as const;
    const text = { title: 'old', body: '', bodyDigest: '', url: '' };
    forge.pulls.push({
      ...text,
      number,
      branch,
      head,
      base: 'main',
      author,
      state,
      createdAt: 0,
      reviews: [],
      isSameRepository: true,
    });
  }
}

/** A pass after half a minute: what the Rollout waits for, and which pull requests are open that are none of its record. */
async function later({ world, forge, closed }: At): Promise<readonly string[]> {
  world.sync();
  world.tick(30);
  closed.length = 0;
  const before = forge.open.map(({ number }) => number);
  const { outcomes } = await world.pass({ forge: forge.port() });
  closed.push(...before.filter((number) => !forge.open.some((pull) => pull.number === number)));
  return outcomes.flatMap(({ plan }) => plan?.holds.map(({ reason }) => reason) ?? []);
}

test('of many of ours that somebody has opened again one is ended in a pass, and none is proposed before all are', async () => {
  const at = await asking();
  opened(at, US, 5);
  const seen: string[] = [];
  for (let round = 0; round < 6; round += 1) seen.push(`${(await later(at)).join()}: ${at.closed.length}`);
  // Without a record the newest is taken for the one on record, and goes with the first.
  expect(seen.map((one) => Number(one.split(': ')[1]))).toEqual([2, 1, 1, 1, 0, 0]);
  expect(seen.at(-1)).toBe('ProposalOpen: 0');
  expect(at.forge.open).toHaveLength(1);
});

test('those of others are left alone and named, and the step is proposed next to them', async () => {
  const at = await asking();
  await later(at);
  opened(at, ADA, 7);
  expect(await later(at)).toEqual(['ProposalOpen']);
  expect(at.closed).toEqual([]);
  expect(at.forge.open).toHaveLength(8);
  const [first = 0] = at.forge.pulls.slice(-1).map(({ number }) => number);
  const named = Array.from({ length: 5 }, (_, place) => first - place).join(', ');
  expect(at.world.log.at(-1)).toBe(
    `default/llm/vllm: pull requests ${named} and 2 more have its branches, and were opened by others: left alone. Close what nobody needs`,
  );
});

test('a gate that shuts fails the status of the step before anything old is ended', async () => {
  const at = await asking();
  at.forge.isGuarded = true;
  await later(at);
  opened(at, US, 2);
  const calls: string[] = [];
  at.forge.fault = (call) => void calls.push(call);
  at.world.edit(ROLLOUT_FILE, 'strategy:\n', 'strategy:\n    paused: true\n');
  expect(await later(at)).toEqual(['Paused']);
  expect(calls.filter((call) => call === 'close')).toHaveLength(1);
  expect(calls.indexOf('setStatus')).toBeLessThan(calls.indexOf('close'));
});
