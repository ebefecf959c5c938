/** `tranche preflight` against a forge with rules: what it says, in which form, and with which exit code. */

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runProgram } from '../../src/commands/program.ts';
import { APP, type ForgeSite, forgeSite, TOKEN } from '../adapters/forge/site.ts';
import { type SimulatedForge, startForge } from '../support/forge/start-forge.ts';
import { publicHalf } from '../support/status-key.ts';
import { VLLM_FILES } from '../support/vllm.ts';

let forge: SimulatedForge;
let site: ForgeSite;
beforeAll(async () => {
  forge = await startForge();
  site = await forgeSite(forge, 'gitops');
});
afterAll(() => forge.stop());

async function preflight(words: readonly string[] = [], token: string | undefined = TOKEN) {
  let [out, err] = ['', ''];
  const code = await runProgram(['preflight', ...words], {
    env: { TRANCHE_REPO: site.url, TRANCHE_GIT_TOKEN: TOKEN, TRANCHE_FORGE_TOKEN: token },
    folder: '.',
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    isTerminal: false,
    signal: new AbortController().signal,
  });
  expect(forge.violations.splice(0)).toEqual([]);
  return { code, out, err };
}

/** A ruleset to copy, as the forge keeps it once it is imported. */
function ruleset(file: string, bypass: readonly string[]) {
  const { name, conditions, rules } = JSON.parse(readFileSync(`policies/github/${file}`, 'utf8'));
  const branches = conditions.ref_name.include.map((ref: string) =>
    ref.replace('refs/heads/', '').replace('/**/*', '/*'),
  );
  return { id: file.length, name, branches, rules, bypass };
}

test('without rules nothing stops a push, and what is missing is told', async () => {
  const ran = await preflight();
  expect(ran).toMatchObject({ code: 1, err: '' });
  expect(ran.out).toMatch(/^error {4}StatusOpenToOthers: no ruleset restricts .* tranche-status, and no key signs it/);
  expect(ran.out).toContain('warning  ProposalsOpenToOthers: no ruleset restricts');
});

test('with a key on main that is in force, anyone else who pushes there is a warning', async () => {
  for (const [until, level] of [
    ['2099-01-01T00:00:00Z', 'warning  '],
    ['2020-01-01T00:00:00Z', 'error    '],
  ] as const) {
    const keys = `statusKeys: [{cluster: default, key: ${publicHalf()}, until: "${until}"}]\n`;
    await site.repository.git.commit('main', { 'tranche.yaml': keys });
    expect((await preflight()).out).toContain(`${level}StatusOpenToOthers: `);
  }
  await site.repository.git.commit('main', { 'tranche.yaml': '' });
});

test('with the rulesets to copy, the App passes and nobody else', async () => {
  const files = ['ruleset-main.json', 'ruleset-proposals.json', 'ruleset-status.json'];
  site.repository.enforce(files.map((file) => ruleset(file, [APP.login])));
  expect((await preflight()).out.split('\n').map((line) => line.split(':')[0])).toEqual([
    'warning  AppNotNamed',
    'notice   GateNotRequired',
    'notice   MovesUnderProposals',
    '',
  ]);
  site.repository.enforce(files.map((file) => ruleset(file, [])));
  const policy = `apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: production}\nspec:\n  withoutDirectPush: Accept\n`;
  site.repository.enforce([]);
  await site.repository.git.commit('main', { 'policies/production.yaml': policy });
  site.repository.enforce(files.map((file) => ruleset(file, [])));
  expect((await preflight()).out).toMatch(
    /MainTakesNoPush: .*which RolloutPolicy production \(policies\/production\.yaml:5\) accepts/,
  );
  const ran = await preflight(['--output', 'json']);
  expect(ran.code).toBe(1);
  const errors = JSON.parse(ran.out).findings.filter(({ level }: { level: string }) => level === 'error');
  expect(errors.map(({ name }: { name: string }) => name)).toEqual([
    'MainTakesNoPush',
    'StatusTakesNoPush',
    'ProposalsTakeNoPush',
  ]);
});

test('with the rulesets to copy and owners as SECURITY.md asks for, nobody loosens a limit without them', async () => {
  const files = ['ruleset-main.json', 'ruleset-proposals.json', 'ruleset-status.json'];
  site.repository.enforce([]);
  const owned = {
    'tranche.yaml': 'policyPaths: [policies]\napp: tranche\n',
    CODEOWNERS: '* @team/sre\n',
    'policies/production.yaml':
      'apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: production}\nspec: {maxRestarts: 1}\n',
  };
  await site.repository.git.commit('main', owned);
  site.repository.enforce(files.map((file) => ruleset(file, [APP.login])));
  expect((await preflight()).out).not.toContain('PoliciesUnguarded');
  site.repository.enforce([]);
  await site.repository.git.commit('main', { 'tranche.yaml': '', CODEOWNERS: undefined });
});

