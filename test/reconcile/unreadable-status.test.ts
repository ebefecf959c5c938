/** Somebody pushes to the status branch what nobody can read: every Rollout has its rollback all the same, and it is said. */

import { beforeAll, describe, expect, test } from 'vitest';
import { evidenceText } from '../../src/reconcile/status/evidence-text.ts';
import { readStatus } from '../../src/reconcile/status/record-store.ts';
import { type BareWorld, STATUS } from '../support/bare-world.ts';
import { pipeToGit } from '../support/git-server.ts';
import { abortInFile, type MidDeliveries, midDeliveries, OWN } from '../support/mid-delivery.ts';

const nested = (levels: number): string => `{"version": 1, "a": ${'['.repeat(levels)}${']'.repeat(levels)}}\n`;
const DEEP = nested(100_000);

let places: MidDeliveries;
beforeAll(async () => {
  places = await midDeliveries();
});

type Attack = (world: BareWorld) => Promise<void>;

/** The branch gets the tree of these bytes. */
async function push({ repository }: BareWorld, tree: string): Promise<void> {
  const commit = await repository.git('commit-tree', tree, '-p', STATUS, '-m', 'mine');
  await repository.git('update-ref', `refs/heads/${STATUS}`, commit);
}

const files =
  (changes: Readonly<Record<string, string>>): Attack =>
  async ({ repository }) =>
    void (await repository.commit(STATUS, changes));

/** What stands at a path becomes an entry of this mode: a link, a submodule, or a folder with a file in it. */
const entry =
  (path: string, mode: '120000' | '160000' | '040000'): Attack =>
  async ({ repository }) => {
    const lines = [
      `commit refs/heads/${STATUS}`,
      'committer eve <eve@example.com> 1700000000 +0000',
      'data 4\nmine',
      `from refs/heads/${STATUS}^0`,
      `D ${path}`,
      ...(mode === '160000' ? [`M 160000 ${'c'.repeat(40)} ${path}`] : []),
      ...(mode === '120000' ? [`M 120000 inline ${path}\ndata 18\n../../tranche.yaml\n`] : []),
      ...(mode === '040000' ? [`M 100644 inline ${path}/a.json\ndata 3\n{}\n`] : []),
      '',
    ];
    await pipeToGit(repository.path, ['fast-import', '--quiet', '--force'], Buffer.from(lines.join('\n')));
  };

/** The branch gets a tree in which a name stands twice, the second time with nothing in it. */
const twice =
  (name: string): Attack =>
  async (world) => {
    const { repository } = world;
    const listed = (await repository.git('ls-tree', STATUS)).split('\n').map((line) => line.split(/\s/));
    const empty = await pipeToGit(repository.path, ['hash-object', '-w', '--stdin'], Buffer.from('{}'));
    const bytes = listed.flatMap(([mode = '', , oid = '', path = '']) =>
      [oid, ...(path === name ? [empty] : [])].flatMap((at) => [
        Buffer.from(`${at === empty ? '100644' : mode.replace(/^0/, '')} ${path}\0`),
        Buffer.from(at, 'hex'),
      ]),
    );
    const args = ['hash-object', '-w', '-t', 'tree', '--literally', '--stdin'];
    await push(world, (await pipeToGit(repository.path, args, Buffer.concat(bytes))).trim());
  };

const RECORD = 'rollouts/default/llm/vllm.json';
const ENTRIES = [
  ['its record', RECORD],
  ['the index', 'index.json'],
  ['the folder of records', 'rollouts'],
  ['the folder of its records', 'rollouts/default/llm'],
  ['the page', 'README.md'],
  ['the folder of numbers', 'numbers'],
].flatMap(([what = '', path = '']) =>
  (['120000', '160000', '040000'] as const).map(
    (mode) => [`${what} becomes one of mode ${mode}`, entry(path, mode), undefined] as const,
  ),
);

const DEEP_LIST = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

