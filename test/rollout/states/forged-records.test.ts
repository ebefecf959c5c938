/** Fields of a record that nobody has signed: what a forged one holds, how that ends, and that it keeps no abort waiting. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { RolloutRecord, StepRecord } from '../../../src/api/record.ts';
import { printRecord } from '../../../src/reconcile/status/status-writes.ts';
import type { Intent } from '../../../src/rollout/orders/intent.ts';
import { LWS, ROUTE, restoring, standing as sharing } from '../../support/forged-share.ts';
import { Forgery, reasonsOf, saidOf } from '../../support/forgery.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../../support/vllm.ts';

const RECORD = 'rollouts/default/llm/vllm.json';
const STATUS = 'tranche-status';
const ROUNDS_MOST = 45;

const POLICY = `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata:
  name: production
spec:
  readyDeadlineSeconds: 900
  maxRestarts: 3
  onFailure: rollback
`;
const FILES = {
  ...VLLM_FILES,
  [ROLLOUT_FILE]: ROLLOUT_TEXT.replace('pause: {}', 'pause: {duration: 120}'),
  'policies/production.yaml': POLICY,
};

type Change = (record: RolloutRecord, now: number) => object;
/** Where the delivery is when it is forged: at rest, with a request that is not started, or in its first step. */
type Stage = 'rest' | 'request' | 'step';

type Row = {
  /** As SECURITY.md names it. */
  readonly field: string;
  readonly what: string;
  readonly stage: Stage;
  readonly change: Change;
  /** The hold that it brings; empty: none. */
  readonly hold: string;
  /** The way out that the hold names, in its words; empty: it goes on by itself. */
  readonly way: string;
  readonly act?: (at: Forgery) => Promise<unknown> | void;
};

const ordered =
  (intent: Intent) =>
  (at: Forgery): Promise<string> =>
    at.order(intent);
const accepts = (hold: string) => ordered({ kind: 'approve', step: undefined, hold });
const inStep =
  (change: Partial<StepRecord>): Change =>
  ({ step }) => ({ step: { ...step, ...change } });
const marked =
  (change: object): Change =>
  ({ marks }) => ({ marks: { ...marks, ...change } });

const LONG = { apply: 90_000, schedule: 90_000, ready: 90_000 };
const waitedAt = (now: number) => ({
  step: LONG,
  delivery: LONG,
  running: { at: now, clocks: ['ready'] },
  over: [{ field: 'readyDeadlineSeconds', since: 1 }],
});
const NOTHING = { hold: '', way: '' };
const STABLE = { commit: 'e'.repeat(40), digest: 'e'.repeat(32) };
const OTHER = { digest: 'e'.repeat(32), serial: 9 };
const RESTARTS = [0, 1, 2, 3].map((index) => ({ index, uid: 'x', count: 99, since: 1 }));
const deleted = ({ world }: Forgery): void => {
  const writes = [RECORD, 'index.json'].map((path) => ({ path, text: undefined }));
  world.repository.commit(STATUS, { writes, message: 'delete' });
};

