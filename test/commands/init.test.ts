/** `tranche init`: what a repository needs to be delivered from, and that nothing is written over or written twice. */

import { symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { firstSteps } from '../../src/reconcile/init/steps.ts';
import { called, clone, type Files, git, lws, removeClones } from '../support/init-clone.ts';
import { recordedKustomize } from '../support/kustomize.ts';
import { llmD } from '../support/kustomize-trees.ts';
import { startSite, stopSites } from '../support/site.ts';

afterEach(async () => {
  removeClones();
  await stopSites();
});

const APPLICATION = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: vllm, namespace: argocd}
spec:
  source: {repoURL: "https://github.com/example/models", targetRevision: main, path: apps/vllm}
  destination: {server: "https://kubernetes.default.svc", namespace: llm}
  syncPolicy:
    automated: {selfHeal: true}
`;

const KUSTOMIZATION = `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: vllm, namespace: flux-system}
spec:
  path: ./apps/vllm
  targetNamespace: llm
  sourceRef: {kind: GitRepository, name: models}
`;

const SERVICE = `apiVersion: v1
kind: Service
metadata: {name: vllm, namespace: llm}
spec:
  selector: {leaderworkerset.sigs.k8s.io/name: vllm, leaderworkerset.sigs.k8s.io/worker-index: "0"}
  ports: [{port: 8000}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: chat, namespace: llm}
spec:
  rules: [{backendRefs: [{name: vllm, port: 8000}]}]
