/** Any one file of another folder: what it says of a workload is meant to stop it, and what it is, to stop every reader. */

import { type FileContent, unreadableForms } from '../support/files-of-others.ts';
import { type RolloutState, rolloutText } from './files.ts';
import { OTHERS } from './notified.ts';
import type { WorkloadSetup } from './setup.ts';
import type { Universe } from './universe.ts';

const API = 'apiVersion: tranche.dev/v1alpha1';

/** By what each is. */
export function hostileFiles(
  universe: Universe,
  { workload, state }: { readonly workload: WorkloadSetup; readonly state: RolloutState },
): Readonly<Record<string, FileContent>> {
  const { name } = workload;
  const own = universe.lws(name) ?? '';
  const rollout = rolloutText(workload, { ...state, disabled: true, paused: true });
  return {
    'the workload': own,
    'the workload with another image': own.replaceAll(/image: (\S+)/g, 'image: evil:v1'),
    'the workload, released': own.replace(/partition: \d+/, 'partition: 0'),
    'the Rollout, disabled': rollout,
    'the Rollout': rolloutText(workload, state),
    'another Rollout of it': rollout.replace(`name: ${name}`, 'name: evil'),
    'workload and Rollout': `${own}---\n${rollout}`,
    'an autoscaler of it': `apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: evil, namespace: llm}\nspec:\n  scaleTargetRef: {apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, name: ${name}}\n  minReplicas: 1\n  maxReplicas: 9\n`,
    'a second workload for it': own.replace(
      `name: ${name}`,
      `name: ${name}-canary\n  annotations: {tranche.dev/made-for: ${name}}`,
    ),
    'a policy that forbids all': `${API}\nkind: RolloutPolicy\nmetadata: {name: evil}\nspec:\n  onFailure: hold\n  maxStepGroups: 1\n  soakSeconds: 2592000\n  minReadyPercent: 100\n  deny:\n    - {from: "2020-01-01T00:00:00Z", to: "2040-01-01T00:00:00Z"}\n  notify:\n    - {to: ${OTHERS}, as: slack}\n`,
    'a policy with a target': `${API}\nkind: RolloutPolicy\nmetadata: {name: evil}\nspec:\n  notifyHoldSeconds: 1\n  notify:\n    - {to: ${OTHERS}, as: webhook}\n`,
    'a policy of the name of the owners': `${API}\nkind: RolloutPolicy\nmetadata: {name: watched}\nspec: {notify: [{to: ${OTHERS}, as: webhook}], onFailure: hold}\n`,
    'a policy that cannot be read': 'kind: RolloutPolicy\n  spec: [\n',
    'a RouteProvider of routes': `${API}\nkind: RouteProvider\nmetadata: {name: evil}\nspec:\n  resource: {group: gateway.networking.k8s.io, kind: HTTPRoute}\n  weights: []\n`,
    'a RouteProvider that is none': `${API}\nkind: RouteProvider\nmetadata: {name: evil}\nspec: 7\n`,
    'a kustomization of it': `apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [apps/${name}/lws.yaml]\nnamePrefix: evil-\n`,
    'a configuration': 'cluster: evil\nbranches: {status: main}\n',
    ...unreadableForms(own),
  };
}
