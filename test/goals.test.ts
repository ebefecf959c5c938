/** What a newcomer does, line by line as README.md says it: a first step on a repository of one's own, and tranche in a cluster. */

import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Site, startSite, stopSites } from './support/site.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD } from './support/vllm.ts';

afterEach(stopSites);

const readme = readFileSync('README.md', 'utf8');
const blocks = [...readme.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, text = '']) =>
  text
    .split('\n')
    .flatMap((line) => line.replace(/ +# .*/, '').split(' && '))
    .filter((line) => line !== ''),
);
const [firstStep = [], install = []] = blocks;

/** The repository of someone who has never heard of tranche: no namespace and no partition in it, but an agent. */
const OWN = {
  [LWS_FILE]: LWS_TEXT.replace('  namespace: llm\n', '').replace(
    /  rolloutStrategy:\n[^]*?(?=  leaderWorkerTemplate)/,
    '',
  ),
  'argocd/vllm.yaml': `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: vllm, namespace: argocd}
spec:
  source: {repoURL: "https://github.com/example/models", targetRevision: main, path: apps/vllm}
  destination: {server: "https://kubernetes.default.svc", namespace: llm}
  syncPolicy: {automated: {prune: true, selfHeal: true}}
`,
};

const IDENTITY = { GIT_AUTHOR_NAME: 'Ana', GIT_AUTHOR_EMAIL: 'ana@example.com' };
const env = {
  ...process.env,
  ...IDENTITY,
  GIT_COMMITTER_NAME: 'Ana',
  GIT_COMMITTER_EMAIL: 'ana@example.com',
  GIT_CONFIG_GLOBAL: '/dev/null',
};

/** A clone of the repository of a site, next to it. */
function cloneOf(site: Site): string {
  const folder = join(site.folder, 'models');
  execFileSync('git', ['clone', '-q', site.repository.path, folder], { env });
  return folder;
}

/** Runs the lines in the clone: those of tranche by its own program, the others as a shell does. */
async function typed(site: Site, folder: string, lines: readonly string[]): Promise<readonly string[]> {
  const said: string[] = [];
  for (const line of lines) {
    if (!line.startsWith('tranche ')) {
      execFileSync('sh', ['-ec', line], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
      continue;
    }
    // Without TRANCHE_REPO: the clone says where it came from.
    const { code, out, err } = await site.run(line.slice('tranche '.length), { TRANCHE_REPO: '' }, folder);
    expect([line, code], err).toEqual([line, 0]);
    said.push(out);
  }
  return said;
}

test('a first step: init, lint, push, plan, reconcile, and no word that README.md does not have', async () => {
  expect(firstStep.filter((line) => line.startsWith('tranche '))).toEqual([
    'tranche init --write',
    'tranche lint',
    'tranche plan',
    'tranche reconcile',
  ]);
  const site = await startSite({ files: OWN });
  const folder = cloneOf(site);
  const said = await typed(site, folder, firstStep);
  expect(said[1]).toContain('1 Rollout, 0 problems');
  expect(said[2]).toContain('+      partition: 1000000');
  expect(await site.subject()).toBe('rollout(llm/vllm): adopt, partition unset → 1000000');
  // The first release, in the steps that were written; a second pass changes nothing.
  await site.settle();
  await site.edit(LWS_FILE, OLD, NEW);
  await site.settle();
  expect((await site.run('reconcile')).code).toBe(0);
  expect(await site.subject()).toBe('rollout(llm/vllm): step 1/3, partition 1000000 → 3');
  const head = await site.head();
  await site.run('reconcile');
  expect(await site.head()).toBe(head);
});

const missing = spawnSync('kubectl', ['version', '--client']).status !== 0;
if (missing) console.warn('kubectl is not installed: what README.md applies to a cluster is only read');

describe('tranche in a cluster', () => {
  test('two lines, which init prints as well: the folder that it wrote, and one Secret', async () => {
    expect(install).toEqual([
      'kubectl apply -k install/overlay',
      'kubectl create secret generic tranche-git --namespace tranche --from-file=token=/dev/stdin',
    ]);
    const site = await startSite({ files: OWN });
    const [said = ''] = await typed(site, cloneOf(site), ['tranche init --write']);
    for (const line of install) expect(said).toContain(line);
  });

  test.skipIf(missing)('the served API takes both; what the Deployment starts then delivers a new image', async () => {
    const site = await startSite({ files: OWN });
    const folder = cloneOf(site);
    await typed(site, folder, firstStep.slice(0, 5));
    // What someone types; a shell gives it to kubectl, which opens /dev/stdin.
    const kubectl = async (line: string) =>
      promisify(execFile)('sh', ['-ec', `printf 'ghp_example\\n' | ${line}`], {
        cwd: folder,
        env: { ...env, KUBECONFIG: site.kubeconfig, HOME: site.folder },
      });
    for (const line of install) await kubectl(line);
    expect(execFileSync('git', ['status', '--short'], { cwd: folder, env }).toString(), 'no token in the clone').toBe(
      '',
    );
    // The example stands in the overlay: what is corrected there is applied over it.
    const overlay = join(folder, 'install/overlay/kustomization.yaml');
    const example = readFileSync(overlay, 'utf8');
    for (const [text, image] of [
      [example.replace('newTag: 0.1.0', 'newTag: 0.1.1'), '0.1.1'],
      [example, '0.1.0'],
    ]) {
      writeFileSync(overlay, text ?? '');
      await kubectl('kubectl apply -k install/overlay');
      const applied = await kubectl('kubectl get deployment tranche -n tranche -o json');
      expect(parse(applied.stdout).spec.template.spec.containers[0].image).toBe(
        `registry.example.com/tranche:${image}`,
      );
    }
    const { stdout } = await kubectl('kubectl get deployment tranche -n tranche -o json');
    const pod = parse(stdout).spec.template.spec;
    const secret = parse((await kubectl('kubectl get secret tranche-git -n tranche -o json')).stdout);
    expect(pod.volumes[0].secret.secretName).toBe(secret.metadata.name);
    expect(Buffer.from(secret.data.token, 'base64').toString()).toBe('ghp_example\n');
    // No container runs here: the same entry and the same arguments, once, with the kubeconfig in place of the pod's account.
    const { args } = pod.containers[0] as { readonly args: readonly string[] };
    const at = args.indexOf('--repo');
    expect(args[at + 1]).toBe('https://github.com/example/models');
    const pass = args.filter((word, place) => word === 'reconcile' || place === at);
    const started = () => site.run([...pass, site.repository.path]);
    await started();
    await site.settle();
    await site.edit(LWS_FILE, OLD, NEW);
    for (let round = 0; round < 16 && !(await site.subject()).endsWith(': settled'); round += 1) {
      await site.settle();
      site.model.tick(660);
      if ((await started()).out.includes('PausedForApproval')) await site.run('approve vllm');
    }
    const log = await site.repository.git('log', '--reverse', '--format=%s', 'main');
    expect(log.match(/step .\/3(?=, partition)|settled/g)).toEqual(['step 1/3', 'step 2/3', 'step 3/3', 'settled']);
  });
});
