/** Everything that people and clusters get wrong: what is said, how it ends, and that the good rollout next to it goes on. */

import { afterEach, describe, expect, test } from 'vitest';
import { startSite, stopSites } from '../support/site.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';

afterEach(stopSites);

const GOOD = {
  'apps/good/lws.yaml': LWS_TEXT.replaceAll('vllm', 'good').replaceAll('good/good-openai', 'vllm/vllm-openai'),
  'rollouts/good.yaml': ROLLOUT_TEXT.replaceAll('vllm', 'good'),
};
const LWS_TYPE = 'apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\n';

type Files = Readonly<Record<string, string>>;

const lws = (from: string, to: string): Files => ({ [LWS_FILE]: replaced(LWS_TEXT, from, to) });
const rollout = (from: string, to: string): Files => ({ [ROLLOUT_FILE]: replaced(ROLLOUT_TEXT, from, to) });
const marked = (...marks: readonly string[]): Files =>
  lws(
    '  namespace: llm\n',
    `  namespace: llm\n  annotations:\n${marks.map((mark) => `    tranche.dev/${mark}\n`).join('')}`,
  );

function replaced(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`no ${from}`);
  return text.replace(from, to);
}

/** What is wrong, the files next to or over the usual ones, and the lines that `lint` says. */
const rows: readonly (readonly [what: string, files: Files, said: readonly string[]])[] = [
  [
    'a workload that is no YAML',
    lws('name: vllm', 'name: "vllm'),
    [
      'apps/vllm/lws.yaml:31: not YAML: Missing closing "quote (UnparsableYaml). Correct the file; `kubectl apply --dry-run=client -f` shows the same fault.',
      'rollouts/vllm.yaml:10: Rollout vllm: no LeaderWorkerSet llm/vllm in the files that were read (WorkloadMissing). Check the name, the namespace (also namespaces in tranche.yaml), and paths in tranche.yaml.',
    ],
  ],
  [
    'a workload that kustomize fetches',
    {
      [LWS_FILE]: '# comes from the base\n',
      'apps/vllm/kustomization.yaml': 'resources:\n  - https://github.com/llm-d/llm-d//guides/wide-ep-lws?ref=v0.7\n',
    },
    [
      'rollouts/vllm.yaml:10: Rollout vllm: no LeaderWorkerSet llm/vllm in the files that were read; apps/vllm/kustomization.yaml:2 lists https://github.com/llm-d/llm-d//guides/wide-ep-lws?ref=v0.7, and what that holds is not in this repository (WorkloadMissing). Check the name, the namespace (also namespaces in tranche.yaml), and paths in tranche.yaml. If the workload comes from there: copy it into the repository (kustomize localize), and list the copy.',
    ],
  ],
  [
    'a Rollout that is no YAML: its first fault only',
    rollout('  strategy:', '  strategy: ['),
    [
      'rollouts/vllm.yaml:14: not YAML: Nested mappings are not allowed in compact mappings (UnparsableYaml). Correct the file; `kubectl apply --dry-run=client -f` shows the same fault.',
    ],
  ],
  [
    'a line break that only some parsers know',
    rollout('  strategy:', '  # note\u2028  paused: true\n  strategy:'),
    [
      'rollouts/vllm.yaml:11: the character U+2028 ends a line for YAML 1.1, which Kubernetes reads, and is text for YAML 1.2: the document would mean two things (UnclearLineBreak). Remove it, or write it as "\\u2028" in double quotes.',
    ],
  ],
  [
    'two Rollouts of one name',
    { 'rollouts/copy.yaml': ROLLOUT_TEXT },
    [
      'rollouts/copy.yaml:4: Rollout vllm: the same object is also in rollouts/vllm.yaml:1; wanted it once (DuplicateObject). Remove all but one, or narrow paths in tranche.yaml.',
    ],
  ],
  [
    'one Rollout in twelve files: one problem',
    Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`rollouts/copy-${at + 10}.yaml`, ROLLOUT_TEXT])),
    [
      'rollouts/copy-10.yaml:4: Rollout vllm: the same object is also in rollouts/copy-11.yaml:1, rollouts/copy-12.yaml:1, rollouts/copy-13.yaml:1, rollouts/copy-14.yaml:1, rollouts/copy-15.yaml:1 and 6 more; wanted it once (DuplicateObject). Remove all but one, or narrow paths in tranche.yaml.',
    ],
  ],
  [
    'two Rollouts for one workload',
    { 'rollouts/second.yaml': replaced(ROLLOUT_TEXT, 'name: vllm', 'name: second') },
    [
      'rollouts/second.yaml:10: Rollout second: vllm is also named by Rollout vllm in rollouts/vllm.yaml:1 (WorkloadClaimedTwice). Keep one Rollout for a workload.',
      'rollouts/vllm.yaml:10: Rollout vllm: vllm is also named by Rollout second in rollouts/second.yaml:1 (WorkloadClaimedTwice). Keep one Rollout for a workload.',
    ],
  ],
  [
    'a workload that is missing',
    rollout('    name: vllm\n', '    name: vlm\n'),
    [
      'rollouts/vllm.yaml:10: Rollout vllm: no LeaderWorkerSet llm/vlm in the files that were read (WorkloadMissing). Check the name, the namespace (also namespaces in tranche.yaml), and paths in tranche.yaml.',
    ],
  ],
  [
    'a workload that is there twice',
    { 'apps/copy/lws.yaml': LWS_TEXT },
    [
      'apps/copy/lws.yaml:5: LeaderWorkerSet vllm: the same object is also in apps/vllm/lws.yaml:2; wanted it once (DuplicateObject). Remove all but one, or narrow paths in tranche.yaml.',
    ],
  ],
  [
    'a field that the Rollout does not have',
    rollout('pause: {}', 'pausse: {}'),
    [
      'rollouts/vllm.yaml:17: Rollout vllm: spec.strategy.canary.steps[1].pausse is not a field of this object (UnknownField). Did you mean pause? Remove it, or use one of: replicas, pause, traffic, matches, requestHeaderModifier.',
    ],
  ],
  [
    'steps that go down',
    rollout('50%', '20%'),
    [
      'rollouts/vllm.yaml:16: Rollout vllm: spec.strategy.canary.steps[1].replicas is 20%, but the step before already updates 25% (StepsNotIncreasing). List the steps from the smallest to the largest.',
    ],
  ],
  [
    'no partition in a managed workload',
    {
      [LWS_FILE]: replaced(
        marked('release: "e7c114e968aaeab9b1c9c452a755d3c9.1"')[LWS_FILE] ?? '',
        '      partition: 0\n',
        '',
      ),
    },
    [
      'apps/vllm/lws.yaml:13: LeaderWorkerSet vllm: partition is missing, which LWS reads as 0: the next edit would restart every group (PartitionMissing). Put back the value that the last commit of tranche wrote; 1000000 when nothing is being delivered.',
    ],
  ],
  [
    'annotations that nobody can read',
    marked('release: "nope"', 'step: "5/3"'),
    [
      'apps/vllm/lws.yaml:8: LeaderWorkerSet vllm: tranche.dev/release is "nope", wanted <32 hex digits>.<serial> (BadAnnotation). Put the value back that the last commit of tranche wrote (git log -p shows it; on a LeaderWorkerSet tranche repair does it), or remove an order that is no longer meant.',
      'apps/vllm/lws.yaml:9: LeaderWorkerSet vllm: tranche.dev/step is "5/3", wanted "k/n@<release>" with the release of this object, "promote" or "rollback" (BadAnnotation). Put the value back that the last commit of tranche wrote (git log -p shows it; on a LeaderWorkerSet tranche repair does it), or remove an order that is no longer meant.',
    ],
  ],
  [
    'a step without a release',
    marked('step: "1/3"'),
    [
      'apps/vllm/lws.yaml:7: LeaderWorkerSet vllm: tranche.dev/release is missing, though there is tranche.dev/step, wanted a release (BadAnnotation). Put the value back that the last commit of tranche wrote (git log -p shows it; on a LeaderWorkerSet tranche repair does it), or remove an order that is no longer meant.',
    ],
  ],
  [
    'an annotation of a newer tranche, an order on the wrong object, and one that is misspelt',
    {
      ...rollout(
        '  namespace: llm\n',
        '  namespace: llm\n  annotations:\n    tranche.dev/abrot: "9c41d2e09c41d2e09c41d2e09c41d2e0.7"\n',
      ),
      ...marked('pace: "slow"', 'approve: "2@9c41d2e09c41d2e09c41d2e09c41d2e0.7"'),
    },
    [
      'apps/vllm/lws.yaml:8: LeaderWorkerSet vllm: tranche.dev/pace is nothing that this version of tranche reads there (UnknownAnnotation). If a newer tranche wrote it (git log -p shows who did), run that one. If it is misspelt or on the wrong object, correct it or take it out.',
      'apps/vllm/lws.yaml:9: LeaderWorkerSet vllm: tranche.dev/approve is nothing that this version of tranche reads there (UnknownAnnotation). If',
      'rollouts/vllm.yaml:7: Rollout vllm: tranche.dev/abrot is nothing that this version of tranche reads there; is tranche.dev/abort meant? (UnknownAnnotation). If',
    ],
  ],
  [
    'an intent that nobody can read',
    rollout('  namespace: llm\n', '  namespace: llm\n  annotations:\n    tranche.dev/approve: "yes"\n'),
    [
      'rollouts/vllm.yaml:7: Rollout vllm: tranche.dev/approve is "yes", wanted <step>@<release>#<partition>, as 2@<32 hex digits>.7#6 (BadAnnotation). Put the value back that the last commit of tranche wrote (git log -p shows it; on a LeaderWorkerSet tranche repair does it), or remove an order that is no longer meant.',
    ],
  ],
  [
    'an acceptance without what was seen',
    rollout(
      '  namespace: llm\n',
      '  namespace: llm\n  annotations:\n    tranche.dev/accept: "Overshoot@9c41d2e09c41d2e09c41d2e09c41d2e0.7"\n',
    ),
    [
      'rollouts/vllm.yaml:7: Rollout vllm: tranche.dev/accept is "Overshoot@9c41d2e09c41d2e09c41d2e09c41d2e0.7", wanted <hold>@<release>#<digest',
    ],
  ],
  [
    'a kustomization with a patch, which looks like a second workload',
    {
      'apps/vllm/kustomization.yaml': 'resources:\n  - lws.yaml\npatches:\n  - path: patch.yaml\n',
      'apps/vllm/patch.yaml': `${LWS_TYPE}metadata:\n  name: vllm\n  namespace: llm\nspec:\n  replicas: 5\n`,
    },
    ['apps/vllm/kustomization.yaml:4: LeaderWorkerSet vllm (apps/vllm/lws.yaml): the kustomization '],
  ],
  [
    'a Helm template',
    {
      'apps/vllm/Chart.yaml': 'name: vllm\n',
      'apps/vllm/templates/lws.yaml': replaced(LWS_TEXT, 'replicas: 4', 'replicas: {{ .Values.replicas }}'),
      [LWS_FILE]: '',
    },
    [
      'apps/vllm/templates/lws.yaml:8: LeaderWorkerSet vllm: the file is a template of the Helm chart apps/vllm, so it is not what the cluster gets (UnsupportedLayout). If a Flux HelmRelease renders it, name that one in its Rollout (docs/helm-releases.md). Else commit what helm template prints, and let the agent apply that.',
      'apps/vllm/templates/lws.yaml:8: LeaderWorkerSet vllm: spec.replicas is filled in by a template ({{ }}); a plain value was wanted (TemplatedValue). If a Flux HelmRelease renders it, name that one in its Rollout (docs/helm-releases.md). Else commit what helm template prints, and let the agent apply that.',
    ],
  ],
  [
    'a Rollout that moves traffic',
    rollout('        - replicas: 25%\n', '        - replicas: 25%\n          traffic: 5%\n'),
    [
      'rollouts/vllm.yaml:12: Rollout vllm: traffic (traffic, matches) without trafficRoutings is not built for this strategy (NotSupportedYet). Name the Service and its routes under trafficRoutings, or deliver with enableExtraWorkloadForCanary: true.',
    ],
  ],
  [
    'a Rollout of the old version, with its own fields',
    {
      [ROLLOUT_FILE]:
        'apiVersion: rollouts.kruise.io/v1alpha1\nkind: Rollout\nmetadata:\n  name: vllm\n  namespace: llm\nspec:\n  objectRef:\n    workloadRef: {apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, name: vllm}\n  strategy:\n    canary:\n      steps:\n      - weight: 5\n',
    },
    [
      'rollouts/vllm.yaml:1: Rollout vllm: apiVersion is rollouts.kruise.io/v1alpha1, wanted rollouts.kruise.io/v1beta1 (NotSupportedYet). Write the Rollout in rollouts.kruise.io/v1beta1.',
    ],
  ],
  [
    'a Rollout of a version that LWS does not have',
    rollout('leaderworkerset.x-k8s.io/v1\n', 'leaderworkerset.x-k8s.io/v2\n'),
    [
      'rollouts/vllm.yaml:7: Rollout vllm: workloadRef is leaderworkerset.x-k8s.io/v2 LeaderWorkerSet, wanted leaderworkerset.x-k8s.io/v1 LeaderWorkerSet (NotSupportedYet). tranche delivers LeaderWorkerSets only.',
    ],
  ],
  [
    'a Rollout of a DisaggregatedSet',
    rollout(
      'leaderworkerset.x-k8s.io/v1\n    kind: LeaderWorkerSet',
      'disaggregatedset.x-k8s.io/v1\n    kind: DisaggregatedSet',
    ),
    [
      'rollouts/vllm.yaml:7: Rollout vllm: workloadRef is disaggregatedset.x-k8s.io/v1 DisaggregatedSet, wanted leaderworkerset.x-k8s.io/v1 LeaderWorkerSet (NotSupportedYet). A DisaggregatedSet makes its LeaderWorkerSets itself and allows no partition, so no step can be held. Write one LeaderWorkerSet for each role, with a Rollout each, or delete this Rollout.',
    ],
  ],
  [
    'a Rollout of a kind in other letters',
    rollout('kind: LeaderWorkerSet', 'kind: LeaderWorkerset'),
    [
      'rollouts/vllm.yaml:7: Rollout vllm: workloadRef is leaderworkerset.x-k8s.io/v1 LeaderWorkerset, wanted leaderworkerset.x-k8s.io/v1 LeaderWorkerSet (NotSupportedYet). tranche delivers LeaderWorkerSets only.',
    ],
  ],
  [
    'a Rollout of no known namespace',
    rollout('  namespace: llm\n', ''),
    [
      'rollouts/vllm.yaml:3: Rollout vllm: no namespace in the manifest, and tranche.yaml maps none to its path (NamespaceUnknown). Add metadata.namespace, or a line under namespaces in tranche.yaml for rollouts/vllm.yaml.',
    ],
  ],
  [
    'a name that would leave its folder',
    rollout('name: vllm\n  namespace', 'name: ../../etc\n  namespace'),
    [
      'rollouts/vllm.yaml:4: Rollout ../../etc: its name is "../../etc", wanted a name that Kubernetes accepts (BadName). Use lower-case letters, digits and -.',
    ],
  ],
  [
    'a partition that readers of YAML disagree on',
    lws('partition: 0', 'partition: 0o17'),
    ['apps/vllm/lws.yaml:14: LeaderWorkerSet vllm: spec.rolloutStrategy.rollingUpdateConfiguration.partition '],
  ],
  [
    'a budget in percent',
    lws('maxUnavailable: 1 ', 'maxUnavailable: 25% '),
    [
      'apps/vllm/lws.yaml:12: LeaderWorkerSet vllm: maxUnavailable is 25%, wanted a count: a percentage becomes 0 when the workload is scaled down, and LWS stops (PercentMaxUnavailable). Write a number of groups, at least 1.',
    ],
  ],
  [
    'a surge',
    lws('maxSurge: 0', 'maxSurge: 1'),
    [
      'apps/vllm/lws.yaml:13: LeaderWorkerSet vllm: maxSurge is 1, wanted 0: surge groups start on the new template at once, whatever the partition (SurgeUnsupported). Set maxSurge: 0.',
    ],
  ],
];