`;

describe('a plain repository with an Application', () => {
  const files = {
    'apps/vllm/lws.yaml': lws('vllm', { namespace: '' }),
    'apps/vllm/front.yaml': SERVICE,
    'argocd/vllm.yaml': APPLICATION,
    '.github/workflows/test.yaml': 'on: push\n',
  };

  test('shows what it has, and what it needs', async () => {
    const own = clone(files);
    const before = own.files();
    const first = await own.run('init');
    expect(first).toMatchInlineSnapshot(`
      {
        "code": 0,
        "err": "",
        "out": "read: the files in CLONE

      1 LeaderWorkerSet:
        llm/vllm  apps/vllm/lws.yaml:1  4 groups of 2 pods, 16 GPUs a group  vllm/vllm-openai:v0.10.2
          Service vllm (apps/vllm/front.yaml:1) sends it requests
          HTTPRoute chat (apps/vllm/front.yaml:8) sends it requests
          applied by Application vllm (argocd/vllm.yaml:1)

      to add:
        rollouts/vllm.yaml  Rollout of llm/vllm (apps/vllm/lws.yaml): 4 groups in 3 steps, 1, 50%, 100%
        tranche.yaml  configuration: the namespace of a folder, where policies are
        policies/default.yaml  policy: For every Rollout: one group first, never more than half of them in a step, and a minute that they have to stay ready.
        .github/workflows/tranche.yaml  workflow: makes a pass when main moves and every ten minutes
          put your own in place of the examples: .github/workflows/tranche.yaml:28, .github/workflows/tranche.yaml:31

      next: tranche init --write, with the same options; tranche lint finds nothing wrong with them
      ",
      }
    `);
    expect(own.files()).toEqual(before);
  });

  test('gets it with --write: lint is clean, the next pass adopts, and a second call changes nothing', async () => {
    const own = clone(files);
    expect((await own.run('init --write')).code).toBe(0);
    expect(await own.run('lint')).toEqual({
      code: 0,
      out: '1 Rollout, 0 problems\nread: the files in CLONE as they are, committed or not\n',
      err: '',
    });
    git(own.folder, 'add', '-A');
    git(own.folder, 'commit', '-qm', 'adopt tranche');
    const again = await own.run('init --write');
    expect(again.out).toContain('delivered already, by rollouts/vllm.yaml');
    expect(again.out).toContain('nothing to add: tranche lint finds nothing wrong with them');
    expect(git(own.folder, 'status', '--porcelain')).toBe('');
    expect(own.read('tranche.yaml')).toContain('namespaces: # of manifests that name none\n  apps/vllm: llm\n');
  });
});

/** Files of a Deployment and its overlay. */
const INSTALLED = 8;

/** What is said of each repository, and which files `--write` adds. */
const rows: readonly (readonly [what: string, files: Files, line: string, said: readonly string[], added: number])[] = [
  ['nothing', { 'README.md': 'x' }, '', ['no LeaderWorkerSet found', 'nothing to add\n'], 0],
  [
    'templates of a chart alone',
    {
      'chart/Chart.yaml': 'name: x\n',
      'chart/templates/lws.yaml': lws('{{ .Release.Name }}'),
      'chart/templates/odd.yaml': `{{- if .Values.on }}\n${lws('vllm')}{{- end }}\n`,
    },
    '',
    [
      'chart/templates/lws.yaml:4',
      'chart/templates/odd.yaml:3',
      '(UnsupportedLayout)',
      'helm template',
      'nothing to add',
    ],
    0,
  ],
  [
    'a kustomization that changes the image',
    {
      'apps/kustomization.yaml': 'resources: [lws.yaml]\nimages: [{name: vllm/vllm-openai, newTag: v2}]\n',
      'apps/lws.yaml': lws('vllm'),
    },
    '',
    ['apps/kustomization.yaml:2: LeaderWorkerSet vllm', '(UnsupportedLayout)', 'nothing to add'],
    0,
  ],
  [
    'a HelmRelease and an Application of a chart',
    {
      'flux.yaml':
        'apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: nim}\nspec:\n  chart: {spec: {chart: nim-llm}}\n',
      'argo.yaml': APPLICATION.replace('path: apps/vllm}', 'chart: nim}'),
    },
    '',
    ['flux.yaml:5: HelmRelease nim: it renders a chart', 'argo.yaml:5: Application vllm: it renders a chart'],
    0,
  ],
  [
    'Flux, with the namespace of its Kustomization',
    {
      'apps/vllm/lws.yaml': lws('vllm', { namespace: '' }),
      'flux.yaml': `${KUSTOMIZATION}  suspend: true\n  force: true\n`,
    },
    '',
    ['llm/vllm', 'flux.yaml:8: Kustomization vllm: it is suspended', 'flux.yaml:9', '(ForcedApply)'],
    3 + INSTALLED,
  ],
  [
    'an agent that ignores, replaces, waits for someone and applies another branch',
    {
      'apps/vllm/lws.yaml': lws('vllm'),
      'argo.yaml': `${APPLICATION.replace('main', 'production').replace('    automated: {selfHeal: true}', '    syncOptions: [Replace=true]')}  ignoreDifferences:\n    - {group: apps, kind: Deployment, jsonPointers: [/spec/replicas]}\n    - {kind: LeaderWorkerSet, jqPathExpressions: [.spec.replicas]}\n`,
    },
    '',
    [
      'argo.yaml:11: Application vllm: differences are ignored in .spec.replicas',
      'argo.yaml:8: Application vllm: Replace=true',
      '(NotAutomated)',
      'argo.yaml:5: Application vllm: it applies production',
    ],
    3 + INSTALLED,
  ],
  [
    'an agent that applies the whole repository',
    { 'apps/vllm/lws.yaml': lws('vllm'), 'argo.yaml': APPLICATION.replace('apps/vllm', '.') },
    '',
    ['argo.yaml:1: Application vllm: it applies the whole repository, and the Rollouts with it (RolloutsApplied)'],
    3 + INSTALLED,
  ],
  [
    'no namespace anywhere',
    { 'lws.yaml': lws('vllm', { namespace: '' }) },
    '',
    ['lws.yaml:3', '(NamespaceUnknown)', '--namespace NAME', 'nothing to add'],
    0,
  ],
  [
    'a namespace that is given',
    { 'lws.yaml': lws('vllm', { namespace: '' }) },
    '--namespace llm',
    ['llm/vllm'],
    3 + INSTALLED,
  ],
  [
    'a tranche.yaml that is there',
    { 'apps/lws.yaml': lws('vllm', { namespace: '' }), 'tranche.yaml': 'cluster: eu\n' },
    '--namespace llm',
    ['tranche.yaml is there, and not edited: add namespaces: {"apps": llm}'],
    0,
  ],
  [
    'a file in the place of the Rollout',
    { 'apps/lws.yaml': lws('vllm'), 'rollouts/vllm.yaml': 'kind: Other\n' },
    '',
    ['rollouts/llm-vllm.yaml'],
    3 + INSTALLED,
  ],
  [
    'names that are none, and folders that are no words of a shell',
    { 'apps/a.yaml': lws('"$(reboot)"'), "apps/my 'model'/lws.yaml": lws('vllm', { namespace: '' }) },
    '--namespace llm',
    ['its name is "$(reboot)"', '(BadName)'],
    3 + INSTALLED,
  ],
  [
    'a number that nobody can read',
    { 'apps/a.yaml': lws('vllm').replace('replicas: 4', 'replicas: 0x4'), 'apps/b.yaml': lws('chat') },
    '',
    ['apps/a.yaml:7', 'llm/chat'],
    3 + INSTALLED,
  ],
  [
    'options that say what is wanted',
    { 'apps/a.yaml': lws('vllm') },
    '--rollouts delivery/all --policy none --run workflow',
    ['delivery/all/vllm.yaml', 'put your own in place of the examples: .github/workflows/tranche.yaml:'],
    3,
  ],
];

describe('what is added and what is refused', () => {
  test.each(rows)('%s', async (_what, files, line, said, added) => {
    const own = clone(files);
    const before = new Map(
      own
        .files()
        .filter((path) => path in files)
        .map((path) => [path, own.read(path)]),
    );
    const { code, out, err } = await own.run(`init --write ${line}`.trim());
    expect({ code, err }).toEqual({ code: 0, err: '' });
    for (const text of said) expect(out).toContain(text);
    expect(own.files().length - Object.keys(files).length).toBe(added);
    for (const [path, text] of before) expect(own.read(path)).toBe(text);
    if (added > 0) expect(out).toContain('tranche lint finds nothing wrong with them');
  });

  test('fifty of them, two with one name: each gets a Rollout of its own, and lint finds nothing', async () => {
    const names = Array.from({ length: 49 }, (_, at) => [`apps/m${at}.yaml`, lws(`m${at}`, { replicas: at })] as const);
    const own = clone({ ...Object.fromEntries(names), 'apps/twin.yaml': lws('m7', { namespace: 'eu' }) });
    const { out } = await own.run('init --write');
    for (const said of ['50 LeaderWorkerSets:', 'tranche lint finds nothing wrong with them'])
      expect(out).toContain(said);
    expect(own.files()).toContain('rollouts/eu-m7.yaml');
  });
});

describe('the state of a clone', () => {
  test('shallow, detached and with edits that nobody has committed: what lies there is read', async () => {
    const own = clone({ 'apps/lws.yaml': lws('vllm') });
    for (const message of ['first', 'second']) {
      git(own.folder, 'add', '-A');
      git(own.folder, 'commit', '-q', '--allow-empty', '-m', message);
    }
    const folder = join(own.folder, 'shallow');
    git(own.folder, 'clone', '-q', '--depth', '1', `file://${own.folder}`, folder);
    git(folder, 'checkout', '-q', '--detach');
    writeFileSync(join(folder, 'apps/lws.yaml'), lws('chat', { replicas: 9 }));
    const { code, out } = await called(folder).run('init');
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('9 groups in 4 steps, 1, 25%, 50%, 100%') });
  });

  test('a template of a chart is refused once, with the way out, and no size that it does not say', async () => {
    const own = clone({
      'chart/Chart.yaml': 'name: x\n',
      'chart/templates/lws.yaml': lws('x', { namespace: '' }).replace('replicas: 4', 'replicas: {{ .Values.n }}'),
    });
    const { out } = await own.run('init');
    expect(out).toContain('?/x  chart/templates/lws.yaml:1  vllm/vllm-openai:v0.10.2\n');
    const [, refused = ''] = out.split('refused, with the way out:\n');
    expect(refused.split('\n\n')[0]).toMatch(
      /^ {2}chart\/templates\/lws\.yaml:\d+: .*\(UnsupportedLayout\)\. .*docs\/helm-releases\.md.*$/,
    );
  });

  test('a line end in the name of a file adds no line to what is printed', async () => {
    const own = clone({
      'apps/a\n  forged.yaml': lws('vllm'),
      'apps/b\nforged/kustomization.yaml': 'resources: [x.yaml]\n',
    });
    const { out } = await own.run('init');
    expect(out).toContain('llm/vllm  apps/a\\n  forged.yaml:1  4 groups');
    expect(out.split('\n').filter((line) => line.trimStart().startsWith('forged'))).toEqual([]);
  });

  test('a link on the way to a file is not followed, and nothing is written', async () => {
    const own = clone({ 'apps/lws.yaml': lws('vllm') });
    symlinkSync(tmpdir(), join(own.folder, 'policies'));
    const before = own.files();
    const { code, err } = await own.run('init --write');
    expect({ code, err }).toEqual({
      code: 2,
      err: 'error: policies/default.yaml cannot be written: policies is there already. Nothing was written\n',
    });
    expect(own.files()).toEqual(before);
  });

  test('a repository without files of its own is looked at, and not written to; a cluster that is named is read', async () => {
    const files = { 'apps/lws.yaml': lws('vllm') };
    const site = await startSite({ files });
    expect(await site.run('init --write')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--write needs a clone'),
    });
    const own = clone({ 'apps/lws.yaml': lws('chat') });
    expect((await own.run('init', { KUBECONFIG: site.kubeconfig })).out).toContain(
      'in the cluster, and in no file that was read:\n  llm/vllm\n',
    );
    expect(await site.run('init')).toMatchObject({ code: 0, out: expect.stringContaining('rollouts/vllm.yaml') });
  });

  test.each([
    ['--policy strict', '--policy is strict, wanted default, production, freeze, gpu-budget, none'],
    ['--run cron', '--run is cron, wanted auto, workflow, deployment, none'],
    ['--namespace A/b', '--namespace is "A/b", wanted the name of a namespace'],
    ['--rollouts ../x', '--rollouts is "../x", wanted a folder below the root of the repository'],
  ])('%s is refused', async (line, said) => {
    const own = clone({ 'apps/lws.yaml': lws('vllm') });
    expect(await own.run(`init ${line}`)).toEqual({ code: 2, out: '', err: `error: ${said}\n` });
  });
});

