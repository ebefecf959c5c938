/** What stands in the place of `tranche.yaml` and cannot be read is never taken for a repository without one. */

import { describe, expect, test } from 'vitest';
import { CONFIG_FILE } from '../../src/api/config.ts';
import type { Issue } from '../../src/api/issue.ts';
import { parseConfig } from '../../src/api/parse-config.ts';
import type { TreeFile } from '../../src/ports/git.ts';
import { CONFIG_REQUEST } from '../../src/reconcile/documents/desired-branch.ts';
import { ConfigError } from '../../src/reconcile/documents/read-config.ts';
import { configIn } from '../../src/reconcile/observe/read-settings.ts';
import { NO_OVERRIDES, type PassResult } from '../../src/reconcile/pass.ts';
import { runPass } from '../../src/reconcile/run.ts';
import { BareWorld } from '../support/bare-world.ts';
import { privateHalf, publicHalf } from '../support/status-key.ts';
import { LWS_FILE, NEW, OLD, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const link = {
  kind: 'unreadable',
  cause: 'link',
  why: 'it is a symbolic link or a submodule, which is not followed',
} as const;
const text = (of: string) => ({ kind: 'text', text: of }) as const;

function read(files: Readonly<Record<string, TreeFile['content']>>) {
  const listed = Object.entries(files).map(([path, content]) => ({ path, oid: '', mode: '100644' as const, content }));
  return configIn({ commit: '', folders: [], skipped: () => [], files: listed }, NO_OVERRIDES);
}

function faultsOf(config: string): readonly Issue[] {
  try {
    read({ 'tranche.yaml': text(config) });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.issues;
    throw error;
  }
}

test.each([
  [
    'a link',
    { 'tranche.yaml': link },
    'tranche.yaml:1: it is a symbolic link or a submodule, which is not followed. Put',
  ],
  ['a folder', { 'tranche.yaml/a': text('a') }, 'tranche.yaml:1: it is a folder, wanted a file. Give the folder'],
  [
    'the other name',
    { 'tranche.yml': text('cluster: a\n') },
    'tranche.yaml:1: there is tranche.yml, which is not read. Rename',
  ],
  [
    'a number of two readings',
    { 'tranche.yaml': text('auditSeconds: 0600\n') },
    'tranche.yaml:1: auditSeconds is written 0600,',
  ],
  [
    'an empty place of grants',
    { 'tranche.yaml': text('cluster: a\npolicyPaths:\n') },
    'tranche.yaml:2: policyPaths is empty, wanted a value. Write its value, or take its key out',
  ],
  [
    'a branch of tranche as the desired one',
    { 'tranche.yaml': text('branches: {desired: tranche-order/abort}\n') },
    'tranche.yaml:1: branches has "tranche-order/abort" as the desired one, which tranche makes for itself. Name the branch',
  ],
  [
    'what init has proposed as the desired one',
    { 'tranche.yaml': text('branches: {desired: tranche-init/0123456789ab}\n') },
    'tranche.yaml:1: branches has "tranche-init/0123456789ab" as the desired one, which tranche makes for itself. Name the branch',
  ],
  [
    'one branch for both',
    { 'tranche.yaml': text('branches: {status: main}\n') },
    'tranche.yaml:1: branches has "main" twice, wanted two branches',
  ],
  [
    'no required policy',
    { 'tranche.yaml': text('requiredPolicies: null\n') },
    'tranche.yaml:1: requiredPolicies is empty',
  ],
  [
    'a workload in other letters',
    { 'tranche.yaml': text('autoscaled: ["llm/VLLM"]\n') },
    'tranche.yaml:1: autoscaled has "llm/VLLM", wanted namespace/name',
  ],
  [
    'a workload with a blank',
    { 'tranche.yaml': text('autoscaled: ["llm/vllm "]\n') },
    'tranche.yaml:1: autoscaled has "llm/vllm ", wanted namespace/name',
  ],
  [
    'no keys',
    { 'tranche.yaml': text('cluster: a\nstatusKeys: []\n') },
    'tranche.yaml:2: statusKeys is an empty list, wanted keys',
  ],
  [
    'a private half on main',
    { 'tranche.yaml': text(`statusKeys: [{cluster: a, key: ${privateHalf()}}]\n`) },
    'tranche.yaml:1: statusKeys[0].key is the private half: anyone who reads it can sign. Throw this key away',
  ],
  [
    'half a key',
    { 'tranche.yaml': text('statusKeys: [{cluster: a, key: tranche-public-abc}]\n') },
    'tranche.yaml:1: statusKeys[0].key is not a public half',
  ],
  [
    'a key that ends at no time',
    { 'tranche.yaml': text(`statusKeys: [{key: ${publicHalf()}, until: tomorrow}]\n`) },
    'tranche.yaml:1: statusKeys[0].until is "tomorrow", wanted a time in UTC',
  ],
  ['no promotion', { 'tranche.yaml': text('promotion: ~\n') }, 'tranche.yaml:1: promotion is empty'],
  ['a directive', { 'tranche.yaml': text('%YAML 1.1\n---\na: b\n') }, 'tranche.yaml:'],
  ['a bomb of aliases', { 'tranche.yaml': text(bomb()) }, 'tranche.yaml:'],
] as const)('%s is refused', (_what, files, said) => {
  expect(() => read(files)).toThrow(said);
});

test.each([
  ['in the place of the list', (half: string) => `statusKeys: ${half}\n`],
  ['as an entry', (half: string) => `statusKeys:\n  - ${half}\n`],
  ['as a field', (half: string) => `statusKeys:\n  - {cluster: eu, ${half}: 1}\n`],
  ['twice as a field', (half: string) => `statusKeys:\n  - {${half}: 1, ${half}: 2}\n`],
  ['as what tranche status-key prints', (half: string) => `TRANCHE_STATUS_KEY=${half}\n`],
  ['alone', (half: string) => `${half}\n`],
  ['as its end', (half: string) => `statusKeys:\n  - {cluster: eu, until: ${half}}\n`],
  ['as the cluster', (half: string) => `cluster: ${half}\n`],
  ['as a path', (half: string) => `stopFile: ${half}\n`],
  ['as an alias', (half: string) => `statusKeys:\n  - {cluster: eu, key: *${half}}\n`],
  ['as a tag', (half: string) => `statusKeys:\n  - {cluster: eu, key: !${half} x}\n`],
])('a private half on main is in no message: %s', (_, textWith) => {
  const half = privateHalf();
  let said = '';
  try {
    read({ 'tranche.yaml': text(textWith(half)) });
  } catch (error) {
    said = String(error);
  }
  expect(said).toMatch(/tranche\.yaml:[12]: /);
  expect(said).not.toContain(half.slice('tranche-private-'.length).slice(0, 8));
});

test.each([
  [
    'behind the name of its variable',
    (half: string) => `statusKeys: [{cluster: eu, key: "TRANCHE_STATUS_KEY=${half}"}]\n`,
  ],
  [
    'in a comment',
    (half: string) => `# TRANCHE_STATUS_KEY=${half}\nstatusKeys: [{cluster: eu, key: ${publicHalf()}}]\n`,
  ],
  ['as the cluster', (half: string) => `cluster: ${half}\nstatusKeys: [{key: ${publicHalf()}}]\n`],
  ['in a second document', (half: string) => `statusKeys: [{key: ${publicHalf()}}]\n---\n${half}\n`],
  ['in no YAML', (half: string) => `statusKeys: [{key: ${publicHalf()}}]\nTRANCHE_STATUS_KEY=${half}\n`],
])('a private half on main is reported, and its public half is not asked for: %s', (_, textWith) => {
  const issues = faultsOf(textWith(privateHalf()));
  const told = issues.filter(({ reason }) => reason === 'PrivateKey');
  expect(told.map(({ hint }) => hint)).toEqual([
    expect.stringMatching(/^Throw this key away.*make another.*its public half/),
  ]);
  expect(issues.map(({ reason }) => reason)).not.toContain('BadKey');
  // Another key, and the first half nowhere any more.
  const mended = `statusKeys: [{cluster: eu, key: ${publicHalf(2)}}]\n`;
  expect(read({ 'tranche.yaml': text(mended) }).statusKeys).toMatchObject([{ key: publicHalf(2) }]);
});

test.each([
  ['stopFile: stop', 'BadPath', (example: string) => `stopFile: ${example}`],
  ['fixedReferences: [x]', 'BadName', (example: string) => `fixedReferences: [${example}]`],
  ['lwsVersion: 0.10', 'BadVersion', (example: string) => `lwsVersion: ${example.replace(/, in quotes$/, '')}`],
  ['links: {dashboard: "http://x"}', 'BadLink', (example: string) => `links: {${example}}`],
  [
    `statusKeys: [{key: ${publicHalf()}, until: soon}]`,
    'BadTime',
    (example: string) => `statusKeys: [{key: ${publicHalf()}, until: ${example}}]`,
  ],
])('%s: the example of what to write is taken', (wrong, reason, written) => {
  const [fault] = faultsOf(`${wrong}\n`);
  expect(fault).toMatchObject({ reason });
  const [, example = ''] = /^Write for example (.*)\.$/.exec(fault?.hint ?? '') ?? [];
  expect(faultsOf(`${written(example)}\n`)).toEqual([]);
});

test.each([
  [
    'BadLink',
    `links: {${Array.from({ length: 11 }, (_, at) => `l${at}: "https://x.example/${at}"`).join(', ')}}`,
    'Leave the others out.',
  ],
  [
    'SameBranch',
    'branches: {desired: main, status: main}',
    'Keep the status on a branch of its own, which no agent applies.',
  ],
  [
    'BadKey',
    `statusKeys: [{key: ${publicHalf().slice(0, -1)}}]`,
    'Write the public half as tranche status-key has printed it.',
  ],
])('%s: what to do fits what is wrong', (reason, wrong, hint) => {
  expect(faultsOf(`${wrong}\n`)).toMatchObject([{ reason, hint }]);
});

test('keys by the thousand are refused before each is compared with each', () => {
  const many = Array.from({ length: 20_000 }, (_none, at) => `k${at}: 1\n`).join('');
  expect(() => read({ 'tranche.yaml': text(many) })).toThrow('tranche.yaml:1: the document has more than 100000 words');
});

test('no file at all means the defaults, and so does one with nothing but comments; a mark of byte order is no text', () => {
  expect(read({})).toEqual(read({ 'tranche.yaml': text('# nothing yet\n') }));
  expect(read({ 'tranche.yaml': text('\uFEFFcluster: prod\n'), 'tranche.yml': text('a') }).cluster).toBe('prod');
  expect(CONFIG_REQUEST.paths).toEqual(['tranche.yaml', 'tranche.yml']);
});

function bomb(): string {
  const lines = Array.from(
    { length: 12 },
    (_none, at) => `k${at + 1}: &a${at + 1} [${Array(9).fill(`*a${at}`).join(', ')}]\n`,
  );
  return `k0: &a0 [x]\n${lines.join('')}`;
}

test('a fault of steps alone: no step goes forward, and a rollback goes through', async () => {
  const world = new World({ files: VLLM_FILES });
  const passes = async (count: number): Promise<PassResult> => {
    for (let round = 1; round < count; round += 1) {
      await world.pass();
      world.sync();
      world.tick(60);
    }
    return world.pass();
  };
  world.sync();
  await passes(3);
  world.edit(LWS_FILE, OLD, NEW);
  world.sync();
  await passes(2);
  expect(world.subject()).toContain('step 1/3');
  const said = 'intervalSeconds: 5s\nrequiredPolicies: one\npromotion: pull\n';
  const config = (of: string): unknown =>
    world.repository.commit('main', { writes: [{ path: CONFIG_FILE, text: of }], message: 'settings' });
  config(said);
  const stalled = await passes(3);
  expect(world.subject()).toBe('settings');
  expect(stalled).toMatchObject({ failed: true });
  expect(stalled.issues.map(({ file, line, path }) => `${file}:${line} ${path}`)).toEqual([
    'tranche.yaml:1 intervalSeconds',
    'tranche.yaml:2 requiredPolicies',
    'tranche.yaml:3 promotion',
  ]);
  world.edit(LWS_FILE, NEW, OLD);
  await passes(1);
  expect(world.subject()).toBe('rollout(llm/vllm): rollback');
  const look = { overrides: NO_OVERRIDES, write: false, only: [] };
  const looked = await runPass(world.ports(), world.memory(), look);
  expect(looked).toMatchObject({ failed: true, issues: stalled.issues });
});

test('an entry of statusKeys that is wrong stays without its key: its cluster is not taken for one that signs nothing', async () => {
  const { config } = parseConfig({
    cluster: 'eu',
    statusKeys: [{ key: privateHalf() }, { cluster: 'us', key: publicHalf() }],
  });
  expect(config.statusKeys).toEqual([
    { cluster: 'eu', key: '', until: undefined },
    { cluster: 'us', key: publicHalf(), until: undefined },
  ]);
});

describe('a name that only reads as tranche.yaml', () => {
  const world = BareWorld.open({ ...VLLM_FILES, 'tranche.yaml': 'owners:\n  llm: [apps, rollouts]\n' });

  test.each([
    ['other letters', 'Tranche.YAML', '"Tranche.YAML"'],
    ['a letter of another alphabet', 'tranch\u0435.yaml', '"tranch\\u{435}.yaml"'],
    ['nothing that is seen', 'tranche\u200b.yml', '"tranche\\u{200b}.yml"'],
    ['a blank at its end', 'tranche.yaml ', '"tranche.yaml "'],
    ['a dot at its end', 'tranche.yaml.', '"tranche.yaml."'],
  ])('%s: no step goes forward as if there were none', async (_, name, said) => {
    const { repository } = await world;
    const before = await repository.git('rev-parse', 'main');
    await repository.commit('main', { 'tranche.yaml': undefined, [name]: 'owners:\n  llm: [apps, rollouts]\n' });
    const { outcomes, issues } = await (await world).pass();
    await repository.git('update-ref', 'refs/heads/main', before);
    const issue = expect.objectContaining({
      reason: 'WrongName',
      message: expect.stringContaining(`there is ${said}`),
    });
    expect(issues).toContainEqual(issue);
    expect(outcomes.map(({ written }) => written)).toEqual([undefined]);
  });

  test.each(['tranche.txt', 'branche.yaml', 'tranches.yaml', '\u0442\u0440\u0430\u043d\u0448.yaml'])(
    '%s is none',
    async (name) => {
      const { repository } = await world;
      const before = await repository.git('rev-parse', 'main');
      await repository.commit('main', { 'tranche.yaml': undefined, [name]: 'a: b\n' });
      const { issues } = await (await world).pass();
      await repository.git('update-ref', 'refs/heads/main', before);
      expect(issues).toEqual([]);
    },
  );
});
