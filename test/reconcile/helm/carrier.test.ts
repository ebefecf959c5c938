/** A Rollout whose workload a HelmRelease renders: each field that is in the way, with its line; nothing is ever written. */

import { describe, expect, test } from 'vitest';
import { CARRIER } from '../../../src/api/carrier.ts';
import { issueLine } from '../../../src/api/issue-line.ts';
import { findingsOf } from '../../../src/commands/lint.ts';
import { Forgery, reasonsOf } from '../../support/forgery.ts';
import { CARRIED_ROLLOUT, HELM_FILES, RELEASE_FILE, RELEASE_TEXT } from '../../support/helm-files.ts';
import { LINT_OPTIONS } from '../../support/linted.ts';
import { LWS_FILE, LWS_TEXT, NEW, ROLLOUT_FILE, VLLM_FILES } from '../../support/vllm.ts';
import { World } from '../../support/world.ts';

async function found(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { issues } = await findingsOf(LINT_OPTIONS, new World({ files }).ports());
  return issues.map(issueLine);
}

test('nothing is in the way: nothing is said', async () => {
  expect(await found(HELM_FILES)).toEqual([]);
});

type Row = readonly [reason: string, from: string, to: string, line: number, said: string];

const SPEC = '  interval: 5m\n';
const under = (more: string): readonly [string, string] => [SPEC, `${SPEC}${more}`];

const ROWS: readonly Row[] = [
  ['UnsupportedLayout', 'fluxcd.io/v2\n', 'fluxcd.io/v2beta2\n', 1, 'apiVersion is helm.toolkit.fluxcd.io/v2beta2'],
  ['UnsupportedLayout', 'version: 1.3.0', 'version: 1.x', 11, 'version is 1.x'],
  ['UnsupportedLayout', 'version: 1.3.0', "version: '>=1.3.0 <2'", 11, 'version is >=1.3.0 <2'],
  ['UnsupportedLayout', 'version: 1.3.0', 'version: 1.3', 11, 'version is 1.3'],
  ['UnsupportedLayout', '      version: 1.3.0\n', '', 9, 'version is missing'],
  ['UnsupportedLayout', 'kind: HelmRepository', 'kind: GitRepository', 12, 'the chart comes from GitRepository'],
  ['UnsupportedLayout', 'kind: HelmRepository', 'kind: Bucket', 12, 'the chart comes from Bucket'],
  [
    'UnsupportedLayout',
    '      version: 1.3.0\n',
    '      version: 1.3.0\n      reconcileStrategy: Revision\n',
    12,
    'reconcileStrategy is Revision',
  ],
  ['UnsupportedLayout', ...under('  chartRef: {kind: OCIRepository, name: nim}\n'), 8, 'chartRef names another object'],
  ['UnsupportedLayout', ...under('  kubeConfig: {secretRef: {name: eu}}\n'), 8, 'kubeConfig renders it into another'],
  ['NotAutomated', ...under('  suspend: true\n'), 8, 'it is suspended'],
  [
    'UnsupportedLayout',
    ...under('  valuesFrom:\n    - {kind: Secret, name: vllm-values}\n'),
    8,
    'valuesFrom takes values of Secret vllm-values',
  ],
  [
    'IgnoredDifference',
    ...under('  driftDetection:\n    ignore:\n      - paths: [/spec/rolloutStrategy]\n'),
    10,
    'differences are ignored in /spec/rolloutStrategy',
  ],
  [
    'IgnoredDifference',
    ...under("  driftDetection:\n    ignore:\n      - {paths: [''], target: {kind: LeaderWorkerSet}}\n"),
    10,
    'differences are ignored in',
  ],
  ['ForcedApply', ...under('  upgrade:\n    force: true\n'), 9, 'force deletes and creates again'],
  ['UnsupportedLayout', ...under('  upgrade:\n    preserveValues: true\n'), 9, 'preserveValues merges values'],
  [
    'HelmRemediates',
    ...under('  upgrade:\n    remediation:\n      retries: 3\n'),
    10,
    'upgrade.remediation.retries is 3: after an upgrade that fails Flux rolls it back',
  ],
  [
    'HelmRemediates',
    ...under('  upgrade:\n    remediation:\n      strategy: uninstall\n      remediateLastFailure: true\n'),
    11,
    'upgrade.remediation.remediateLastFailure is true: after an upgrade that fails Flux uninstalls the release',
  ],
];

