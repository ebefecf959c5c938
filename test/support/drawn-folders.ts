/** Any repository of kustomize folders, drawn: two overlays over a base and components, with a patch of ours or without. */

import type { Chance } from '../simulation/chance.ts';
import { lwsOf } from './kustomize-trees.ts';

export const DRAWN_ROOT = 'apps/vllm/prod';

export type Tree = Readonly<Record<string, string>>;

/** Most of them build. */
export function drawnFolders(chance: Chance): Tree {
  const tree: Record<string, string> = {
    'apps/vllm/base/lws.yaml': lwsOf('vllm', chance.pick(['MODEL_SERVER', 'MODEL_SERVER:v0', 'registry:5000/vllm:v0'])),
    'apps/vllm/base/service.yaml':
      'apiVersion: v1\nkind: Service\nmetadata: {name: vllm}\nspec: {ports: [{port: 80}]}\n',
    'apps/vllm/base/kustomization.yaml': [
      'resources: [lws.yaml, service.yaml]',
      ...some(chance, 0.3, patches),
      '',
    ].join('\n'),
    'components/images/kustomization.yaml': [COMPONENT, ...images(chance), ...some(chance, 0.3, patches), ''].join(
      '\n',
    ),
    'components/sizes/kustomization.yaml': [
      COMPONENT,
      ...patches(chance),
      ...some(chance, 0.2, () => ['namePrefix: sized-']),
      '',
    ].join('\n'),
  };
  for (const root of [DRAWN_ROOT, 'apps/vllm/stage']) Object.assign(tree, overlay(chance, root));
  const gone = chance.pick(Object.keys(tree));
  if (chance.flip(0.06)) delete tree[gone];
  return tree;
}

const COMPONENT = 'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component';

type Lines = readonly string[];

function some(chance: Chance, probability: number, lines: (chance: Chance) => Lines): Lines {
  return chance.flip(probability) ? lines(chance) : [];
}

function overlay(chance: Chance, root: string): Tree {
  const stage = root.split('/').at(-1) ?? '';
  const [prefix, namespace] = [chance.flip(0.8) ? `${stage}-` : '', chance.flip(0.9) ? 'llm' : ''];
  const components = chance.some(['../../../components/images', '../../../components/sizes'], 0.7);
  const isOurs = chance.flip(0.6);
  const suffix = chance.flip(0.2) ? '-x' : '';
  const lines = [
    'resources: [../base]',
    ...(components.length === 0 ? [] : [`components: [${components.join(', ')}]`]),
    ...(prefix === '' ? [] : [`namePrefix: ${prefix}`]),
    ...(suffix === '' ? [] : [`nameSuffix: ${suffix}`]),
    ...(namespace === '' ? [] : [`namespace: ${namespace}`]),
    ...some(chance, 0.5, patches),
    ...some(chance, 0.3, images),
    ...some(chance, 0.2, () => ['labels: [{pairs: {team: search}}]']),
    ...some(chance, 0.2, () => ['commonAnnotations: {team: "search"}']),
    ...some(chance, 0.4, () => [
      'configMapGenerator:',
      `  - {name: settings, literals: [a=1, "b=x=y"], files: [${chance.pick(['', 'c='])}notes.txt]}`,
    ]),
    ...(isOurs || chance.flip(0.2) ? ['transformers:'] : []),
  ];
  const isListed = lines.at(-1) === 'transformers:';
  const entries = isListed
    ? [...(isOurs ? ['  - tranche/apply.yaml'] : []), ...(isOurs ? some(chance, 0.2, label) : label())]
    : [];
  const isSized = components.some((one) => one.endsWith('sizes'));
  const name = `${prefix}${isSized && chance.flip(0.5) ? 'sized-' : ''}vllm${suffix}`;
  return {
    [`${root}/kustomization.yaml`]: [...lines, ...entries, ''].join('\n'),
    [`${root}/notes.txt`]: `notes of <${stage}>\n`,
    ...(isOurs ? ours(chance, root, { name, namespace }) : {}),
  };
}

function label(): Lines {
  return [
    '  - |-',
    '    apiVersion: builtin',
    '    kind: LabelTransformer',
    '    metadata: {name: l}',
    '    labels: {late: "yes"}',
    '    fieldSpecs: [{path: metadata/labels, create: true}]',
  ];
}

