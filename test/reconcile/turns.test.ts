/** Who has a place under a shared limit: what is in progress, what is proposed, who is stuck, and whose turn is next. */

import { describe, expect, test } from 'vitest';
import { CONFIG_FILE, DEFAULT_CONFIG, type Shard } from '../../src/api/config.ts';
import type { RolloutPolicy } from '../../src/api/policy-rules.ts';
import type { RolloutRecord } from '../../src/api/record.ts';
import { desiredOf } from '../../src/reconcile/desired/desired.ts';
import { readWorkload } from '../../src/reconcile/documents/read-workload.ts';
import type { Delivery } from '../../src/reconcile/history/turn-taker.ts';
import { deliveriesOf, turnsOf, withDelivery } from '../../src/reconcile/observe/turns.ts';
import { NO_OVERRIDES } from '../../src/reconcile/pass.ts';
import type { PolicyReading } from '../../src/reconcile/policies/policy-scope.ts';
import { NO_SCOPE } from '../../src/reconcile/policies/read-policy.ts';
import { runPass } from '../../src/reconcile/run.ts';
import { shardOf } from '../../src/reconcile/shard.ts';
import { printRecord } from '../../src/reconcile/status/status-writes.ts';
import type { RecordProof } from '../../src/rollout/record/trust.ts';
import { NOW, world as snapshotOf } from '../support/snapshot.ts';
import { LWS_TEXT, NEW, OLD, ROLLOUT_TEXT } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const one: RolloutPolicy = { maxDeliveriesPerNamespace: 1 };
const production: PolicyReading = {
  kind: 'read',
  name: 'production',
  file: 'p.yaml',
  lines: { maxDeliveriesPerNamespace: 7 },
  line: 1,
  selection: {},
  policy: one,
  issues: [],
};
const policy = { ...NO_SCOPE, matching: [production] };
const keyOf = (name: string) => ({ cluster: 'default', namespace: 'llm', name });
const delivery = (name: string, step: string, more: Partial<Delivery> = {}): Delivery => ({
  key: keyOf(name),
  policy,
  step,
  ...more,
});

test.each<readonly [what: string, deliveries: readonly Delivery[], wanted: readonly string[]]>([
  ['nobody', [], []],
  ['itself does not count', [delivery('b', '1/2')], []],
  ['one in progress', [delivery('a', '1/2')], ['llm/a (1/2)']],
  [
    'one that is stuck',
    [delivery('a', '1/2', { stuck: 'GroupCrashLoop since x' })],
    ['llm/a (1/2, GroupCrashLoop since x)'],
  ],
  ['one that is proposed', [delivery('a', 'proposed', { proposedAt: 5 })], ['llm/a (proposed)']],
  [
    'proposed before it',
    [delivery('a', 'proposed', { proposedAt: 5 }), delivery('b', 'proposed', { proposedAt: 6 })],
    ['llm/a (proposed)'],
  ],
  [
    'proposed after it',
    [delivery('c', 'proposed', { proposedAt: 7 }), delivery('b', 'proposed', { proposedAt: 6 })],
    [],
  ],
  [
    'at the same time, by name',
    [delivery('a', 'proposed', { proposedAt: 6 }), delivery('b', 'proposed', { proposedAt: 6 })],
    ['llm/a (proposed)'],
  ],
  [
    'at the same time, the other name',
    [delivery('c', 'proposed', { proposedAt: 6 }), delivery('b', 'proposed', { proposedAt: 6 })],
    [],
  ],
  [
    'in progress while it is proposed',
    [delivery('a', '1/2'), delivery('b', 'proposed', { proposedAt: 6 })],
    ['llm/a (1/2)'],
  ],
  [
    'once, however often it is told',
    withDelivery([delivery('a', 'proposed', { proposedAt: 5 })], delivery('a', 'just started')),
    ['llm/a (just started)'],
  ],
])('counted for llm/b: %s', (_, deliveries, wanted) => {
  expect(turnsOf({ key: keyOf('b'), policy }, deliveries)).toMatchObject([{ most: 1, line: 7, underWay: wanted }]);
});