/** Groups that are on the new version after a step, as Kruise counts: percentages round up. */
const reached = (groups: number): readonly number[] =>
  firstSteps(groups).map(({ replicas }) =>
    typeof replicas === 'number' ? replicas : Math.ceil((groups * Number.parseInt(replicas, 10)) / 100),
  );

test('the steps for any number of groups grow, end with all, start with one, and take at most half at a time', () => {
  for (let groups = 0; groups <= 200; groups += 1) {
    const after = reached(groups);
    expect(after.at(-1)).toBe(groups);
    if (groups > 1) expect(after[0]).toBe(1);
    for (const [at, count] of after.entries()) {
      if (groups > 0) expect(count - (after[at - 1] ?? 0)).toBeGreaterThan(0);
      if (groups > 1) expect(count - (after[at - 1] ?? 0)).toBeLessThanOrEqual(Math.ceil(groups / 2));
    }
  }
});

describe('kustomize folders', () => {
  const kustomize = recordedKustomize();
  afterAll(() => kustomize.remove());
  const built =
    'built by kustomize (tranche roots has more); with TRANCHE_KUSTOMIZE, the path of kustomize, init proposes their Rollouts:\n';
  const named = { TRANCHE_KUSTOMIZE: kustomize.file };

  test('get their Rollouts as they are built, and a plain manifest that is only listed gets its own', async () => {
    const plain = { 'apps/vllm/kustomization.yaml': 'resources: [lws.yaml]\n', 'apps/vllm/lws.yaml': lws('vllm') };
    const { run, files, read } = clone({ ...llmD(), ...plain });
    const before = files();
    const { code, out } = await run('init', named);
    expect(code).toBe(0);
    expect(out).toContain(`3 LeaderWorkerSets:
  llm/vllm  apps/vllm/lws.yaml:1  4 groups of 2 pods, 16 GPUs a group  vllm/vllm-openai:v0.10.2
    nothing in these files applies it: see "Agents" in REFERENCE.md for its settings
  llm/prod-wide-ep-decode  guides/wide-ep/overlays/prod/kustomization.yaml:1  2 groups of 2 pods, 16 GPUs a group  ghcr.io/llm-d/llm-d-cuda:v0.9.0
`);
    expect(out).not.toContain('built by kustomize (');
    expect(files()).toEqual(before);
    const line = 'add {name: TRANCHE_KUSTOMIZE, value: kustomize} to env in install/base/deployment.yaml';
    expect((await run('init --write', named)).out).toContain(`to start it: ${line}`);
    const rollout = parse(read('rollouts/prod-wide-ep-decode.yaml'));
    expect([rollout.metadata, rollout.spec.workloadRef.name]).toEqual([
      { name: 'prod-wide-ep-decode', namespace: 'llm' },
      'prod-wide-ep-decode',
    ]);
    expect(await run('lint', named)).toMatchObject({ code: 0 });
    expect((await run('init', named)).out).toContain('nothing to add: tranche lint finds nothing wrong with them');
  });
  test('are named with what they build where nobody has named the program', async () => {
    const folder = dirname(kustomize.file);
    const { out } = await clone(llmD()).run('init', { PATH: `${folder}:${process.env['PATH'] ?? ''}` });
    expect(out).toContain(
      `${built}  llm/prod-wide-ep-decode  guides/wide-ep/overlays/prod/kustomization.yaml  2 groups of 2 pods  ghcr.io/llm-d/llm-d-cuda:v0.9.0
  llm/stage-wide-ep-decode  guides/wide-ep/overlays/stage/kustomization.yaml  1 group of 2 pods  ghcr.io/llm-d/llm-d-cuda:v0.9.0
`,
    );
  });
  test('are named without a build where there is no kustomize', async () => {
    const { out } = await clone(llmD()).run('init', { TRANCHE_KUSTOMIZE: 'no-such-kustomize' });
    expect(out).toContain(
      `${built}  guides/wide-ep/overlays/prod/kustomization.yaml: there is no no-such-kustomize (BuilderMissing).`,
    );
  });
});

