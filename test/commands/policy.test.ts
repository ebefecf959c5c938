/** `tranche policy`: which policy decides what of a Rollout, where that is written, and what it holds now. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { policySchema } from '../../src/api/policy-schema.ts';
import { startSite, stopSites } from '../support/site.ts';
import { LWS_FILE, NEW, OLD, VLLM_FILES } from '../support/vllm.ts';

afterEach(stopSites);

const policy = (name: string, spec: string): string =>
  `apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata:\n  name: ${name}\nspec:\n${spec}`;
const FILES = {
  ...VLLM_FILES,
  'policies/a.yaml': policy('production', '  rollouts: [llm/*]\n  surge: 2\n'),
  'policies/b.yaml': policy(
    'small',
    '  surge: 1\n  recreate: Refuse\n  deny: [{from: "2099-12-20T00:00:00Z", to: "2099-12-21T00:00:00Z"}]\n',
  ),
  'policies/c.yaml': policy('elsewhere', '  clusters: [moon]\n  surge: 0\n'),
};

test('explains each field with its value, its line and what it would hold', async () => {
  const site = await startSite({ files: FILES });
  await site.run('reconcile');
  await site.settle();
  await site.edit(LWS_FILE, 'maxUnavailable: 1 ', 'maxUnavailable: 2 ');
  await site.edit(LWS_FILE, OLD, NEW);
  await site.settle();
  const text = await site.run('policy explain vllm');
  expect(text).toMatchObject({ code: 0, err: '' });
  const lines = text.out.split('\n');
  expect(lines.slice(0, 2)).toEqual(['llm/vllm in default', '  surge: 1, of small (policies/b.yaml:6) [grant]']);
  expect(lines[2]).toMatch(
    /^ {4}would hold: SurgeRefused\. RolloutPolicy small \(policies\/b\.yaml:6\) asks for a surge/,
  );
  expect(lines[3]).toBe('  recreate: "Refuse", of small (policies/b.yaml:7) [grant]');
  expect(lines[4]).toBe(
    '  deny: [{"from":"2099-12-20T00:00:00Z","to":"2099-12-21T00:00:00Z"}], of small (policies/b.yaml:8) [requirement]',
  );
  expect(lines[5]).toMatch(/^ {2}no policy says anything of sizeChange, withoutDirectPush, /);
  expect(lines[6]).toMatch(/^ {2}waits now: SurgeRefused\./);
  const json = JSON.parse((await site.run('policy explain vllm --output json')).out);
  expect(json[0].fields[0]).toMatchObject({
    field: 'surge',
    value: 1,
    composition: 'grant',
    saidBy: ['small (policies/b.yaml:6)'],
    holds: [{ reason: 'SurgeRefused' }],
  });
});

test('says what is wrong, and which Rollout is not there', async () => {
  const site = await startSite({ files: { ...FILES, 'policies/b.yaml': policy('small', '  surge: one\n') } });
  const wrong = await site.run('policy explain vllm');
  expect(wrong.code).toBe(1);
  expect(wrong.out).toContain('  wrong: policies/b.yaml:6: RolloutPolicy small: spec.surge is "one"');
  expect(await site.run('policy explain vlm')).toMatchObject({
    code: 1,
    out: '',
    err: 'there is no Rollout vlm; there is: llm/vllm (NoSuchRollout). Check the spelling, and paths in tranche.yaml.\n',
  });
  expect(await site.run('policy explain vllm -n talk')).toMatchObject({ code: 1, out: '' });
});

test('prints the schema; and of a repository without policies one short line', async () => {
  const site = await startSite();
  expect((await site.run('policy explain vllm')).out).toContain('\n  no policy says anything of it\n');
  expect(JSON.parse((await site.run('policy schema')).out)).toEqual(policySchema());
});

const policyTest = (spec: string): string =>
  `apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicyTest\nmetadata:\n  name: one\nspec:\n  now: "2026-11-24T10:00:00Z"\n  rollout: llm/vllm\n${spec}`;

/** A freeze with an exception for release 7, which tells of failures alone. */
const FROZEN = [
  '  deny: [{from: "2026-11-20T00:00:00Z", to: "2026-12-01T00:00:00Z"}]',
  '  exceptions: [{release: 9c41d2e09c41d2e09c41d2e09c41d2e0.7, approver: ana, until: "2026-11-30T00:00:00Z"}]',
  '  notify: [{to: prod, as: slack, events: [failed]}]',
  '',
].join('\n');

/** Limits of shares. */
const SHARES = '  maxStepTrafficPercent: 40\n  maxFirstTrafficPercent: 10\n';

