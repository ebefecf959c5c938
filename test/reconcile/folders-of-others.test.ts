/** Nothing that one file of another folder says makes a rollback wait: any such file, put there in the middle of a delivery. */

import { describe, expect, test } from 'vitest';
import { NO_OVERRIDES } from '../../src/api/config.ts';
import { order } from '../../src/reconcile/order.ts';
import { planIntent } from '../../src/rollout/orders/intent.ts';
import { FakeForge } from '../support/fake-forge.ts';
import { FILES_OF_OTHERS as HOSTILE, placed } from '../support/files-of-others.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const PASSES_MOST = 8;
/** A rollback of one group takes two of them. */
const BACK_PASSES = 4;
/** A file that is larger is not read. */
const LARGE = 1_000_000;

/** The second step is in progress, or about to be. */
async function delivering(files: Readonly<Record<string, string>> = {}): Promise<World> {
  const world = new World({ files: { ...VLLM_FILES, ...files } });
  for (let pass = 0; pass < 2; pass += 1) await passed(world);
  world.edit(LWS_FILE, OLD, NEW);
  for (let pass = 0; pass < 3; pass += 1) await passed(world);
  return world;
}

async function passed(world: World): Promise<string> {
  const before = world.repository.head('main');
  world.sync();
  world.tick(60);
  await world.pass();
  return world.repository.head('main') === before ? '' : world.subject();
}

async function aborted(world: World): Promise<string> {
  const done = await order(
    world.ports(),
    { target: { name: 'vllm', namespace: 'llm' }, overrides: NO_OVERRIDES, by: 'ana' },
    ({ snapshot }) => planIntent({ kind: 'abort', keepNewer: false }, { snapshot, digestOf: () => '5be07c11' }),
  );
  return done.kind;
}

/** The order, and what is committed after it until the rollback is done. */
async function rollback(world: World): Promise<readonly string[]> {
  const subjects = [await aborted(world)];
  for (let pass = 0; pass < PASSES_MOST; pass += 1) {
    const subject = await passed(world);
    if (subject !== '') subjects.push(subject);
  }
  return subjects;
}

/** What is seen of the workload, without the files of others. */
const subjectsOf = (world: World): readonly string[] =>
  world.repository.log('main').map(({ message }) => message.split('\n')[0] ?? '');

describe('without owners', async () => {
  const base = await delivering();
  const wanted = await rollback(base.fork());

  test('the rollback itself', () => {
    expect(wanted[0]).toBe('written');
    expect(wanted.length).toBeGreaterThan(2);
    expect(wanted.at(-1)).toContain('rollout(llm/vllm)');
  });

  test.each(Object.entries(HOSTILE))('%s', async (_, [path, content]) => {
    const world = base.fork();
    placed(world, path, content);
    expect(await rollback(world)).toEqual(wanted);
    if (typeof content === 'string' && content.length < LARGE)
      expect(world.repository.text('main', path)).toBe(content);
    expect(world.repository.text('main', LWS_FILE)).toContain(OLD);
  });

  test('a twin stops forward moves, and is told with its own file', async () => {
    const world = base.fork();
    world.repository.commit('main', { writes: [{ path: 'a.yaml', text: LWS_TEXT }], message: 'a twin' });
    const { outcomes, issues } = await world.pass();
    expect(outcomes).toHaveLength(1);
    expect(outcomes[0]?.plan?.issues).toContainEqual(
      expect.objectContaining({ file: LWS_FILE, reason: 'DuplicateObject' }),
    );
    expect(issues).toContainEqual(
      expect.objectContaining({
        file: 'a.yaml',
        reason: 'DuplicateObject',
        message: expect.stringContaining('had it first'),
      }),
    );
  });

  test('many twins are one problem of the one that counts, and one of those that do not', async () => {
    const world = base.fork();
    const writes = ['a', 'b', 'c'].map((name) => ({ path: `${name}.yaml`, text: LWS_TEXT }));
    world.repository.commit('main', { writes, message: 'three twins' });
    const { outcomes, issues } = await world.pass();
    const own = outcomes[0]?.plan?.issues.filter(({ reason }) => reason === 'DuplicateObject');
    expect(own).toEqual([expect.objectContaining({ file: LWS_FILE })]);
    expect(own?.[0]?.message).toContain('a.yaml:2, b.yaml:2 and c.yaml:2');
    const others = issues.filter(({ reason }) => reason === 'DuplicateObject');
    expect(others).toEqual([expect.objectContaining({ file: 'a.yaml' })]);
    expect(others[0]?.message).toContain('does not count, nor do those in b.yaml:2 and c.yaml:2');
  });
});

