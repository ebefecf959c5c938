/** One status branch under two clusters: neither takes the other's word, nor removes what is the other's. */

import { describe, expect, test } from 'vitest';
import { printInstant } from '../../src/api/time.ts';
import { NO_OVERRIDES, newMemory, type Overrides, type PassResult } from '../../src/reconcile/pass.ts';
import { runPass } from '../../src/reconcile/run.ts';
import { publicHalf, signaturesOf } from '../support/status-key.ts';
import { LWS_FILE, NEW, OLD, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const passOf = (world: World, overrides: Partial<Overrides>, only: readonly string[] = []): Promise<PassResult> =>
  runPass(world.ports(), newMemory(), { overrides: { ...NO_OVERRIDES, ...overrides }, write: true, only });

/** Adopted and settled, as both clusters see it. */
async function settledWorld({ signed = false } = {}): Promise<World> {
  const world = new World({ files: VLLM_FILES, signed });
  for (let look = 0; look < 3; look += 1) {
    world.sync();
    world.tick(30);
    await world.pass();
  }
  return world;
}

test('what another cluster found settled is not taken for settled here', async () => {
  const world = await settledWorld({ signed: true });
  expect((await world.pass()).quiet).toBe(true);
  expect((await passOf(world, { cluster: 'east' })).quiet).toBe(false);
  expect((await passOf(world, { paths: ['apps'] })).quiet).toBe(false);
});

test('each cluster has its records, and leaves those of the other as they are', async () => {
  const world = await settledWorld();
  await passOf(world, { cluster: 'east' });
  const path = 'rollouts/default/llm/vllm.json';
  const text = world.repository.text('tranche-status', path) ?? '';
  world.repository.commit('tranche-status', { writes: [{ path, text: text.replace('Healthy', 'Rubbish') }] });
  world.tick(7200);
  await passOf(world, { cluster: 'east' });
  const files = world.repository.files('tranche-status');
  expect(Object.keys(files)).toContain('rollouts/east/llm/vllm.json');
  expect(files[path]).toContain('Rubbish');
});

test('another status branch with a page of somebody else is not written to: no step goes forward, and what is theirs stays', async () => {
  const config = { path: 'tranche.yaml', text: 'branches: {status: notes}\n' };
  const world = new World({ files: { ...VLLM_FILES, [config.path]: config.text } });
  const theirs = { path: 'README.md', text: '# Handbook\n' };
  world.repository.commit('notes', { writes: [theirs] });
  const head = world.repository.head('notes');
  world.sync();
  world.tick(60);
  const pass = await world.pass();
  expect(pass).toMatchObject({ failed: true, status: undefined });
  expect(pass.outcomes[0]?.error).toBe(
    'the push to notes was refused: it has a README.md that is not ours and would be overwritten',
  );
  expect(pass.outcomes[0]?.plan?.holds[0]).toMatchObject({ reason: 'StatusRefused' });
  expect(world.log.at(-1)).toContain('Name another branch as branches.status in tranche.yaml');
  expect(world.repository.head('notes')).toBe(head);
  world.repository.commit('notes', { writes: [{ path: 'README.md', text: undefined }] });
  expect(await world.pass()).toMatchObject({ failed: false, status: expect.any(String) });
});

test.each([
  // branch, file, what somebody has put there instead of all that was on the branch
  ['tranche-status', 'index.json', '{"cluster": "default", "main": "x", "settled": true}'],
  ['tranche-status', 'index.json', 'rubbish'],
  ['tranche-status', 'README.md', '# Handbook\n'],
  ['notes', 'index.json', '{"cluster": "default", "main": "x", "settled": true}'],
])('branch %s is ours with nothing but a forged %s: it is rebuilt', async (branch, path, text) => {
  const world = new World({ files: { ...VLLM_FILES, 'tranche.yaml': `branches: {status: ${branch}}\n` } });
  world.repository.commit(branch, { writes: [{ path, text }] });
  world.sync();
  world.tick(60);
  expect(await world.pass()).toMatchObject({ failed: false, status: expect.any(String) });
  expect(Object.keys(world.repository.files(branch))).toContain('rollouts/default/llm/vllm.json');
  expect(world.repository.files(branch)[path]).not.toBe(text);
});

test('a damaged index is written again: the records, or the page, show that the branch is ours', async () => {
  const world = await settledWorld();
  for (const gone of ['', 'rollouts/default/llm/vllm.json']) {
    const writes = [{ path: 'index.json', text: '{' }, ...(gone === '' ? [] : [{ path: gone, text: undefined }])];
    world.repository.commit('tranche-status', { writes });
    expect(await world.pass()).toMatchObject({ failed: false, status: expect.any(String) });
  }
});

test('two that read other paths do not write their index over each other’s in turn', async () => {
  const world = new World({ files: { ...VLLM_FILES, 'tranche.yaml': 'intervalSeconds: 30\n' } });
  const both = async (): Promise<void> => {
    world.sync();
    world.tick(30);
    await passOf(world, { cluster: 'east', paths: ['apps', 'rollouts'] });
    await passOf(world, { cluster: 'west', paths: ['apps', 'rollouts', 'west'] });
  };
  for (let look = 0; look < 6; look += 1) await both();
  const head = world.repository.head('tranche-status');
  for (let look = 0; look < 3; look += 1) await both();
  expect(world.repository.head('tranche-status')).toBe(head);
});

test('a pass over one rollout does not call the others settled', async () => {
  const world = await settledWorld();
  world.edit(LWS_FILE, OLD, NEW);
  world.repository.commit('main', { writes: [{ path: 'rollouts/none.txt', text: 'x' }] });
  await passOf(world, {}, ['nobody']);
  const next = await world.pass();
  expect(next.quiet).toBe(false);
  expect(next.outcomes[0]?.plan?.holds.map((hold) => hold.reason)).toContain('NotApplied');
});

describe('two clusters with a key each', () => {
  const KEYS = `statusKeys:
  - {cluster: default, key: ${publicHalf(1)}}
  - {cluster: east, key: ${publicHalf(2)}}
`;
  const RECORDS = { default: 'rollouts/default/llm/vllm.json', east: 'rollouts/east/llm/vllm.json' };
  type Name = keyof typeof RECORDS;

  const keyed = async (): Promise<World> => {
    const world = new World({ files: { ...VLLM_FILES, 'tranche.yaml': KEYS } });
    for (let look = 0; look < 4; look += 1) {
      world.sync();
      world.tick(30);
      await turn(world, 'default');
      await turn(world, 'east');
    }
    return world;
  };
  /** A pass of a process that has seen nothing. */
  const turn = (world: World, cluster: Name, nth = cluster === 'default' ? 1 : 2): Promise<PassResult> =>
    runPass(world.ports({ signatures: signaturesOf(nth) }), newMemory(), {
      overrides: { ...NO_OVERRIDES, cluster },
      write: true,
      only: [],
    });
  const put = (world: World, path: string, text: string | undefined): void =>
    void world.repository.commit('tranche-status', { writes: [{ path, text }] });
  const text = (world: World, path: string): string => world.repository.text('tranche-status', path) ?? '';
  const tampered = ({ warnings }: PassResult): readonly string[] =>
    warnings.filter(({ reason }) => reason === 'StatusTampered').map(({ message }) => message);

  test('each believes its own records, in turns, and says nothing', async () => {
    const world = await keyed();
    const keyOf = (name: Name): unknown => JSON.parse(text(world, RECORDS[name])).signature.key;
    expect([keyOf('default'), keyOf('east')]).toEqual([publicHalf(1), publicHalf(2)]);
    world.edit(LWS_FILE, OLD, NEW);
    for (let look = 0; look < 6; look += 1) {
      world.sync();
      world.tick(30);
      for (const name of ['default', 'east'] as const) {
        const pass = await turn(world, name);
        expect(pass.warnings).toEqual([]);
        expect(pass.outcomes[0]?.snapshot?.recordProof).toBe('signed');
      }
    }
  });

  test('neither believes what the other has not signed, and each leaves it as it is', async () => {
    const world = await keyed();
    const theirs = text(world, RECORDS.east).replace(/ {2}"signature": \{[^}]*\},\n/, '');
    put(world, RECORDS.east, theirs);
    expect(tampered(await turn(world, 'default'))).toEqual([`${RECORDS.east} does not count: it is not signed`]);
    expect(text(world, RECORDS.east)).toBe(theirs);
    expect(tampered(await turn(world, 'east'))).toEqual([`${RECORDS.east} does not count: it is not signed`]);
    expect(tampered(await turn(world, 'default'))).toEqual([]);
  });

  test('a record of before is seen below the index of the other, with the file of numbers and without it', async () => {
    for (const isThere of [true, false]) {
      const world = await keyed();
      const older = text(world, RECORDS.default);
      world.edit(LWS_FILE, OLD, NEW);
      for (const name of ['default', 'east'] as const) await turn(world, name);
      put(world, RECORDS.default, older);
      if (!isThere) put(world, 'numbers/default.json', undefined);
      expect(tampered(await turn(world, 'default'))).toEqual([
        expect.stringMatching(
          isThere ? /vllm.json.*an older one was put back/ : /vllm.json.*nothing that is signed names/,
        ),
      ]);
      expect(tampered(await turn(world, 'default'))).toEqual([]);
      expect(tampered(await turn(world, 'east'))).toEqual([]);
    }
  });

  test('a cluster that joins without a key of its own makes nobody suspect the records of the others', async () => {
    const world = new World({
      files: { ...VLLM_FILES, 'tranche.yaml': KEYS.replace(/.*east.*\n/, '') },
    });
    for (let look = 0; look < 4; look += 1) {
      world.sync();
      world.tick(30);
      await turn(world, 'default');
    }
    const before = text(world, RECORDS.default);
    for (let look = 0; look < 2; look += 1) {
      await turn(world, 'east');
      const pass = await turn(world, 'default');
      expect(tampered(pass)).toEqual([]);
      expect(pass.outcomes[0]?.snapshot?.recordProof).toBe('signed');
    }
    expect(text(world, RECORDS.default)).toBe(before);
  });

  test('a key is rotated as documented while a delivery waits: nothing that it has signed counts as lost when it ends', async () => {
    const world = await keyed();
    world.edit(LWS_FILE, OLD, NEW);
    const look = async (nth: number, seconds: number): Promise<readonly string[]> => {
      world.sync();
      world.tick(seconds);
      return [...tampered(await turn(world, 'default', nth)), ...tampered(await turn(world, 'east'))];
    };
    for (let first = 0; first < 6; first += 1) await look(1, 30);
    const ends = printInstant(world.now + 3700);
    const next = `  - {cluster: default, key: ${publicHalf(3)}}\n`;
    world.edit('tranche.yaml', `${publicHalf(1)}}\n`, `${publicHalf(1)}, until: "${ends}"}\n${next}`);
    const said: string[] = [];
    for (let then = 0; then < 4; then += 1) said.push(...(await look(3, 1200)));
    expect(said).toEqual([]);
    expect(JSON.parse(text(world, RECORDS.default)).signature.key).toBe(publicHalf(3));
    world.edit('tranche.yaml', /.*until.*\n/.exec(world.repository.text('main', 'tranche.yaml') ?? '')?.[0] ?? '', '');
    expect(await look(3, 30)).toEqual([]);
    // Where nothing ends, nothing is signed again.
    const head = world.repository.head('tranche-status');
    expect(await look(3, 30)).toEqual([]);
    expect(world.repository.head('tranche-status')).toBe(head);
  });

  test('another key for one leaves the records of the other alone', async () => {
    const world = await keyed();
    const before = text(world, RECORDS.default);
    world.edit('tranche.yaml', publicHalf(2), publicHalf(3));
    expect(tampered(await turn(world, 'east', 3)).length).toBeGreaterThan(0);
    expect(tampered(await turn(world, 'east', 3))).toEqual([]);
    const pass = await turn(world, 'default');
    expect(tampered(pass)).toEqual([]);
    expect(pass.outcomes[0]?.snapshot?.recordProof).toBe('signed');
    expect(text(world, RECORDS.default)).toBe(before);
    expect((await turn(world, 'east', 2)).outcomes[0]?.plan?.commit).toBeUndefined();
  });
});
