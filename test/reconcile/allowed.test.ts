/** The last check before a push: what tranche writes at all, whatever asked for it. */

import { expect, test } from 'vitest';
import { DEFAULT_CONFIG } from '../../src/api/config.ts';
import { fileRefused } from '../../src/reconcile/documents/written-place.ts';
import { notAllowed, pushRefused } from '../../src/reconcile/write/allowed.ts';
import { execute } from '../../src/reconcile/write/execute.ts';
import { noteOf } from '../../src/rollout/edits/out-of-file.ts';
import { FakeRepository } from '../support/fake-git.ts';

const FILE = 'apps/vllm/lws.yaml';
const document = (apiVersion: string, kind: string, rest: string): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: one\n${rest}`;

const LWS = document(
  'leaderworkerset.x-k8s.io/v1',
  'LeaderWorkerSet',
  'spec:\n  replicas: 4\n  startupPolicy: LeaderCreated\n',
);
const ROLLOUT = document(
  'rollouts.kruise.io/v1beta1',
  'Rollout',
  'spec:\n  strategy:\n    canary:\n      steps: [{replicas: 1}]\n',
);
const SERVICE = document('v1', 'Service', 'spec:\n  selector: {app: one}\n  type: ClusterIP\n');
const HPA = document('autoscaling/v2', 'HorizontalPodAutoscaler', 'spec:\n  minReplicas: 2\n  maxReplicas: 9\n');
const ROUTE = document('gateway.networking.k8s.io/v1', 'HTTPRoute', 'spec:\n  rules: []\n');
const POLICY = document('tranche.dev/v1alpha1', 'RolloutPolicy', 'spec:\n  surge: 1\n');
const DEPLOYMENT = document('apps/v1', 'Deployment', 'spec:\n  replicas: 1\n');
const APPLICATION = document('argoproj.io/v1alpha1', 'Application', 'spec:\n  project: default\n');

const WORKLOAD = { apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet', namespace: '', name: 'one' };
const INGRESS = document('networking.k8s.io/v1', 'Ingress', 'spec:\n  ingressClassName: nginx\n  rules: []\n');
const CUSTOM = document('mesh.example/v1', 'Split', 'spec:\n  weights: []\n');

/** Named as ours, with the annotation of what we make. */
const made = (text: string): string =>
  text.replace('name: one\n', 'name: one-canary\n  annotations: {tranche.dev/made-for: one}\n');

const why = (before: string, after: string): string | undefined =>
  notAllowed([{ path: FILE, text: after }], { before: new Map([[FILE, before]]) })?.message;

test.each<readonly [what: string, before: string, after: string]>([
  ['a mark', LWS, LWS.replace('  name: one\n', '  name: one\n  annotations:\n    tranche.dev/release: "x"\n')],
  [
    'where annotations are null',
    LWS.replace('one\n', 'one\n  annotations:\n'),
    LWS.replace('one\n', 'one\n  annotations: {tranche.dev/rung: pods}\n'),
  ],
  ['replicas', LWS, LWS.replace('replicas: 4', 'replicas: 5')],
  [
    'a partition',
    LWS,
    LWS.replace('  replicas', '  rolloutStrategy: {rollingUpdateConfiguration: {partition: 3}}\n  replicas'),
  ],
  ['a template', LWS, LWS.replace('  replicas', '  leaderWorkerTemplate: {size: 2}\n  replicas')],
  ['a second workload', LWS, `${LWS}---\n${LWS.replace('name: one', 'name: one-canary')}`],
  ['a workload that goes for a note', LWS, `# ${noteOf(WORKLOAD)}\n`],
  ['an order', ROLLOUT, ROLLOUT.replace('  name: one\n', '  name: one\n  annotations: {tranche.dev/approve: "1"}\n')],
  ['a pause', ROLLOUT, ROLLOUT.replace('  strategy:\n', '  strategy:\n    paused: true\n')],
  ['a Rollout that is switched off', ROLLOUT, ROLLOUT.replace('spec:\n', 'spec:\n  disabled: true\n')],
  ['a selector', SERVICE, SERVICE.replace('{app: one}', '{app: one, tranche.dev/version: "x"}')],
  ['a Service of ours', SERVICE, `${SERVICE}---\n${made(SERVICE)}`],
  ['a copy of an Ingress', INGRESS, `${INGRESS}---\n${made(INGRESS)}`],
  [
    'a share of an Ingress',
    INGRESS,
    INGRESS.replace('one\n', 'one\n  annotations: {nginx.ingress.kubernetes.io/canary: "true"}\n'),
  ],
  ['the least groups', HPA, HPA.replace('minReplicas: 2', 'minReplicas: 4')],
  ['a route', ROUTE, ROUTE.replace('rules: []', 'rules: [{backendRefs: []}]')],
  ['nothing', `${LWS}---\n${POLICY}`, `${LWS.replace('replicas: 4', 'replicas: 5')}---\n${POLICY}`],
])('may be written: %s', (_, before, after) => expect(why(before, after)).toBeUndefined());