describe('files', () => {
  test.each(rows)('%s', async (_, files, said) => {
    const site = await startSite({ files: { ...VLLM_FILES, ...files, ...GOOD } });
    const lint = await site.run('lint');
    const lines = lint.out.trimEnd().split('\n').slice(0, -2);
    expect(lines.map((line, index) => line.slice(0, said[index]?.length))).toEqual(said);
    expect(lint).toMatchObject({ code: 1, err: '' });

    const before = {
      bad: await site.text(ROLLOUT_FILE),
      lws: await site.repository.git('ls-tree', 'main', 'apps/vllm/'),
    };
    const first = await site.run('reconcile');
    expect(first.code).toBe(1);
    for (const line of lines) expect(first.out, 'what lint says').toContain(line.split(' (')[0]);
    expect(first.out).toContain('rollout(llm/good): adopt');
    expect(await site.text(ROLLOUT_FILE)).toBe(before.bad);
    expect(await site.repository.git('ls-tree', 'main', 'apps/vllm/')).toBe(before.lws);
    await site.settle();
    await site.run('reconcile');

    const heads = [await site.head(), await site.head('tranche-status')];
    expect((await site.run('reconcile')).code, 'the same again').toBe(1);
    expect([await site.head(), await site.head('tranche-status')], 'nothing new to write').toEqual(heads);
  });

  test('an edit of a workload whose Rollout is wrong stays locked, and the way on is the correction', async () => {
    const site = await startSite();
    await site.run('reconcile');
    await site.edit(ROLLOUT_FILE, '50%', '20%');
    await site.edit(LWS_FILE, OLD, NEW);
    await site.settle();
    const held = await site.run('reconcile');
    expect(held.code).toBe(1);
    expect(await site.subject()).toBe(`edit ${LWS_FILE}`);
    await site.edit(ROLLOUT_FILE, '20%', '50%');
    expect(await site.run('reconcile')).toMatchObject({ code: 0 });
    expect(await site.subject()).toBe('rollout(llm/vllm): step 1/3, partition 1000000 → 3');
  });
});

