/** Going back where a HelmRelease renders the workload: its inputs come back byte for byte, from every state. */

import { expect, test } from 'vitest';
import { RELEASE_FILE, RELEASE_TEXT } from '../../support/helm-files.ts';
import { HelmWorld, RUNNING_FILES } from '../../support/helm-world.ts';

const OLD = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+';
const HALF = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.1+ 3:v0.10.1+';
const ABORT = { kind: 'abort', keepNewer: false, from: undefined } as const;

/** Of the document what it is rendered from. */
function inputs(text: string): string {
  const from = text.indexOf('  chart:');
  const until = text.indexOf('  postRenderers:\n  - kustomize:\n');
  return text.slice(from, until === -1 ? undefined : until);
}

test('aborted half-way: the values come back, every group follows, and a second pass writes nothing', async () => {
  const world = await HelmWorld.halfWay();
  expect(world.groups()).toBe(HALF);
  await world.order(ABORT);
  expect(await world.play()).toMatchSnapshot();
  expect([world.groups(), inputs(world.release())]).toEqual([OLD, inputs(RELEASE_TEXT)]);
  const commits = world.commits();
  await world.pass();
  expect(world.commits()).toBe(commits);
});

test.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])('aborted %i passes after the edit, all is as before', async (passes) => {
  const world = await HelmWorld.adopted();
  world.edit(RELEASE_FILE, 'v0.10.0', 'v0.10.1');
  world.apply();
  for (let step = 0; step < passes; step += 1) await world.step();
  const isSettled = world.subject().endsWith(': settled');
  const said = await world.order(ABORT);
  if (isSettled) return expect(said).toContain('undo');
  await world.play();
  expect([world.groups(), inputs(world.release())]).toEqual([OLD, inputs(RELEASE_TEXT)]);
  expect(world.failed).toBe(0);
});

test('comments, entries of people and a chart of another version come back as they were', async () => {
  const text = RELEASE_TEXT.replace('  values:\n', '  # What the model needs.\n  values: # theirs\n').concat(
    '  postRenderers:\n    # of the platform\n    - kustomize:\n        images:\n          - {name: a, newTag: "1"}\n',
  );
  const world = await HelmWorld.adopted({ files: { ...RUNNING_FILES, [RELEASE_FILE]: text } });
  const adopted = world.release();
  world.edit(RELEASE_FILE, 'v0.10.0', 'v0.10.1');
  world.edit(RELEASE_FILE, 'version: 1.3.0', 'version: 1.4.0');
  world.edit(RELEASE_FILE, 'newTag: "1"', 'newTag: "2"');
  world.apply();
  for (let step = 0; step < 5; step += 1) await world.step();
  expect(world.groups()).toBe(HALF);
  await world.order(ABORT);
  await world.play();
  expect(world.groups()).toBe(OLD);
  const people = (all: string): string => all.replace(/ {4}tranche\.dev\/.*\n/g, '');
  expect(people(world.release())).toBe(people(adopted));
});

test('written, and Flux is late: that is waited for, and what the cluster still runs is no second template of the digest', async () => {
  const world = await HelmWorld.halfWay();
  await world.order(ABORT);
  await world.pass();
  expect(world.subject()).toContain('rollback');
  for (const reason of ['NotApplied', 'AgentNotApplying']) {
    const { outcomes } = await world.pass();
    const [plan] = outcomes.map((one) => one.plan);
    expect([plan?.holds.map((one) => one.reason), plan?.issues]).toEqual([[reason], []]);
    world.tick(1200);
  }
  world.apply();
  await world.play();
  expect(world.groups()).toBe(OLD);
});

/** A commit that asks for the second tag, of this date. */
function asked(world: HelmWorld, atSeconds: number): void {
  const text = world.release().replace('v0.10.0', 'v0.10.1');
  const signature = { name: 'Eve', email: 'eve@example.com', atSeconds };
  world.repository.commit('main', { writes: [{ path: RELEASE_FILE, text }], message: 'ask for it', signature });
}

