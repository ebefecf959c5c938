/** What tranche would write, brought in by people where its pushes are refused: `verify` takes it for its word, to the byte. */

import { expect, test } from 'vitest';
import { filesOnly } from '../../src/commands/lint.ts';
import type { Reconciled } from '../../src/reconcile/outcome.ts';
import { NO_OVERRIDES, newMemory } from '../../src/reconcile/pass.ts';
import { runPass } from '../../src/reconcile/run.ts';
import { verify } from '../../src/reconcile/verify.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

/** Its first step is out, and someone has aborted it. */
async function aborted(): Promise<World> {
  const world = new World({ files: VLLM_FILES });
  const round = async (): Promise<unknown> => {
    world.sync();
    world.tick(60);
    return world.pass();
  };
  for (let at = 0; at < 2; at += 1) await round();
  world.edit(LWS_FILE, OLD, NEW);
  for (let at = 0; at < 2; at += 1) await round();
  const text = world.repository.text('main', LWS_FILE) ?? '';
  const [, release = ''] = /tranche\.dev\/release: "?([0-9a-f]+\.\d+)/.exec(text) ?? [];
  const order = `  annotations:\n    tranche.dev/abort: "${release}"\n`;
  world.edit(ROLLOUT_FILE, '  namespace: llm\n', `  namespace: llm\n${order}`);
  world.sync();
  return world;
}

/** What `verify` says of a change to the file. */
async function judged(world: World, change: (text: string) => string): Promise<readonly string[]> {
  const shown = await runPass(world.ports(), newMemory(), { overrides: NO_OVERRIDES, write: false, only: [] });
  const [one] = shown.outcomes as readonly Reconciled[];
  expect(one?.plan?.commit?.subject).toBe('rollout(llm/vllm): rollback');
  const text = one?.writes.find(({ path }) => path === LWS_FILE)?.text ?? '';
  const base = world.repository.head('main');
  world.repository.setHead('theirs', base);
  world.repository.commit('theirs', { writes: [{ path: LWS_FILE, text: change(text) }], message: 'go back' });
  const ports = filesOnly(world.ports());
  const { broken, effects } = await verify(ports, { overrides: NO_OVERRIDES, ref: 'theirs', base });
  return [...broken, ...effects].map(({ reason }) => reason).filter((reason) => reason.startsWith('Mark'));
}

test('the rollback that a pass would write is no forgery', async () => {
  expect(await judged(await aborted(), (text) => text)).toEqual([]);
});

test('with anything else in the same file it is', async () => {
  const world = await aborted();
  expect(await judged(world, (text) => text.replace('replicas: 4', 'replicas: 5'))).toContain('MarkForged');
  expect(await judged(world, (text) => text.replace(/(tranche\.dev\/aborted: ).*/, '$1"x"'))).toContain('MarkForged');
});

test('where nothing is aborted, what a step would write is', async () => {
  const world = new World({ files: VLLM_FILES });
  world.sync();
  world.tick(60);
  await world.pass();
  world.sync();
  world.edit(LWS_FILE, OLD, NEW);
  world.sync();
  world.tick(60);
  const { outcomes } = await runPass(world.ports(), newMemory(), { overrides: NO_OVERRIDES, write: false, only: [] });
  const [one] = outcomes as readonly Reconciled[];
  const writes = one?.writes ?? [];
  expect(one?.plan?.commit?.reason).toBe('StepReady');
  const base = world.repository.head('main');
  world.repository.setHead('theirs', base);
  world.repository.commit('theirs', { writes, message: 'go on' });
  const { broken } = await verify(world.ports(), { overrides: NO_OVERRIDES, ref: 'theirs', base });
  expect(broken.map(({ reason }) => reason)).toContain('MarkForged');
  expect(broken.find(({ reason }) => reason === 'MarkForged')?.hint).toContain('If it is what tranche plan shows');
});
