/** Policies in the files of a repository: which Rollouts they reach, what a wrong one stops, and that a change is seen. */

import { describe, expect, test } from 'vitest';
import { CONFIG_FILE, DEFAULT_CONFIG } from '../../src/api/config.ts';
import type { TreeFile } from '../../src/ports/git.ts';
import { desiredOf } from '../../src/reconcile/desired/desired.ts';
import type { Desired } from '../../src/reconcile/desired/desired-rollout.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const POLICY_FILE = 'policies/production.yaml';
const policy = (spec: string): string =>
  `apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata:\n  name: production\nspec:\n${spec}`;

function desiredWith(files: Readonly<Record<string, string>>, requiredPolicies: readonly string[] = []): Desired {
  return desiredFrom(textFiles(files), requiredPolicies);
}

/** What is told of a policy for these clusters in one of this name. */
function toldIn(cluster: string, clusters: string): readonly string[] {
  const files = textFiles({ ...VLLM_FILES, 'a.yaml': policy(`  surge: 1\n  clusters: [${clusters}]\n`) });
  const tree = { commit: '1'.repeat(40), folders: [], skipped: () => [], files };
  return desiredOf(tree, { ...DEFAULT_CONFIG, cluster }, new Map()).warnings.map(
    ({ line, message, hint }) => `${line} ${message}. ${hint}`,
  );
}

function desiredFrom(files: readonly TreeFile[], requiredPolicies: readonly string[] = []): Desired {
  return desiredOf(
    { commit: '1'.repeat(40), folders: [], skipped: () => [], files },
    { ...DEFAULT_CONFIG, requiredPolicies },
    new Map(),
  );
}

function textFiles(files: Readonly<Record<string, string>>): readonly TreeFile[] {
  return Object.entries(files).map(([path, text]) => ({
    path,
    oid: path,
    mode: '100644',
    content: { kind: 'text', text },
  }));
}

function scope(policies: Readonly<Record<string, string>>): object {
  const named = (text: string): string =>
    text.replaceAll('name: vllm', 'name: chat').replaceAll('namespace: llm', 'namespace: talk');
  const files = {
    ...VLLM_FILES,
    'apps/chat/lws.yaml': named(LWS_TEXT),
    'rollouts/chat.yaml': named(ROLLOUT_TEXT),
    ...policies,
  };
  const desired = desiredWith(files);
  const rollouts = desired.rollouts.map(({ key, policy: { rules, files: from }, issues }) => [
    key.name,
    { surge: rules.surge, from, issues: issues.map(({ file, line, reason }) => `${file}:${line} ${reason}`) },
  ]);
  return {
    ...Object.fromEntries(rollouts),
    elsewhere: [...desired.issues, ...desired.warnings].map(({ file, line, reason }) => `${file}:${line} ${reason}`),
  };
}

const NONE = { surge: 0, from: [], issues: [] };

test.each<readonly [what: string, spec: string, keys: readonly string[], told: readonly string[]]>([
  ['nobody signs', '  onFailure: rollback\n', [], ['a.yaml:6 RollbackUnsigned']],
  ['a key signs this cluster', '  onFailure: rollback\n', ['default'], []],
  ['a key signs another one', '  onFailure: rollback\n', ['eu'], ['a.yaml:6 RollbackUnsigned']],
  ['nothing is rolled back', '  onFailure: withdraw\n', [], []],
])('a rollback that hangs on the record: %s', (_, spec, clusters, told) => {
  const files = textFiles({ ...VLLM_FILES, 'a.yaml': policy(spec) });
  const statusKeys = clusters.map((cluster) => ({ cluster, key: 'ed25519:x', until: undefined }));
  const tree = { commit: '1'.repeat(40), folders: [], skipped: () => [], files };
  const { warnings } = desiredOf(tree, { ...DEFAULT_CONFIG, statusKeys }, new Map());
  expect(warnings.map(({ file, line, reason }) => `${file}:${line} ${reason}`)).toEqual(told);
});

test.each<readonly [cluster: string, clusters: string, told: boolean]>([
  ['prod-eu', 'prod-eu', false],
  ['prod-eu', 'prdo-eu', true],
  ['prod-eu', '"prdo-*"', true],
  ['prod-eu', 'stage, prodeu', true],
  ['prod-eu', 'prod-us, prod-ap, stage', false],
  ['prod-1', 'prod-2, prod-11', false],
  ['use1', 'usw1', false],
  ['default', 'prod-eu', true],
  ['default', 'default', false],
])('in cluster %s, a policy for %s', (cluster, clusters, told) => {
  expect(toldIn(cluster, clusters)).toHaveLength(told ? 1 : 0);
});