test.each([
  ['on its day', 0],
  ['ten years ahead', 10 * 365 * 86_400],
])(
  'a third tag half-way, the second dated %s, and its abort, whose partition a hand raises: it goes on',
  async (_, ahead) => {
    const world = await HelmWorld.adopted();
    asked(world, world.now + ahead);
    world.apply();
    await world.play();
    expect(world.groups()).toBe(OLD.replaceAll('v0.10.0', 'v0.10.1'));
    world.edit(RELEASE_FILE, 'v0.10.1', 'v0.10.2');
    world.apply();
    for (let step = 0; step < 5; step += 1) await world.step();
    expect(world.groups()).toBe(HALF.replaceAll('v0.10.1', 'v0.10.2').replaceAll('v0.10.0', 'v0.10.1'));
    await world.order(ABORT);
    await world.pass();
    expect(world.subject()).toContain('rollback');
    const raised = world.release().replace(/"partition":\d+/, '"partition":4');
    expect(raised).not.toBe(world.release());
    world.repository.commit('main', { writes: [{ path: RELEASE_FILE, text: raised }], message: 'raise it' });
    world.apply();
    const said: string[] = [];
    for (let step = 0; step < 12; step += 1) said.push(`${world.groups()} ${await world.step()}`);
    expect(world.groups(), said.join('\n')).toBe(OLD.replaceAll('v0.10.0', 'v0.10.1'));
  },
);

test('half-way, with a tag and annotations by hand as if that had settled: what the answer to an abort names leads back', async () => {
  const other = await HelmWorld.adopted();
  other.edit(RELEASE_FILE, 'v0.10.0', 'v0.10.9');
  await other.step();
  const [, digest = ''] = /"tranche\.dev\/inputs":"(.+?)"/.exec(other.release()) ?? [];
  const world = await HelmWorld.halfWay();
  const mine = world
    .release()
    .replace('v0.10.1', 'v0.10.9')
    .replace(/(release: ").*"/, `$1${digest}.3"`)
    .replace(/ +tranche\.dev\/step: .*\n/, '');
  world.repository.commit('main', { writes: [{ path: RELEASE_FILE, text: mine }], message: 'all is well' });
  world.apply();
  expect(await world.order(ABORT)).toContain('tranche repair vllm. Then: tranche abort vllm');
  await world.order({ kind: 'repair' });
  await world.order(ABORT);
  await world.play();
  expect(world.groups()).toBe(OLD);
});

test('put back by hand, it goes back by itself', async () => {
  const world = await HelmWorld.halfWay();
  world.edit(RELEASE_FILE, 'v0.10.1', 'v0.10.0');
  world.apply();
  await world.play();
  expect(world.groups()).toBe(OLD);
  expect(world.repository.log('main').some(({ message }) => message.includes('Rollout-Reason: Reverted'))).toBe(true);
});

test('a newer tag in mid-delivery is stopped, named, and taken from its first step', async () => {
  const world = await HelmWorld.halfWay();
  world.edit(RELEASE_FILE, 'v0.10.1', 'v0.10.2');
  world.apply();
  expect(await world.play()).toMatchSnapshot();
  expect(world.groups()).toBe('0:v0.10.2+ 1:v0.10.2+ 2:v0.10.2+ 3:v0.10.2+');
});

test('a newer tag in mid-delivery that is aborted leads back to the version before both', async () => {
  const world = await HelmWorld.halfWay();
  world.edit(RELEASE_FILE, 'v0.10.1', 'v0.10.2');
  world.apply();
  await world.step();
  await world.step();
  await world.order(ABORT);
  await world.play();
  expect([world.groups(), inputs(world.release())]).toEqual([OLD, inputs(RELEASE_TEXT)]);
});

test('the aborted tag is asked for again: it waits for a retry, and then goes by its steps', async () => {
  const world = await HelmWorld.halfWay();
  await world.order(ABORT);
  await world.play();
  world.edit(RELEASE_FILE, 'v0.10.0', 'v0.10.1');
  world.apply();
  expect(await world.step()).toContain('ReleaseAborted');
  expect(world.groups()).toBe(OLD);
  await world.order({ kind: 'retry', release: undefined });
  await world.play();
  expect(world.groups()).toBe('0:v0.10.1+ 1:v0.10.1+ 2:v0.10.1+ 3:v0.10.1+');
});