/** A file of counts that is ours in every byte but what stands before them, with this many metrics. */
function counted(head: string, metrics = 1): Readonly<Record<string, string>> {
  const counts = { n: 1, x: 0 };
  const metric = { name: 'a/b', kind: 'passed', canary: counts, stable: counts, parts: [] } as const;
  const release = { digest: '9c41d2e09c41d2e09c41d2e09c41d2e0', serial: 7 };
  const text = evidenceText('default/llm/vllm', { release, step: '1/3', metrics: [metric] });
  const [line = ''] = /^\{"name".*$/m.exec(text) ?? [];
  const all = text.replace(line, Array.from({ length: metrics }, () => line).join(',\n'));
  return { 'analysis/default/llm/vllm/7-001.json': all.replace('{\n', `{\n${head}`) };
}

const ATTACKS: readonly (readonly [what: string, attack: Attack, said: string | undefined])[] = [
  ['its record is nested deeper than a stack is', files({ 'rollouts/default/llm/vllm.json': DEEP }), undefined],
  ['the record of nobody is', files({ 'rollouts/default/llm/nobody.json': DEEP }), undefined],
  ['the index and the numbers are', files({ 'index.json': DEEP, 'numbers/default.json': DEEP }), undefined],
  [
    'counts whose signature is nested deeper than a stack is',
    files(counted(`"signature": ${DEEP_LIST},\n`)),
    undefined,
  ],
  ['counts of more metrics than a stack has room for', files(counted('', 150_000)), undefined],
  ['folders in each other without an end', files({ [`${'a/'.repeat(80)}b.json`]: '{}' }), undefined],
  [
    'a tree that is none',
    async (world) => push(world, await garbledTree(world)),
    'the repository has a garbled object: a tree of 28 bytes is cut or garbled',
  ],
  ...ENTRIES,
  ['the folder of records stands there twice', twice('rollouts'), undefined],
  ['the index stands there twice', twice('index.json'), undefined],
  [
    'names that lead elsewhere',
    files({ 'rollouts/default/llm/-rf $(x)\n.json': '{}', 'rollouts/default/ll\u006d\u0301/vllm.json': '{}' }),
    undefined,
  ],
];

/** One file without a name. */
async function garbledTree({ repository }: BareWorld): Promise<string> {
  const bytes = Buffer.concat([Buffer.from('100644 \0'), Buffer.alloc(20, 1)]);
  const args = ['hash-object', '-w', '-t', 'tree', '--literally', '--stdin'];
  return (await pipeToGit(repository.path, args, bytes)).trim();
}

test('folders in each other without an end on main, in a folder of others: an abort goes back, and it is said', async () => {
  const { world, moving } = places.unsigned;
  await world.back(moving);
  await world.repository.commit('main', { [`teams/b/${'a/'.repeat(80)}b.yaml`]: 'x: 1\n' });
  await world.goOn();
  expect((await world.pass()).issues).toContainEqual(
    expect.objectContaining({ reason: 'UnreadableFile', message: 'folders are nested deeper than 64' }),
  );
  await abortInFile(world);
  await world.pass();
  expect(await world.subject()).toBe('rollout(llm/vllm): rollback');
});

describe.each([
  ['with a key', () => places.signed, OWN],
  ['without a key', () => places.unsigned, {}],
] as const)('%s', (_who, placeOfIt, process) => {
  test.each(ATTACKS)('%s: an abort goes back, and no step goes forward unsaid', async (_what, attack, said) => {
    const { world, moving } = placeOfIt();
    await world.back(moving);
    await attack(world);
    const pushed = await world.repository.git('rev-parse', STATUS);
    await world.goOn();
    const before = await world.pass(process);
    const warning = { reason: 'StatusTampered', file: STATUS, message: expect.stringContaining(said ?? '') };
    if (said !== undefined) {
      expect(before.warnings).toContainEqual(expect.objectContaining(warning));
      expect(before.failed).toBe(true);
      expect(before.outcomes[0]?.plan?.commit?.way).not.toBe('forward');
      expect(await world.repository.git('rev-parse', STATUS), 'nothing is written next to it').toBe(pushed);
    }
    await abortInFile(world);
    expect((await world.pass(process)).outcomes[0]?.plan?.commit?.reason).toBe('Aborted');
    expect(await world.subject()).toBe('rollout(llm/vllm): rollback');
  });
});

test('a record may be nested as far as ours are, and no further', () => {
  const read = (text: string) => {
    const content = { kind: 'text', text } as const;
    const file = { path: 'rollouts/a/b/c.json', oid: '1'.repeat(40), mode: '100644', content } as const;
    return readStatus({ commit: '', folders: [], files: [file], skipped: () => [] }).records.get('a/b/c');
  };
  const why = 'it is nested deeper than 32';
  expect(read(nested(31))).not.toMatchObject({ why });
  expect(read(nested(32))).toMatchObject({ kind: 'untrusted', why });
  expect(read(DEEP)).toMatchObject({ kind: 'untrusted', why });
});
