/** A change that brings a release and edits what may hold it is distinguished from one that does either. */

import { expect, test } from 'vitest';
import { linted } from '../support/linted.ts';
import { LWS_FILE, NEW, OLD, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const FREEZE = 'policies/freeze.yaml';
const OTHERS = 'policies/others.yaml';
const policy = (name: string, spec: string): string =>
  `apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata:\n  name: ${name}\nspec:\n${spec}`;

async function adopted(): Promise<World> {
  const files = {
    ...VLLM_FILES,
    [FREEZE]: policy('freeze', '  maxStepGroups: 2\n'),
    [OTHERS]: policy('others', '  rollouts: [talk/*]\n  maxStepGroups: 2\n'),
  };
  const world = new World({ files });
  world.sync();
  world.tick(60);
  await world.pass();
  return world;
}

/** The lines of lint about a branch that has these files as well, or not any more. */
async function told(world: World, change: Readonly<Record<string, string | undefined>>): Promise<readonly string[]> {
  const files = { ...world.repository.files('main'), ...change };
  const writes = Object.entries(files).flatMap(([path, text]) => (text === undefined ? [] : [{ path, text }]));
  world.repository.commit('change', { writes, orphan: true });
  const { out } = await linted(world, { ref: 'change' });
  return out.split('\n').filter((line) => line.includes('LocksAndEditsPolicy'));
}

test('lint tells a change that locks a release and touches a policy that governs it', async () => {
  const world = await adopted();
  const release = { [LWS_FILE]: world.repository.text('main', LWS_FILE)?.replace(OLD, NEW) };
  const looser = { [FREEZE]: policy('freeze', '  maxStepGroups: 4\n') };
  expect(await told(world, { ...release, ...looser })).toEqual([
    `warning: ${FREEZE}:5: the change locks a release of llm/vllm and edits RolloutPolicy freeze (${FREEZE}), which governs it (LocksAndEditsPolicy). Make two changes of it, the policy first, so that its owners see what it is for.`,
  ]);
  expect(await told(world, { ...release, [FREEZE]: undefined })).toEqual([
    expect.stringContaining(`takes away RolloutPolicy freeze (${FREEZE})`),
  ]);
  expect(await told(world, { ...release, 'policies/a.yaml': policy('a', '  surge: 1\n') })).toEqual([
    expect.stringContaining('adds RolloutPolicy a (policies/a.yaml)'),
  ]);
  expect(await told(world, release)).toEqual([]);
  expect(await told(world, looser)).toEqual([]);
  const others = policy('others', '  rollouts: [talk/*]\n  maxStepGroups: 4\n');
  expect(await told(world, { ...release, [OTHERS]: others })).toEqual([]);
  expect(await told(world, {})).toEqual([]);
});

const CHAT = 'policies/chat.yaml';
const analysis = (points: number): string =>
  `apiVersion: tranche.dev/v1alpha1\nkind: Analysis\nmetadata: {name: chat}\nspec:\n  provider: prod\n  metrics:\n    - {use: vllm/errors, tolerate: {points: ${points}}}\n`;

test('an Analysis that such a policy names is told as the policy is; one that nobody names is not', async () => {
  const world = await adopted();
  const writes = [
    { path: FREEZE, text: policy('freeze', '  maxStepGroups: 2\n  analyses: [chat]\n') },
    { path: CHAT, text: analysis(1) },
    { path: 'policies/other.yaml', text: analysis(1).replace('chat', 'other') },
  ];
  world.repository.commit('main', { writes, message: 'measure' });
  const release = { [LWS_FILE]: world.repository.text('main', LWS_FILE)?.replace(OLD, NEW) };
  expect(await told(world, release)).toEqual([]);
  expect(await told(world, { [CHAT]: analysis(50) })).toEqual([]);
  expect(await told(world, { ...release, [CHAT]: analysis(50) })).toEqual([
    `warning: ${CHAT}:4: the change locks a release of llm/vllm and edits Analysis chat (${CHAT}), which governs it (LocksAndEditsPolicy). Make two changes of it, the policy first, so that its owners see what it is for.`,
  ]);
  expect(await told(world, { ...release, [CHAT]: undefined })).toEqual([
    expect.stringContaining(`takes away Analysis chat (${CHAT})`),
  ]);
  expect(await told(world, { ...release, 'policies/other.yaml': analysis(50).replace('chat', 'other') })).toEqual([]);
});
