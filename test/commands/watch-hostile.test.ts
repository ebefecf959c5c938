/** `reconcile --watch` while somebody writes to the status branch under it, before each pass: one process, and no abort waits. */

import { beforeAll, describe, expect, test } from 'vitest';
import { openGit } from '../../src/adapters/git/open.ts';
import { reconcile } from '../../src/commands/reconcile.ts';
import type { Io } from '../../src/options.ts';
import type { Ports } from '../../src/reconcile/pass.ts';
import { BareWorld, type Moment, STATUS } from '../support/bare-world.ts';
import { fakeCluster } from '../support/fake-cluster.ts';
import { pipeToGit } from '../support/git-server.ts';
import { publicHalf, signaturesOf } from '../support/status-key.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, VLLM_FILES } from '../support/vllm.ts';
import { WATCHING } from '../support/watching.ts';

const RECORD = 'rollouts/default/llm/vllm.json';

type Place = { readonly world: BareWorld; readonly moving: Moment; readonly first: string };

async function placeOf(config: string, process: object): Promise<Place> {
  const world = await BareWorld.open({ ...VLLM_FILES, 'tranche.yaml': config });
  await world.rounds(2, process);
  const first = await world.repository.git('rev-parse', STATUS);
  await world.rounds(1, process);
  await world.edit(LWS_FILE, OLD, NEW);
  await world.rounds(2, process);
  return { world, moving: await world.moment(), first };
}

let signed: Place;
let unsigned: Place;
beforeAll(async () => {
  signed = await placeOf(`statusKeys: [{cluster: default, key: ${publicHalf(1)}}]\n`, { signatures: signaturesOf(1) });
  unsigned = await placeOf('intervalSeconds: 30\n', {});
});

type Attack = (place: Place) => Promise<unknown>;

const point = ({ world }: Place, at: string): Promise<string> =>
  world.repository.git('update-ref', `refs/heads/${STATUS}`, at);

/** The branch gets this tree, as a commit without a parent. */
const orphan = async (place: Place, tree: string): Promise<string> =>
  point(place, await place.world.repository.git('commit-tree', tree, '-m', 'mine'));

async function entry(place: Place, mode: string, name: string): Promise<string> {
  const { repository } = place.world;
  const oid = mode === '160000' ? 'c'.repeat(40) : await repository.git('rev-parse', `main:${LWS_FILE}`);
  const kind = mode === '160000' ? 'commit' : 'blob';
  return orphan(
    place,
    (
      await pipeToGit(repository.path, ['mktree', '--missing'], Buffer.from(`${mode} ${kind} ${oid}\t${name}\n`))
    ).trim(),
  );
}

const ATTACKS: Readonly<Record<string, Attack>> = {
  'it is deleted': ({ world }) => world.repository.git('update-ref', '-d', `refs/heads/${STATUS}`),
  'it is put back to its first commit': (place) => point(place, place.first),
  'it is main itself': async (place) => point(place, await place.world.repository.git('rev-parse', 'main')),
  'it is an empty tree': async (place) =>
    orphan(place, (await pipeToGit(place.world.repository.path, ['mktree'], Buffer.from(''))).trim()),
  'its index is cut': ({ world }) => world.repository.commit(STATUS, { 'index.json': '{"version": 1, "rollouts": [' }),
  'its record is of nobody': ({ world }) => world.repository.commit(STATUS, { [RECORD]: '{"version": 1}' }),
  'its index is a link': (place) => entry(place, '120000', 'index.json'),
  'its records are a submodule': (place) => entry(place, '160000', 'rollouts'),
  'its records are a file': (place) => entry(place, '100644', 'rollouts'),
  'each time another of these': async (place) => {
    const all = Object.values(ATTACKS).slice(0, -1);
    turn += 1;
    await all[turn % all.length]?.(place);
  },
};
let turn = 0;

/** Watches in one process; before each pass the attack, and before the third one an abort. The subjects that it has written. */
async function watched(place: Place, signatures: Ports['signatures'], attack: Attack): Promise<readonly string[]> {
  const { world, moving } = place;
  await world.back(moving);
  const stop = new AbortController();
  let round = 0;
  const between = async (): Promise<void> => {
    round += 1;
    await world.goOn(30);
    await attack(place);
    if (round === 2) await abort(world);
    if (round >= 12) stop.abort();
  };
  const silent = (): void => undefined;
  const said: string[] = [];
  const io: Io = {
    env: {},
    folder: '/nonexistent',
    out: (text) => void said.push(text),
    err: silent,
    isTerminal: false,
    signal: stop.signal,
  };
  const ports: Ports = {
    git: openGit({ location: world.repository.path }),
    cluster: fakeCluster({ model: world.cluster }),
    clock: { now: () => world.cluster.nowSeconds, sleep: between },
    log: { info: silent, warn: silent, error: (text) => void said.push(text) },
    signatures,
  };
  await attack(place);
  expect(await reconcile(WATCHING, ports, io), said.join('')).toBe(0);
  const line = await world.repository.git('log', '--reverse', '--format=%s', `${moving.main}..main`);
  return line.split('\n');
}

/** An order on main. */
async function abort(world: BareWorld): Promise<void> {
  const text = (await world.text('main', LWS_FILE)) ?? '';
  const release = /tranche\.dev\/release: "?([^"\n]+)"?/.exec(text)?.[1] ?? '';
  await world.edit(
    ROLLOUT_FILE,
    '  namespace: llm\nspec',
    `  namespace: llm\n  annotations: {tranche.dev/abort: "${release}"}\nspec`,
  );
}

describe.each([
  ['with a key', () => signed, signaturesOf(1)],
  ['without a key', () => unsigned, undefined],
] as const)('%s', (_who, placeOfIt, signatures) => {
  test.each(Object.keys(ATTACKS))('%s, before each pass: an abort goes back to its end', async (what) => {
    const subjects = await watched(placeOfIt(), signatures, ATTACKS[what] ?? (async () => undefined));
    const order = subjects.findIndex((subject) => subject.startsWith('Update') || !subject.startsWith('rollout'));
    expect(subjects.slice(order + 1)[0], subjects.join('\n')).toBe('rollout(llm/vllm): rollback');
    expect(subjects.at(-1), subjects.join('\n')).toMatch(/rolled back/);
    expect(await placeOfIt().world.text('main', LWS_FILE)).not.toContain(NEW);
  });
});
