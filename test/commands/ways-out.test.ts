/** What keeps a workload of kustomize or Helm from being delivered: each way out, followed to the letter, and the first commit comes. */

import { expect, test } from 'vitest';
import { EXIT } from '../../src/options.ts';
import { linted } from '../support/linted.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT } from '../support/vllm.ts';
import { World } from '../support/world.ts';

type Files = Readonly<Record<string, string>>;

const CONFIG = { 'tranche.yaml': 'paths: [apps, clusters, rollouts]\n', [ROLLOUT_FILE]: ROLLOUT_TEXT };
const PLAIN: Files = { ...CONFIG, [LWS_FILE]: LWS_TEXT };
const FOLDER = 'apps/vllm/kustomization.yaml';
const AGENT = 'clusters/prod.yaml';
const LISTED = 'resources: [lws.yaml]\n';

const flux = (fields: string): string => `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: vllm, namespace: flux-system}
spec:
  path: ./apps/vllm
${fields}`;
const applicationSet = (fields: string): string => `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: vllm, namespace: argocd}
spec:
  template:
    spec:
      source:
        path: apps/{{path.basename}}
${fields}`;
const PATCH =
  'patches:\n  - target: {kind: LeaderWorkerSet}\n    patch: "[{op: replace, path: /spec/replicas, value: 6}]"\n';
const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, '          ');
const SHELL = LWS_TEXT.replace(
  '            ports:',
  '            args: ["--rank=${LWS_WORKER_INDEX:-0}"]\n            ports:',
);
const SIX = { [LWS_FILE]: LWS_TEXT.replace('replicas: 4', 'replicas: 6') };

type Row = readonly [what: string, files: Files, said: RegExp, after: Files];

const rows: readonly Row[] = [
  [
    'a base from an address',
    { ...CONFIG, [FOLDER]: 'resources:\n  - https://github.com/example/models//vllm?ref=v1\n' },
    /is not in this repository .*copy it into the repository \(kustomize localize\), and list the copy/,
    { ...PLAIN, [FOLDER]: LISTED },
  ],
  [
    'a chart that kustomize renders',
    { ...CONFIG, [FOLDER]: 'helmCharts:\n  - {name: vllm, repo: https://charts.example.com, version: 1.0.0}\n' },
    /builds objects by helmCharts vllm.*commit what it renders, and list that file/,
    { ...PLAIN, [FOLDER]: LISTED },
  ],
  [
    'a template of a chart',
    {
      ...CONFIG,
      'apps/vllm/Chart.yaml': 'name: vllm\n',
      'apps/vllm/templates/lws.yaml': LWS_TEXT.replace('replicas: 4', 'replicas: {{ .Values.replicas }}'),
    },
    /is a template of the Helm chart apps\/vllm.*commit what helm template prints, and let the agent apply that/,
    PLAIN,
  ],
  [
    'variables that Flux fills in after the build',
    { ...PLAIN, [LWS_FILE]: SHELL, [AGENT]: flux('  postBuild: {substitute: {a: b}}\n') },
    /fills in its \$\{…\} after the build.*Label LeaderWorkerSet vllm with "kustomize.toolkit.fluxcd.io\/substitute: disabled"/,
    {
      ...PLAIN,
      [LWS_FILE]: SHELL.replace(
        '  namespace: llm\n',
        '  namespace: llm\n  labels: {kustomize.toolkit.fluxcd.io/substitute: disabled}\n',
      ),
      [AGENT]: flux('  postBuild: {substitute: {a: b}}\n'),
    },
  ],
  [
    'the same, by a Kustomization without them',
    { ...PLAIN, [LWS_FILE]: SHELL, [AGENT]: flux('  postBuild: {substituteFrom: [{kind: ConfigMap, name: a}]}\n') },
    /or apply it by a Kustomization without postBuild/,
    { ...PLAIN, [LWS_FILE]: SHELL, [AGENT]: flux('  prune: true\n') },
  ],
  [
    'another namespace by Flux',
    { ...PLAIN, [AGENT]: flux('  targetNamespace: other\n') },
    /moves it to the namespace other.*Write "namespace: other" below metadata/,
    {
      ...PLAIN,
      [LWS_FILE]: LWS_TEXT.replace('namespace: llm', 'namespace: other'),
      [ROLLOUT_FILE]: ROLLOUT_TEXT.replace('namespace: llm', 'namespace: other'),
      [AGENT]: flux('  targetNamespace: other\n'),
    },
  ],
  [
    'a patch in the template of an ApplicationSet, made for every cluster',
    { ...PLAIN, [FOLDER]: LISTED, [AGENT]: applicationSet(`        kustomize:\n${indented(PATCH)}`) },
    /patches it.*Move what the patch sets into the manifest itself, and remove the patch/,
    { ...PLAIN, ...SIX, [FOLDER]: LISTED, [AGENT]: applicationSet('') },
  ],
  [
    'a patch in the folder',
    { ...PLAIN, [FOLDER]: `${LISTED}${PATCH}` },
    /patches it.*Move what the patch sets into the manifest itself, and remove the patch.*set TRANCHE_KUSTOMIZE/,
    { ...PLAIN, ...SIX, [FOLDER]: LISTED },
  ],
  [
    'an image in the folder',
    { ...PLAIN, [FOLDER]: `${LISTED}images: [{name: vllm/vllm-openai, newTag: v0.10.1}]\n` },
    /changes its image.*Write the whole image with its tag in the manifest, and remove this entry/,
    { ...PLAIN, [LWS_FILE]: LWS_TEXT.replaceAll(OLD, NEW), [FOLDER]: LISTED },
  ],
  [
    'a prefix in the folder',
    { ...PLAIN, [FOLDER]: `${LISTED}namePrefix: prod-\n` },
    /changes its name by namePrefix.*Write the whole name in the manifest, without namePrefix/,
    {
      ...PLAIN,
      [LWS_FILE]: LWS_TEXT.replace('name: vllm\n', 'name: prod-vllm\n'),
      [ROLLOUT_FILE]: ROLLOUT_TEXT.replace('    name: vllm\n', '    name: prod-vllm\n'),
      [FOLDER]: LISTED,
    },
  ],
];

test.each(rows)('%s', async (_, files, said, after) => {
  const refused = new World({ files });
  expect(await linted(refused)).toMatchObject({ code: EXIT.failed, out: expect.stringMatching(said) });
  refused.sync();
  refused.tick(60);
  const head = refused.repository.head('main');
  await refused.pass();
  expect(refused.repository.head('main')).toBe(head);

  const world = new World({ files: after });
  expect(await linted(world)).toMatchObject({ code: EXIT.ok });
  world.sync();
  world.tick(60);
  await world.pass();
  expect(world.subject()).toMatch(/^rollout\([a-z]+\/vllm\): adopt/);
});