test('a policy for another cluster, and this one: who may be meant, and what to do', () => {
  expect([...toldIn('prod-eu', 'prdo-eu'), ...toldIn('default', 'prod-eu')]).toEqual([
    '7 RolloutPolicy production: it is for prdo-eu, and this cluster is called prod-eu: nothing of what it says counts here. Did you mean prod-eu? Correct it; if there is a cluster of that name, nothing is wrong.',
    '7 RolloutPolicy production: it is for prod-eu, and this cluster is called default, as where tranche.yaml names none: nothing of what it says counts here. Name this one (cluster in tranche.yaml, or --cluster), or correct the policy.',
  ]);
});

test.each<readonly [what: string, policies: Readonly<Record<string, string>>, wanted: object]>([
  ['no policy', {}, { vllm: NONE, chat: NONE, elsewhere: [] }],
  [
    'one for a namespace',
    { 'a.yaml': policy('  rollouts: [llm/*]\n  surge: 2\n') },
    { vllm: { surge: 2, from: ['a.yaml'], issues: [] }, chat: NONE, elsewhere: [] },
  ],
  [
    'two that match: the strictest',
    { 'a.yaml': policy('  surge: 2\n'), 'b.yaml': policy('  rollouts: [talk/c*]\n  surge: 1\n') },
    {
      vllm: { surge: 2, from: ['a.yaml'], issues: [] },
      chat: { surge: 1, from: ['a.yaml', 'b.yaml'], issues: [] },
      elsewhere: [],
    },
  ],
  [
    'a wrong one stops those that it means',
    { 'a.yaml': policy('  rollouts: [llm/*]\n  surge: two\n') },
    { vllm: { surge: 0, from: ['a.yaml'], issues: ['a.yaml:7 BadNumber'] }, chat: NONE, elsewhere: [] },
  ],
  [
    'one whose list is wrong stops all',
    { 'a.yaml': policy('  rollouts: [llm]\n  surge: 1\n') },
    {
      vllm: { surge: 0, from: ['a.yaml'], issues: ['a.yaml:6 BadPattern'] },
      chat: { surge: 0, from: ['a.yaml'], issues: ['a.yaml:6 BadPattern'] },
      elsewhere: [],
    },
  ],
  [
    'a number that readers take differently',
    { 'a.yaml': policy('  rollouts: [llm/*]\n  surge: 010\n') },
    { vllm: { surge: 0, from: ['a.yaml'], issues: ['a.yaml:7 AmbiguousValue'] }, chat: NONE, elsewhere: [] },
  ],
  [
    'a wrong one that means no Rollout is told all the same',
    { 'a.yaml': policy('  rollouts: [nobody/*]\n  surge: two\n') },
    { vllm: NONE, chat: NONE, elsewhere: ['a.yaml:7 BadNumber'] },
  ],
  [
    'another version',
    { 'a.yaml': policy('  surge: 1\n').replace('v1alpha1', 'v2') },
    {
      vllm: { surge: 0, from: ['a.yaml'], issues: ['a.yaml:1 NotSupportedYet'] },
      chat: { surge: 0, from: ['a.yaml'], issues: ['a.yaml:1 NotSupportedYet'] },
      elsewhere: [],
    },
  ],
  [
    'one that is no YAML stops all',
    { 'a.yaml': policy('  surge: [1\n') },
    {
      vllm: { surge: 0, from: ['a.yaml'], issues: ['a.yaml:7 UnparsableYaml'] },
      chat: { surge: 0, from: ['a.yaml'], issues: ['a.yaml:7 UnparsableYaml'] },
      elsewhere: ['a.yaml:7 UnparsableYaml'],
    },
  ],
  [
    'one in a list holds nothing, and stops all',
    { 'a.yaml': `- ${policy('  surge: 1\n').trimEnd().replaceAll('\n', '\n  ')}\n` },
    {
      vllm: { surge: 0, from: ['a.yaml'], issues: ['a.yaml:1 NotAnObject'] },
      chat: { surge: 0, from: ['a.yaml'], issues: ['a.yaml:1 NotAnObject'] },
      elsewhere: ['a.yaml:1 NotAnObject'],
    },
  ],
  [
    'a good one next to a broken document of another kind',
    { 'a.yaml': `${policy('  rollouts: [llm/*]\n  surge: 1\n')}---\nkind: Rollout\nspec: [1\n` },
    { vllm: { surge: 1, from: ['a.yaml'], issues: [] }, chat: NONE, elsewhere: ['a.yaml:11 UnparsableYaml'] },
  ],
  [
    'a time zone that is none',
    { 'a.yaml': policy('  deny:\n    - {cron: "0 9 * * *", minutes: 60, timeZone: Europe/Berln}\n') },
    {
      vllm: { surge: 0, from: ['a.yaml'], issues: ['a.yaml:7 BadWindow'] },
      chat: { surge: 0, from: ['a.yaml'], issues: ['a.yaml:7 BadWindow'] },
      elsewhere: [],
    },
  ],
  [
    'one that means nobody',
    { 'a.yaml': policy('  surge: 1\n  rollouts: [llm/vlm]\n') },
    { vllm: NONE, chat: NONE, elsewhere: ['a.yaml:7 PolicyUnmatched'] },
  ],
  [
    'one of whose names is nobody, and near another',
    { 'a.yaml': policy('  surge: 1\n  rollouts: [llm/vllm, talk/chta]\n') },
    { vllm: { surge: 1, from: ['a.yaml'], issues: [] }, chat: NONE, elsewhere: ['a.yaml:7 PolicyUnmatched'] },
  ],
  [
    'one of whose names is to come, or is near one that it means already',
    { 'a.yaml': policy('  surge: 1\n  rollouts: [llm/vllm, llm/vllm2, talk/embeddings, "talk/em*"]\n') },
    { vllm: { surge: 1, from: ['a.yaml'], issues: [] }, chat: NONE, elsewhere: [] },
  ],
  [
    'one of whose namespaces is nobody’s, and near another’s',
    { 'a.yaml': policy('  surge: 1\n  rollouts: [llm/vllm, tlak/*, other/*, "talc*/*"]\n') },
    { vllm: { surge: 1, from: ['a.yaml'], issues: [] }, chat: NONE, elsewhere: ['a.yaml:7 PolicyUnmatched'] },
  ],
  [
    'one for a cluster, where this one has no name',
    { 'a.yaml': policy('  surge: 1\n  clusters: [prod-eu]\n') },
    { vllm: NONE, chat: NONE, elsewhere: ['a.yaml:7 PolicyUnmatched'] },
  ],
  [
    'a kind that is none',
    { 'a.yaml': policy('  surge: 1\n').replace('RolloutPolicy', 'rolloutPolicies') },
    { vllm: NONE, chat: NONE, elsewhere: ['a.yaml:2 UnknownKind'] },
  ],
  [
    'the same in a later document, next to a test that is fine',
    {
      'a.yaml': `${policy('  surge: 1\n').replace('kind: RolloutPolicy', 'kind: RolloutPolicyTest')}---\n${policy('  surge: 1\n').replace('Policy', 'Polcy')}`,
    },
    { vllm: NONE, chat: NONE, elsewhere: ['a.yaml:9 UnknownKind'] },
  ],
])('%s', (_, policies, wanted) => {
  expect(scope(policies)).toEqual(wanted);
});