describe('a field with which Git is not what Flux renders', () => {
  test.each(ROWS)('%s: %s → %s', async (reason, from, to, line, said) => {
    expect(RELEASE_TEXT).toContain(from);
    const lines = await found({ ...HELM_FILES, [RELEASE_FILE]: RELEASE_TEXT.replace(from, to) });
    expect(lines).toHaveLength(1);
    const [first] = lines;
    expect(first).toContain(`${RELEASE_FILE}:${line}: HelmRelease vllm: ${said}`);
    expect(first).toContain(`(${reason})`);
  });

  test.each<readonly [what: string, more: string]>([
    ['a failed upgrade stays', '  upgrade:\n    remediation: {retries: 0}\n'],
    ['drift of other kinds', '  driftDetection:\n    ignore:\n      - {paths: [/spec], target: {kind: Deployment}}\n'],
    ['drift of other fields', '  driftDetection:\n    ignore:\n      - {paths: [/metadata/labels/a, /status]}\n'],
  ])('%s: not in the way', async (_, more) => {
    expect(await found({ ...HELM_FILES, [RELEASE_FILE]: RELEASE_TEXT.replace(SPEC, `${SPEC}${more}`) })).toEqual([]);
  });
});

describe('a carrier that is not found, or is not alone', () => {
  const rows: readonly (readonly [what: string, files: Readonly<Record<string, string>>, said: readonly string[]])[] = [
    [
      'an annotation that names none',
      { ...HELM_FILES, [ROLLOUT_FILE]: CARRIED_ROLLOUT.replace('HelmRelease/llm/vllm', 'Deployment/llm/vllm') },
      [`${ROLLOUT_FILE}:7: Rollout vllm: tranche.dev/carrier is "Deployment/llm/vllm"`, '(BadAnnotation)'],
    ],
    [
      'one that no file has',
      { [ROLLOUT_FILE]: CARRIED_ROLLOUT },
      [`${ROLLOUT_FILE}:7: Rollout vllm: no HelmRelease llm/vllm in the files`, '(WorkloadMissing)'],
    ],
    [
      'one in two files',
      { ...HELM_FILES, 'apps/twin.yaml': RELEASE_TEXT },
      [`is in apps/twin.yaml:1 and ${RELEASE_FILE}:1; wanted it once`, '(DuplicateObject)'],
    ],
    [
      'a workload that a file has as well',
      { ...HELM_FILES, [LWS_FILE]: LWS_TEXT },
      [`renders the workload, and it is in ${LWS_FILE}:2; wanted it from one of them`, '(DuplicateObject)'],
    ],
    [
      'one that a kustomization patches',
      {
        ...HELM_FILES,
        'apps/vllm/kustomization.yaml':
          'resources: [release.yaml]\npatches:\n  - {target: {kind: HelmRelease}, patch: "- {op: remove, path: /spec/test}"}\n',
      },
      ['apps/vllm/kustomization.yaml:3: HelmRelease vllm', 'patches it', '(UnsupportedLayout)'],
    ],
    [
      'a key that is there twice',
      { ...HELM_FILES, [RELEASE_FILE]: `${RELEASE_TEXT}  interval: 6m\n` },
      [`${RELEASE_FILE}:16`, '"interval" is written twice in one map', '(DuplicateKey)'],
    ],
  ];
  test.each(rows)('%s', async (_, files, said) => {
    const text = (await found(files)).join('\n');
    for (const part of said) expect(text).toContain(part);
  });
});

test('no carrier is named: the HelmRelease of the namespace is offered for a workload that is missing', async () => {
  const rollout = VLLM_FILES[ROLLOUT_FILE];
  const there = await found({ [RELEASE_FILE]: RELEASE_TEXT, [ROLLOUT_FILE]: rollout });
  expect(there[0]).toContain('(WorkloadMissing)');
  expect(there[0]).toContain(`${RELEASE_FILE}:1 is the HelmRelease vllm, and what it renders is in no file`);
  const other = { [RELEASE_FILE]: RELEASE_TEXT.replace('namespace: llm', 'namespace: eu'), [ROLLOUT_FILE]: rollout };
  expect((await found(other))[0]).not.toContain('HelmRelease');
  const target = RELEASE_TEXT.replace('namespace: llm', 'namespace: eu').replace(
    SPEC,
    `${SPEC}  targetNamespace: llm\n`,
  );
  expect((await found({ [RELEASE_FILE]: target, [ROLLOUT_FILE]: rollout }))[0]).toContain('HelmRelease vllm');
});

