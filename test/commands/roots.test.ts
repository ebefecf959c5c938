/** `tranche roots`: what kustomize folders are built from and to, what is in the way, and what a merge changes in them. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { runProgram } from '../../src/commands/program.ts';
import { recordedKustomize } from '../support/kustomize.ts';
import { llmD, lwsOf, SERVING_CATALOG } from '../support/kustomize-trees.ts';

type Tree = Readonly<Record<string, string>>;

const folders: string[] = [];
const kustomize = recordedKustomize();
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
  kustomize.remove();
});

function git(folder: string, ...args: readonly string[]): string {
  const who = ['-c', 'user.name=Ana', '-c', 'user.email=ana@example.com'];
  return execFileSync('git', [...who, ...args], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

function write(folder: string, tree: Tree): void {
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** A working tree with these files committed on main. */
function clone(tree: Tree): string {
  const folder = mkdtempSync(join(tmpdir(), 'tranche-roots-'));
  folders.push(folder);
  git(folder, 'init', '-q', '-b', 'main');
  write(folder, tree);
  git(folder, 'add', '.');
  git(folder, 'commit', '-q', '--allow-empty', '-m', 'files');
  return folder;
}

async function roots(folder: string, ...more: readonly string[]) {
  let [out, err] = ['', ''];
  const code = await runProgram(['roots', ...more], {
    env: { GIT_CONFIG_NOSYSTEM: '1', TRANCHE_KUSTOMIZE: kustomize.file },
    folder,
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    isTerminal: false,
    signal: new AbortController().signal,
  });
  return { code, out: out.replaceAll(folder, 'CLONE'), err };
}

const ROLLOUT = `apiVersion: rollouts.kruise.io/v1beta1
kind: Rollout
metadata: {name: decode, namespace: llm}
spec:
  workloadRef: {apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, name: prod-wide-ep-decode}
  strategy: {canary: {enableExtraWorkloadForCanary: false, steps: [{replicas: 1, pause: {}}, {replicas: "100%"}]}}
`;
const APPLICATION = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: wide-ep, namespace: argocd}
spec:
  source: {repoURL: "https://github.com/example/models", path: guides/wide-ep/overlays/prod}
  destination: {server: "https://kubernetes.default.svc", namespace: llm}
`;

const UNNAMED =
  'No Rollout names some of these. To deliver one in steps, as its folder builds it: add a Rollout of its name and namespace (tranche init writes one), and set TRANCHE_KUSTOMIZE where tranche runs.\n';

describe('what is built', () => {
  test('overlays with shared components, as llm-d has them', async () => {
    const folder = clone({ ...llmD(), 'rollouts/decode.yaml': ROLLOUT, 'argocd/app.yaml': APPLICATION });
    const first = await roots(folder);
    expect(first).toEqual({
      code: 0,
      out: `guides/wide-ep/overlays/prod/kustomization.yaml  built from 8 files, applied by Application wide-ep (argocd/app.yaml:1)
  with guides/wide-ep/base, guides/wide-ep/components/3p2d, recipes/images/gpu-vllm
  llm/prod-wide-ep-decode  2 groups of 2 pods, 16 GPUs a group  ghcr.io/llm-d/llm-d-cuda:v0.9.0
    named by the Rollout in rollouts/decode.yaml

guides/wide-ep/overlays/stage/kustomization.yaml  built from 9 files
  with guides/wide-ep/base, guides/wide-ep/components/3p2d, recipes/images/gpu-vllm
  llm/stage-wide-ep-decode  1 group of 2 pods, 16 GPUs a group  ghcr.io/llm-d/llm-d-cuda:v0.9.0

${UNNAMED}2 kustomize folders with LeaderWorkerSets, 2 LeaderWorkerSets built
read: the files in CLONE
`,
      err: '',
    });
    expect(await roots(folder), 'nothing is written').toEqual(first);
    expect(git(folder, 'status', '--porcelain')).toBe('');
  });
  test('a patch by kind and merged settings, as the catalogue of wg-serving has them', async () => {
    const { out } = await roots(clone(SERVING_CATALOG), '--output', 'json');
    expect(JSON.parse(out)).toMatchObject({
      roots: [
        {
          folder: 'core/lws/vllm/llama3-405b/gke',
          files: Object.keys(SERVING_CATALOG).sort(),
          workloads: [{ name: 'llama3-405b-gke', groups: 3, images: ['vllm/vllm-openai:v0.10.2'], rollouts: [] }],
          issues: [],
        },
      ],
    });
  });
  test('a kustomization that lists a plain manifest', async () => {
    const folder = clone({ 'app/kustomization.yaml': 'resources: [lws.yaml]\n', 'app/lws.yaml': lwsOf('vllm', 'v:1') });
    expect((await roots(folder)).out).toContain('  ?/vllm  4 groups of 2 pods, 16 GPUs a group  v:1\n');
  });
  test('folders without a LeaderWorkerSet in any file are passed over', async () => {
    const folder = clone({
      'app/kustomization.yaml': 'resources: [a.yaml, https://example.com/b]\n',
      'app/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n',
    });
    expect(await roots(folder)).toEqual({
      code: 0,
      out: '0 kustomize folders with LeaderWorkerSets, 0 LeaderWorkerSets built\nread: the files in CLONE\n',
      err: '',
    });
  });
});

const LWS = lwsOf('vllm', 'vllm/vllm-openai:v0.10.2').replace('  name: vllm\n', '  name: vllm\n  namespace: llm\n');
const PLAIN: Tree = { 'app/kustomization.yaml': 'resources: [lws.yaml]\n', 'app/lws.yaml': LWS };

const flux = (more: string, path = './app'): string => `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: models, namespace: flux-system}
spec:
  path: ${path}
