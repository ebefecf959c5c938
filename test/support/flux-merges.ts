/**
 * Fields of a Flux Kustomization over the folder of built-world, each next to the kustomization with the same written into it.
 * What Flux builds of the first is recorded in fixtures/flux-merges.json.
 */

import { APPLY_ENTRY, applyText } from '../../src/manifests/patch-place.ts';
import { APPLY, BUILT_FILES, OVERLAY, ROOT } from './built-world.ts';

type Files = Readonly<Record<string, string>>;

type FluxMerge = {
  readonly name: string;
  /** Below `spec` of the Flux Kustomization. */
  readonly fields: string;
  /** The kustomization of the folder with the same in it, where a hint says so. */
  readonly moved?: (overlay: string) => string;
  /** The kustomization is written otherwise. */
  readonly overlay?: (overlay: string) => string;
  /** Releases of Flux do not agree, so that we merge nothing. */
  readonly isUnclear?: true;
  /** Flux builds nothing. */
  readonly fails?: true;
  /** What the workload is called afterwards. */
  readonly named?: { readonly namespace: string; readonly name: string };
};

const REPLICAS =
  '{target: {kind: LeaderWorkerSet, name: vllm}, patch: "- {op: replace, path: /spec/replicas, value: 3}"}';
const MERGED =
  '{patch: "{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: vllm}, spec: {startupPolicy: LeaderReady}}"}';
const OPENED =
  '{patch: "{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: vllm}, spec: {rolloutStrategy: {rollingUpdateConfiguration: {partition: 0}}}}"}';
const behind =
  (text: string) =>
  (overlay: string): string =>
    `${overlay}${text}`;

export const FLUX_MERGES: readonly FluxMerge[] = [
  {
    name: 'images',
    fields: '  images: [{name: vllm/vllm-openai, newTag: v0.10.9}]\n',
    moved: behind('images: [{name: vllm/vllm-openai, newTag: v0.10.9}]\n'),
  },
  { name: 'patches', fields: `  patches: [${REPLICAS}]\n`, moved: behind(`patches: [${REPLICAS}]\n`) },
  { name: 'a merge patch', fields: `  patches: [${MERGED}]\n`, moved: behind(`patches: [${MERGED}]\n`) },
  {
    name: 'components',
    fields: '  components: [../../../components/more]\n',
    moved: (overlay) =>
      overlay.replace(
        '  - ../../../components/images\n',
        '  - ../../../components/images\n  - ../../../components/more\n',
      ),
  },
  {
    name: 'namePrefix',
    fields: '  namePrefix: blue-\n',
    moved: (overlay) => overlay.replace('namePrefix: prod-', 'namePrefix: blue-'),
    named: { namespace: 'llm', name: 'blue-vllm' },
  },
  {
    name: 'nameSuffix',
    fields: '  nameSuffix: -blue\n',
    moved: behind('nameSuffix: -blue\n'),
    named: { namespace: 'llm', name: 'prod-vllm-blue' },
  },
  {
    name: 'targetNamespace',
    fields: '  targetNamespace: serving\n',
    moved: (overlay) => overlay.replace('namespace: llm', 'namespace: serving'),
    named: { namespace: 'serving', name: 'prod-vllm' },
  },
  {
    name: 'all at once',
    fields: `  targetNamespace: serving
  namePrefix: blue-
  nameSuffix: -x
  patches: [${REPLICAS}, ${MERGED}]
  components: [../../../components/more]
  images: [{name: vllm/vllm-openai, newName: registry:5000/vllm, digest: "sha256:${'0'.repeat(64)}"}]
`,
    named: { namespace: 'serving', name: 'blue-vllm-x' },
  },
  {
    name: 'a patch behind one of the kustomization',
    overlay: behind(
      `patches: [{target: {kind: LeaderWorkerSet}, patch: "- {op: replace, path: /spec/replicas, value: 7}"}]\n`,
    ),
    fields: `  patches: [${REPLICAS}]\n`,
  },
  {
    name: 'a partition by a patch: ours is the last',
    fields: `  patches: [${OPENED}]\n`,
  },
  {
    name: 'an image in the place of one of that name',
    overlay: behind('images: [{name: vllm/vllm-openai, newTag: v0.10.3}, {name: other, newTag: v1}]\n'),
    fields: '  images: [{name: vllm/vllm-openai, newTag: v0.10.9}]\n',
  },
  {
    name: 'a digest in the place of a tag',
    overlay: behind('images: [{name: vllm/vllm-openai, newTag: v0.10.3}]\n'),
    fields: `  images: [{name: vllm/vllm-openai, digest: "sha256:${'1'.repeat(64)}"}]\n`,
  },
  {
    name: 'an image over one with another name',
    overlay: behind('images: [{name: vllm/vllm-openai, newName: registry:5000/vllm, newTag: v0.10.3}]\n'),
    fields: '  images: [{name: vllm/vllm-openai, newTag: v0.10.9}]\n',
    isUnclear: true,
  },
  {
    name: 'one image twice',
    fields: '  images: [{name: vllm/vllm-openai, newName: a/b}, {name: vllm/vllm-openai, newTag: v0.10.9}]\n',
    isUnclear: true,
  },
  {
    name: 'a folder of bases alone',
    overlay: (overlay) => overlay.replace('resources:', 'bases:'),
    fields: '  targetNamespace: serving\n',
    named: { namespace: 'serving', name: 'prod-vllm' },
  },
  {
    name: 'a merge patch of nothing',
    fields: `  patches: [${MERGED.replace('name: vllm', 'name: other')}]\n`,
    fails: true,
  },
  {
    name: 'a component that is not there',
    fields: '  components: [../../../components/none]\n',
    fails: true,
  },
];

const MORE = `apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
patches: [{target: {kind: LeaderWorkerSet}, patch: "- {op: replace, path: /spec/replicas, value: 2}"}]
`;

const TAKEN = { namespace: 'llm', name: 'prod-vllm' };

/** The folder, taken over by a patch for the workload as it is called in the end. */
export function fluxFolder({ named = TAKEN, overlay = (text) => text }: FluxMerge): Files {
  const { 'rollouts/vllm.yaml': _, ...files } = BUILT_FILES;
  const { namespace, name } = named;
  const patch = `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: ${name}, namespace: ${namespace}}
spec: {rolloutStrategy: {rollingUpdateConfiguration: {partition: 1000000}}}
`;
  const applied = applyText(named);
  const path = /^path: (.*)$/m.exec(applied)?.[1] ?? '';
  return {
    ...files,
    [OVERLAY]: `${overlay(files[OVERLAY] ?? '')}transformers: [${APPLY_ENTRY}]\n`,
    'components/more/kustomization.yaml': MORE,
    [APPLY]: applied,
    [`${ROOT}/${path}`]: patch,
  };
}

/** The Flux Kustomization. */
export function fluxOf({ fields }: FluxMerge): string {
  return `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: vllm, namespace: flux-system}
spec:
  path: ./${ROOT}
  prune: true
${fields}`;
}
