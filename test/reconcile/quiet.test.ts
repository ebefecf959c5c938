/** When a settled repository is looked at again: the interval of its configuration, and the next audit. */

import { expect, test } from 'vitest';
import { NO_OVERRIDES, type PassResult } from '../../src/reconcile/pass.ts';
import { readPicture } from '../../src/reconcile/read-picture.ts';
import { asOfText, noticeLines } from '../../src/reconcile/status/age-text.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

async function settledWorld(config: string): Promise<World> {
  const world = new World({ files: { ...VLLM_FILES, 'tranche.yaml': config }, signed: true });
  world.sync();
  world.tick(60);
  for (let passes = 0; passes < 5; passes += 1) {
    if ((await world.pass()).quiet) return world;
    world.sync();
    world.tick(30);
  }
  throw new Error('not settled after five passes');
}

test.each([
  ['by default', 'paths: [apps, rollouts]\n', 30],
  ['as configured', 'paths: [apps, rollouts]\nintervalSeconds: 5\n', 5],
  ['longer', 'paths: [apps, rollouts]\nintervalSeconds: 120\n', 120],
])('an order waits no longer than the interval: %s', async (_title, config, seconds) => {
  const world = await settledWorld(config);
  expect(await world.pass()).toMatchObject({ quiet: true, requeueAfterSeconds: seconds });
});

test('an audit that a clock put years away is due now, and one that is near is waited for', async () => {
  const world = await settledWorld('paths: [apps, rollouts]\nauditSeconds: 600\n');
  const at = (seconds: number): Promise<PassResult> =>
    world.pass({ clock: { now: () => world.now + seconds, sleep: async () => undefined } });
  const YEAR = 31_536_000;
  expect((await at(YEAR)).quiet).toBe(false);
  expect((await at(YEAR)).quiet).toBe(true);
  expect((await at(0)).quiet).toBe(false);
  expect((await at(0)).quiet).toBe(true);
  expect((await at(599)).quiet).toBe(true);
  expect((await at(660)).quiet).toBe(false);
});

test.each([
  ['says that all is settled, and a record knows better', { settled: true }, { quiet: false }],
  ['has an interval that no configuration has', { intervalSeconds: 0.001 }, { quiet: false, requeueAfterSeconds: 30 }],
] as const)('an index on the status branch that %s is not believed', async (_what, edit, expected) => {
  const world = await settledWorld('paths: [apps, rollouts]\n');
  if ('settled' in edit) {
    world.edit(ROLLOUT_FILE, 'strategy:\n', 'strategy:\n    paused: true\n');
    world.edit(LWS_FILE, OLD, NEW);
    await world.pass();
  }
  const text = world.repository.text('tranche-status', 'index.json') ?? '';
  const index = { ...(JSON.parse(text) as object), main: world.repository.head('main'), ...edit };
  const writes = [{ path: 'index.json', text: JSON.stringify(index) }];
  world.repository.commit('tranche-status', { writes });
  expect(await world.pass()).toMatchObject(expected);
});

test('while something waits and nothing is new, a pass says once in an audit that it has looked; none for longer is told', async () => {
  const world = await settledWorld('paths: [apps, rollouts]\nauditSeconds: 3600\n');
  world.edit(ROLLOUT_FILE, 'strategy:\n', 'strategy:\n    paused: true\n');
  world.edit(LWS_FILE, OLD, NEW);
  await world.pass();
  world.sync();
  await world.pass();
  const start = world.now;
  const after = async (seconds: number, looks: boolean): Promise<string> => {
    const clock = { now: () => start + seconds, sleep: async () => undefined };
    const before = world.repository.head('tranche-status');
    if (looks) await world.pass({ clock });
    const { asOf } = await readPicture(world.ports({ clock }), NO_OVERRIDES);
    if (asOf === undefined) throw new Error('there is no status');
    const wrote = world.repository.head('tranche-status') === before ? '' : 'written; ';
    return [
      wrote + asOfText(asOf, clock.now()).replaceAll(/.*?\(|\).*/g, ''),
      ...noticeLines(asOf, { since: [] }, clock.now()),
    ].join(' ');
  };
  expect(await after(300, true)).toBe('5 min ago, the last pass with news');
  expect(await after(3599, true)).toMatch(/^59 min ago, the last pass with news; without any, one writes by 20/);
  expect(await after(3700, true)).toBe('written; 0 s ago, the last pass with news');
  expect(await after(3698, true)).toMatch(/^-?\d s ago, the last pass with news$/);
  expect(await after(3700 + 4600, false)).toMatch(
    /^76 min ago, the last pass with news no pass has looked since, though one was due 16 min ago/,
  );
});

test('branches that name each other as the desired one are told, and not followed for ever', async () => {
  const world = new World({ files: { ...VLLM_FILES, 'tranche.yaml': 'branches: {desired: release}\n' } });
  const release = (config: string): string =>
    world.repository.commit('release', {
      writes: Object.entries({ ...VLLM_FILES, 'tranche.yaml': config }).map(([path, text]) => ({ path, text })),
    });
  release('intervalSeconds: 30\n');
  await expect(world.pass()).rejects.toThrow(
    'tranche.yaml:1: each branch names another one as the desired one in its own file: main names release, release names main',
  );
  release('branches: {desired: release, status: elsewhere}\n');
  expect((await world.pass()).failed).toBe(false);
});