function ours(chance: Chance, root: string, named: { readonly name: string; readonly namespace: string }): Tree {
  const name = chance.flip(0.05) ? `${named.name}-gone` : named.name;
  const pin = [
    '  leaderWorkerTemplate:',
    '    $patch: replace',
    `    size: ${chance.between(1, 3)}`,
    '    workerTemplate:',
    '      spec: {containers: [{name: vllm, image: "MODEL_SERVER:pinned"}]}',
  ];
  return {
    [`${root}/tranche/apply.yaml`]:
      'apiVersion: builtin\nkind: PatchTransformer\nmetadata:\n  name: tranche-llm\npath: tranche/llm.yaml\n',
    [`${root}/tranche/llm.yaml`]: [
      'apiVersion: leaderworkerset.x-k8s.io/v1',
      'kind: LeaderWorkerSet',
      'metadata:',
      `  name: ${name}`,
      ...(named.namespace === '' ? [] : [`  namespace: ${named.namespace}`]),
      `  annotations: {tranche.dev/release: "0a.1", tranche.dev/restore: '{"floor":3}'}`,
      ...some(chance, 0.1, () => ['$patch: delete']),
      'spec:',
      '  rolloutStrategy: {rollingUpdateConfiguration: {partition: 1000000, maxUnavailable: 2}}',
      ...some(chance, 0.3, () => ['  replicas: 5']),
      ...some(chance, 0.4, () => pin),
      '',
    ].join('\n'),
  };
}

function images(chance: Chance): Lines {
  const name = chance.pick(['MODEL_SERVER', 'MODEL_SERVER', 'registry:5000/vllm', 'vllm/vllm']);
  const to = chance.pick([
    'newName: vllm/vllm, newTag: "1"',
    'newTag: v2',
    'newName: vllm/vllm',
    'newName: "registry:5000/vllm", newTag: "3"',
    `digest: "sha256:${'0a'.repeat(32)}"`,
  ]);
  return ['images:', `  - {name: "${name}", ${to}}`];
}

const LWS = 'apiVersion: leaderworkerset.x-k8s.io/v1\n      kind: LeaderWorkerSet\n      metadata: {name: vllm';

function patches(chance: Chance): Lines {
  const rolling = '/spec/rolloutStrategy';
  const merges = [
    'spec: {replicas: 7}',
    'spec: {replicas: null}',
    'spec: {leaderWorkerTemplate: {size: 4, restartPolicy: null}}',
    'spec: {leaderWorkerTemplate: {workerTemplate: {metadata: {$patch: delete}}}}',
    'spec: {leaderWorkerTemplate: {workerTemplate: {spec: {containers: [{name: other, image: MODEL_SERVER}]}}}}',
    'spec: {rolloutStrategy: {type: RollingUpdate, rollingUpdateConfiguration: {partition: 0, maxUnavailable: 2}}}',
  ];
  const operations = [
    `{op: add, path: ${rolling}, value: {rollingUpdateConfiguration: {partition: 0}}}`,
    '{op: replace, path: /spec/replicas, value: 3}',
    '{op: remove, path: /spec/leaderWorkerTemplate/size}',
    '{op: add, path: /spec/leaderWorkerTemplate/workerTemplate/spec/containers/0/args/-, value: --more}',
    '{op: add, path: /spec/leaderWorkerTemplate/workerTemplate/spec/containers/0/args/0, value: --first}',
    '{op: replace, path: /metadata/labels/a~1b, value: c}',
  ];
  const target = `target: {kind: ${chance.pick(['LeaderWorkerSet', 'LeaderWorkerSet', 'Leader'])}${chance.flip(0.3) ? `, name: "${chance.pick(['.*llm', 'vll', 'vllm'])}"` : ''}}`;
  const merge = [`  - patch: |-`, `      ${LWS}}`, `      ${chance.pick(merges)}`];
  const operation = [`  - patch: |-`, `      - ${chance.pick(operations)}`, `    ${target}`];
  return ['patches:', ...chance.pick([merge, operation, [...merge, `    ${target}`], [...merge, ...operation]])];
}