describe('what records add', () => {
  const texts = { 'a.yaml': LWS_TEXT, 'r.yaml': ROLLOUT_TEXT };
  const files = Object.entries(texts).map(([path, text]) => ({
    path,
    oid: path,
    mode: '100644' as const,
    content: { kind: 'text' as const, text },
  }));
  const { rollouts } = desiredOf({ commit: '', files, folders: [], skipped: () => [] }, DEFAULT_CONFIG, new Map());
  const seen = (
    more: Partial<RolloutRecord>,
    text = LWS_TEXT,
    proof: RecordProof = 'signed',
  ): readonly Partial<Delivery>[] => {
    const { record } = snapshotOf({ text: 'B', record: {} });
    if (record === undefined) throw new Error('no record');
    const stored = { kind: 'read' as const, record: { ...record, ...more } };
    const marked = text === LWS_TEXT ? rollouts : marks(text);
    const [records, proofs] = [new Map([['default/llm/vllm', stored]]), new Map([['default/llm/vllm', proof]])];
    return deliveriesOf(marked, { records, proofs, now: NOW }).map(({ step, proposedAt, stuck }) =>
      JSON.parse(JSON.stringify({ step, proposedAt, stuck })),
    );
  };
  const marks = (text: string) =>
    desiredOf(
      {
        commit: '',
        files: files.map((file) => ({
          ...file,
          content: { kind: 'text' as const, text: file.path === 'a.yaml' ? text : ROLLOUT_TEXT },
        })),
        folders: [],
        skipped: () => [],
      },
      DEFAULT_CONFIG,
      new Map(),
    ).rollouts;
  const step = LWS_TEXT.replace(
    'name: vllm\n',
    'name: vllm\n  annotations: {tranche.dev/step: 1/3@9c41d2e09c41d2e09c41d2e09c41d2e0.2}\n',
  );
  const since = (ago: number): Partial<RolloutRecord> => ({
    holds: [{ reason: 'GroupsNotReady', message: '' }],
    conditions: [{ type: 'Progressing', status: 'True', reason: 'GroupsNotReady', message: '', since: NOW - ago }],
  });
  const proposal = {
    branch: 'b',
    head: 'h',
    index: 0,
    release: { digest: '9c41d2e09c41d2e09c41d2e09c41d2e0', serial: 2 },
    digest: 'd',
    openedAt: NOW - 60,
    vetoes: [],
  };

  const known = {
    release: { digest: '9c41d2e09c41d2e09c41d2e09c41d2e0', serial: 2 },
    stable: undefined,
    restore: undefined,
    aborted: [],
  } as const;
  const stepMark = {
    kind: 'step',
    index: 1,
    of: 3,
    release: { digest: '9c41d2e09c41d2e09c41d2e09c41d2e0', serial: 2 },
  } as const;
  const lost = 'its workload cannot be read';
  test.each<readonly [what: string, record: Partial<RolloutRecord> | undefined, wanted: readonly object[]]>([
    ['and a record that knows it at rest', { marks: { ...known, step: undefined } }, []],
    ['and a record that has never seen it taken over', { marks: undefined }, []],
    ['and a record that knows it in progress', { marks: { ...known, step: stepMark } }, [{ step: lost }]],
    ['and no record', undefined, [{ step: lost }]],
  ])('where its workload is in no file, %s', (_, more, wanted) => {
    const alone = desiredOf(
      { commit: '', files: files.slice(1), folders: [], skipped: () => [] },
      DEFAULT_CONFIG,
      new Map(),
    ).rollouts;
    const { record } = snapshotOf({ text: 'B', record: {} });
    const stored =
      more === undefined || record === undefined
        ? []
        : [['default/llm/vllm', { kind: 'read', record: { ...record, ...more } }] as const];
    const told = deliveriesOf(alone, { records: new Map(stored), now: NOW });
    expect(told.map((found) => ({ step: found.step }))).toEqual(wanted);
  });

  test.each<
    readonly [what: string, record: Partial<RolloutRecord>, text: string | undefined, wanted: readonly object[]]
  >([
    ['at rest', {}, undefined, []],
    [
      'an open proposal',
      { proposal: { ...proposal, state: 'open' } },
      undefined,
      [{ step: 'proposed', proposedAt: NOW - 60 }],
    ],
    ['one that is over', { proposal: { ...proposal, state: 'vetoed' } }, undefined, []],
    ['in progress', {}, step, [{ step: '1/3' }]],
    ['in progress, with the next step proposed', { proposal: { ...proposal, state: 'open' } }, step, [{ step: '1/3' }]],
    ['standing still for a while', since(3599), step, [{ step: '1/3' }]],
    ['for an hour', since(3600), step, [{ step: '1/3', stuck: 'GroupsNotReady since 2025-06-15T14:06:40Z' }]],
  ])('%s', (_, record, text, wanted) => expect(seen(record, text)).toEqual(wanted));

  const settledOn = (release: string): string =>
    LWS_TEXT.replace('name: vllm\n', `name: vllm\n  annotations: {tranche.dev/release: ${release}.1}\n`);
  const other = '9c41d2e09c41d2e09c41d2e09c41d2e0';
  const inFile = readWorkload(marks(settledOn(other))[0]!.workload!).workload!.digest;
  const opened = (digest: string): Partial<RolloutRecord> => ({
    proposal: { ...proposal, openedAt: 0, release: { digest, serial: 2 }, state: 'open' },
  });

  test.each<readonly [what: string, record: Partial<RolloutRecord>, text: string, counts: number]>([
    ['of the template that main asks for', opened(inFile), settledOn(other), 1],
    ['of another template', opened(other), settledOn(other), 0],
    ['of the template that is delivered', opened(inFile), settledOn(inFile), 0],
    ['of a workload that is not taken over', opened(inFile), LWS_TEXT, 0],
  ])('an open proposal that no key has signed: %s', (_, record, text, counts) => {
    expect(seen(record, text, 'unproven')).toHaveLength(counts);
  });
});