test('a strategy that needs more than one workload is refused', async () => {
  const rollout = CARRIED_ROLLOUT.replace('canary:\n', 'canary:\n      enableExtraWorkloadForCanary: true\n');
  const text = (await found({ ...HELM_FILES, [ROLLOUT_FILE]: rollout })).join('\n');
  expect(text).toContain('the strategy canary is not built for a LeaderWorkerSet that Flux renders from a chart');
  expect(text).toContain('(NotSupportedYet)');
});

test('a field in the way, and a workload that is not in the cluster: a pass writes nothing, and says why in each', async () => {
  const files = { ...HELM_FILES, [RELEASE_FILE]: RELEASE_TEXT.replace('version: 1.3.0', 'version: 1.x') };
  for (const [given, reason] of [
    [files, 'Stalled'],
    [HELM_FILES, 'WorkloadAbsent'],
  ] as const) {
    const world = new World({ files: given });
    const commits = world.repository.log('main').length;
    for (let pass = 0; pass < 3; pass += 1) {
      world.tick(120);
      const { outcomes } = await world.pass();
      expect(outcomes.flatMap(({ plan }) => plan?.holds ?? []).map((hold) => hold.reason)).toContain(reason);
    }
    expect(world.repository.log('main')).toHaveLength(commits);
  }
});

test('the annotation added in mid-delivery stops steps alone: an abort goes to its end', async () => {
  const world = await new Forgery().stepped();
  world.edit(
    ROLLOUT_FILE,
    '  namespace: llm\n',
    `  namespace: llm\n  annotations:\n    ${CARRIER}: HelmRelease/llm/vllm\n`,
  );
  const commits = world.line().length;
  expect(reasonsOf(await world.round(600))).toContain('DuplicateObject');
  expect(world.line()).toHaveLength(commits);
  await world.order({ kind: 'abort', keepNewer: false });
  for (let round = 0; round < 8; round += 1) await world.round();
  expect(world.text()).not.toContain(NEW);
  expect(world.world.groups()).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+');
});

/** Whatever stands in a field, each is answered: the API server of nobody's cluster has looked at these files. */
const ODD = [
  'null',
  '7',
  'x',
  '[]',
  '[null]',
  '[[]]',
  '{}',
  '{spec: null}',
  '{spec: {sourceRef: 1, version: []}}',
  '{ignore: 1}',
];
const FIELDS = [
  'chart',
  'chartRef',
  'driftDetection',
  'upgrade',
  'valuesFrom',
  'suspend',
  'kubeConfig',
  'targetNamespace',
];

test.each(FIELDS)('%s of any shape is answered with lines, and never breaks a pass', async (field) => {
  for (const odd of ODD) {
    const text = RELEASE_TEXT.replace(SPEC, `${SPEC}  ${field}: ${odd}\n`).replace(/  chart:\n(    .*\n)+/, (own) =>
      field === 'chart' ? '' : own,
    );
    const lines = await found({ ...HELM_FILES, [RELEASE_FILE]: text });
    expect(
      lines.filter((line) => !/:[1-9]\d*: .*\([A-Z]\w+\)/.test(line)),
      odd,
    ).toEqual([]);
  }
});

test.each<readonly [what: string, spec: string]>([
  ['null', 'spec: null\n'],
  ['a list', 'spec: []\n'],
  ['nothing', ''],
])('a spec that is %s', async (_, spec) => {
  const text = `${RELEASE_TEXT.slice(0, RELEASE_TEXT.indexOf('spec:'))}${spec}`;
  expect(await found({ ...HELM_FILES, [RELEASE_FILE]: text })).toEqual([
    expect.stringContaining('HelmRelease vllm: it names no chart'),
  ]);
});

test('the whole object is ignored: said in words', async () => {
  const rule = "  driftDetection:\n    ignore:\n      - paths: ['']\n";
  const lines = await found({ ...HELM_FILES, [RELEASE_FILE]: RELEASE_TEXT.replace(SPEC, `${SPEC}${rule}`) });
  expect(lines[0]).toContain('differences are ignored in the whole object');
});