${more}`;

test.each<[string, Tree, number, string]>([
  [
    'a base that is fetched, beside a patch of a LeaderWorkerSet',
    {
      'app/kustomization.yaml':
        'resources:\n  - https://github.com/llm-d/llm-d//guides/base?ref=v0.7\npatches:\n  - path: p.yaml\n',
      'app/p.yaml': 'kind: LeaderWorkerSet\n',
    },
    1,
    'app/kustomization.yaml:2: the kustomization lists https://github.com/llm-d/llm-d//guides/base?ref=v0.7, and what that holds is not in this repository',
  ],
  [
    'a build that fails, in the words of kustomize',
    {
      ...PLAIN,
      'app/kustomization.yaml':
        'resources: [lws.yaml]\npatchesStrategicMerge:\n  - |-\n    {apiVersion: apps/v1, kind: Deployment, metadata: {name: other}}\n',
    },
    1,
    'app/kustomization.yaml: kustomize 5.8.1: no matches for Id Deployment.v1.apps/other.[noNs]',
  ],
  [
    'a folder that is applied, and a base of another',
    { ...PLAIN, 'prod/kustomization.yaml': 'resources: [../app]\nnameSuffix: -prod\n', 'flux.yaml': flux('') },
    0,
    'app/kustomization.yaml: prod/kustomization.yaml lists this folder, so that a step here would be a step there',
  ],
  [
    'two folders that build one object',
    { ...PLAIN, 'prod/kustomization.yaml': 'resources: [lws.yaml]\n', 'prod/lws.yaml': LWS },
    0,
    'app/kustomization.yaml: LeaderWorkerSet vllm is also built by prod/kustomization.yaml and prod/lws.yaml; wanted it once',
  ],
  [
    'an image that Flux sets by a variable',
    { ...PLAIN, 'flux.yaml': flux('  images:\n    - name: vllm/vllm-openai\n      newTag: ${tag}\n') },
    0,
    'flux.yaml:7: LeaderWorkerSet vllm: the Flux Kustomization models changes its image vllm/vllm-openai, so that the build is not what the cluster gets',
  ],
  [
    'a component that Flux adds and that is not there',
    { ...PLAIN, 'flux.yaml': flux('  components: [../c]\n') },
    1,
    'flux.yaml:6: the Flux Kustomization models takes c, which is not a folder with a kustomization',
  ],
  [
    'a prefix that Argo CD merges',
    { ...PLAIN, 'app/.argocd-source-vllm.yaml': 'kustomize:\n  namePrefix: a-\n' },
    1,
    'app/.argocd-source-vllm.yaml:2: the source that Argo CD merges sets kustomize.namePrefix, which tranche does not follow',
  ],
  [
    'a partition that is no number',
    { ...PLAIN, 'app/lws.yaml': `${LWS}  rolloutStrategy: {rollingUpdateConfiguration: {partition: "2"}}\n` },
    0,
    'app/kustomization.yaml: as built: LeaderWorkerSet vllm: spec.rolloutStrategy.rollingUpdateConfiguration.partition is "2"',
  ],
])('in the way: %s', async (_, tree, code, said) => {
  const folder = clone(tree);
  const found = await roots(folder);
  expect(found.out).toContain(`  refused  ${said}`);
  expect(found.code).toBe(code);
});

test('what Flux merges is built', async () => {
  const fields = '  targetNamespace: serving\n  images:\n    - name: vllm/vllm-openai\n      newTag: v0.11.0\n';
  const { out } = await roots(clone({ ...PLAIN, 'flux.yaml': flux(fields) }));
  expect(out).toContain('app/kustomization.yaml  built from 3 files, applied by Kustomization models (flux.yaml:1)\n');
  expect(out).toContain('  serving/vllm  4 groups of 2 pods, 16 GPUs a group  vllm/vllm-openai:v0.11.0\n');
  expect(out).not.toContain('refused');
});

test('in the way: a file that is no text, and one that is a link', async () => {
  const folder = clone({ ...PLAIN, 'app/kustomization.yaml': 'resources: [lws.yaml, a.bin, b.yaml]\n' });
  writeFileSync(join(folder, 'app/a.bin'), Buffer.from([0x61, 0xff]));
  symlinkSync('/etc/hostname', join(folder, 'app/b.yaml'));
  const { code, out } = await roots(folder);
  expect(code).toBe(1);
  for (const name of ['a.bin', 'b.yaml'])
    expect(out).toContain(
      `  refused  app/kustomization.yaml:1: the kustomization takes app/${name}, which cannot be read: `,
    );
});

test('no kustomize at all', async () => {
  const { code, out } = await roots(clone(PLAIN), '--kustomize', 'no-such-kustomize');
  expect(code).toBe(1);
  expect(out).toContain(
    'refused  app/kustomization.yaml: there is no no-such-kustomize (BuilderMissing). Install kustomize 5 or newer',
  );
});

describe('--base', () => {
  test('a tag in a shared component reaches every cluster that takes it', async () => {
    const folder = clone(llmD());
    write(folder, llmD({ tag: 'v0.9.1' }));
    const { code, out } = await roots(folder, '--base', 'main');
    expect(code).toBe(0);
    const image = `         - args:
           - --max-num-seqs
           - "1e3"
