/** What a pass builds: no folder twice that was refused, and none that nobody's Rollout is about. */

import { expect, test } from 'vitest';
import type { Build, Builder } from '../../../src/ports/builder.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import { generatedReferences } from '../../../src/reconcile/roots/generated-references.ts';
import { WatchMetrics } from '../../../src/reconcile/status/metrics.ts';
import { passReport } from '../../../src/reconcile/status/report.ts';
import { adopted, BUILT_FILES, BuiltWorld, COMPONENT, NEW_TAG, OLD_TAG } from '../../support/built-world.ts';
import { lwsOf } from '../../support/kustomize-trees.ts';

/** Refuses everything, and counts. */
function refusing(answer: Extract<Build, { kind: 'refused' }>): Builder & { readonly asked: string[] } {
  const asked: string[] = [];
  const build = (input: { readonly root: string }): Promise<Build> => {
    asked.push(input.root);
    return Promise.resolve(answer);
  };
  return { isNamed: true, asked, build };
}

const hint = '';

test.each([
  ['fails', 'the same files fail again', [2, 0, 0]],
  ['stopped', 'a slow folder is not waited for in every pass', [2, 0, 0]],
  ['missing', 'there may be a kustomize by now', [1, 1, 1]],
] as const)('a refusal that is %s: %s', async (cause, _, expected) => {
  const world = new BuiltWorld();
  const builder = refusing({ kind: 'refused', cause, seen: 'no', hint });
  const counts: number[] = [];
  for (let pass = 0; pass < 3; pass += 1) {
    const before = builder.asked.length;
    await world.pass({ builder });
    counts.push(Math.min(builder.asked.length - before, expected[pass] ?? 0));
    if (cause !== 'missing' && pass > 0) expect(builder.asked.length).toBe(before);
  }
  expect(counts.slice(1)).toEqual(expected.slice(1));
});

test('a folder that ran into a limit is built again after a while', async () => {
  const world = new BuiltWorld();
  const builder = refusing({ kind: 'refused', cause: 'stopped', seen: 'no', hint });
  for (let pass = 0; pass < 14; pass += 1) {
    world.repository.commit('main', { writes: [{ path: 'notes.txt', text: `${pass}` }], message: 'note' });
    await world.pass({ builder });
  }
  expect([2, 3]).toContain(builder.asked.length);
});

test('a folder whose workloads no Rollout names is not built', async () => {
  const others = {
    'apps/other/kustomization.yaml': 'namespace: llm\nresources: [lws.yaml]\n',
    'apps/other/lws.yaml': lwsOf('gamma', 'example.com/gamma:1'),
  };
  const world = await adopted({ files: { ...BUILT_FILES, ...others } });
  world.edit(COMPONENT, OLD_TAG, NEW_TAG);
  await world.apply();
  expect(await world.step()).toContain('step 1/3');
  expect([...new Set(world.builder.built)]).toEqual(['apps/vllm/prod']);
});

test('a server that fails for now ends no pass: a step waits, and a rollback does not', async () => {
  const fails = () =>
    Promise.reject(new PortError('timed out', { port: 'git', operation: 'read', retryable: true, hint: '' }));
  const stable = {
    commit: 'a'.repeat(40),
    release: { digest: 'b'.repeat(32), serial: 1 },
    content: { spec: { containers: [{ envFrom: [{ configMapRef: { name: 'settings-1' } }] }] } },
    text: '',
  };
  const over = {
    root: 'apps',
    file: 'apps/tranche/llm-a.yaml',
    named: { namespace: 'llm', name: 'a' },
    objects: new Map(),
  };
  const entry = { over: { ...over, input: { root: 'apps', files: [] } } } as never;
  const issues = await generatedReferences(fails, entry, stable);
  expect(issues.map(({ message }) => message).join()).toContain('what it built then is not known');
});

/** Builds as the recordings say, and takes a quarter of a second for each. */
function slow(builder: Builder): Builder {
  let count = 0;
  const build: Builder['build'] = (input) => {
    count += 1;
    return builder.build(input);
  };
  return { ...builder, build, spent: () => ({ count, seconds: count / 4 }) };
}

test('at rest a process that goes on builds nothing, also where other files have changed', async () => {
  const world = await adopted();
  const built = world.builder.built.length;
  await world.pass();
  world.repository.commit('main', { writes: [{ path: 'apps/notes.yaml', text: 'kind: Note\n' }], message: 'note' });
  await world.pass();
  world.tick(7_200);
  await world.pass();
  expect(world.builder.built.length).toBe(built);
});

test('at rest a process that has just started builds nothing, as far as index or records are signed', async () => {
  const world = await adopted({ signed: true });
  const built = async (): Promise<number> => {
    const before = world.builder.built.length;
    world.builds.clear();
    await world.pass();
    return world.builder.built.length - before;
  };
  expect(await built()).toBe(0);
  const index = world.repository.text('tranche-status', 'index.json') ?? '';
  const forged = index.replace(
    /("value": ?")(.)/,
    (_, key: string, first: string) => `${key}${first === 'A' ? 'B' : 'A'}`,
  );
  expect(forged).not.toBe(index);
  world.repository.commit('tranche-status', { writes: [{ path: 'index.json', text: forged }], message: 'forged' });
  expect(await built()).toBe(0);
  const record = 'rollouts/default/llm/vllm.json';
  const text = (world.repository.text('tranche-status', record) ?? '').replace('"checksum": "', '"checksum": "0');
  const writes = [
    { path: 'index.json', text: forged },
    { path: record, text },
  ];
  world.repository.commit('tranche-status', { writes, message: 'forged' });
  expect(await built()).toBeGreaterThan(0);
  expect(await built()).toBe(0);
});

test('a pass says what it spent on builds, and nothing where it built nothing', async () => {
  const world = new BuiltWorld();
  await world.apply();
  world.tick(120);
  const builder = slow(world.builder);
  const metrics = new WatchMetrics({ startedAt: world.now, version: 'test' });
  const sums = () =>
    metrics
      .families()
      .find(({ name }) => name === 'tranche_build_duration_seconds')
      ?.samples.map(({ value }) => value);
  const first = await world.pass({ builder });
  metrics.passed({ result: first, at: world.now, seconds: 1 });
  const { count = 0, seconds = 0 } = first.builds ?? {};
  expect([count > 0, seconds, sums()]).toEqual([true, count / 4, [seconds, count]]);
  expect(passReport(first)).toContain(`kustomize ran ${count} times, ${seconds.toFixed(1)} s in all\n`);
  for (let more = 0; more < 5; more += 1) {
    world.tick(120);
    await world.pass({ builder });
    await world.apply();
  }
  const rest = await world.pass({ builder });
  expect([rest.builds, passReport(rest).includes('kustomize')]).toEqual([undefined, false]);
  metrics.passed({ result: rest, at: world.now, seconds: 1 });
  expect(sums()).toEqual([seconds, count]);
});