const RUNS: readonly (readonly [what: string, shards: readonly (Shard | undefined)[]])[] = [
  ['in one process', [undefined]],
  ['in two', [SHARD(0), SHARD(1)]],
  ['in two, the other one first', [SHARD(1), SHARD(0)]],
];

function SHARD(index: number): Shard {
  return { index, of: 2 };
}

/** Of two shards the first two are the second one's. */
const NAMES = ['a', 'b', 'd', 'e'];
const file = (name: string): string => `apps/${name}/lws.yaml`;

function fourUnderOne(): World {
  const named = (text: string, name: string): string => text.replaceAll(/\bvllm(?!\/|-openai)/g, name);
  const all = NAMES.flatMap((name) => [
    [file(name), named(LWS_TEXT, name)],
    [
      `rollouts/${name}.yaml`,
      named(ROLLOUT_TEXT, name).replace(/steps:[\s\S]*$/, 'steps:\n        - replicas: 100%\n'),
    ],
  ]);
  const limit =
    'apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: one}\nspec: {maxDeliveriesPerNamespace: 1}\n';
  return new World({ files: { ...Object.fromEntries(all), 'policies/one.yaml': limit, [CONFIG_FILE]: '{}\n' } });
}

type Turns = {
  readonly names: readonly string[];
  readonly shards: readonly (Shard | undefined)[];
  readonly left?: readonly (Shard | undefined)[];
  /** What somebody else does before each pass. */
  readonly meanwhile?: (world: World) => void;
};

/** Someone's commit, which has the date of its day. */
function dated(world: World, path: string): void {
  const text = world.repository.text('main', path)!.replaceAll(OLD, NEW);
  const signature = { name: 'Ada', email: 'ada@example.com', atSeconds: world.now };
  world.repository.commit('main', { writes: [{ path, text }], signature });
}

/** The first takes the place; the others ask in turn while it is in progress. `left`: the processes that are there then. */
async function inTurn(world: World, { names, shards, left = shards, meanwhile }: Turns): Promise<readonly string[]> {
  const round = async (of: readonly (Shard | undefined)[]): Promise<void> => {
    world.sync();
    world.tick(120);
    for (const shard of of) {
      meanwhile?.(world);
      const overrides = { ...NO_OVERRIDES, ...(shard === undefined ? {} : { shard }) };
      await runPass(world.ports(), world.memory(), { overrides, write: true, only: [] });
    }
  };
  for (let at = 0; at < 4; at += 1) await round(shards);
  for (const name of names) {
    dated(world, file(name));
    await round(name === 'a' ? left : shards);
  }
  for (let at = 0; at < 22; at += 1) await round(left);
  const begun = [...world.repository.log('main')]
    .reverse()
    .flatMap(({ message }) => /^rollout\(llm\/(.)\): step 1\/1/.exec(message)?.[1] ?? []);
  return [...new Set(begun)];
}

test.each(RUNS)('who has waited for longest starts first, whatever it is called: %s', async (_, shards) => {
  const names = ['d', 'e', 'a'];
  expect(await inTurn(fourUnderOne(), { names, shards })).toEqual(names);
});