describe('tranche.yaml', () => {
  const wrong: readonly (readonly [what: string, text: string, said: readonly string[]])[] = [
    [
      'every fault, in the order of its lines',
      'cluster: Not OK\nbranches:\n  desired: main\n  status: main\nauditSeconds: soon\npaths:\n  - ../x\nfoo: 1\nnamespaces: {apps: ../x}\n',
      [
        'tranche.yaml:1: cluster is "Not OK", wanted a DNS label. Use lower-case letters, digits and -.',
        'tranche.yaml:2: branches has "main" twice, wanted two branches. Keep the status on a branch of its own, which no agent applies.',
        'tranche.yaml:5: auditSeconds is "soon", wanted a whole number from 60 to 86400. Correct it.',
        'tranche.yaml:6: paths has "../x", wanted a path from the root of the repository. Remove leading /, "." and "..".',
        'tranche.yaml:8: foo is not a field of this object. Remove it, or use one of: cluster, branches, paths, namespaces, owners, autoscaled, fixedReferences, lwsVersion, auditSeconds, intervalSeconds, requiredPolicies, policyPaths, stopFile, promotion, maxProposals, links, statusKeys, app, author.',
        'tranche.yaml:9: namespaces has "../x", wanted the name of a namespace. Map the path to one, of lower-case letters, digits and -, as apps: llm.',
      ],
    ],
    [
      'no YAML',
      'cluster: a\nbranches: {desired: main\n',
      [
        'tranche.yaml:3: not YAML: Flow map in block collection must be sufficiently indented and end with a }. Correct the file at that line; tranche lint in a clone says',
      ],
    ],
    ['a list', '- a\n', ['tranche.yaml:1: the document is ["a"], wanted a map. Write the fields of this object.']],
    [
      'one key twice',
      'cluster: a\ncluster: b\n',
      ['tranche.yaml:2: the key "cluster" is written twice in one map, first on line 1. '],
    ],
    ['no text', '\u0000\u0001', ['tranche.yaml:1: ']],
    [
      'a second document, which would count for nothing',
      'cluster: a\n---\npolicyPaths: [trusted]\n',
      ['tranche.yaml:3: there are 2 documents, wanted one: what the others say would not count. Put it all into one'],
    ],
  ];
  test.each(wrong)('%s', async (_, text, said) => {
    const site = await startSite({ files: { ...VLLM_FILES, 'tranche.yaml': text } });
    for (const verb of ['reconcile', 'plan', 'lint', 'status', 'approve vllm']) {
      const called = await site.run(verb);
      expect(called, verb).toMatchObject({ code: 2, out: '' });
      const lines = called.err.trimEnd().split('\n');
      expect(lines.slice(0, said.length).map((line, index) => line.slice(0, said[index]?.length))).toEqual(said);
      const never = verb === 'lint' ? [] : [expect.stringContaining('main has never had one')];
      expect(lines.slice(said.length)).toEqual(never);
    }
    expect(await site.subject()).toBe('first files');
    expect(await site.head('tranche-status')).toBe('');
  });
});