test.each<readonly [chosen: string, hint: string]>([
  ['  rollouts: [lm/vllm]\n', 'Did you mean llm/vllm? '],
  ['  rollouts: [llm/vlm]\n', 'Did you mean llm/vllm? '],
  ['  rollouts: [lm/*]\n', 'Did you mean llm/*? '],
  ['  rollouts: [elsewhere/*]\n', ''],
  ['  labels: {tier: prod}\n', ''],
])('a policy for %j means nobody, and the nearest is named', (chosen, hint) => {
  const [warning] = desiredWith({ ...VLLM_FILES, 'a.yaml': policy(`${chosen}  surge: 1\n`) }).warnings;
  expect(warning).toMatchObject({
    message: 'RolloutPolicy production: it means no Rollout: nothing of what it says counts',
    hint: `${hint}Correct what chooses its Rollouts, or delete it.`,
  });
});

test('a policy may choose by the labels of the Rollout', () => {
  const labelled = ROLLOUT_TEXT.replace('name: vllm\n', 'name: vllm\n  labels: {tier: prod}\n');
  const files = { ...VLLM_FILES, [ROLLOUT_FILE]: labelled, 'a.yaml': policy('  labels: {tier: prod}\n  surge: 1\n') };
  expect(desiredWith(files).rollouts[0]?.policy.rules.surge).toBe(1);
});

