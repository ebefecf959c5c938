/** Crowds that approve the pull requests of some take nothing from the approvals of others, on a simulated GitHub. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SimulatedForge, startForge } from '../support/forge/start-forge.ts';
import { ADA, type ForgeWorld, forgeWorld, reasonsOf, STALE } from '../support/forge-world.ts';
import { LWS_TEXT, NEW, OLD, ROLLOUT_TEXT } from '../support/vllm.ts';

let forge: SimulatedForge;
beforeAll(async () => {
  forge = await startForge();
});
afterAll(() => forge.stop());

const POLICY =
  'apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: production}\nspec:\n  approvals:\n    - people: 1\n      notAuthor: false\n';
const NAMES = Array.from({ length: 11 }, (_, at) => `llm-${String.fromCharCode(97 + at)}`);
const named = (text: string, name: string): string =>
  text.replace('  name: vllm\n', `  name: ${name}\n`).replace('    name: vllm\n', `    name: ${name}\n`);
const lws = (name: string): string => `apps/${name}/lws.yaml`;

async function merged(): Promise<ForgeWorld> {
  const files = NAMES.flatMap((name) => [
    [lws(name), named(LWS_TEXT, name)] as const,
    [`rollouts/${name}.yaml`, named(ROLLOUT_TEXT, name)] as const,
  ]);
  const world = await forgeWorld(forge, 'crowded', {
    ...Object.fromEntries(files),
    'tranche.yaml': 'maxProposals: 50\n',
  });
  await world.pass();
  await world.sync();
  const asked = await Promise.all(
    NAMES.map(async (name) => [lws(name), (await world.text(lws(name))).replaceAll(OLD, NEW)] as const),
  );
  await world.repository.git.commit('main', { ...Object.fromEntries(asked), 'policies/p.yaml': POLICY }, 'v0.10.1');
  await world.sync();
  for (let round = 0; round < 5 && world.repository.pulls.length < NAMES.length; round += 1) {
    await world.pass();
    world.tick(60);
  }
  for (const { number } of world.repository.pulls) await world.repository.merge(number, STALE, 'squash');
  return world;
}

test('ten crowds, and one pull request that somebody with the right approved: that step goes by the next pass', async () => {
  const world = await merged();
  expect(world.repository.pulls).toHaveLength(NAMES.length);
  const own = world.repository.pulls.find(({ title }) => title.includes('llm-k'))?.number ?? 0;
  for (const { number } of world.repository.pulls.filter((pull) => pull.number !== own))
    for (let one = 0; one < 60; one += 1)
      world.repository.review(
        number,
        { login: `one-${number}-${one}`, id: 1000 * number + one, type: 'User' },
        'APPROVED',
      );
  world.repository.review(own, ADA, 'APPROVED');
  const result = await world.pass();
  expect(await world.subjects()).toContainEqual(expect.stringContaining('rollout(llm/llm-k): step 1/3'));
  expect(reasonsOf(result).filter((one) => one === 'ApprovalUnproven')).toHaveLength(10);
  expect(reasonsOf(result)).not.toContain('ForgeUnavailable');
});