describe('a file of data on the paths, over the limit', () => {
  const DATA = 'apps/vllm/tokenizer.json';
  const large = ' '.repeat(1_100_000);

  test('stops nothing: it is named once, and a settled repository is quiet next to it', async () => {
    const site = await startSite({ files: { ...VLLM_FILES, [DATA]: large }, signed: true });
    const linted = await site.run('lint');
    expect(linted).toMatchObject({ code: 0, out: expect.stringContaining(`warning: ${DATA}: it has 1100000 bytes`) });
    expect(linted.out).toContain('0 problems');
    const first = await site.run('reconcile');
    expect(first).toMatchObject({ code: 0, out: expect.stringContaining(`note: ${DATA}: it has 1100000 bytes`) });
    await site.settle();
    await site.run('reconcile');
    expect((await site.run('reconcile')).out).toBe('nothing has moved, all settled\n');
  });

  test('YAML is a problem still', async () => {
    const site = await startSite({ files: { ...VLLM_FILES, 'apps/large.yaml': large } });
    expect(await site.run('lint')).toMatchObject({
      code: 1,
      out: expect.stringMatching(/large\.yaml: .*UnreadableFile/),
    });
  });

  test('a workload that is missing names what was not read', async () => {
    const { [LWS_FILE]: _gone, ...others } = VLLM_FILES;
    const site = await startSite({ files: { ...others, [DATA]: large } });
    const { out } = await site.run('lint');
    expect(out).toMatch(
      /no LeaderWorkerSet llm\/vllm in the files that were read; not read: apps\/vllm\/tokenizer\.json/,
    );
  });
});