const ROWS: readonly Row[] = [
  {
    field: 'version',
    what: 'of a newer tranche',
    stage: 'step',
    change: () => ({ version: 99 }),
    hold: 'NewerRecord',
    way: 'delete that file and index.json there',
    act: deleted,
  },
  {
    field: 'main',
    what: 'a commit that is not there',
    stage: 'step',
    change: () => ({ main: 'e'.repeat(40) }),
    hold: 'HistoryRewritten',
    way: 'tranche acknowledge vllm',
    act: ordered({ kind: 'acknowledge' }),
  },
  ...(
    [
      ['of another release', marked({ release: OTHER })],
      ['a rollback', marked({ step: { kind: 'rollback' } })],
      ['a promotion', marked({ step: { kind: 'promote' } })],
      ['a rung', marked({ at: 'traffic' })],
      ['none', () => ({ marks: undefined })],
      ['another stable template', marked({ stable: STABLE })],
    ] as const
  ).map(([what, change]) => ({ field: 'marks', what, stage: 'step' as const, change, ...NOTHING })),
  {
    field: 'step.restarts',
    what: 'a hundred of each group',
    stage: 'step',
    change: inStep({ restarts: RESTARTS }),
    hold: 'StepFailed',
    way: 'tranche approve vllm --hold StepFailed',
    act: accepts('StepFailed'),
  },
  {
    field: 'step.waited',
    what: 'a deadline that is over, while a group loads',
    stage: 'step',
    change: ({ step }, now) => ({ step: { ...step, waited: waitedAt(now) } }),
    ...NOTHING,
  },
  {
    field: 'step.stale',
    what: 'merged too late',
    stage: 'step',
    change: inStep({ stale: { partition: 0, because: ['Paused'] } }),
    hold: 'LateMerge',
    way: 'tranche approve vllm --hold LateMerge',
    act: accepts('LateMerge'),
  },
  {
    field: 'step.policies',
    what: 'one that nobody has',
    stage: 'step',
    change: inStep({ policies: ['nobody@111111111111'] }),
    ...NOTHING,
  },
  {
    field: 'uids',
    what: 'of other objects',
    stage: 'step',
    change: () => ({ uids: { lws: 'x', leaderSet: 'y' } }),
    hold: 'Recreated',
    way: 'tranche approve vllm --hold Recreated',
    act: accepts('Recreated'),
  },
  { field: 'uids', what: 'none', stage: 'step', change: () => ({ uids: undefined }), ...NOTHING },
  {
    field: 'revision',
    what: 'another of the template that is settled',
    stage: 'rest',
    change: ({ marks }) => ({ settled: false, auditedAt: 0, revision: { digest: marks?.release.digest, key: 'x' } }),
    ...NOTHING,
  },
  {
    field: 'revision',
    what: 'another of the template that is delivered',
    stage: 'step',
    change: ({ marks }) => ({ revision: { digest: marks?.release.digest, key: 'x' } }),
    ...NOTHING,
  },
  {
    field: 'automaticBacks',
    what: 'nine in a row',
    stage: 'request',
    change: () => ({ automaticBacks: { inARow: 9, last: [{ release: OTHER, at: 1 }] } }),
    hold: 'TooManyRollbacks',
    way: 'tranche approve vllm --hold TooManyRollbacks',
    act: accepts('TooManyRollbacks'),
  },
];

/** Whoever can push to the status branch writes it so, with a checksum that fits. */
function forge({ world: { repository, now } }: Forgery, change: Change): void {
  const text = repository.text(STATUS, RECORD);
  if (text === undefined) return;
  const { checksum: _, ...record }: RolloutRecord & { readonly checksum: string } = JSON.parse(text);
  const forged = { ...record, ...change(record, now) };
  repository.commit(STATUS, { writes: [{ path: RECORD, text: printRecord(forged) }], message: 'forged' });
}

const bases = new Map<Stage, Promise<Forgery>>();
async function standing(stage: Stage): Promise<Forgery> {
  const at = new Forgery(FILES);
  if (stage === 'step') return at.stepped();
  await at.until('adopt');
  for (let round = 0; round < 3; round += 1) await at.round();
  if (stage === 'request') at.edit(LWS_FILE, new RegExp(OLD, 'g'), NEW);
  return at;
}

async function forked(stage: Stage): Promise<Forgery> {
  const base = bases.get(stage) ?? standing(stage);
  bases.set(stage, base);
  return (await base).fork();
}

const serving = (at: Forgery, image = ''): number =>
  at.world
    .groups()
    .split(' ')
    .filter((group) => group.endsWith(`${image}+`)).length;

/** While a group of the step loads a look every few seconds sees that. */
const LOADING = { seconds: 5, rounds: 3 };

test.each(ROWS)('forged: $field, $what, once: what it holds ends', async ({ stage, change, hold, way, act }) => {
  const at = await forked(stage);
  forge(at, change);
  const said: string[] = [];
  const reasons = new Set<string>();
  const look = async (seconds?: number): Promise<void> => {
    const result = await at.round(seconds);
    for (const reason of reasonsOf(result)) reasons.add(reason);
    said.push(saidOf(result));
    expect(serving(at), at.world.subject()).toBeGreaterThanOrEqual(3);
  };
  for (let round = 0; round < LOADING.rounds; round += 1) await look(LOADING.seconds);
  const ways = new Set(['PauseDuration', 'GroupsNotReady', 'GroupsNotUpdated', 'NotApplied', 'NotObserved']);
  if (hold === '') expect([...reasons].filter((reason) => !ways.has(reason))).toEqual([]);
  else expect([...reasons]).toContain(hold);
  if (act !== undefined) {
    for (let round = 0; round < 3; round += 1) await look();
    const before = at.world.repository.head('main');
    for (let round = 0; round < 5; round += 1) await look();
    expect(at.world.repository.head('main')).toBe(before);
    expect(said.at(-1)).toContain(way);
    await act(at);
  }
  for (let round = 0; round < ROUNDS_MOST; round += 1) await look();
  const told = `${[...new Set(said)].join('\n')}\n${at.world.subject()}`;
  expect(serving(at, stage === 'rest' ? '0.10.0' : '0.10.1'), told).toBe(4);
  expect(said.at(-1), told).toBe('');
});