/** The record of this Rollout as if it had asked at that time, on whatever branch it is; undefined: it has never asked. */
function asked(world: World, name: string, since: number | undefined): void {
  const path = `rollouts/default/llm/${name}.json`;
  for (const branch of ['tranche-status', 'tranche-status-0', 'tranche-status-1']) {
    const text = world.repository.head(branch) === undefined ? undefined : world.repository.text(branch, path);
    const { checksum: _sum, requested, ...rest } = JSON.parse(text ?? '{}') as RolloutRecord & { checksum: string };
    if (requested === undefined) continue;
    const forged = since === undefined ? rest : { ...rest, requested: { ...requested, since } };
    world.repository.commit(branch, { writes: [{ path, text: printRecord(forged) }] });
  }
}

/** The record of this Rollout is deleted. */
function takeAway(world: World, name: string): void {
  const path = `rollouts/default/llm/${name}.json`;
  for (const branch of ['tranche-status', 'tranche-status-0', 'tranche-status-1'])
    if (world.repository.head(branch) !== undefined && world.repository.text(branch, path) !== undefined)
      world.repository.commit(branch, { writes: [{ path, text: undefined }] });
}

test.each(RUNS)('nobody gains the first place by a record that no key has signed: %s', async (_, shards) => {
  const names = ['d', 'e', 'a'];
  const first = (world: World): void => asked(world, 'a', 1);
  expect(await inTurn(fourUnderOne(), { names, shards, meanwhile: first })).toEqual(names);
});

test.each(RUNS)('nobody gains the first place by taking a record away, or what it says: %s', async (_, shards) => {
  const names = ['d', 'e', 'a'];
  for (const name of names) {
    const none = (world: World): void => asked(world, name, undefined);
    expect(await inTurn(fourUnderOne(), { names, shards, meanwhile: none })).toEqual(names);
    expect(await inTurn(fourUnderOne(), { names, shards, meanwhile: (world) => takeAway(world, name) })).toEqual(names);
  }
});

/** Its record says that it gives way since now. */
function givesWay(world: World, name: string): void {
  const path = `rollouts/default/llm/${name}.json`;
  for (const branch of ['tranche-status', 'tranche-status-0', 'tranche-status-1']) {
    const text = world.repository.head(branch) === undefined ? undefined : world.repository.text(branch, path);
    const { checksum: _sum, requested, ...rest } = JSON.parse(text ?? '{}') as RolloutRecord & { checksum: string };
    if (requested === undefined) continue;
    const forged = { ...rest, requested: { ...requested, gaveWay: world.now } };
    world.repository.commit(branch, { writes: [{ path, text: printRecord(forged) }] });
  }
}

test.each<readonly [what: string, meanwhile: (world: World) => void]>([
  ['saying that it gives way since now', (world) => givesWay(world, 'a')],
  ['taking its record away', (world) => takeAway(world, 'a')],
])('nobody keeps a request waiting for longer than a day by %s', async (_, meanwhile) => {
  const [here, gone] = [SHARD(1), SHARD(0)];
  const started = async (world: World): Promise<readonly string[]> =>
    inTurn(world, { names: ['b', 'd', 'a'], shards: [here, gone], left: [here], meanwhile });
  const world = fourUnderOne();
  expect(await started(world)).toEqual(['b']);
  world.tick(86_400);
  const overrides = { ...NO_OVERRIDES, shard: here };
  for (let at = 0; at < 3; at += 1) {
    meanwhile(world);
    await runPass(world.ports(), world.memory(), { overrides, write: true, only: [] });
    world.sync();
    world.tick(120);
  }
  expect(world.repository.log('main').map(({ message }) => message.split('\n')[0])).toContainEqual(
    expect.stringMatching(/^rollout\(llm\/a\): step 1\/1/),
  );
});

test('a place that is kept for a process that is gone is kept for a while', async () => {
  const world = fourUnderOne();
  // The process of the oldest that waits is gone once it has asked.
  const [here, gone] = [SHARD(1), SHARD(0)];
  expect(shardOf(keyOf('d'), 2)).toBe(gone.index);
  expect(await inTurn(world, { names: ['b', 'd', 'a'], shards: [here, gone], left: [here] })).toEqual(['b', 'a']);
  const told = world.repository.files(`tranche-status-${here.index}`);
  expect(Object.values(told).join('')).not.toContain('NotItsTurn');
});