describe('a policy that tranche.yaml requires', () => {
  const required = (policies: Readonly<Record<string, string>>): object => {
    const desired = desiredWith({ ...VLLM_FILES, ...policies }, ['production']);
    return [desired.rollouts[0]?.policy.missing, desired.issues.map(({ file, reason }) => `${file} ${reason}`)];
  };
  test.each<readonly [what: string, policies: Readonly<Record<string, string>>, wanted: readonly object[]]>([
    ['governs', { 'a.yaml': policy('  surge: 1\n') }, [[], []]],
    ['is absent', {}, [[{ name: 'production', why: 'absent' }], ['tranche.yaml PolicyMissing']]],
    [
      'is called otherwise',
      { 'a.yaml': policy('  surge: 1\n').replace('production', 'prodution') },
      [[{ name: 'production', why: 'absent', near: 'prodution' }], ['tranche.yaml PolicyMissing']],
    ],
    [
      'means others',
      { 'a.yaml': policy('  rollouts: [talk/*]\n  surge: 1\n') },
      [[{ name: 'production', why: 'unmatched', place: 'a.yaml:6' }], ['tranche.yaml PolicyMissing']],
    ],
    [
      'is wrong',
      { 'a.yaml': policy('  rollouts: [talk/*]\n  surge: two\n') },
      [[{ name: 'production', why: 'wrong', place: 'a.yaml:6' }], ['a.yaml BadNumber', 'tranche.yaml PolicyMissing']],
    ],
  ])('%s', (_, policies, wanted) => expect(required(policies)).toEqual(wanted));

  test('holds what leads forward, and says which', async () => {
    const world = new World({ files: { ...VLLM_FILES, [CONFIG_FILE]: 'requiredPolicies: [production]\n' } });
    world.sync();
    world.tick(60);
    await world.pass();
    world.sync();
    world.edit(LWS_FILE, OLD, NEW);
    world.sync();
    const [held] = (await world.pass()).outcomes;
    expect(held?.plan?.commit).toBeUndefined();
    expect(held?.plan?.holds).toContainEqual(expect.objectContaining({ reason: 'PolicyMissing' }));
  });
});

test('a wrong policy stalls its Rollout with file and line, and one that is mended at rest is seen', async () => {
  const world = new World({ files: { ...VLLM_FILES, [POLICY_FILE]: policy('  surge: 1\n') }, signed: true });
  world.sync();
  world.tick(60);
  const adopted = await world.pass();
  expect(adopted.outcomes[0]).toMatchObject({
    snapshot: { policy: { surge: 1 } },
    plan: { commit: { reason: 'Adopted' } },
  });
  world.sync();
  await world.pass();
  expect((await world.pass()).quiet).toBe(true);
  world.edit(POLICY_FILE, 'surge: 1', 'surge: many');
  const stalled = (await world.pass()).outcomes[0];
  expect(stalled?.plan).toMatchObject({
    commit: undefined,
    issues: [{ file: POLICY_FILE, line: 6, reason: 'BadNumber' }],
  });
  expect(stalled?.plan?.record?.conditions).toContainEqual(
    expect.objectContaining({ type: 'Stalled', status: 'True' }),
  );
  world.edit(POLICY_FILE, 'surge: many', 'surge: 3');
  const mended = (await world.pass()).outcomes[0];
  expect(mended).toMatchObject({ snapshot: { policy: { surge: 3 } }, plan: { issues: [] } });
  expect(Object.keys(mended?.plan?.record?.blobs ?? {})).toEqual([ROLLOUT_FILE, LWS_FILE, POLICY_FILE]);
  expect((await world.pass()).quiet).toBe(true);
});

test('a step names the policies that could have said no, with the blob of their file', async () => {
  const limits = policy('  maxStepGroups: 4\n');
  const grants = policy('  surge: 0\n').replace('production', 'grants');
  const world = new World({ files: { ...VLLM_FILES, [POLICY_FILE]: limits, 'policies/grants.yaml': grants } });
  world.sync();
  world.tick(60);
  const [adopted] = (await world.pass()).outcomes;
  expect(adopted?.plan?.commit?.message).toMatch(/\nRollout-Policies: production@[0-9a-f]{12}\n$/);
});