test('what lint warns of is counted', async () => {
  const fixed = '            envFrom: [{configMapRef: {name: settings}}, {secretRef: {name: token}}]\n';
  const own = clone({ 'apps/vllm/lws.yaml': `${lws('vllm')}${fixed}` });
  const said = 'tranche lint finds nothing wrong with them, and warns of 2 things';
  expect((await own.run('init --write')).out).toContain(said);
  expect((await own.run('lint')).out.match(/^warning: /gm)).toHaveLength(2);
});

test('the namespace of a hostile manifest writes nothing into the access that is proposed', async () => {
  const evil = 'llm\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata:\n  name: evil';
  const own = clone({
    'apps/vllm/lws.yaml': lws('vllm'),
    'evil/lws.yaml': lws('other', { namespace: JSON.stringify(evil) }),
  });
  expect(await own.run('init --write --run deployment')).toMatchObject({ code: 0 });
  const bindings = own.read('install/overlay/bindings.yaml');
  expect(bindings).toContain('namespace: llm');
  expect(bindings).not.toContain('ClusterRoleBinding');
});

describe('--strategy', () => {
  // A Service of the name of the workload would take that of its headless one.
  const named = SERVICE.replace('{name: vllm, namespace', '{name: vllm-api, namespace').replace(
    '[{name: vllm,',
    '[{name: vllm-api,',
  );
  const [service = '', route = ''] = named.split('---\n');
  const ingress = (name: string): string => `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, namespace: llm}
spec:
  ingressClassName: ${name}
  rules: [{http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: vllm-api, port: {number: 8000}}}}]}}]
`;
  const grpc = route.replace('HTTPRoute', 'GRPCRoute').replace('chat', 'tokens');

  test.each([
    [
      'canary',
      [service, route, ingress('nginx'), grpc],
      `    canary:
      enableExtraWorkloadForCanary: true
      trafficRoutings:
        - service: vllm-api
          gateway: {httpRouteName: chat}
          ingress: {name: web, classType: nginx}
          customNetworkRefs:
            - {apiVersion: gateway.networking.k8s.io/v1, kind: GRPCRoute, name: tokens}
      steps:
        - replicas: 1
          traffic: 5%
          pause: {duration: 600} # seconds after its groups are ready
        - replicas: 50%
          traffic: 50%
          pause: {} # until somebody says: tranche approve
`,
    ],
    [
      'blueGreen',
      [service],
      `    blueGreen:
      trafficRoutings:
        - service: vllm-api
      steps:
        - replicas: 1
          traffic: 5%
          pause: {duration: 600} # seconds after its groups are ready
        - replicas: 50%
          traffic: 25%
          pause: {duration: 600} # seconds after its groups are ready
        - replicas: 100%
          traffic: 50%
          pause: {} # until somebody says: tranche approve
`,
    ],
  ])(
    '%s: the Service, its routes and steps with shares, in a file that lint passes',
    async (strategy, front, wanted) => {
      const own = clone({ 'apps/lws.yaml': lws('vllm'), 'apps/front.yaml': front.join('---\n') });
      const { code, out } = await own.run(`init --write --strategy ${strategy} --run none`);
      expect(out).not.toContain('refused');
      expect(code).toBe(0);
      expect(own.read('rollouts/vllm.yaml').split('  strategy:\n')[1]).toBe(wanted);
      expect(await own.run('lint')).toMatchObject({ code: 0, err: '' });
      expect((await own.run(`init --write --strategy ${strategy} --run none`)).out, 'a second call').toContain(
        'nothing to add',
      );
    },
  );

  test.each([
    ['canary', [], 'no Service in these files selects its leaders', '--strategy partition'],
    ['blueGreen', [], 'no Service in these files selects its leaders', '--strategy partition'],
    [
      'canary',
      [service],
      'no route in these files sends requests to Service vllm-api (apps/front.yaml:1)',
      'blueGreen',
    ],
    [
      'canary',
      [service, service.replace('name: vllm-api,', 'name: other,'), route],
      'all select its leaders',
      'by hand',
    ],
    ['canary', [service, route, route.replace('chat', 'chat-2')], 'a Rollout takes one of the kind', 'by hand'],
    ['canary', [service, ingress('haproxy')], 'is of the class "haproxy"', 'by hand'],
  ])('%s with %j in front is refused: %s', async (strategy, front, said, way) => {
    const files = {
      'apps/lws.yaml': lws('vllm'),
      ...(front.length === 0 ? {} : { 'apps/front.yaml': front.join('---\n') }),
    };
    const own = clone(files);
    const { code, out } = await own.run(`init --write --strategy ${strategy}`);
    expect(code).toBe(0);
    for (const text of ['(FrontUnclear)', said, way, 'nothing to add']) expect(out).toContain(text);
    expect(own.files().length).toBe(Object.keys(files).length);
  });

  test.each([0, 1, 2, 3, 33])('%i groups have steps that lint passes', async (replicas) => {
    for (const strategy of ['canary', 'blueGreen']) {
      const own = clone({ 'apps/lws.yaml': lws('vllm', { replicas }), 'apps/front.yaml': named });
      const { out } = await own.run(`init --write --strategy ${strategy} --run none`);
      expect(out).toContain('tranche lint finds nothing wrong with them');
      expect(own.files()).toContain('rollouts/vllm.yaml');
    }
  });

  test('a word that is none of them', async () => {
    expect(await clone({}).run('init --strategy rolling')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--strategy is rolling, wanted partition, canary, blueGreen'),
    });
  });
});
