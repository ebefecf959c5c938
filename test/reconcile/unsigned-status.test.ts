/** What an observation takes of a record that anyone who can push to the status branch may have written. */

import { expect, test } from 'vitest';
import { DEFAULT_CONFIG } from '../../src/api/config.ts';
import type { RolloutRecord } from '../../src/api/record.ts';
import { liveReader } from '../../src/reconcile/cluster/observe-cluster.ts';
import { readWorkload } from '../../src/reconcile/documents/read-workload.ts';
import type { Observation } from '../../src/reconcile/history/observation.ts';
import { gitReader } from '../../src/reconcile/history/observe-git.ts';
import { observe } from '../../src/reconcile/observe/observe.ts';
import { readDesired } from '../../src/reconcile/observe/read-main.ts';
import { newMemory } from '../../src/reconcile/pass.ts';
import { readStatus, STATUS_REQUEST } from '../../src/reconcile/status/record-store.ts';
import { plan } from '../../src/rollout/plan.ts';
import type { Snapshot } from '../../src/rollout/snapshot.ts';
import { emptyRecord } from '../support/record.ts';
import { LWS_FILE, NEW, OLD, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const KEY = 'default/llm/vllm';

/** How many passes, each of which the agent has applied. */
async function after(passes: number, requested: number): Promise<World> {
  const world = new World({ files: VLLM_FILES });
  for (let pass = 0; pass < passes; pass += 1) {
    if (pass === requested) world.edit(LWS_FILE, OLD, NEW);
    world.sync();
    world.tick(30);
    await world.pass();
  }
  return world;
}

/** The snapshot of a pass that finds another record there than was written; `proof`: what bears it out. */
async function seen(
  world: World,
  forge: (record: RolloutRecord) => Partial<RolloutRecord>,
  proof: Observation['proof'] = 'unproven',
): Promise<Snapshot> {
  const { git, cluster } = world.ports();
  const main = world.repository.head('main')!;
  const desired = await readDesired(git, main, { config: DEFAULT_CONFIG, memory: newMemory() });
  const head = world.repository.head('tranche-status');
  const stored = head === undefined ? undefined : readStatus(await git.readAt(head, STATUS_REQUEST)).records.get(KEY);
  const record = stored?.kind === 'read' ? stored.record : emptyRecord();
  return observe({
    desired,
    entry: desired.rollouts[0]!,
    stored: { kind: 'read', record: { ...record, ...forge(record) } },
    proof,
    deliveries: [],
    windowsOf: () => undefined,
    now: world.now,
    git: gitReader(git, main, { config: DEFAULT_CONFIG, texts: desired.trials.known }),
    live: liveReader(cluster, new Set()),
  });
}

const STEP = { planned: [9, 9], replicas: 90, partition: 0, writtenAt: 0, frozen: undefined, policies: ['nobody@1'] };

test('the plan of a step, and when it was written, are those of its commit', async () => {
  const world = await after(4, 2);
  const honest = await seen(world, () => ({}));
  const forge = ({ step }: RolloutRecord) => ({ step: { ...step!, ...STEP, doneSince: 0 } });
  const { record, unsigned } = await seen(world, forge);
  const { planned, replicas, partition, writtenAt } = honest.record!.step!;
  expect(record?.step).toMatchObject({ planned, replicas, partition, writtenAt, doneSince: 0 });
  expect(record?.step?.frozen).toBeDefined();
  expect(unsigned?.rungAt).toBe(world.repository.log('main')[0]?.committedAt);
  const signed = await seen(world, forge, 'signed');
  expect(signed.record?.step).toMatchObject({ planned: STEP.planned, writtenAt: 0 });
  expect(signed.unsigned).toBeUndefined();
});

test('at rest by its record alone: what the file asks for is looked at', async () => {
  const world = await after(3, -1);
  world.edit(LWS_FILE, OLD, NEW);
  const before = await seen(world, () => ({}));
  expect(before.live.lws.kind).toBe('known');
  const resting = await seen(world, () => ({ settled: true, blobs: before.blobs, auditedAt: world.now }));
  expect(resting.live.lws.kind).toBe('known');
});

test('marks that main never had are neither put back nor delivered by', async () => {
  const world = new World({ files: VLLM_FILES });
  world.sync();
  world.tick(300);
  const marks = {
    release: { digest: 'e'.repeat(32), serial: 7 },
    step: undefined,
    stable: { commit: 'e'.repeat(40), digest: 'e'.repeat(32) },
    restore: undefined,
    aborted: [],
  };
  const made = await seen(world, () => ({ marks }));
  expect(made.lostMarks).toBeUndefined();
  expect(plan(made).commit).toBeUndefined();
});

test('a stable template that main does not name is nothing to go back to', async () => {
  const world = await after(4, 2);
  const { workload, stable } = await seen(world, () => ({}));
  expect(stable.kind).toBe('known');
  // A commit that has no such workload.
  world.edit(LWS_FILE, workload!.workload.marks!.stable!.commit, world.repository.head('tranche-status')!);
  expect((await seen(world, () => ({}), 'signed')).stable.kind).toBe('known');
  expect((await seen(world, () => ({}))).stable.kind).not.toBe('known');
});

/** Who may date a commit of main as they like, and when it counts from. */
const DATES: readonly (readonly [what: string, ahead: number, before: number, counts: number])[] = [
  ['on its day', 0, -600, 0],
  ['dated back by years: its parents are not younger', -99_000_000, -600, -600],
  ['dated back, and all of its parents', -99_000_000, -99_000_000, -99_000_000],
  ['dated ahead by an hour', 3600, -600, 3600],
  ['dated ahead by more than any clock runs: as its parents', 3601, -600, -600],
  ['on its day, and a parent is dated ahead: that one says nothing', 0, 9_000_000, 0],
];

type Commit = (path: string, text: string | undefined, seconds: number) => void;

function datedCommits({ repository, now }: World): Commit {
  return (path, text, seconds) => {
    const signature = { name: 'Ada', email: 'ada@example.com', atSeconds: now + seconds };
    repository.commit('main', { writes: [{ path, text }], signature, message: 'someone' });
  };
}

/** The rung of main is committed again with another date, behind one of that date. */
test.each(DATES)('the commit of a rung, %s', async (_what, ahead, before, counts) => {
  const world = await after(4, 2);
  const { repository, now } = world;
  const dated = datedCommits(world);
  const rung = repository.text('main', LWS_FILE);
  dated(LWS_FILE, repository.text(repository.log('main')[1]!.oid, LWS_FILE), before);
  for (let parent = 0; parent < 60; parent += 1) dated('note.txt', `${parent}`, before);
  dated(LWS_FILE, rung, ahead);
  expect((await seen(world, () => ({}))).unsigned?.rungAt).toBe(now + counts);
});

test.each(DATES)('the commit of a request, %s', async (_what, ahead, before, counts) => {
  const world = await after(3, -1);
  const { repository, now } = world;
  const dated = datedCommits(world);
  for (let parent = 0; parent < 60; parent += 1) dated('note.txt', `${parent}`, before);
  dated(LWS_FILE, repository.text('main', LWS_FILE)?.replace(OLD, NEW), ahead);
  const { git } = world.ports();
  const main = repository.head('main')!;
  const desired = await readDesired(git, main, { config: DEFAULT_CONFIG, memory: newMemory() });
  const [entry] = desired.rollouts;
  const { digest } = readWorkload(entry!.workload!).workload!;
  const reader = gitReader(git, main, { config: DEFAULT_CONFIG, texts: desired.trials.known });
  expect(await reader.requestedAt(entry!, digest, now)).toBe(now + counts);
});