test.each(ROWS)('forged: $field, $what, before each pass: an abort goes back', async ({ stage, change }) => {
  const at = await forked(stage);
  if (stage === 'rest') at.edit(LWS_FILE, new RegExp(OLD, 'g'), NEW);
  const look = async (): Promise<void> => {
    forge(at, change);
    await at.round();
    expect(serving(at), at.world.subject()).toBeGreaterThanOrEqual(3);
  };
  for (let round = 0; round < 3; round += 1) await look();
  const answer = await at.order({ kind: 'abort', keepNewer: false });
  for (let round = 0; round < ROUNDS_MOST; round += 1) await look();
  expect(at.text(), answer).not.toContain(NEW);
  expect(serving(at, '0.10.0'), answer).toBe(4);
});

test.each([
  ['canary', 'in its first share'],
  ['blueGreen', 'in its first share'],
])('forged: uids of %s, and someone accepts what the hold says: it goes by its steps', async (style, stage) => {
  const at = await sharing({ style, stage });
  forge(at, () => ({ uids: { lws: 'x', leaderSet: 'y' } }));
  const held = await at.round();
  expect(reasonsOf(held)).toContain('Recreated');
  expect(saidOf(held)).toMatch(/groups 0–\d are on the stable template all the same/);
  await at.order({ kind: 'approve', step: undefined, hold: 'Recreated' });
  for (let round = 0; round < 4; round += 1) {
    await at.round();
    expect(at.text(LWS).split('\n---\n')[0]).not.toContain('partition: 0');
  }
  for (let round = 0; round < 60; round += 1) await at.round();
  expect(at.world.subject()).toContain('settled');
  expect(at.text(LWS).split('\n---\n')[0]).toContain('v0.10.1');
});

test.each([
  ['canary', 'blueGreen'],
  ['blueGreen', 'canary'],
])('forged: the strategy of a delivery of %s, in its mark and in the record alike, as %s', async (style, other) => {
  const at = await sharing({ style, stage: 'in its first share' });
  restoring(() => ({ style: other }))(at);
  const forged = [at.text(LWS), at.text(ROUTE)];
  let last: readonly string[] = [];
  for (let round = 0; round < 6; round += 1) {
    forge(at, ({ marks }) => ({ marks: { ...marks, restore: { ...marks?.restore, style: other } } }));
    last = reasonsOf(await at.round());
  }
  expect([at.text(LWS), at.text(ROUTE)]).toEqual(forged);
  expect(last).toContain('AnnotationsGone');
  await at.order({ kind: 'abort', keepNewer: false });
  for (let round = 0; round < 30; round += 1) await at.round();
  expect(at.text(LWS).split('\n---\n')[0], at.world.subject()).not.toContain('v0.10.1');
  expect(serving(at, '0.10.0'), at.world.subject()).toBe(4);
});

test('SECURITY.md has a row for each, with its hold and the way out', () => {
  const text = readFileSync(new URL('../../../SECURITY.md', import.meta.url), 'utf8');
  const [, section = ''] = text.split('### Records that nobody has signed\n');
  const [table = ''] = section.split('\n#');
  const written = [...table.matchAll(/^\| `([a-zA-Z.]+)` \|.*$/gm)].map(([line, field]) => ({ line, field }));
  expect(written.map(({ field }) => field)).toEqual([...new Set(ROWS.map(({ field }) => field))]);
  for (const { field, hold, way } of ROWS) {
    const line = written.find((one) => one.field === field)?.line ?? '';
    expect(line).toContain(hold);
    expect(line).toContain(way.replace('vllm', '<name>'));
  }
});
