/** Two Rollouts of one repository by pull requests: what people say of one counts for no other. */

import { expect, test } from 'vitest';
import { FakeForge } from '../support/fake-forge.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const ADA = { login: 'ada', isBot: false };
const OTHER_FILE = 'apps/sglang/lws.yaml';
const named = (text: string): string => text.replaceAll('name: vllm\n', 'name: sglang\n');

type Two = { readonly world: World; readonly forge: FakeForge };

/** Both taken over, and a policy that wants someone for each step. */
async function begun(): Promise<Two> {
  const files = {
    [LWS_FILE]: LWS_TEXT,
    [ROLLOUT_FILE]: ROLLOUT_TEXT,
    [OTHER_FILE]: named(LWS_TEXT),
    'rollouts/sglang.yaml': named(ROLLOUT_TEXT),
  };
  const world = new World({ files });
  const forge = new FakeForge(world.repository, () => world.now);
  world.sync();
  world.tick(60);
  await world.pass();
  world.sync();
  world.repository.commit('main', { writes: [{ path: 'tranche.yaml', text: 'promotion: pullRequest\n' }] });
  return { world, forge };
}

/** A pass after this long; what each Rollout waits for. */
async function later({ world, forge }: Two, seconds = 30): Promise<Readonly<Record<string, readonly string[]>>> {
  world.sync();
  world.tick(seconds);
  const { outcomes } = await world.pass({ forge: forge.port() });
  return Object.fromEntries(outcomes.map(({ key, plan }) => [key.name, plan?.holds.map(({ reason }) => reason) ?? []]));
}

test('a no that the record has lost counts, also while a newer pull request of another Rollout is open', async () => {
  const two = await begun();
  const { world, forge } = two;
  world.edit(LWS_FILE, OLD, NEW);
  expect(await later(two)).toMatchObject({ vllm: ['ProposalOpen'] });
  const [first] = forge.open;
  forge.close(first!, ADA);
  world.repository.setHead('tranche-status', undefined);
  world.edit(ROLLOUT_FILE, '25%', '50%');
  expect(await later(two)).toMatchObject({ vllm: ['ProposalOpen'] });
  world.edit(OTHER_FILE, OLD, NEW);
  expect(await later(two)).toMatchObject({ sglang: ['ProposalOpen'], vllm: ['ProposalOpen'] });
  world.edit(ROLLOUT_FILE, '50%\n          pause: {duration: 0}', '25%\n          pause: {duration: 0}');
  await later(two);
  // This long that another one may be proposed.
  expect(await later(two, 660)).toMatchObject({ sglang: ['ProposalOpen'], vllm: ['ProposalVetoed'] });
  expect(forge.pulls.filter(({ branch }) => branch === first!.branch)).toHaveLength(1);
});

test('a branch with more pull requests than are read keeps no other Rollout waiting', async () => {
  const two = await begun();
  const { world, forge } = two;
  forge.isCrowded = (branch) => branch.includes('/vllm/');
  world.edit(LWS_FILE, OLD, NEW);
  world.edit(OTHER_FILE, OLD, NEW);
  expect(await later(two)).toMatchObject({ sglang: ['ProposalOpen'], vllm: ['ForgeRefused'] });
});
