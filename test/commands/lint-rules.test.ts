/** Each rule that keeps a workload from being stepped, with its place, its words, and that nothing is written. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { EXIT } from '../../src/options.ts';
import { ladderFiles, ladderRollout } from '../support/ladder.ts';
import { linted } from '../support/linted.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

async function report(world: World): Promise<{ readonly code: number; readonly lines: readonly string[] }> {
  const { code, out } = await linted(world);
  const lines = out.trimEnd().split('\n');
  expect(lines.at(-1)).toMatch(/^read: main at [0-9a-f]{12}$/);
  return { code, lines: lines.slice(0, -1) };
}

function edited(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`no ${from}`);
  return text.replace(from, to);
}

const rows: readonly (readonly [reason: string, from: string, to: string, line: number, said: string])[] = [
  ['SurgeUnsupported', 'maxSurge: 0', 'maxSurge: 25%', 13, 'maxSurge is 25%, wanted 0'],
  [
    'PercentMaxUnavailable',
    'maxUnavailable: 1 ',
    'maxUnavailable: "50%" ',
    12,
    'maxUnavailable is 50%, wanted a count',
  ],
  ['NoBudget', 'maxUnavailable: 1 ', 'maxUnavailable: 0 ', 12, 'maxUnavailable is 0, wanted at least 1'],
  [
    'KueueManaged',
    '  namespace: llm\n',
    '  namespace: llm\n  labels:\n    kueue.x-k8s.io/queue-name: gpus\n',
    8,
    'Kueue manages this workload',
  ],
  [
    'RestartPolicyDefault',
    '    size: 2\n',
    '    size: 2\n    restartPolicy: Default\n',
    17,
    'restartPolicy is Default',
  ],
  ['GroupIdentityHash', '  replicas: 4\n', '  replicas: 4\n  groupIdentity: Hash\n', 9, 'groupIdentity is Hash'],
  ['NotAPlainNumber', 'replicas: 4', 'replicas: four', 8, 'spec.replicas'],
  ['NotAPlainNumber', 'size: 2', 'size: 2.5', 16, 'spec.leaderWorkerTemplate.size'],
  ['AliasInField', '  namespace: llm\n', '  namespace: llm\n  labels: &l {a: b}\n  annotations: *l\n', 8, 'an alias'],
  [
    'AliasInField',
    '  namespace: llm\n',
    '  namespace: llm\n  annotations: &l {a: b}\n  labels: *l\n',
    7,
    'repeats elsewhere',
  ],
  [
    'AliasInField',
    '  replicas: 4\n',
    '  <<: {networkConfig: {subdomainPolicy: Shared}}\n  replicas: 4\n',
    8,
    'merge key',
  ],
  [
    'FieldIsNotMap',
    '  namespace: llm\n',
    '  namespace: llm\n  ? annotations\n',
    7,
    'metadata.annotations is not a map',
  ],
  ['DuplicateKey', '  replicas: 4\n', '  replicas: 4\n  replicas: 5\n', 9, 'replicas'],
];

describe('a workload that cannot be stepped', () => {
  test.each(rows)('%s: %s → %s', async (reason, from, to, line, said) => {
    const world = new World({ files: { ...VLLM_FILES, [LWS_FILE]: edited(LWS_TEXT, from, to) } });
    const { code, lines } = await report(world);
    const found = lines.filter((text) => text.includes(`(${reason})`));
    expect(found, lines.join('\n')).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`^${LWS_FILE}:${line}: `));
    expect(found[0]).toContain(said);
    expect(found[0], 'what to do').toMatch(/\)\. \S.*\.$/);
    expect(code).toBe(EXIT.failed);
    await world.pass();
    expect(world.repository.log('main'), 'nothing is written').toHaveLength(1);
  });

  test('ReplicasMissing: an autoscaler may live in the cluster only, so a pass says it and lint cannot', async () => {
    const world = new World({ files: { ...VLLM_FILES, [LWS_FILE]: edited(LWS_TEXT, '  replicas: 4\n', '') } });
    world.sync();
    world.tick(60);
    expect(await report(world)).toMatchObject({ code: EXIT.ok });
    const result = await world.pass();
    expect(result.failed).toBe(true);
    expect(result.outcomes[0]?.plan?.issues).toMatchObject([{ file: LWS_FILE, line: 7, reason: 'ReplicasMissing' }]);
    expect(world.repository.log('main')).toHaveLength(1);
  });

  test('replicas may be missing where tranche.yaml or a manifest says who writes them', async () => {
    const text = edited(LWS_TEXT, '  replicas: 4\n', '');
    const hpa = `apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: vllm, namespace: llm}\nspec:\n  maxReplicas: 9\n  scaleTargetRef: {apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, name: vllm}\n`;
    for (const more of [{ 'tranche.yaml': 'autoscaled: [llm/vllm]\n' }, { 'apps/vllm/hpa.yaml': hpa }])
      expect(
        await report(new World({ files: { ...VLLM_FILES, [LWS_FILE]: text, ...more } })),
        JSON.stringify(more),
      ).toEqual({
        code: EXIT.ok,
        lines: ['1 Rollout, 0 problems'],
      });
  });
});

test('no Rollout at all: what one is, and where it is looked for', async () => {
  const files = { [ROLLOUT_FILE]: edited(ROLLOUT_TEXT, 'kind: Rollout', 'kind: Rolout') };
  expect(await report(new World({ files }))).toEqual({
    code: EXIT.ok,
    lines: [
      expect.stringContaining('kind is Rolout, wanted Rollout'),
      expect.stringMatching(/^no Rollout of a LeaderWorkerSet found.* kind Rollout\), or check/),
      '0 Rollouts, 0 problems',
    ],
  });
});

test('a Rollout with a misspelt kind next to one that is fine: told, and nothing stops for it', async () => {
  const other = edited(ROLLOUT_TEXT.replaceAll('vllm', 'chat'), 'kind: Rollout', 'kind: Rolout');
  const files = {
    ...VLLM_FILES,
    'rollouts/chat.yaml': `kind: BatchRelease\napiVersion: rollouts.kruise.io/v1beta1\n---\n${other}`,
  };
  expect(await report(new World({ files }))).toEqual({
    code: EXIT.ok,
    lines: [
      'warning: rollouts/chat.yaml:5: kind is Rolout, wanted Rollout: nothing of what it says counts (UnknownKind). Did you mean Rollout?',
      '1 Rollout, 0 problems',
    ],
  });
});

test('Rollouts of other workloads are neither read nor rivals, whatever is in them', async () => {
  const more = {
    'rollouts/web.yaml': edited(
      ROLLOUT_TEXT,
      'leaderworkerset.x-k8s.io/v1\n    kind: LeaderWorkerSet',
      'apps/v1\n    kind: Deployment',
    ),
    'rollouts/set.yaml': edited(ROLLOUT_TEXT, 'leaderworkerset.x-k8s.io/v1', 'example.com/v1'),
    'rollouts/old.yaml':
      'apiVersion: rollouts.kruise.io/v1alpha1\nkind: Rollout\nmetadata: {name: old, namespace: llm}\nspec:\n  objectRef: {workloadRef: {apiVersion: apps/v1, kind: Deployment, name: vllm}}\n',
  };
  expect(await report(new World({ files: { ...VLLM_FILES, ...more } }))).toEqual({
    code: EXIT.ok,
    lines: ['1 Rollout, 0 problems'],
  });
});

test('ForcedApply: a Flux Kustomization over the workload that forces', async () => {
  const flux = (path: string, spec: string): string =>
    `apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: k, namespace: flux-system}\nspec:\n  path: ${path}\n${spec}`;
  const more = {
    'clusters/a.yaml': flux('./apps/vllm', '  force: true\n'),
    'clusters/b.yaml': flux('./apps/other', '  force: true\n'),
    'clusters/c.yaml': flux('./apps/vllm', '  force: false\n'),
    'clusters/d.yaml': 'kind: Kustomization # kustomize.toolkit.fluxcd.io, force\nforce: true\n',
  };
  const { code, lines } = await report(new World({ files: { ...VLLM_FILES, ...more } }));
  expect(code).toBe(EXIT.ok);
  expect(lines).toEqual([
    'warning: clusters/a.yaml:6: Kustomization k: force: true deletes and re-creates whatever refuses a change: an edit of subGroupSize takes all groups of vllm down at once, past every policy (ForcedApply). Remove it, or keep the workload in a Kustomization without it.',
    '1 Rollout, 0 problems',
  ]);
});

test('UnsupportedLayout: what agents add to a folder, each in its own file', async () => {
  const files = {
    'clusters/flux.yaml':
      'apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: k, namespace: flux-system}\nspec:\n  path: ./apps\n  images: [{name: vllm/vllm-openai, newTag: v2}]\n',
    'apps/vllm/kustomization.yaml': 'resources: [lws.yaml]\n',
    'apps/vllm/.argocd-source-llm.yaml': 'kustomize:\n  images: ["vllm/vllm-openai:v2"]\n',
  };
  const { code, lines } = await report(new World({ files: { ...VLLM_FILES, ...files } }));
  expect(code).toBe(EXIT.failed);
  expect(lines).toEqual([
    'apps/vllm/.argocd-source-llm.yaml:2: LeaderWorkerSet vllm (apps/vllm/lws.yaml): the source that Argo CD merges changes its image vllm/vllm-openai, so the file is not what the cluster gets (UnsupportedLayout). Write the whole image with its tag in the manifest, and remove this entry.',
    'clusters/flux.yaml:6: LeaderWorkerSet vllm (apps/vllm/lws.yaml): the Flux Kustomization k changes its image vllm/vllm-openai, so the file is not what the cluster gets (UnsupportedLayout). Write the whole image with its tag in the manifest, and remove this entry.',
    '1 Rollout, 2 problems',
  ]);
});

test('HealthGate: a Flux Kustomization over the workload that waits for healthy LeaderWorkerSets', async () => {
  const exprs =
    '  healthCheckExprs:\n    - {apiVersion: apps/v1, kind: Deployment, current: "true"}\n    - {apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, current: "true"}\n';
  const flux = (name: string, spec: string): string =>
    `apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: ${name}, namespace: flux-system}\nspec:\n  path: ./apps\n${spec}`;
  const named =
    '  healthChecks: [{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, name: vllm, namespace: llm}]\n';
  const shipped = readFileSync('policies/agents/flux-health.yaml', 'utf8');
  const more = {
    'clusters/a.yaml': flux('a', `  wait: true\n${exprs}`),
    'clusters/b.yaml': flux('b', `${named}${exprs}`),
    // Neither alone keeps it waiting.
    'clusters/c.yaml': flux('c', '  wait: true\n'),
    'clusters/d.yaml': flux('d', exprs),
    'clusters/e.yaml': flux('e', named),
    // What we ship waits for no group of a delivery; with another expression next to it it may.
    'clusters/f.yaml': shipped,
    'clusters/g.yaml': `${shipped}      inProgress: status.readyReplicas < spec.replicas\n`,
  };
  const { code, lines } = await report(new World({ files: { ...VLLM_FILES, ...more } }));
  const gated = (place: string, name: string): string =>
    `warning: ${place}: Kustomization ${name}: Flux waits for healthy LeaderWorkerSets, and applies no newer commit meanwhile: while groups of a new version do not become ready, the rollback waits as long as spec.timeout says (HealthGate). Take LeaderWorkerSets out of healthCheckExprs, use the expression of policies/agents/flux-health.yaml, or start kustomize-controller (1.7 or newer) with --feature-gates=CancelHealthCheckOnNewRevision=true.`;
  expect(code).toBe(EXIT.ok);
  expect(lines).toEqual([
    gated('clusters/a.yaml:9', 'a'),
    gated('clusters/b.yaml:9', 'b'),
    gated('clusters/g.yaml:18', 'vllm'),
    '1 Rollout, 0 problems',
  ]);
});

// Somebody has deleted the Rollout and cut the annotations in one commit, and no record is left either.
test.each<readonly [what: string, partition: string, label: boolean, warned: boolean]>([
  ['locked', '1000000', false, true],
  ['in the middle of a step that shared requests', '2', true, true],
  ['with a partition of its own', '2', false, false],
  ['released for update', '0', true, false],
])('LockedAlone: a workload that nothing names, %s', async (_, partition, label, warned) => {
  const text = edited(LWS_TEXT, 'partition: 0', `partition: ${partition}`);
  const [from, to] = [
    'labels: {app: vllm, role: leader',
    'labels: {app: vllm, role: leader, tranche.dev/version: "9c41d2e09c41d2e09c41d2e09c41d2e0.7"',
  ];
  const { [ROLLOUT_FILE]: _rollout, ...files } = VLLM_FILES;
  const { lines } = await report(new World({ files: { ...files, [LWS_FILE]: label ? edited(text, from, to) : text } }));
  const told = lines.filter((line) => line.includes('LockedAlone'));
  expect(told.length).toBe(warned ? 1 : 0);
  if (warned)
    expect(told[0]).toMatch(
      /^warning: apps\/vllm\/lws.yaml:14: LeaderWorkerSet vllm: partition is .*put the Rollout back/,
    );
});

const changes: readonly (readonly [what: string, from: string, to: string, line: number, said: string])[] = [
  [
    'volumeClaimTemplates',
    '    size: 2\n',
    '    size: 2\n    volumeClaimTemplates: [{metadata: {name: cache}}]\n',
    20,
    'the edit changes volumeClaimTemplates',
  ],
  [
    'subGroupPolicy',
    '    size: 2\n',
    '    size: 2\n    subGroupPolicy: {subGroupSize: 1}\n',
    20,
    'the edit changes subGroupSize',
  ],
  [
    'the exclusive topology',
    '  annotations:\n',
    '  annotations:\n    leaderworkerset.sigs.k8s.io/exclusive-topology: rack\n',
    8,
    'the edit changes the exclusive-topology annotation',
  ],
];

describe('an edit that LWS cannot take in steps', () => {
  test.each(changes)('%s', async (_, from, to, line, said) => {
    const world = new World({ files: VLLM_FILES });
    world.sync();
    world.tick(60);
    await world.pass();
    world.sync();
    expect(await report(world), 'adopted').toMatchObject({ code: EXIT.ok });
    world.edit(LWS_FILE, from, to);
    const { code, lines } = await report(world);
    expect(code).toBe(EXIT.failed);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(new RegExp(`^${LWS_FILE}:${line}: LeaderWorkerSet vllm: ${said}`));
    expect(lines[0]).toMatch(
      /\((ChangeNotSupportedYet|RecreateRefused)\)\. .*[pP]ut the old value back, and make this change on a second/,
    );
    world.sync();
    world.tick(60);
    const head = world.subject();
    await world.pass();
    expect(world.subject(), 'and no step is written').toBe(head);
  });
});

test('an edit that only a new object can take, allowed', async () => {
  const policy =
    'apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: a}\nspec: {recreate: Allow}\n';
  const world = new World({ files: { ...VLLM_FILES, 'policies/a.yaml': policy } });
  world.sync();
  world.tick(60);
  await world.pass();
  world.sync();
  world.edit(LWS_FILE, '    size: 2\n', '    size: 2\n    subGroupPolicy: {subGroupSize: 1}\n');
  const { code, lines } = await report(world);
  expect(code).toBe(EXIT.ok);
  expect(lines[0]).toMatch(new RegExp(`^warning: ${LWS_FILE}:20: .* all groups down meanwhile \\(RecreateAllowed\\)`));
  world.sync();
  await world.pass();
  expect(world.subject()).toBe('rollout(llm/vllm): recreate, removed');
});

const SIZE_POLICY = `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: sizes}
spec: {sizeChange: Whole}
`;

describe('an edit of the size of groups', () => {
  test.each<
    readonly [
      what: string,
      more: Readonly<Record<string, string>>,
      reason: string | undefined,
      said: string,
      code: number,
    ]
  >([
    ['refused', {}, 'SizeChangeRefused', 'Allow it as one step of all groups with sizeChange: Whole', EXIT.failed],
    [
      'allowed whole',
      { 'policies/sizes.yaml': SIZE_POLICY },
      'SizeChangeWhole',
      'all groups go to it in one step',
      EXIT.ok,
    ],
    ['declared as taken in steps', { 'tranche.yaml': 'lwsVersion: "0.11"\n' }, undefined, '', EXIT.ok],
    ['declared as not', { 'tranche.yaml': 'lwsVersion: "0.10.0"\n' }, 'SizeChangeRefused', 'from 2 to 4', EXIT.failed],
    [
      'refused by the stricter policy',
      {
        'policies/sizes.yaml': SIZE_POLICY,
        'policies/b.yaml': SIZE_POLICY.replace('sizes', 'b').replace('Whole', 'Refuse'),
      },
      'SizeChangeRefused',
      'from 2 to 4',
      EXIT.failed,
    ],
  ])('%s', async (_, more, reason, said, code) => {
    const world = new World({ files: { ...VLLM_FILES, ...more } });
    world.sync();
    world.tick(60);
    await world.pass();
    world.sync();
    expect(await report(world), 'adopted').toMatchObject({ code: EXIT.ok });
    world.edit(LWS_FILE, 'size: 2', 'size: 4');
    const { code: now, lines } = await report(world);
    expect(now).toBe(code);
    expect(lines.filter((line) => line.includes('Size'))).toHaveLength(reason === undefined ? 0 : 1);
    if (reason !== undefined) expect(lines[0]).toMatch(new RegExp(`${LWS_FILE}:19: .*\\(${reason}\\)`));
    expect(lines[0]).toContain(said);
    world.sync();
    world.tick(60);
    const head = world.subject();
    await world.pass();
    expect(world.subject() === head, 'a step is written where it is allowed').toBe(reason === 'SizeChangeRefused');
  });
});

test('a Rollout that is edited in a field that is fixed in a delivery', async () => {
  const world = new World({ files: { ...VLLM_FILES, [ROLLOUT_FILE]: ROLLOUT_TEXT.replace('{duration: 0}', '{}') } });
  world.sync();
  world.tick(60);
  await world.pass();
  world.sync();
  world.edit(LWS_FILE, OLD, NEW);
  world.sync();
  await world.pass();
  expect(world.subject()).toBe('rollout(llm/vllm): step 1/3, partition 1000000 → 3');
  world.edit(ROLLOUT_FILE, '        - replicas: 100%\n', '');
  const result = await world.pass();
  const holds = result.outcomes.flatMap((outcome) => outcome.plan?.holds.map((hold) => hold.reason) ?? []);
  expect(holds).toContain('StepCountChanged');
});

const NAMED = 'apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata:\n  name: production\nspec:\n';

test.each<readonly [spec: string, lines: readonly string[]]>([
  ['maxFirstStepGroups: 1', []],
  [
    'maxStepGroups: 1',
    [
      'policies/a.yaml:6: RolloutPolicy production: llm/vllm would never start: Step 3 releases 2 groups at once; RolloutPolicy production (policies/a.yaml:6) allows 1 (maxStepGroups) (StepTooLarge). Make the steps smaller, or change the policy.',
    ],
  ],
  [
    'minReadyPercent: 100',
    [
      'policies/a.yaml:6: RolloutPolicy production: llm/vllm would never start: With 1 of 4 down at a time only 3 groups would serve, and RolloutPolicy production (policies/a.yaml:6) wants 4 at least (minReadyPercent) (CapacityTooLow). Wait for groups that are not ready, add surge to a RolloutPolicy, lower maxUnavailable, or change the policy.',
    ],
  ],
  [
    'soakSeconds: 600\n  readyDeadlineSeconds: 300',
    [
      'policies/a.yaml:7: RolloutPolicy production: llm/vllm would never start: Policies cannot all be met: RolloutPolicy production (policies/a.yaml:7) allows 300 s (readyDeadlineSeconds), and RolloutPolicy production (policies/a.yaml:6) wants a soak of 600 s (soakSeconds) (PoliciesContradict). Make the deadline as long as the soak, or the soak shorter.',
    ],
  ],
  [
    `notifyHoldSeconds: 60\n---\n${NAMED.replace('production', 'other')}  notifyHoldSeconds: 90`,
    [
      'policies/a.yaml:6: RolloutPolicy production: llm/vllm would never start: Policies cannot all be met: notifyHoldSeconds has to be the same wherever it is stated: RolloutPolicy production (policies/a.yaml:6) 60, RolloutPolicy other (policies/a.yaml:13) 90 (PoliciesContradict). State each once, or the same everywhere, and make deadlines as long as soaks.',
    ],
  ],
  [
    'allow: [{from: "2020-01-01T00:00:00Z", to: "2020-01-02T00:00:00Z"}]',
    [
      'policies/a.yaml:6: RolloutPolicy production: llm/vllm would never start: RolloutPolicy production (policies/a.yaml:6, allow) lets no step of e7c114e968aaeab9b1c9c452a755d3c9.1 start now; and no window opens within 400 days (WindowClosed). Change the policy.',
    ],
  ],
])('a plan that a policy with %s never lets through: %j', async (spec, lines) => {
  const world = new World({ files: { ...VLLM_FILES, 'policies/a.yaml': `${NAMED}  ${spec}\n` } });
  const told = await report(world);
  expect(told.lines.slice(0, -1)).toEqual(lines);
  expect(told.code).toBe(lines.length === 0 ? EXIT.ok : EXIT.failed);
});

/** blueGreen with 2 GPUs a group: of four groups each colour has 8. */
const COLOURS = Object.fromEntries(
  [
    ...ladderFiles(ladderRollout('blueGreen', ['replicas: 2, traffic: 20%', 'replicas: 100%, traffic: 60%']), [
      [
        'image: vllm/vllm-openai:v0.10.0\n',
        'image: vllm/vllm-openai:v0.10.0\n            resources: {limits: {nvidia.com/gpu: 2}}\n',
      ],
    ]),
  ].map(([path, text]) => [path, text] as const),
);

