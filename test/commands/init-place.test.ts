/** `tranche init` in a repository that has its own branch or its own paths: what it adds is read, or it says what is in the way. */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { HELM_FILES, RELEASE_FILE, RELEASE_TEXT } from '../support/helm-files.ts';
import { recordedKustomize } from '../support/kustomize.ts';
import { BASE, OVERLAY, OVERLAY_FILES, VALUES } from '../support/overlay-world.ts';
import { type Site, startSite, stopSites } from '../support/site.ts';
import { LWS_FILE, LWS_TEXT, ROLLOUT_FILE } from '../support/vllm.ts';

afterEach(stopSites);

const git = (folder: string, ...args: readonly string[]): void => {
  const identity = ['-c', 'user.name=Ana', '-c', 'user.email=ana@example.com'];
  execFileSync('git', [...identity, ...args], { cwd: folder, stdio: 'ignore' });
};

/** Somebody's repository with these files and one branch. */
function own(site: Site, branch: string, files: Readonly<Record<string, string>>): string {
  const folder = join(site.folder, branch);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  git(folder, 'init', '-q', '-b', branch);
  git(folder, 'add', '-A');
  git(folder, 'commit', '-q', '-m', 'first');
  return folder;
}

const application = (branch: string): string => `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: vllm, namespace: argocd}
spec:
  source: {repoURL: "https://github.com/example/models", targetRevision: ${branch}, path: apps/vllm}
  destination: {server: "https://kubernetes.default.svc", namespace: llm}
  syncPolicy: {automated: {selfHeal: true}}
`;

/** Calls it in that folder, which is the repository that is meant. */
const init = (site: Site, folder: string) => site.run('init --write --run deployment', { TRANCHE_REPO: '' }, folder);

test('without a main, the branch that there is is said to each call, and to the Deployment; then plan is as it says', async () => {
  const site = await startSite();
  const first = own(site, 'master', { [LWS_FILE]: LWS_TEXT, 'argocd/vllm.yaml': application('master') });
  const cloned = join(site.folder, 'cloned');
  git(site.folder, 'clone', '-q', first, cloned);
  git(cloned, 'checkout', '-q', '-b', 'my-work');
  for (const folder of [first, cloned]) {
    const { code, out } = await init(site, folder);
    expect(code).toBe(0);
    expect(out).toContain('commit, push; then tranche plan --branch master; ');
    expect(out).toContain(
      'this repository has no main: say --branch master in each call of tranche, and in what runs it',
    );
    expect(out, 'an agent that applies it is right').not.toContain('OtherBranch');
    const deployment = parse(readFileSync(join(folder, 'install/base/deployment.yaml'), 'utf8'));
    const { args } = deployment.spec.template.spec.containers[0];
    expect(args).toEqual(expect.arrayContaining(['--in-cluster', '--branch', 'master']));
    expect(args[2], 'where the overlay puts the repository').toBe('--repo');
  }
  git(first, 'add', '-A');
  git(first, 'commit', '-q', '-m', 'Adopt tranche');
  expect(await site.run('plan', { TRANCHE_REPO: first }, first)).toMatchObject({
    code: 2,
    err: expect.stringContaining('--branch NAME'),
  });
  const plan = await site.run('plan --branch master', { TRANCHE_REPO: first }, first);
  expect(plan.err).toBe('');
  expect(plan.out).toContain('llm/vllm');
  expect(plan.code).toBe(0);
});

test('without a main, the workflow starts for the branch that there is, and delivers it', async () => {
  const site = await startSite();
  const folder = own(site, 'trunk', { [LWS_FILE]: LWS_TEXT });
  const { code, out } = await site.run('init --write --run workflow', { TRANCHE_REPO: '' }, folder);
  expect(code).toBe(0);
  expect(out).toContain('workflow: makes a pass when trunk moves and every ten minutes');
  const text = readFileSync(join(folder, '.github/workflows/tranche.yaml'), 'utf8');
  const { on, jobs } = parse(text);
  expect(on.push).toEqual({ branches: ['trunk'] });
  const [action] = jobs.reconcile.steps.filter((step: { uses?: string }) => step.uses?.startsWith('example/tranche@'));
  expect(action.with).toMatchObject({ mode: 'reconcile', branch: 'trunk' });
  expect(text).not.toMatch(/\bmain\b/);
});

