/** The number of a pull request in a record, which people may write: nothing is written to one that is not ours. */

import { expect, test } from 'vitest';
import type { RolloutRecord } from '../../src/api/record.ts';
import type { Pull } from '../../src/ports/forge.ts';
import { ownPulls } from '../../src/reconcile/proposals/own-pulls.ts';
import { printRecord } from '../../src/reconcile/status/status-writes.ts';
import { branchOf } from '../../src/rollout/proposals/branch.ts';
import { FakeForge } from '../support/fake-forge.ts';
import { LWS_FILE, NEW, OLD, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const BRANCH = 'tranche/default/llm/vllm/9c41d2e09c41d2e09c41d2e09c41d2e0.2-1-5be07c115be07c115be07c115be07c11';
const PULL: Pull = {
  number: 7,
  url: '',
  title: '',
  bodyDigest: '',
  branch: BRANCH,
  head: '1'.repeat(40),
  isSameRepository: true,
  base: 'main',
  state: { kind: 'open', isDraft: false },
  author: { login: 'tranche[bot]', isBot: true },
  createdAt: 0,
};
const RECORD = 'rollouts/default/llm/vllm.json';

test.each<readonly [what: string, pull: Partial<Pull>, whose: string, said: string]>([
  ['ours', {}, 'ours', ''],
  ['ours, closed', { state: { kind: 'closed', at: 0, by: undefined } }, 'ours', ''],
  ['another branch', { branch: 'feature' }, 'not ours', 'its branch is feature'],
  ['from a fork', { isSameRepository: false }, 'not ours', 'it comes from a fork'],
  ['another number', { number: 8 }, 'not ours', 'the forge has none of this number'],
  [
    'of somebody else',
    { author: { login: 'ada', isBot: false } },
    'not ours',
    'it is by ada, and the credential is that of tranche[bot]. Close it where nobody needs it',
  ],
])('%s', async (_, pull, whose, said) => {
  const world = new World({ files: VLLM_FILES });
  const forge = new FakeForge(world.repository, () => world.now);
  const own = ownPulls({ ...world.ports(), forge: forge.port() }, [{ ...PULL, ...pull }]);
  expect(await own.whose({ number: 7, branch: BRANCH })).toBe(whose);
  const told = `pull request 7, which the record of ${BRANCH} names, is left alone: ${said}`;
  expect(world.log).toEqual(said === '' ? [] : [told]);
  own.opened(7);
  expect(await own.whose({ number: 7, branch: BRANCH })).toBe('ours');
});

test('who we are is not heard: asked again by the next pass', async () => {
  const world = new World({ files: VLLM_FILES });
  const forge = new FakeForge(world.repository, () => world.now);
  forge.fault = (call) => (call === 'self' ? 'silent' : undefined);
  const own = ownPulls({ ...world.ports(), forge: forge.port() }, [PULL]);
  expect(await own.whose({ number: 7, branch: BRANCH })).toBe('unknown');
});

test('a record that names the pull request of somebody else: nothing is written there', async () => {
  const world = new World({ files: VLLM_FILES });
  const forge = new FakeForge(world.repository, () => world.now);
  const calls: string[] = [];
  forge.fault = (call) => void calls.push(call);
  const pass = async (): Promise<void> => {
    world.sync();
    world.tick(60);
    await world.pass({ forge: forge.port() });
  };
  for (let round = 0; round < 3; round += 1) await pass();
  world.edit(LWS_FILE, OLD, NEW);
  for (let round = 0; round < 2; round += 1) await pass();
  const { checksum: _, ...record } = JSON.parse(
    world.repository.text('tranche-status', RECORD) ?? '',
  ) as RolloutRecord & { readonly checksum: string };
  const { release } = record.step!;
  const digest = '0'.repeat(32);
  const step = { release, index: 1, digest } as const;
  const branch = branchOf(record, { ...step, form: undefined });
  const proposal = { ...step, branch, head: record.main, openedAt: 0, state: 'merged', vetoes: [], number: 2 } as const;
  const text = printRecord({ ...record, proposal });
  world.repository.commit('tranche-status', { writes: [{ path: RECORD, text }] });
  forge.pulls.push({ ...PULL, number: 2, branch: 'feature', body: '', reviews: [] });
  await pass();
  expect(calls).toEqual(['pulls']);
  expect(world.log).toEqual([
    `pull request 2, which the record of ${branch} names, is left alone: its branch is feature`,
  ]);
  await pass();
  expect(calls.filter((call) => call !== 'pulls')).toEqual([]);
});
