/** What one file of another folder may be: forms that cost a reader much, or that cannot be read at all. */

import { LWS_TEXT, OLD, ROLLOUT_TEXT } from './vllm.ts';
import type { World } from './world.ts';

/** A path that leads to another, as Git keeps it, or the content of a file. */
export type FileContent = string | Buffer | { readonly link: string };

const ALIAS_LEVELS = 40;

/** `own`: the text of a document that the file would like to be taken for. */
export function unreadableForms(own: string): Readonly<Record<string, FileContent>> {
  const levels = Array.from({ length: ALIAS_LEVELS }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}, *a${at}]`);
  return {
    'a file that is no YAML': `kind: LeaderWorkerSet\n  name: [vllm\n${own}`,
    'a file over the limit': `${own}\n${'# much\n'.repeat(400_000)}`,
    'bytes that are no text': Buffer.concat([Buffer.from(own), Buffer.from([0, 255, 254, 0xc3, 0x28])]),
    'a link to a file of its owners': { link: '../../tranche.yaml' },
    'a link that leads nowhere': { link: '../../../etc/passwd' },
    'thousands of documents': `${own}---\n${'kind: LeaderWorkerSet\n---\n'.repeat(5000)}`,
    'aliases of aliases': `kind: LeaderWorkerSet\na0: &a0 [x, x, x]\n${levels.join('\n')}\n---\n${own}`,
    'an alias of itself': `kind: LeaderWorkerSet\nspec: &a {b: *a}\n---\n${own}`,
    'folders in folders': `kind: LeaderWorkerSet\nspec: ${'['.repeat(3000)}${']'.repeat(3000)}\n`,
    'an expression that grows': [
      'apiVersion: tranche.dev/v1alpha1',
      'kind: RouteProvider',
      'metadata: {name: evil}',
      'spec:',
      '  resource: {group: gateway.networking.k8s.io, kind: HTTPRoute}',
      '  weights: [{canary: "/spec/rules/*/backendRefs/[name=$canary]/weight"}]',
      `  patch: [{op: add, path: "/spec/rules/-", cel: '${'"a".split("").join("a").split("")'.repeat(9)}'}]`,
      '',
    ].join('\n'),
  };
}

const madeBy = (name: string): string =>
  `apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata:\n  name: ${name}\n  namespace: llm\n  annotations: {tranche.dev/made-for: vllm}\nspec:\n`;
const scalerOf = (name: string): string =>
  `apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: evil, namespace: llm}\nspec:\n  scaleTargetRef: {apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, name: "${name}"}\n  minReplicas: 1\n  maxReplicas: 9\n`;
const evil = (text: string): string => text.replace('name: vllm\n', 'name: evil\n');
/** What a file of another folder may say that concerns the workload of `vllm.ts`, and what cannot be read. */
export const FILES_OF_OTHERS: Readonly<Record<string, readonly [path: string, content: FileContent]>> = {
  'a LeaderWorkerSet of the name': ['teams/b/lws.yaml', LWS_TEXT],
  'one with another template': ['teams/b/lws.yaml', LWS_TEXT.replace(OLD, 'evil/image:v1')],
  'one that sorts first': ['a.yaml', LWS_TEXT],
  'a Rollout of the name': ['teams/b/rollout.yaml', ROLLOUT_TEXT],
  'one that sorts before it': ['a.yaml', ROLLOUT_TEXT.replace('spec:\n', 'spec:\n  disabled: true\n')],
  'both in one file': ['teams/b/all.yaml', `${LWS_TEXT}---\n${ROLLOUT_TEXT}`],
  'a Rollout of another name for the workload': ['a.yaml', evil(ROLLOUT_TEXT)],
  'a Rollout of the name with an API version of three parts': [
    'a.yaml',
    ROLLOUT_TEXT.replace('kruise.io/', 'kruise.io/x/'),
  ],
  'a LeaderWorkerSet of the name in another API group': [
    'a.yaml',
    LWS_TEXT.replace(/apiVersion: .*/, 'apiVersion: x/v1'),
  ],
  'a policy that cannot be read': ['teams/b/policy.yaml', 'kind: RolloutPolicy\n  spec: [\n'],
  'a policy that forbids everything': [
    'teams/b/policy.yaml',
    'apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: evil}\nspec:\n  onFailure: hold\n  maxStepGroups: 1\n  soakSeconds: 2592000\n  minReadyPercent: 100\n  deny:\n    - {from: "2020-01-01T00:00:00Z", to: "2040-01-01T00:00:00Z"}\n',
  ],
  'an autoscaler of the workload': ['teams/b/hpa.yaml', scalerOf('vllm')],
  'a Flux Kustomization that patches the workload': [
    'teams/b/flux.yaml',
    'apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: evil}\nspec:\n  path: ./apps\n  namePrefix: evil-\n',
  ],
  'a source that Argo CD merges, next to the workload': [
    'apps/vllm/.argocd-source.yaml',
    'kustomize: {images: ["vllm/vllm-openai:evil"]}\n',
  ],
  'a kustomization that patches the workload': [
    'teams/b/kustomization.yaml',
    'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [../../apps/vllm/lws.yaml]\nnamePrefix: evil-\n',
  ],
  'a second workload that says that it was made for it': [
    'teams/b/canary.yaml',
    LWS_TEXT.replace('  name: vllm\n', '  name: vllm-canary\n  annotations: {tranche.dev/made-for: vllm}\n'),
  ],
  'an empty second workload with a name that is a pattern, and an autoscaler of it': [
    'teams/b/pattern.yaml',
    `${madeBy('vllm(')}  replicas: 0\n---\n${scalerOf('vllm(')}`,
  ],
  'the same with a pattern that takes for ever': [
    'teams/b/pattern.yaml',
    `${madeBy('(x+x+)+y')}  replicas: 0\n---\n${scalerOf('(x+x+)+y').replace('name: evil', `name: ${'x'.repeat(60)}`)}`,
  ],
  'a configuration under the other name': ['tranche.yml', 'cluster: evil\n'],
  ...Object.fromEntries(
    Object.entries(unreadableForms(LWS_TEXT)).map(([what, content]) => [what, ['a.yaml', content] as const]),
  ),
};

/** It comes as Git keeps it: a text, bytes, or a link. */
export function placed(world: World, path: string, content: FileContent): void {
  if (typeof content === 'string' || Buffer.isBuffer(content))
    world.repository.commit('main', { writes: [{ path, text: content }], message: 'a file of others' });
  else world.repository.link('main', path, content.link);
}