test.each<readonly [what: string, tests: string, code: number, out: RegExp]>([
  ['as expected', policyTest('  expect: [StepTooLarge]\n'), 0, /^1 passed, 0 failed\n$/],
  [
    'another answer',
    policyTest('  steps: [1, 2, 3, 4]\n  expect: [WindowClosed]\n'),
    1,
    /^one: wanted WindowClosed, got no hold\n0 passed, 1 failed\n$/,
  ],
  [
    'a hold that was not expected',
    policyTest('  expect: []\n'),
    1,
    /^one: wanted no hold, got StepTooLarge\n {4}StepTooLarge\. Step 3 releases 2 groups at once; RolloutPolicy a \(p\.yaml:6\) allows 1/,
  ],
  [
    'a release with an exception in a freeze, told to whom it should',
    policyTest(
      '  steps: [1, 2, 3, 4]\n  release: 9c41d2e09c41d2e09c41d2e09c41d2e0.7\n  tells: {failed: [prod], started: []}\n  expect: []\n',
    ),
    0,
    /^1 passed, 0 failed\n$/,
  ],
  [
    'another release in that freeze',
    policyTest('  steps: [1, 2, 3, 4]\n  release: 9c41d2e09c41d2e09c41d2e09c41d2e0.8\n  expect: [WindowClose]\n'),
    1,
    /^one: no hold is called WindowClose: did you mean WindowClosed\?\none: wanted WindowClose, got WindowClosed\n {4}WindowClosed\. .* lets no step of 9c41d2e09c41d2e09c41d2e09c41d2e0\.8 start/,
  ],
  [
    'others told than wanted',
    policyTest(
      '  steps: [1, 2, 3, 4]\n  release: 9c41d2e09c41d2e09c41d2e09c41d2e0.7\n  tells: {failed: [prod, audit]}\n  expect: []\n',
    ),
    1,
    /^one: of failed wanted told prod, audit, told is prod\n0 passed, 1 failed/,
  ],
  [
    'an event that is none',
    policyTest('  tells: {fail: [prod]}\n  expect: []\n'),
    1,
    /spec\.tells\.fail is not a field of this object \(UnknownField\)\. Did you mean failed\?/,
  ],
  [
    'a field that is none',
    policyTest('  replica: 4\n  expect: []\n'),
    1,
    /^wrong: t\.yaml:8: RolloutPolicyTest one: spec\.replica is not a field of this object \(UnknownField\)\. Did you mean replicas\?/,
  ],
  [
    'shares of a canary, one of which is raised by too much',
    policyTest(
      '  strategy: canary\n  steps: [{replicas: 1, traffic: 5%}, {replicas: 2, traffic: 50%}]\n  expect: []\n',
    ),
    1,
    /^one: wanted no hold, got ShareTooLarge\n {4}ShareTooLarge\. Step 2 sends 50 % .* after 5 %; RolloutPolicy a \(p\.yaml:6\) allows 40 more/,
  ],
  [
    'shares of a canary as small as allowed, whose promotion is no step of them',
    policyTest(
      '  strategy: canary\n  steps: [{replicas: 1, traffic: 10%}, {replicas: 2, traffic: 50%}]\n  expect: []\n',
    ),
    0,
    /^1 passed, 0 failed\n$/,
  ],
  [
    'a first share that is too large, with the partition strategy',
    policyTest('  steps: [{replicas: 1, traffic: 25%}, {replicas: 50%, traffic: 50%}]\n  expect: [ShareTooLarge]\n'),
    0,
    /^1 passed, 0 failed\n$/,
  ],
  [
    'the promotion of blueGreen',
    policyTest('  strategy: blueGreen\n  steps: [{replicas: 100%, traffic: 10%}]\n  expect: []\n'),
    1,
    /ShareTooLarge\. The promotion sends 100 % of the requests to the new version, after 10 %/,
  ],
  [
    'a strategy that is none',
    policyTest('  strategy: bluegreen\n  expect: []\n'),
    1,
    /^wrong: t\.yaml:8: .*spec\.strategy is "bluegreen", wanted partition or canary or blueGreen.* Did you mean blueGreen\?/,
  ],
  [
    'a share that is none',
    policyTest('  steps: [{replicas: 1, traffic: 5}]\n  expect: []\n'),
    1,
    /^wrong: t\.yaml:8: .*spec\.steps wanted .* Write for example \[1, \{replicas: 50%, traffic: 20%\}, 100%\]/,
  ],
  [
    'steps that no Rollout can have',
    policyTest('  strategy: canary\n  steps: [{replicas: 2, traffic: 20%}, 1]\n  expect: []\n'),
    1,
    /^wrong: imagined\/llm\/vllm\/Rollout\.json:1: /,
  ],
])('tests policies: %s', async (_, tests, code, out) => {
  const site = await startSite();
  const excepted = tests.includes('9c41d2e09c41d2e09c41d2e09c41d2e0');
  writeFileSync(
    join(site.folder, 'p.yaml'),
    policy('a', excepted ? FROZEN : tests.includes('traffic') ? SHARES : '  maxStepGroups: 1\n'),
  );
  writeFileSync(join(site.folder, 't.yaml'), tests);
  const told = await site.run('policy test p.yaml t.yaml');
  expect(told).toMatchObject({ code, err: '' });
  expect(told.out).toMatch(out);
});

test('asks for tests where there are none', async () => {
  const site = await startSite();
  writeFileSync(join(site.folder, 'p.yaml'), policy('a', '  surge: 1\n'));
  expect(await site.run('policy test p.yaml')).toMatchObject({ code: 2, out: '' });
  expect(await site.run('policy test nowhere')).toMatchObject({ code: 2, out: '' });
});

test('reads files alone, and none without an end', async () => {
  const site = await startSite();
  mkdirSync(join(site.folder, 'policies/folder.yaml'), { recursive: true });
  writeFileSync(join(site.folder, 'policies/t.yaml'), policyTest('  expect: []\n'));
  expect(await site.run('policy test policies')).toMatchObject({ code: 0, out: '1 passed, 0 failed\n', err: '' });
  const endless = await site.run('policy test /dev/zero');
  expect(endless).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/zero is no file/) });
});