describe('where each step is a pull request', async () => {
  const base = new World({ files: { ...VLLM_FILES, 'tranche.yaml': 'promotion: pullRequest\n' } });
  const forge = new FakeForge(base.repository, () => base.now);
  const passes = async (world: World, of: FakeForge, count: number): Promise<void> => {
    for (let pass = 0; pass < count; pass += 1) {
      world.sync();
      world.tick(60);
      of.settle();
      await world.pass({ forge: of.port() });
    }
  };
  const merged = async (): Promise<void> => {
    for (const pull of forge.open) forge.merge(pull, { login: 'ana', isBot: false }, true);
    await passes(base, forge, 2);
  };
  await passes(base, forge, 1);
  await merged();
  base.edit(LWS_FILE, OLD, NEW);
  await passes(base, forge, 1);
  await merged();
  // Until the pause is over, and the next step is proposed.
  await passes(base, forge, PASSES_MOST);

  /** The next step is proposed; the order comes, and with it what is committed until the rollback is done. */
  const back = async (world: World): Promise<{ readonly subjects: readonly string[]; readonly open: number }> => {
    const of = new FakeForge(world.repository, () => world.now, forge);
    const before = subjectsOf(world).length;
    expect(await aborted(world)).toBe('written');
    await passes(world, of, BACK_PASSES);
    const all = subjectsOf(world);
    return { subjects: all.slice(0, all.length - before), open: of.open.length };
  };
  const wanted = await back(base.fork());

  test('the rollback itself: no pull request stays open', () => {
    expect(forge.open).toHaveLength(1);
    expect(wanted.open).toBe(0);
    expect(wanted.subjects.length).toBeGreaterThan(2);
  });

  test.each(Object.entries(HOSTILE))('%s', async (_, [path, content]) => {
    const world = base.fork();
    placed(world, path, content);
    expect(await back(world)).toEqual(wanted);
    expect(world.repository.text('main', LWS_FILE)).toContain(OLD);
  });
});

describe('with owners', async () => {
  const owners = 'owners:\n  llm: [apps, rollouts]\n';
  const base = await delivering({ 'tranche.yaml': owners });

  test.each(['a LeaderWorkerSet of the name', 'a Rollout of the name', 'both in one file'])(
    '%s of another folder stops nobody',
    async (what) => {
      const world = base.fork();
      const [path, content] = HOSTILE[what] ?? ['', ''];
      placed(world, path, content);
      const { outcomes, issues } = await world.pass();
      expect(outcomes).toHaveLength(1);
      expect(outcomes[0]?.plan?.issues).toEqual([]);
      expect(issues.map(({ file, reason }) => `${file} ${reason}`)).toContain(`${path} ForeignFolder`);
    },
  );

  test('what has no other place goes nowhere, and its rollback goes', async () => {
    const world = base.fork();
    world.edit('tranche.yaml', '[apps, rollouts]', '[platform]');
    const { outcomes } = await world.pass();
    const reasons = outcomes[0]?.plan?.issues.map(({ reason }) => reason) ?? [];
    expect(new Set(reasons)).toEqual(new Set(['ForeignFolder']));
    const subjects = await rollback(world);
    expect(subjects[0]).toBe('written');
    expect(world.repository.text('main', LWS_FILE)).toContain(OLD);
  });
});

test('the first is the one that main had first without a break, also where it was moved since', async () => {
  const world = await delivering();
  world.repository.commit('main', { writes: [{ path: 'a.yaml', text: LWS_TEXT }], message: 'a twin' });
  const text = world.repository.text('main', LWS_FILE);
  world.repository.commit('main', {
    writes: [
      { path: LWS_FILE, text: undefined },
      { path: 'apps/moved/lws.yaml', text },
    ],
    message: 'move the workload',
  });
  const { outcomes } = await world.pass();
  expect(outcomes[0]?.snapshot?.workload?.file).toBe('apps/moved/lws.yaml');
});

describe('a twin keeps no rollback waiting', async () => {
  const base = await delivering();
  const wanted = await rollback(base.fork());
  const commit = (world: World, writes: Readonly<Record<string, string | undefined>>): void =>
    void world.repository.commit('main', {
      writes: Object.entries(writes).map(([path, text]) => ({ path, text })),
      message: 'a file of others',
    });
  const twins = (from: number, count: number): string =>
    Array.from({ length: count }, (_, at) =>
      LWS_TEXT.replace('  name: vllm\n', `  name: own-${from + at}\n`).replace('llm\n', 'aaa\n'),
    ).join('---\n');

  test('that has been there for longer than anybody looks at each commit', async () => {
    const world = base.fork();
    commit(world, { 'a-team/lws.yaml': LWS_TEXT });
    for (let at = 0; at < 230; at += 1) commit(world, { 'docs/a.md': String(at) });
    expect(await rollback(world)).toEqual(wanted);
  });

  test('among many of a folder of others', async () => {
    const world = base.fork();
    const text = twins(0, 60);
    commit(world, { 'a-team/0.yaml': text, 'a-team/1.yaml': text, 'a-team/lws.yaml': LWS_TEXT });
    expect(await rollback(world)).toEqual(wanted);
  });

  test('among many that came one by one', async () => {
    const world = base.fork();
    commit(world, { 'a-team/lws.yaml': LWS_TEXT });
    for (let at = 0; at < 150; at += 1)
      commit(world, { [`a-team/${at}-0.yaml`]: twins(at, 1), [`a-team/${at}-1.yaml`]: twins(at, 1) });
    expect(await rollback(world)).toEqual(wanted);
  });

  test('that is moved again and again, after its owners moved the workload once', async () => {
    const world = base.fork();
    commit(world, { 'a-team/0.yaml': LWS_TEXT });
    const text = world.repository.text('main', LWS_FILE);
    commit(world, { [LWS_FILE]: undefined, 'apps/moved/lws.yaml': text });
    for (let at = 0; at < 10; at += 1)
      commit(world, { [`a-team/${at}.yaml`]: undefined, [`a-team/${at + 1}.yaml`]: LWS_TEXT });
    const { outcomes } = await world.pass();
    expect(outcomes[0]?.snapshot?.workload?.file).toBe('apps/moved/lws.yaml');
  });
});