-          image: ghcr.io/llm-d/llm-d-cuda:v0.9.0
+          image: ghcr.io/llm-d/llm-d-cuda:v0.9.1
           name: vllm
           resources:
             limits:
`;
    expect(out).toContain(
      'guides/wide-ep/overlays/prod builds another template of llm/prod-wide-ep-decode: applied as it is, 2 groups restart\n',
    );
    expect(out).toContain(
      'guides/wide-ep/overlays/stage builds another template of llm/stage-wide-ep-decode: applied as it is, 1 group restarts\n',
    );
    expect(out).toContain('--- a/guides/wide-ep/overlays/prod/llm/prod-wide-ep-decode\n');
    expect(out.split('-          image: ghcr.io/llm-d/llm-d-cuda:v0.9.0\n')).toHaveLength(3);
    expect(out).toContain(image);
  });
  test('another commit with the same builds changes nothing', async () => {
    const folder = clone(llmD());
    write(folder, { 'guides/wide-ep/base/README.md': 'new\n' });
    expect((await roots(folder, '--base', 'main')).out).toContain('\nno folder builds anything else than at main at ');
  });
  test('replicas alone restart no group, and a lower partition counts', async () => {
    const folder = clone({
      ...PLAIN,
      'app/lws.yaml': `${LWS}  rolloutStrategy: {rollingUpdateConfiguration: {partition: 3}}\n`,
    });
    const changed = async (from: string, to: string) => {
      const text = `${LWS.replace(from, to)}  rolloutStrategy: {rollingUpdateConfiguration: {partition: 3}}\n`;
      write(folder, { 'app/lws.yaml': text });
      return (await roots(folder, '--base', 'main')).out;
    };
    expect(await changed('replicas: 4', 'replicas: 5')).toContain(
      'app builds other fields of llm/vllm: its template is the same\n',
    );
    expect(await changed('v0.10.2', 'v0.11.0')).toContain('applied as it is, 1 group restarts\n');
  });
  test('a folder that is new, one that is gone, and one that is not built', async () => {
    const folder = clone({
      ...PLAIN,
      'old/kustomization.yaml': 'resources: [lws.yaml]\nnamePrefix: old-\n',
      'old/lws.yaml': LWS,
      'far/kustomization.yaml': 'resources: [lws.yaml]\nnamePrefix: far-\n',
      'far/lws.yaml': LWS,
    });
    write(folder, {
      'new/kustomization.yaml': 'resources: [lws.yaml]\nnamePrefix: new-\n',
      'new/lws.yaml': LWS,
      'far/kustomization.yaml': 'resources: [lws.yaml, "https://example.com/a"]\n',
    });
    rmSync(join(folder, 'old'), { recursive: true });
    const { code, out } = await roots(folder, '--base', 'main');
    expect(code).toBe(1);
    expect(out).toContain(
      'far is not built on both sides: what changes in it is not known\n\nnew builds llm/new-vllm for the first time\n\nold no longer builds llm/old-vllm\n',
    );
  });
  test('a base that is not there', async () => {
    const { code, err } = await roots(clone(PLAIN), '--base', 'none');
    expect(code).toBe(2);
    expect(err).toContain('--base none: the repository has no such branch');
  });
});