test('a policy in a file that is no text stops what it may mean, for a freeze must not vanish with an umlaut', () => {
  const legible = policy('  # f\u00fcr immer\n  surge: 1\n');
  const garbled = { kind: 'unreadable', cause: 'garbled', why: 'it is not UTF-8', legible } as const;
  const issuesWith = (path: string, content: TreeFile['content']): readonly string[] =>
    desiredFrom([...textFiles(VLLM_FILES), { path, oid: path, mode: '100644', content }]).rollouts.flatMap(
      ({ issues }) => issues.map(({ file, reason }) => `${file} ${reason}`),
    );
  expect(issuesWith(POLICY_FILE, garbled)).toEqual([`${POLICY_FILE} UnreadableFile`]);
  expect(issuesWith('notes.yaml', { ...garbled, legible: 'kind: ConfigMap\n' })).toEqual([]);
  // Of a file that is too large nothing is known.
  const large = { kind: 'unreadable', cause: 'large', why: 'it is over the limit' } as const;
  expect(issuesWith(POLICY_FILE, large)).toEqual([`${POLICY_FILE} UnreadableFile`]);
  expect(issuesWith('tokenizer.json', large)).toEqual([]);
});

describe('policyPaths', () => {
  const exception = '{release: 9c41d2e09c41d2e09c41d2e09c41d2e0.7, approver: ana, until: "2027-01-04T00:00:00Z"}';
  const bold = policy(
    `  surge: 2\n  recreate: Allow\n  maxStepGroups: 3\n  exceptions:\n    - ${exception}\n  deny:\n    - {from: "2026-12-20T00:00:00Z", to: "2027-01-04T00:00:00Z"}\n`,
  );
  const seen = (files: Readonly<Record<string, string>>, policyPaths?: readonly string[]): object => {
    const config = { ...DEFAULT_CONFIG, policyPaths };
    const tree = {
      commit: '1'.repeat(40),
      folders: [],
      skipped: () => [],
      files: textFiles({ ...VLLM_FILES, ...files }),
    };
    const desired = desiredOf(tree, config, new Map());
    const { surge, recreate, maxStepGroups, deny, exceptions } = desired.rollouts[0]?.policy.rules ?? {};
    return {
      rules: [surge, recreate, maxStepGroups, deny?.length, exceptions?.length],
      warnings: desired.warnings.map(({ file, line, path, reason }) => `${file}:${line} ${path} ${reason}`),
    };
  };
  const told = (...fields: readonly string[]) => fields.map((field) => `a.yaml:${field} OutsidePolicyPaths`);

  test.each<
    readonly [
      what: string,
      files: Readonly<Record<string, string>>,
      paths: readonly string[] | undefined,
      wanted: object,
    ]
  >([
    ['inside all of it counts', { 'a.yaml': bold }, ['a.yaml'], { rules: [2, 'Allow', 3, 1, 1], warnings: [] }],
    ['of the whole tree as well', { 'a.yaml': bold }, [''], { rules: [2, 'Allow', 3, 1, 1], warnings: [] }],
    [
      'outside what holds counts',
      { 'a.yaml': bold },
      ['policies'],
      {
        rules: [0, 'Refuse', 3, 1, undefined],
        warnings: told('6 spec.surge', '7 spec.recreate', '9 spec.exceptions'),
      },
    ],
    [
      'outside a refusal counts',
      { 'a.yaml': policy('  surge: 1\n  recreate: Refuse\n'), 'policies/b.yaml': bold.replace('production', 'b') },
      ['policies'],
      { rules: [1, 'Refuse', 3, 1, 1], warnings: told('6 spec.surge') },
    ],
    [
      'where there are none, exceptions do not count',
      { 'a.yaml': bold },
      undefined,
      { rules: [2, 'Allow', 3, 1, undefined], warnings: told('9 spec.exceptions') },
    ],
    [
      'empty: nowhere',
      { 'a.yaml': policy('  surge: 1\n') },
      [],
      { rules: [0, 'Refuse', undefined, undefined, undefined], warnings: told('6 spec.surge') },
    ],
  ])('%s', (_, files, paths, wanted) => expect(seen(files, paths)).toEqual(wanted));
});

test('two values of a parameter contradict each other, the same value twice does not', () => {
  const stating = (name: string, seconds: number): string =>
    policy(`  notifyHoldSeconds: ${seconds}\n`).replace('production', name);
  const conflicts = (...seconds: readonly [number, number]): unknown =>
    desiredWith({ ...VLLM_FILES, 'a.yaml': stating('a', seconds[0]), 'b.yaml': stating('b', seconds[1]) }).rollouts[0]
      ?.policy.conflicts;
  expect(conflicts(60, 60)).toEqual([]);
  expect(conflicts(60, 90)).toEqual([
    {
      field: 'notifyHoldSeconds',
      places: [
        { policy: 'a', file: 'a.yaml', line: 6, value: 60 },
        { policy: 'b', file: 'b.yaml', line: 6, value: 90 },
      ],
    },
  ]);
});
