/** What a process remembers between passes is used where nothing has changed, and only there. */

import { expect, test } from 'vitest';
import { DEFAULT_CONFIG } from '../../src/api/config.ts';
import { parseManifestFile } from '../../src/manifests/parse-file.ts';
import { desiredOf } from '../../src/reconcile/desired/desired.ts';
import type { ParseCache } from '../../src/reconcile/documents/parse-cache.ts';
import { readDesired } from '../../src/reconcile/observe/read-main.ts';
import { newMemory } from '../../src/reconcile/pass.ts';
import { readStatus, STATUS_REQUEST } from '../../src/reconcile/status/record-store.ts';
import { ROUTE_FILE, TRAFFIC_FILES, trafficRollout } from '../support/traffic-files.ts';
import { LWS_FILE, LWS_TEXT, ROLLOUT_FILE, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const POLICY = `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: production}
spec: {surge: 1}
`;

test.each([
  ['a file that is no manifest', { 'notes.txt': 'x' }, true],
  ['nothing but another commit', {}, true],
  ['another text of a file without a marker', { 'apps/values.yaml': 'b: 2\n' }, true],
  ['the workload', { [LWS_FILE]: `${LWS_TEXT}# edited\n` }, false],
  ['a policy', { 'policies/a.yaml': POLICY }, false],
  ['a manifest of another kind', { 'apps/vllm/service.yaml': 'kind: Service\n' }, false],
  ['one file less', { [ROLLOUT_FILE]: undefined }, false],
] as const)('after a commit with %s', async (_what, files, reused) => {
  const world = new World({ files: { ...VLLM_FILES, 'apps/values.yaml': 'a: 1\n' } });
  const git = world.ports().git;
  const memory = newMemory();
  const read = async (config = DEFAULT_CONFIG) =>
    readDesired(git, world.repository.head('main') ?? '', { config, memory });
  const before = await read();
  const writes = Object.entries(files).map(([path, text]) => ({ path, text }));
  const commit = world.repository.commit('main', { writes, message: 'edit' });
  const after = await read();
  expect(after.commit).toBe(commit);
  expect(after.rollouts === before.rollouts).toBe(reused);
  const fresh = await readDesired(git, commit, { config: DEFAULT_CONFIG, memory: newMemory() });
  expect(after.blobs.all()).toEqual(fresh.blobs.all());
  expect(JSON.stringify(after)).toBe(JSON.stringify(fresh));
  expect((await read({ ...DEFAULT_CONFIG, cluster: 'other' })).rollouts[0]?.key.cluster ?? 'other').toBe('other');
});

test('a record is read again where its text has changed', async () => {
  const world = new World({ files: VLLM_FILES });
  await world.pass();
  const tree = () => world.repository.readAt(world.repository.head('tranche-status') ?? '', { ...STATUS_REQUEST });
  const first = readStatus(tree());
  const [key = ''] = first.records.keys();
  world.repository.commit('tranche-status', { writes: [{ path: 'README.md', text: 'x\n' }], message: 'edit' });
  expect(readStatus(tree(), first).records.get(key)).toBe(first.records.get(key));
  world.repository.commit('tranche-status', {
    writes: [{ path: `rollouts/${key}.json`, text: '{}\n' }],
    message: 'edit',
  });
  expect(readStatus(tree(), first).records.get(key)?.kind).toBe('untrusted');
});

test('files that are gone are kept parsed up to a bound, those that are there all of them', () => {
  const cache: ParseCache = new Map();
  const treeOf = (round: number, files: number) => ({
    commit: '1'.repeat(40),
    folders: [],
    skipped: () => [],
    files: Array.from({ length: files }, (_none, at) => ({
      path: `apps/${at}.yaml`,
      oid: `${round}-${at}`,
      mode: '100644' as const,
      content: { kind: 'text' as const, text: `kind: ConfigMap # LeaderWorkerSet ${'x'.repeat(1000 * 1000)}\n` },
    })),
  });
  for (const round of [1, 2, 3, 4]) desiredOf(treeOf(round, 6), DEFAULT_CONFIG, cache);
  expect(cache.size).toBe(6 + 2);
  expect([...cache.keys()].filter((key) => key.startsWith('4-'))).toHaveLength(6);
});

test('beyond a bound documents keep no tree, and read the same', () => {
  const texts = Array.from({ length: 10 }, (_none, at) => {
    const named = LWS_TEXT.replaceAll('name: vllm', `name: vllm-${at}`);
    return { path: `apps/${at}.yaml`, text: `${named}#${'x'.repeat(250 * 1000)}\n` };
  });
  const files = texts.map(({ path, text }) => ({
    path,
    oid: path,
    mode: '100644' as const,
    content: { kind: 'text' as const, text },
  }));
  const desired = desiredOf(
    { commit: '1'.repeat(40), folders: [], skipped: () => [], files },
    DEFAULT_CONFIG,
    new Map(),
  );
  const documents = desired.files.flatMap((file) => file.documents);
  const kept = documents.map((one) => Object.getOwnPropertyDescriptor(one, 'root')?.get === undefined);
  expect(kept).toEqual([...Array<boolean>(8).fill(true), false, false]);
  for (const [at, { path, text }] of texts.entries()) {
    const [whole] = parseManifestFile(path, text, ['LeaderWorkerSet']).documents;
    const one = documents[at];
    expect(one?.root).toEqual(whole?.root);
    expect(one?.read).toEqual(whole?.read);
    expect(one?.lineOf(['spec', 'replicas'])).toBe(whole?.lineOf(['spec', 'replicas']));
  }
});

test('what was tried is tried again where a RouteProvider says something else', async () => {
  const splits = 'split.smi-spec.io';
  const path = '/spec/backends/[service=$stable]/weight';
  const provider = (patch: string): string =>
    `apiVersion: tranche.dev/v1alpha1\nkind: RouteProvider\nmetadata: {name: smi}\nspec:\n  resource: {group: ${splits}, kind: TrafficSplit}\n  weights: [{stable: '${path}', canary: '${path.replace('stable', 'canary')}'}]\n${patch}`;
  const refused = provider('  patch: [{op: test, path: /spec/service, value: other}]\n');
  const rollout = trafficRollout(
    `customNetworkRefs: [{apiVersion: ${splits}/v1alpha2, kind: TrafficSplit, name: chat}]`,
  ).replace(/matches:\n.*\n/, 'traffic: 4%\n');
  const route = `apiVersion: ${splits}/v1alpha2\nkind: TrafficSplit\nmetadata: {name: chat, namespace: llm}\nspec: {service: chat, backends: [{service: vllm-svc, weight: 1}]}\n`;
  const world = new World({
    files: { ...TRAFFIC_FILES, [ROLLOUT_FILE]: rollout, [ROUTE_FILE]: route, 'tranche/smi.yaml': provider('') },
  });
  const fails = async (): Promise<boolean> => {
    const { outcomes } = await world.pass();
    return outcomes.some(({ snapshot }) => snapshot?.issues.some(({ reason }) => reason === 'PatchFails'));
  };
  const say = (text: string): void => {
    world.repository.commit('main', { writes: [{ path: 'tranche/smi.yaml', text }], message: 'edit' });
  };
  expect(await fails()).toBe(false);
  say(refused);
  expect(await fails()).toBe(true);
  say(provider(''));
  expect(await fails()).toBe(false);
});
