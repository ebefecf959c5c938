/** Rollouts at rest are decided once a process, and again where anything has changed that they were decided on. */

import { beforeAll, expect, test } from 'vitest';
import { NO_OVERRIDES, newMemory, type PassResult } from '../../src/reconcile/pass.ts';
import { runPass } from '../../src/reconcile/run.ts';
import type { FakeRepository } from '../support/fake-git.ts';
import { ladderRollout } from '../support/ladder.ts';
import { TRAFFIC_FILES } from '../support/traffic-files.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const other = (text: string): string => text.replaceAll('name: vllm', 'name: other');
const OTHER_FILE = 'apps/other/lws.yaml';
const FILES = {
  ...VLLM_FILES,
  [OTHER_FILE]: other(LWS_TEXT),
  'rollouts/other.yaml': other(ROLLOUT_TEXT),
  'tranche.yaml': 'auditSeconds: 900\n',
};

const POLICY = `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: production}
spec: {surge: 1, rollouts: {names: [vllm]}}
`;
const SCALER = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: vllm, namespace: llm}
spec:
  scaleTargetRef: {apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, name: vllm}
  maxReplicas: 8
`;
const PATCHED = 'resources: [lws.yaml]\nnamePrefix: a-\n';

let world: World;
beforeAll(async () => {
  world = new World({ files: FILES, signed: true });
  for (let round = 0; round < 6; round += 1) {
    world.sync();
    world.tick(60);
    await world.pass();
  }
  expect((await world.pass()).quiet).toBe(true);
});

/** Our commits are in the text, so an edit starts from what main has. */
function edited(path: string, from: string, to: string): { readonly [path: string]: string } {
  const text = world.repository.text('main', path) ?? '';
  expect(text).toContain(from);
  return { [path]: text.replaceAll(from, to) };
}

type Edit = () => Readonly<Record<string, string | undefined>>;

const cases: readonly (readonly [what: string, edit: Edit, reused: boolean])[] = [
  ['a file of nobody', () => ({ 'apps/notes.yaml': 'a: 2\n' }), true],
  ['the workload of another Rollout', () => edited(OTHER_FILE, OLD, NEW), true],
  ['the Rollout of another', () => edited('rollouts/other.yaml', '25%', '50%'), true],
  ['its workload', () => edited(LWS_FILE, OLD, NEW), false],
  ['its Rollout', () => edited(ROLLOUT_FILE, '25%', '50%'), false],
  ['no Rollout any more', () => ({ [ROLLOUT_FILE]: undefined }), false],
  ['a policy that means it', () => ({ 'policies/a.yaml': POLICY }), false],
  ['a rival', () => ({ 'rollouts/rival.yaml': ROLLOUT_TEXT.replace('name: vllm', 'name: rival') }), false],
  ['a twin of its workload', () => ({ 'apps/twin/lws.yaml': LWS_TEXT }), false],
  ['an autoscaler', () => ({ 'apps/vllm/hpa.yaml': SCALER }), false],
  ['a patch', () => ({ 'apps/vllm/kustomization.yaml': PATCHED }), false],
  ['the version of LWS', () => ({ 'tranche.yaml': 'auditSeconds: 900\nlwsVersion: "0.11"\n' }), false],
  ['the name of the cluster', () => ({ 'tranche.yaml': 'auditSeconds: 900\ncluster: other\n' }), false],
];

function passOf(repository: FakeRepository, memory: ReturnType<typeof newMemory>): Promise<PassResult> {
  const git = repository.open();
  return runPass(world.ports({ git }), memory, { overrides: NO_OVERRIDES, write: true, only: [] });
}

/** A process that has decided once already, after a commit of nobody's. */
async function watching(): Promise<{
  readonly repository: FakeRepository;
  readonly memory: ReturnType<typeof newMemory>;
  readonly first: PassResult;
}> {
  const repository = world.repository.copy();
  repository.commit('main', { writes: [{ path: 'apps/notes.yaml', text: 'a: 1\n' }] });
  const memory = newMemory();
  return { repository, memory, first: await passOf(repository, memory) };
}

const vllm = ({ outcomes }: PassResult) => outcomes.find(({ key }) => key.name === 'vllm');

test.each(cases)('after %s', async (_what, edit, reused) => {
  const { repository, memory, first } = await watching();
  const writes = Object.entries(edit()).map(([path, text]) => ({ path, text }));
  repository.commit('main', { writes, message: 'edit' });
  const fresh = await passOf(repository.copy(), newMemory());
  const next = await passOf(repository, memory);
  expect(vllm(first)?.snapshot?.workload).toBeDefined();
  expect(vllm(next)?.snapshot?.workload === vllm(first)?.snapshot?.workload).toBe(reused);
  expect(JSON.stringify(next)).toBe(JSON.stringify(fresh));
  expect(repository.head('tranche-status')).toBe(next.status ?? world.repository.head('tranche-status'));
});

test('after an edit of its record, and when its audit is due', async () => {
  const { repository, memory, first } = await watching();
  const path = 'rollouts/default/llm/vllm.json';
  const text = (repository.text('tranche-status', path) ?? '').replace('"Healthy"', '"Progressing"');
  repository.commit('tranche-status', { writes: [{ path, text }], message: 'edit' });
  repository.commit('main', { writes: [{ path: 'apps/notes.yaml', text: 'a: 2\n' }] });
  const next = await passOf(repository, memory);
  expect(vllm(next)?.snapshot?.recordFault).toContain('edited by hand');
  const again = await watching();
  world.tick(900);
  const audited = await passOf(again.repository, again.memory);
  expect([first, again.first, audited].map((pass) => vllm(pass)?.snapshot?.audit)).toEqual([false, false, true]);
});

test.each(['canary', 'blueGreen', 'partition'] as const)(
  'at rest with routes, %s: nothing of the cluster is read',
  async (style) => {
    const rollout = ladderRollout(style, ['replicas: 1, traffic: 5%', 'replicas: 100%']);
    const own = new World({ files: { ...TRAFFIC_FILES, [ROLLOUT_FILE]: rollout }, signed: true });
    for (let round = 0; round < 4; round += 1) {
      own.sync();
      own.tick(60);
      await own.pass();
    }
    const calls: string[] = [];
    const ports = own.ports();
    const cluster: typeof ports.cluster = {
      list: (resource, query, take) => {
        calls.push(resource.plural);
        return ports.cluster.list(resource, query, take);
      },
    };
    const pass = () => runPass({ ...ports, cluster }, newMemory(), { overrides: NO_OVERRIDES, write: true, only: [] });
    expect((await pass()).quiet).toBe(true);
    expect(calls).toEqual([]);
    own.edit(LWS_FILE, OLD, NEW);
    await pass();
    expect(calls).toContain('leaderworkersets');
  },
);