test.each<readonly [what: string, before: string, after: string, seen: string]>([
  [
    'another field of the workload',
    LWS,
    LWS.replace('LeaderCreated', 'LeaderReady'),
    'spec.startupPolicy of LeaderWorkerSet one',
  ],
  [
    'an annotation of others',
    LWS,
    LWS.replace('one\n', 'one\n  annotations: {team: x}\n'),
    'annotations.team of LeaderWorkerSet one',
  ],
  ['the steps', ROLLOUT, ROLLOUT.replace('replicas: 1', 'replicas: 4'), 'spec.strategy.canary.steps of Rollout one'],
  ['a Rollout that comes', LWS, `${LWS}---\n${ROLLOUT}`, 'Rollout one would come or go'],
  ['the type of a Service', SERVICE, SERVICE.replace('ClusterIP', 'LoadBalancer'), 'spec.type of Service one'],
  [
    'the most groups',
    HPA,
    HPA.replace('maxReplicas: 9', 'maxReplicas: 90'),
    'spec.maxReplicas of HorizontalPodAutoscaler one',
  ],
  ['a policy', POLICY, POLICY.replace('surge: 1', 'surge: 9'), 'RolloutPolicy one would change'],
  [
    'a policy next to a workload',
    `${LWS}---\n${POLICY}`,
    `${LWS}---\n${POLICY.replace('surge: 1', 'surge: 9')}`,
    'RolloutPolicy one would change',
  ],
  ['a policy that goes', `${LWS}---\n${POLICY}`, LWS, 'RolloutPolicy one would come or go'],
  [
    'a RouteProvider',
    POLICY.replace('RolloutPolicy', 'RouteProvider'),
    POLICY.replace('RolloutPolicy', 'RouteProvider').replace('surge: 1', 'a: 1'),
    'RouteProvider one',
  ],
  [
    'tests of policies',
    POLICY.replace('RolloutPolicy', 'RolloutPolicyTest'),
    '',
    'RolloutPolicyTest one would come or go',
  ],
  ['a Deployment', DEPLOYMENT, DEPLOYMENT.replace('replicas: 1', 'replicas: 0'), 'Deployment one would change'],
  ['an Application', APPLICATION, APPLICATION.replace('default', 'admin'), 'Application one would change'],
  ['a Secret', '', document('v1', 'Secret', 'stringData: {a: b}\n'), 'Secret one would come or go'],
  ['a workload that goes', LWS, '# gone\n', 'LeaderWorkerSet one would come or go'],
  ['the name of a workload', LWS, LWS.replace('one', 'two'), 'LeaderWorkerSet one would come or go'],
  ['the version of a workload', LWS, LWS.replace('io/v1', 'io/v2'), 'LeaderWorkerSet one would come or go'],
  [
    'a Service that nobody has made of one',
    SERVICE,
    `${SERVICE}---\n${SERVICE.replace('one', 'two')}`,
    'Service two would come or go',
  ],
  ["a user's Ingress that goes", `${LWS}---\n${INGRESS}`, LWS, 'Ingress one would come or go'],
  ['paths of an Ingress', INGRESS, INGRESS.replace('rules: []', 'rules: [{host: a.b}]'), 'spec.rules of Ingress one'],
  [
    'hosts of a route',
    ROUTE,
    ROUTE.replace('  rules', '  hostnames: [a.b]\n  rules'),
    'spec.hostnames of HTTPRoute one',
  ],
  ['gateways of a route', ROUTE, ROUTE.replace('  rules', '  parentRefs: [{name: a}]\n  rules'), 'spec.parentRefs'],
  ['a route that comes', ROUTE, `${ROUTE}---\n${made(ROUTE)}`, 'HTTPRoute one-canary would come or go'],
  ['a route of a kind that no RouteProvider names', CUSTOM, CUSTOM.replace('[]', '[1]'), 'Split one would change'],
  [
    'the type of a rollout strategy',
    LWS,
    LWS.replace('spec:\n', 'spec:\n  rolloutStrategy: {type: Recreate}\n'),
    'spec.rolloutStrategy.type',
  ],
  [
    'the surge of a workload',
    LWS,
    LWS.replace('spec:\n', 'spec:\n  rolloutStrategy: {rollingUpdateConfiguration: {maxSurge: 4}}\n'),
    'maxSurge',
  ],
  ['labels of a route', ROUTE, ROUTE.replace('one\n', 'one\n  labels: {a: b}\n'), 'metadata.labels.a of HTTPRoute one'],
])('is never written: %s', (_, before, after, seen) => {
  expect(why(before, after)).toMatch(/^tranche never writes this, whatever asks for it: /);
  expect(why(before, after)).toContain(seen);
});