test('a branch of somebody that is checked out where nothing tells of a default one is no branch to deliver from', async () => {
  const site = await startSite();
  const { code, out } = await init(site, own(site, 'my-work', { [LWS_FILE]: LWS_TEXT }));
  expect(code).toBe(0);
  expect(out).not.toContain('--branch');
});

test('a tranche.yaml whose paths do not reach what is added: it is refused, and not written where nothing reads it', async () => {
  const site = await startSite();
  const config = 'cluster: prod\npaths: [apps, rollouts]\n';
  const folder = own(site, 'main', { [LWS_FILE]: LWS_TEXT, 'tranche.yaml': config });
  const { code, out } = await init(site, folder);
  expect(code).toBe(0);
  expect(out).toContain(
    'tranche.yaml:2: policies/default.yaml (policy) would not be read: paths has apps, rollouts (NotOnPaths). Add policies to paths, and call this again.',
  );
  expect(existsSync(join(folder, 'policies'))).toBe(false);
  expect(existsSync(join(folder, 'rollouts/vllm.yaml'))).toBe(true);
  const other = own(site, 'other', { [LWS_FILE]: LWS_TEXT, 'tranche.yaml': 'paths: [apps, policies]\n' });
  expect((await init(site, other)).out).toContain('rollouts/vllm.yaml (Rollout of llm/vllm) would not be read');
  expect(existsSync(join(other, 'rollouts'))).toBe(false);
});

test('a Rollout whose workload a HelmRelease renders: what is in the way of that', async () => {
  const site = await startSite();
  const text = RELEASE_TEXT.replace('version: 1.3.0', 'version: 1.x');
  const { code, out } = await init(site, own(site, 'main', { ...HELM_FILES, [RELEASE_FILE]: text }));
  expect(code).toBe(0);
  expect(out).toContain(`${RELEASE_FILE}:11: HelmRelease vllm: version is 1.x`);
  expect(out).not.toContain('it renders a chart');
  const { [ROLLOUT_FILE]: _, ...unnamed } = HELM_FILES;
  expect((await init(site, own(site, 'unnamed', unnamed))).out).toContain(
    'it renders a chart, and no Rollout names it: a LeaderWorkerSet of it is not delivered in steps (UnsupportedLayout). If there is one, add a Rollout of it with the annotation tranche.dev/carrier: HelmRelease/llm/vllm (docs/helm-releases.md).',
  );
});

test('a HelmRelease that an overlay patches: which name a Rollout may say, and nothing more once one says it', async () => {
  const site = await startSite();
  const { [ROLLOUT_FILE]: _, ...unnamed } = OVERLAY_FILES;
  const first = await init(site, own(site, 'unnamed', unnamed));
  expect(first.out).toContain(
    `${BASE}:8: HelmRelease vllm: it renders a chart, and no Rollout names it: a LeaderWorkerSet of it is not delivered in steps (UnsupportedLayout). If there is one, set TRANCHE_KUSTOMIZE, the path of kustomize, and add a Rollout with the annotation tranche.dev/carrier: HelmRelease/<namespace>/<name>, both as the overlay builds them`,
  );
  expect(first.out, 'a patch of people renders nothing').not.toContain(`${VALUES}:`);
  const kustomize = recordedKustomize();
  const env = { TRANCHE_REPO: '', TRANCHE_KUSTOMIZE: kustomize.file };
  const named = await site.run('init', env, own(site, 'named', OVERLAY_FILES));
  expect(named).toMatchObject({ code: 0, out: expect.not.stringMatching(/renders a chart|WorkloadMissing/) });
  const held = { ...OVERLAY_FILES, [BASE]: `${OVERLAY_FILES[BASE]}  suspend: true\n` };
  const { out } = await site.run('init', env, own(site, 'held', held));
  expect(out).toContain(`${OVERLAY}: HelmRelease prod-vllm: `);
  expect(out).toContain('(NotAutomated)');
  kustomize.remove();
});
