/** Somebody pushes to the status branch before every pass: a rollback with a share takes its time, and one audit at most as well. */

import { describe, expect, test } from 'vitest';
import { NO_OVERRIDES } from '../../src/api/config.ts';
import type { Git } from '../../src/ports/git.ts';
import { order } from '../../src/reconcile/order.ts';
import { planIntent } from '../../src/rollout/orders/intent.ts';
import { commonFiles } from '../scenarios/check-stories.ts';
import { type Dates, datedCluster } from '../support/dated-cluster.ts';
import { sampled } from '../support/sampled.ts';
import { World } from '../support/world.ts';

const STATUS = 'tranche-status';
const RECORD = 'rollouts/default/llm/vllm.json';
const LWS = 'apps/vllm/lws.yaml';
const ROUND_SECONDS = 60;
const AUDIT_ROUNDS = 3600 / ROUND_SECONDS;
const PASSES_MOST = 40;

const parts = (...names: readonly string[]): Record<string, string> => Object.assign({}, ...names.map(commonFiles));
const SERVED = ['vllm-without-requests', 'vllm-service', 'vllm-routed'];
const STYLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  canary: parts(...SERVED, 'canary-steps'),
  blueGreen: parts(...SERVED, 'blue-green-steps'),
  'partition with a route': parts(...SERVED, 'partition-routed-steps'),
};

/** A rule on the server takes no push that has the status branch in it. */
function statusRefused({ repository }: World): Git {
  return repository.open({
    before: ({ kind }) => (kind === 'push' ? { kind: 'refuse', branch: STATUS, rule: 'protected' } : undefined),
  });
}

/** `dates`: of this copy of the world. */
async function passed(world: World, dates: Dates, git: Git = world.repository.open()): Promise<string> {
  const before = world.repository.head('main');
  world.sync();
  world.tick(ROUND_SECONDS);
  await world.pass({ git, cluster: datedCluster(world.ports().cluster, { dates, now: world.now }) });
  return world.repository.head('main') === before ? '' : world.subject();
}

async function delivering(files: Readonly<Record<string, string>>, signed: boolean): Promise<World> {
  const dates: Dates = new Map();
  const world = new World({ files, signed });
  for (let pass = 0; pass < 3; pass += 1) await passed(world, dates);
  world.edit(LWS, 'v0.10.0', 'v0.10.1');
  for (let pass = 0; pass < PASSES_MOST; pass += 1) {
    await passed(world, dates);
    if (/tranche.dev\/rung: "(traffic|switch)"/.test(world.repository.text('main', LWS) ?? '')) return world;
  }
  throw new Error(`no share after ${PASSES_MOST} passes`);
}

type Push = (world: World, before: Readonly<Record<string, string>>) => void;

/** How many passes it takes, and what they write. */
async function rollback(world: World, push: Push, most: number, git?: Git): Promise<readonly string[]> {
  const before = world.repository.files(STATUS);
  const dates: Dates = new Map();
  await order(
    world.ports(),
    { target: { name: 'vllm', namespace: 'llm' }, overrides: NO_OVERRIDES, by: 'ana' },
    ({ snapshot }) => planIntent({ kind: 'abort', keepNewer: false }, { snapshot, digestOf: () => '5be07c11' }),
  );
  const subjects: string[] = [];
  for (let pass = 0; pass < most; pass += 1) {
    push(world, before);
    subjects.push(await passed(world, dates, git));
    if (/rolled back|settled/.test(subjects.at(-1) ?? '')) break;
  }
  return subjects;
}

const put = (world: World, path: string, text: string | undefined): void =>
  void world.repository.commit(STATUS, { writes: [{ path, text }] });

const PUSHES: Readonly<Record<string, Push>> = {
  'nobody pushes': () => undefined,
  'the record is deleted': (world) => put(world, RECORD, undefined),
  'the branch is deleted': ({ repository }) => repository.setHead(STATUS, undefined),
  'the index is deleted': (world) => put(world, 'index.json', undefined),
  'the record is put back': (world, before) => put(world, RECORD, before[RECORD]),
  'all is put back': ({ repository }, before) =>
    void repository.commit(STATUS, { writes: Object.entries(before).map(([path, text]) => ({ path, text })) }),
  'the record is no JSON': (world) => put(world, RECORD, '{'),
  'the record is of a newer tranche': (world) => put(world, RECORD, '{"version": 99}'),
  'all is settled, by the index, and there is no record': (world) => {
    const text = world.repository.text(STATUS, 'index.json') ?? '{}';
    const main = world.repository.head('main');
    const index = { ...JSON.parse(text), signature: undefined, main, settled: true, nextAuditAt: world.now + 3000 };
    put(world, 'index.json', JSON.stringify(index));
    put(world, RECORD, undefined);
  },
};

/** Each push in some of the styles, with a key or without. */
const PLAYED = sampled(
  Object.keys(STYLES).flatMap((style) =>
    [true, false].flatMap((signed) => Object.keys(PUSHES).map((what) => [style, signed, what] as const)),
  ),
  2,
);

describe.each(Object.keys(STYLES))('%s', (style) => {
  test.each([true, false])('signed: %s', async (signed) => {
    const base = await delivering(STYLES[style] ?? {}, signed);
    const wanted = await rollback(base.fork(), () => undefined, PASSES_MOST);
    expect(wanted.at(-1)).toMatch(/rolled back|settled/);
    const written = (all: readonly string[]) => all.filter((subject) => subject !== '');
    for (const [, , what] of PLAYED.filter((row) => row[0] === style && row[1] === signed)) {
      const push = PUSHES[what] ?? (() => undefined);
      const subjects = await rollback(base.fork(), push, wanted.length + AUDIT_ROUNDS);
      expect(written(subjects), what).toEqual(written(wanted));
    }
  });

  test('the status branch takes no push: the commits of the rollback are the same, to its end', async () => {
    const base = await delivering(STYLES[style] ?? {}, false);
    const wanted = await rollback(base.fork(), () => undefined, PASSES_MOST);
    const world = base.fork();
    const git = statusRefused(world);
    const subjects = await rollback(world, () => undefined, wanted.length + AUDIT_ROUNDS, git);
    expect(subjects.filter((subject) => subject !== '')).toEqual(wanted.filter((subject) => subject !== ''));
    world.edit(LWS, 'v0.10.0', 'v0.10.2');
    world.sync();
    world.tick(ROUND_SECONDS);
    const { outcomes } = await world.pass({ git });
    expect(outcomes[0]?.plan?.holds.map(({ reason }) => reason)).toContain('StatusRefused');
  });
});