test.each<readonly [what: string, after: string, group: string, seen: string | undefined]>([
  ['its numbers', CUSTOM.replace('[]', '[1]'), 'mesh.example', undefined],
  ['its labels', CUSTOM.replace('one\n', 'one\n  labels: {a: b}\n'), 'mesh.example', 'metadata.labels.a of Split one'],
  ['another of it', `${CUSTOM}---\n${made(CUSTOM)}`, 'mesh.example', 'Split one-canary would come or go'],
  ['another group', CUSTOM.replace('[]', '[1]'), 'other.example', 'Split one would change'],
])('of a kind that a RouteProvider names: %s', (_, after, group, seen) => {
  const on = { before: new Map([[FILE, CUSTOM]]), customs: [{ group, kind: 'Split' }] };
  const told = notAllowed([{ path: FILE, text: after }], on)?.message;
  if (seen === undefined) expect(told).toBeUndefined();
  else expect(told).toContain(seen);
});

test('a RouteProvider opens no group that holds no routes', () => {
  const on = { before: new Map([[FILE, DEPLOYMENT]]), customs: [{ group: 'apps', kind: 'Deployment' }] };
  const writes = [{ path: FILE, text: DEPLOYMENT.replace('replicas: 1', 'replicas: 0') }];
  expect(notAllowed(writes, on)?.message).toContain('Deployment one would change');
});

test.each([
  'tranche.yaml',
  'tranche.yml',
  '.github/workflows/deploy.yaml',
  'apps/.argocd/app.yaml',
  'README.md',
  'Dockerfile',
  '/etc/x.yaml',
  'apps/../.github/x.yaml',
])('is no file of ours: %s', (file) => {
  expect(fileRefused(file)).toBeDefined();
  const before = new Map([[file, LWS]]);
  expect(notAllowed([{ path: file, text: LWS.replace('4', '5') }], { before })?.reason).toBe('WriteOutOfBounds');
});

test.each(['apps/vllm/lws.yaml', 'lws.yml', 'apps/lws.json'])('may be one of ours: %s', (file) =>
  expect(fileRefused(file)).toBeUndefined(),
);

test('a push of plans or orders that holds one such file is refused before anything is sent', async () => {
  const repository = FakeRepository.withFiles({ 'tranche.yaml': 'cluster: x\n', [FILE]: LWS, 'other/lws.yaml': LWS });
  const main = repository.head('main') ?? '';
  const config = { ...DEFAULT_CONFIG, paths: ['apps'] };
  const signature = { name: 'x', email: 'x@y.z', atSeconds: 1 };
  for (const path of ['tranche.yaml', '.github/workflows/x.yaml', 'other/lws.yaml']) {
    const steps = [
      {
        writes: [
          { path: FILE, text: `${LWS}# a\n` },
          { path, text: LWS },
        ],
        message: 'x',
        signature,
      },
    ];
    const batch = { config, main, status: undefined, steps, statusCommit: undefined };
    expect(await execute(repository.open(), batch)).toMatchObject({ kind: 'refused', branch: 'main' });
    expect(pushRefused(config, steps)?.rule).toContain(`tranche never writes ${path}: `);
  }
  expect(repository.head('main')).toBe(main);
});
