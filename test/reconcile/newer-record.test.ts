/** Two versions of tranche on one status branch: the older one leaves alone what the newer one has written. */

import { expect, test } from 'vitest';
import { NO_OVERRIDES } from '../../src/reconcile/pass.ts';
import { readPicture } from '../../src/reconcile/read-picture.ts';
import { passReport } from '../../src/reconcile/status/report.ts';
import type { FakeGitOptions } from '../support/fake-git.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const other = (text: string): string => text.replaceAll('name: vllm', 'name: other');
const OTHER_FILE = 'apps/other/lws.yaml';
const RECORD = 'rollouts/default/llm/vllm.json';

/** Both are settled and asked for a new version; `newer` are files that a newer tranche has written since, or after a step. */
async function worldOf(newer: readonly string[], { isBegun = false } = {}): Promise<World> {
  const world = new World({
    files: { ...VLLM_FILES, [OTHER_FILE]: other(LWS_TEXT), 'rollouts/other.yaml': other(ROLLOUT_TEXT) },
  });
  for (let round = 0; round < 5; round += 1) {
    world.sync();
    world.tick(60);
    await world.pass();
  }
  for (const file of [LWS_FILE, OTHER_FILE]) world.edit(file, OLD, NEW);
  world.sync();
  world.tick(60);
  if (isBegun) await world.pass();
  const status = world.repository.files('tranche-status');
  const writes = newer.map((path) => {
    const value = JSON.parse(status[path] ?? '{}') as object;
    return { path, text: JSON.stringify({ ...value, version: 2, drains: [{ kept: 'by a newer one' }] }) };
  });
  world.repository.commit('tranche-status', { writes });
  return world;
}

test('the record of one: no step of it is written, and the other goes on', async () => {
  const world = await worldOf([RECORD, 'index.json']);
  const before = world.repository.files('tranche-status');
  const pass = await world.pass();
  expect(pass.failed).toBe(true);
  expect(pass.outcomes.map(({ key, written }) => [key.name, written !== undefined])).toEqual([
    ['other', true],
    ['vllm', false],
  ]);
  expect(passReport(pass)).toContain('waits  NewerRecord: rollouts/default/llm/vllm.json on the status branch has');
  const after = world.repository.files('tranche-status');
  for (const path of KEPT) expect(after[path]).toBe(before[path]);
  expect(after['rollouts/default/llm/other.json']).not.toBe(before['rollouts/default/llm/other.json']);
  expect(world.repository.text('main', LWS_FILE)).not.toContain('tranche.dev/step');
});

const KEPT = [RECORD, 'badges/default/llm/vllm.svg', 'index.json', 'README.md'];

test('a rollback goes through, and what the newer one has written stays as it was', async () => {
  const world = await worldOf([RECORD, 'index.json'], { isBegun: true });
  world.edit(LWS_FILE, NEW, OLD);
  const before = world.repository.files('tranche-status');
  const refuse: FakeGitOptions['before'] = (operation) => {
    if (operation.kind !== 'push') return undefined;
    const [update] = operation.updates;
    if (update === undefined || !('commits' in update)) return undefined;
    const isIts = update.commits.some(({ writes }) => writes.some(({ path }) => path === LWS_FILE));
    return isIts ? { kind: 'refuse', branch: 'main', rule: 'not now' } : undefined;
  };
  const kept = (): void => {
    const after = world.repository.files('tranche-status');
    for (const path of KEPT) expect(after[path]).toBe(before[path]);
  };
  const alone = await world.pass({ git: world.repository.open({ before: refuse }) });
  expect(alone.outcomes[1]?.plan?.holds.map(({ reason }) => reason)).toEqual(['PushRefused']);
  kept();
  const pass = await world.pass();
  expect(passReport(pass)).toMatch(
    /^llm\/vllm\n {2}commit .* rollout\(llm\/vllm\): rollback\n {2}waits {2}NewerRecord/m,
  );
  expect(pass.failed).toBe(true);
  kept();
  const rolledBackAt = world.now;
  const dates: (number | undefined)[] = [];
  for (let round = 0; round < 4; round += 1) {
    world.sync();
    world.tick(60);
    const { outcomes } = await world.pass();
    dates.push(outcomes.find(({ key }) => key.name === 'vllm')?.snapshot?.rollbackAt);
  }
  // Nobody remembers since when its requests are back: main dates its commit.
  expect(dates[0]).toBe(rolledBackAt);
  expect(world.repository.text('main', LWS_FILE)).toMatch(/partition: 1000000(?![^]*tranche.dev\/step)/);
  expect(world.groups()).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+');
  kept();
});

test('a second pass writes nothing, and the newer one finds its record as it was', async () => {
  const world = await worldOf([RECORD, 'index.json']);
  for (let look = 0; look < 2; look += 1) await world.pass();
  const head = world.repository.head('tranche-status');
  const main = world.repository.head('main');
  await world.pass();
  expect([world.repository.head('tranche-status'), world.repository.head('main')]).toEqual([head, main]);
});

test('the index alone: every Rollout goes on, and index and page stay those of the newer one', async () => {
  const world = await worldOf(['index.json']);
  const before = world.repository.files('tranche-status');
  const pass = await world.pass();
  expect(pass.outcomes.every(({ written }) => written !== undefined)).toBe(true);
  const after = world.repository.files('tranche-status');
  for (const path of ['index.json', 'README.md']) expect(after[path]).toBe(before[path]);
  expect(world.log.at(-1)).toContain('index.json on tranche-status is of a newer tranche');
  // Who stays with the older one takes it away.
  world.repository.commit('tranche-status', { writes: [{ path: 'index.json', text: undefined }] });
  await world.pass();
  expect(world.repository.text('tranche-status', 'index.json')).toContain('"version": 1');
});

test('status says which one to ask', async () => {
  const world = await worldOf([RECORD, 'index.json']);
  const { shown } = await readPicture(world.ports(), NO_OVERRIDES);
  expect(shown.map(({ record }) => record.name)).toEqual(['other']);
  expect(world.log.at(-1)).toContain('has version 2, of a newer tranche than this one');
});