test('with the token of a run, it says once what does not work', async () => {
  const given = forge.tokens.get(TOKEN)!;
  forge.tokens.set(TOKEN, { ...given, account: { login: 'github-actions[bot]', id: 3, type: 'Bot' } });
  const { out } = await preflight();
  expect(
    out.match(/^warning {2}TokenOfRun: .*Use a GitHub App: policies\/github\/reconcile-app\.yaml$/gm),
  ).toHaveLength(1);
  forge.tokens.set(TOKEN, given);
});

test('without a forge it says so, and what Git alone tells', async () => {
  const app = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: vllm}
spec:
  source: {path: apps/vllm, targetRevision: main}
  syncPolicy: {}
`;
  await site.repository.git.commit('main', { ...VLLM_FILES, 'app.yaml': app });
  const { code, out, err } = await preflight(['--forge', 'none']);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^warning {2}ForgeNotAsked: .*On a GitHub give --repo as/);
  expect(out).toMatch(/^warning {2}NotAutomated: app\.yaml:6: /m);
  expect(out).not.toContain('fit');
  const { findings, agents } = JSON.parse((await preflight(['--forge', 'none', '--output', 'json'])).out);
  expect([
    findings.map(({ name }: { name: string }) => name),
    agents.map(({ reason }: { reason: string }) => reason),
  ]).toEqual([['ForgeNotAsked'], ['NotAutomated']]);
});

test('with a token that the forge does not take, it says what to do', async () => {
  expect(await preflight([], 'expired')).toMatchObject({ code: 2, err: expect.stringContaining('CredentialInvalid') });
  expect(await preflight(['--branch', 'nope'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('no branch nope'),
  });
});

test('the configuration is that of the branch that is delivered, which the default branch may only name', async () => {
  site.repository.enforce([]);
  const { git } = site.repository;
  const branches = 'branches: {desired: prod, status: prod-status}\n';
  await git.commit('main', { 'tranche.yaml': `cluster: elsewhere\n${branches}` });
  await git.git('update-ref', 'refs/heads/prod', 'refs/heads/main');
  await git.commit('prod', { 'tranche.yaml': `cluster: eu\n${branches}` });
  expect((await preflight()).out).toContain('branches below tranche/eu/');
  expect((await preflight(['--branch', 'main'])).out).toContain('branches below tranche/elsewhere/');
});

test('settings of agents that reach a workload, each with file and line', async () => {
  site = await forgeSite(forge, 'agents');
  const argo = 'apiVersion: argoproj.io/v1alpha1\n';
  await site.repository.git.commit('main', {
    ...VLLM_FILES,
    'agents/app.yaml': `${argo}kind: Application
metadata:
  name: vllm
  annotations:
    argocd-image-updater.argoproj.io/image-list: vllm=vllm/vllm-openai
spec:
  source: {path: apps/vllm}
  ignoreDifferences:
    - {group: leaderworkerset.x-k8s.io, kind: LeaderWorkerSet, jsonPointers: [/spec/replicas]}
  syncPolicy:
    automated: {prune: true, selfHeal: true}
    syncOptions:
      - ServerSideApply=true
      - Replace=true
`,
    'agents/elsewhere.yaml': `${argo}kind: Application\nmetadata: {name: other}\nspec: {source: {path: web}}\n`,
    'agents/project.yaml': `${argo}kind: AppProject
metadata: {name: llm}
spec:
  syncWindows:
    - {kind: deny, schedule: "0 22 * * *", duration: 8h}
`,
    'agents/images.yaml': `apiVersion: image.toolkit.fluxcd.io/v1
kind: ImageUpdateAutomation
metadata: {name: tags}
spec:
  git: {checkout: {ref: {branch: main}}}
  update: {path: ./apps}
`,
  });
  const { out } = await preflight();
  expect(out).toContain('\n--- a/agents/app.yaml\n+++ b/agents/app.yaml\n@@ ');
  expect(out).toContain('git apply one, then preflight again for the next.\n');
  const lines = out.split('\n').filter((line) => /^warning .*: agents\//.test(line));
  expect(lines.map((line) => line.split(': ').slice(0, 2).join(': '))).toEqual([
    'warning  IgnoredDifference: agents/app.yaml:10',
    'warning  ForcedApply: agents/app.yaml:15',
    'warning  ImageWriter: agents/app.yaml:6',
    'warning  ImageWriter: agents/images.yaml:6',
    'warning  SyncWindow: agents/project.yaml:6',
  ]);
  const { agents } = JSON.parse((await preflight(['--output', 'json'])).out);
  expect(agents).toHaveLength(5);
});
