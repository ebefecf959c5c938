/** What a RouteProvider may write at all: kinds that are routes, in the place that holds their weights. */

import { expect, test } from 'vitest';
import { refusedGroup } from '../../src/api/route-groups.ts';
import { parseRouteProvider } from '../../src/api/route-provider.ts';

test.each<readonly [group: string, kind: string, isRefused: boolean]>([
  ['argoproj.io', 'Application', true],
  ['argoproj.io', 'Rollout', true],
  ['apps', 'Deployment', true],
  ['batch', 'Job', true],
  ['autoscaling', 'HorizontalPodAutoscaler', true],
  ['policy', 'PodDisruptionBudget', true],
  ['v1', 'ConfigMap', true],
  ['v1', 'Secret', true],
  ['v1', 'Service', false],
  ['leaderworkerset.x-k8s.io', 'LeaderWorkerSet', true],
  ['jobset.x-k8s.io', 'JobSet', true],
  ['rbac.authorization.k8s.io', 'Role', true],
  ['admissionregistration.k8s.io', 'ValidatingAdmissionPolicy', true],
  ['apiextensions.k8s.io', 'CustomResourceDefinition', true],
  ['networking.k8s.io', 'NetworkPolicy', true],
  ['kustomize.toolkit.fluxcd.io', 'Kustomization', true],
  ['helm.toolkit.fluxcd.io', 'HelmRelease', true],
  ['apps.kruise.io', 'CloneSet', true],
  ['keda.sh', 'ScaledObject', true],
  ['tranche.dev', 'RolloutPolicy', true],
  ['security.istio.io', 'AuthorizationPolicy', true],
  ['gateway.networking.k8s.io', 'TCPRoute', false],
  ['inference.networking.x-k8s.io', 'InferenceModel', false],
  ['split.smi-spec.io', 'TrafficSplit', false],
  ['apisix.apache.org', 'ApisixRoute', false],
  ['notargoproj.io', 'EdgeRoute', false],
])('%s %s: refused %s', (group, kind, isRefused) => {
  expect(refusedGroup(group, kind) !== undefined).toBe(isRefused);
  const weights = [{ canary: '/spec/list/[name=$canary]/weight' }];
  const { faults } = parseRouteProvider({ spec: { resource: { group, kind }, weights } });
  expect(faults.some(({ reason }) => reason === 'NoRoute')).toBe(isRefused);
});

const LIST = '/spec/http/*/backends/[name=$canary]/weight';

test.each<readonly [canary: string, within: string | undefined, path: string, isBeyond: boolean]>([
  [LIST, undefined, '/spec/http/-', false],
  [LIST, undefined, '/spec/http/[name=a]/note', false],
  [LIST, undefined, '/spec/https/-', true],
  [LIST, undefined, '/spec/paused', true],
  [LIST, undefined, '/metadata/labels/a', true],
  ['/spec/backends/[name=$canary]/weight', undefined, '/spec/backends/-', false],
  ['/spec/backends/[name=$canary]/weight', undefined, '/spec/replicas', true],
  ['/spec/[name=$canary]/weight', undefined, '/spec/replicas', true],
  ['/spec/traffic/percent', undefined, '/spec/traffic/note', false],
  ['/spec/traffic/percent', undefined, '/spec/other/note', true],
  ['/spec/percent', undefined, '/spec/percent', false],
  ['/spec/percent', undefined, '/spec/replicas', true],
  ['/targets/[name=$canary]/share', '/metadata/annotations/split', '/metadata/annotations/split', false],
  ['/targets/[name=$canary]/share', '/metadata/annotations/split', '/metadata/annotations/owner', true],
])('weights at %s, within %s: an operation at %s is beyond them: %s', (canary, within, path, isBeyond) => {
  const weights = [{ canary, ...(within === undefined ? {} : { within }) }];
  const resource = { group: 'edge.example.com', kind: 'EdgeRoute' };
  const patched = (list: 'patch' | 'matches', op: string) =>
    parseRouteProvider({ spec: { resource, weights, [list]: [{ op, path, value: 1 }] } });
  for (const list of ['patch', 'matches'] as const) {
    const { kind, faults, beyond } = patched(list, 'add');
    expect(faults).toEqual([]);
    // It is read all the same: what has started with it goes to stable by it.
    expect(kind?.kind).toBe('EdgeRoute');
    expect(beyond.map(({ reason, at }) => `${reason} ${at.join('.')}`)).toEqual(
      isBeyond ? [`PatchBeyond spec.${list}.0.path`] : [],
    );
  }
  // A test changes nothing.
  expect(patched('patch', 'test').beyond).toEqual([]);
});
