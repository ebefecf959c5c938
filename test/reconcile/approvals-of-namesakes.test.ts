/** Who approved a step, where the file of its Rollout has another document of its name and kind, on a simulated GitHub. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SimulatedForge, startForge } from '../support/forge/start-forge.ts';
import { ADA, type ForgeWorld, forgeWorld, messagesOf, reasonsOf } from '../support/forge-world.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';

let forge: SimulatedForge;
let count = 0;
beforeAll(async () => {
  forge = await startForge();
});
afterAll(() => forge.stop());

const POLICY =
  'apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: production}\nspec:\n  approvals:\n    - people: 1\n';
const STEP_1 = 'rollout(llm/vllm): step 1/3, partition 1000000 → 3';
/** The same name and kind, of another namespace and of another API group. */
const NAMESAKES = {
  namespace: (word = '') => ROLLOUT_TEXT.replace('  namespace: llm\n', `  namespace: other\n${word}`),
  group: (word = '') =>
    `apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata:\n  name: vllm\n  namespace: llm\n${word}`,
};
type Namesake = keyof typeof NAMESAKES;
const annotated = (word: string): string => `  annotations:\n    tranche.dev/approve: ${word}\n`;

async function asking(rolloutText: string): Promise<ForgeWorld> {
  count += 1;
  const world = await forgeWorld(forge, `namesakes-${count}`, { ...VLLM_FILES, [ROLLOUT_FILE]: rolloutText });
  await world.pass();
  await world.sync();
  const asked = (await world.text(LWS_FILE)).replaceAll(OLD, NEW);
  await world.repository.git.commit('main', { [LWS_FILE]: asked, 'policies/production.yaml': POLICY }, 'v0.10.1');
  await world.sync();
  const held = await world.pass();
  expect(reasonsOf(held), messagesOf(held).join('\n')).toContain('ProposalOpen');
  return world;
}

test.each(['namespace', 'group', undefined] as const)(
  'a document of another %s in front keeps no approval that was merged from counting',
  async (of?: Namesake) => {
    const world = await asking(of === undefined ? ROLLOUT_TEXT : `${NAMESAKES[of]()}---\n${ROLLOUT_TEXT}`);
    await world.repository.merge(1, ADA, 'squash');
    const said = messagesOf(await world.pass());
    expect((await world.subjects()).at(-1), said.join('\n')).toBe(STEP_1);
  },
);

test.each(['namespace', 'group', undefined] as const)(
  'an approval that was reverted is none, though a document of another %s in front has its word',
  async (of?: Namesake) => {
    const world = await asking(ROLLOUT_TEXT);
    const [, word = ''] = /approve: (\S+)/.exec(await world.text(ROLLOUT_FILE, world.pull.branch)) ?? [];
    await world.repository.merge(1, ADA, 'squash');
    const approved = await world.text(ROLLOUT_FILE);
    const front = of === undefined ? '' : `${NAMESAKES[of](annotated(word))}---\n`;
    // The revert brings the decoy, and the word is written by hand afterwards.
    await world.repository.git.commit('main', { [ROLLOUT_FILE]: front + ROLLOUT_TEXT }, 'revert');
    await world.repository.git.commit('main', { [ROLLOUT_FILE]: front + approved }, 'again');
    const said = messagesOf(await world.pass());
    expect(said.join('\n')).toMatch(/, or main has lost it since/);
    expect(await world.text(LWS_FILE)).toContain('partition: 1000000');
  },
);