test.each<readonly [spec: string, said: string | undefined]>([
  ['maxExtraGpus: 8', undefined],
  [
    'maxExtraGpus: 7',
    '4 groups of 2 GPUs take 8; RolloutPolicy production (policies/a.yaml:6) allows 7 (maxExtraGpus) (GpusOverLimit)',
  ],
  [
    'maxGpus: 15',
    '8 groups of 2 GPUs take 16; RolloutPolicy production (policies/a.yaml:6) allows 15 (maxGpus) (GpusOverLimit)',
  ],
  ['minReadyPercent: 100', undefined],
  ['maxStepTrafficPercent: 40', undefined],
  [
    'maxStepTrafficPercent: 39',
    'Step 2 sends 60 % of the requests to the new version, after 20 %, and the promotion sends 100 % of the requests to the new version, after 60 %; RolloutPolicy production (policies/a.yaml:6) allows 39 more (maxStepTrafficPercent) (ShareTooLarge)',
  ],
  ['surge: 0\n  minReadyPercent: 100', undefined],
])('blueGreen under a policy with %s', async (spec, said) => {
  const world = new World({ files: { ...COLOURS, 'policies/a.yaml': `${NAMED}  ${spec}\n` } });
  const { lines } = await report(world);
  const found = lines.filter((line) => line.includes('would never start'));
  expect(found).toEqual(said === undefined ? [] : [expect.stringContaining(said)]);
});
