/** A `tranche.yaml` whose branches nobody can go by: what goes back is written all the same, and one that is mended counts again. */

import { describe, expect, test } from 'vitest';
import { order } from '../../src/reconcile/order.ts';
import { type Memory, NO_OVERRIDES, newMemory, type Overrides, type PassResult } from '../../src/reconcile/pass.ts';
import { runPass } from '../../src/reconcile/run.ts';
import { planIntent } from '../../src/rollout/orders/intent.ts';
import { Forgery } from '../support/forgery.ts';
import { LWS_FILE, NEW, OLD, VLLM_FILES } from '../support/vllm.ts';

const CONFIG = 'tranche.yaml';
const GOOD = 'cluster: eu\npaths: [apps, rollouts, policies]\n';

/** In its first step, with a branch that names none of its own. */
async function started(): Promise<Forgery> {
  const at = await new Forgery({ ...VLLM_FILES, [CONFIG]: GOOD }).stepped();
  at.world.repository.setHead('feature', at.world.repository.head('main'));
  return at;
}

type Process = { readonly memory?: Memory; readonly overrides?: Overrides };

function pass({ world }: Forgery, { memory = newMemory(), overrides = NO_OVERRIDES }: Process): Promise<PassResult> {
  world.sync();
  world.tick(60);
  return runPass(world.ports(), memory, { overrides, write: true, only: [] });
}

async function pause({ world }: Forgery, { overrides = NO_OVERRIDES }: Process): Promise<string> {
  const at = { target: { name: 'vllm', namespace: 'llm' }, overrides, by: 'ada' };
  const done = await order(world.ports(), at, (scene) =>
    planIntent({ kind: 'pause' }, { ...scene, digestOf: () => '' }),
  );
  return done.kind;
}

const said = ({ issues }: PassResult): readonly string[] => issues.map(({ reason }) => reason);

const WRONG: readonly (readonly [what: string, branches: string, reason: string, more: Partial<Overrides>])[] = [
  ['the status goes to the branch of --branch', '{desired: other, status: main}', 'SameBranch', { branch: 'main' }],
  ['the desired one is that of a shard', '{desired: of-0, status: of}', 'SameBranch', { shard: { index: 0, of: 1 } }],
  ['there is no such branch', '{desired: mian}', 'NoSuchBranch', {}],
  ['it leads back', '{desired: feature}', 'NoSuchBranch', {}],
];

describe.each(WRONG)('%s', (_what, branches, reason, more) => {
  const overrides = { ...NO_OVERRIDES, ...more };
  const broken = `${GOOD}branches: ${branches}\n`;

  test('a process that went by main rolls back, takes no step, and goes by the file once it is mended', async () => {
    const at = await started();
    const process = { memory: newMemory(), overrides };
    await pass(at, process);
    at.write(CONFIG, broken);
    const before = at.line().length;
    expect(said(await pass(at, process))).toEqual([reason, 'EarlierConfig']);
    expect(at.line()).toHaveLength(before);
    at.edit(LWS_FILE, new RegExp(NEW, 'g'), OLD);
    await pass(at, process);
    expect(at.world.subject()).toContain('rollback');
    at.write(CONFIG, GOOD);
    expect(await pass(at, process)).toMatchObject({ issues: [], failed: false });
  });

  test.skipIf(branches.includes('feature'))('a process that starts rolls back, and an order is written', async () => {
    const at = await started();
    at.write(CONFIG, broken);
    at.edit(LWS_FILE, new RegExp(NEW, 'g'), OLD);
    expect(await pause(at, { overrides })).toBe('written');
    expect(said(await pass(at, { overrides }))).toEqual([reason, 'EarlierConfig']);
    expect(at.world.subject()).toContain('rollback');
  });
});

test('of two that lead to each other nothing says which is wrong, before a process that starts: --branch does', async () => {
  const at = await started();
  const memory = newMemory();
  at.write(CONFIG, `${GOOD}branches: {desired: feature}\n`);
  at.edit(LWS_FILE, new RegExp(NEW, 'g'), OLD);
  await expect(pass(at, { memory })).rejects.toThrow(/main names feature, feature names main .*or say --branch/);
  await expect(pause(at, {})).rejects.toThrow('or say --branch');
  const overrides = { ...NO_OVERRIDES, branch: 'main' };
  expect(await pause(at, { overrides })).toBe('written');
  await pass(at, { overrides });
  expect(at.world.subject()).toContain('rollback');
  at.write(CONFIG, GOOD);
  expect(await pass(at, { memory })).toMatchObject({ issues: [] });
});

test('what the command line says wrong by itself is said, whatever main had', async () => {
  const at = await started();
  for (const overrides of [
    { ...NO_OVERRIDES, branch: 'main', statusBranch: 'main' },
    { ...NO_OVERRIDES, branch: 'tranche-status' },
  ])
    await expect(pass(at, { overrides })).rejects.toThrow(/both the desired branch|tranche makes it for itself/);
});

test('a desired branch that was renamed: a process that goes on is led to it by the default one', async () => {
  const at = await started();
  const { repository } = at.world;
  const memory = newMemory();
  repository.setHead('release', repository.head('main'));
  for (const branch of ['main', 'release'])
    repository.commit(branch, { writes: [{ path: CONFIG, text: `${GOOD}branches: {desired: release}\n` }] });
  expect(await pass(at, { memory })).toMatchObject({ main: repository.head('release') });
  const to = `${GOOD}branches: {desired: prod}\n`;
  repository.commit('main', { writes: [{ path: CONFIG, text: to }] });
  repository.commit('release', { writes: [{ path: CONFIG, text: to }] });
  repository.setHead('prod', repository.head('release'));
  repository.setHead('release', undefined);
  await expect(pass(at, { memory })).rejects.toThrow('the repository has no branch release');
  const prod = repository.head('prod');
  expect(await pass(at, { memory })).toMatchObject({ main: prod, issues: [] });
});
