/** Of each commit of tranche which trailers it has: the table of the reference, held against what commits carry. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { section } from '../support/documents.ts';
import { type SimulatedForge, startForge } from '../support/forge/start-forge.ts';
import { forgeWorld } from '../support/forge-world.ts';
import { type Site, startSite, stopSites } from '../support/site.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';

let forge: SimulatedForge;
beforeAll(async () => {
  forge = await startForge();
});
afterAll(() => forge.stop());
afterEach(stopSites);

const POLICY =
  'apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata:\n  name: production\nspec:\n  maxStepPercent: 75\n';
const FILES = {
  ...VLLM_FILES,
  [ROLLOUT_FILE]: ROLLOUT_TEXT.replace('{duration: 0}', '{}'),
  'policies/production.yaml': POLICY,
};
const PERSON = { GITHUB_ACTOR: 'octocat' };

/** What a commit carries: its author, and the names of its trailers. */
type Carried = { readonly author: string; readonly trailers: readonly string[] };

async function carried(git: Site['repository']['git'], at: string): Promise<Carried> {
  const [author = '', ...trailers] = (await git('log', '-1', '--format=%an%n%(trailers:keyonly)', at)).split('\n');
  return { author, trailers: trailers.filter((line) => line !== '') };
}

/** The row of the reference for one kind of commit. */
function row(kind: string): { readonly author: string; readonly always: Set<string>; readonly sometimes: Set<string> } {
  const lines = section('Commits and their trailers').split('\n');
  const found = lines.find((line) => line.startsWith(`| ${kind} |`));
  const [, , author = '', always = '', sometimes = ''] = found?.split('|') ?? [];
  const quoted = (cell: string): Set<string> => new Set([...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ''));
  return { author: author.trim(), always: quoted(always), sometimes: quoted(sometimes) };
}

function check(kind: string, { author, trailers }: Carried): void {
  const { author: wanted, always, sometimes } = row(kind);
  expect(author, kind).toBe(wanted === 'the person' ? 'octocat' : 'tranche');
  expect(
    [...always].filter((name) => !trailers.includes(name)),
    `${kind}: always there`,
  ).toEqual([]);
  expect(
    trailers.filter((name) => !always.has(name) && !sometimes.has(name)),
    `${kind}: in the table`,
  ).toEqual([]);
}

describe('the table of the reference', () => {
  test('is what commits carry', async () => {
    const site = await startSite({ files: FILES });
    const { git } = site.repository;
    const now = async (kind: string): Promise<Carried> => {
      const found = await carried(git, 'main');
      check(kind, found);
      return found;
    };
    const pass = async (): Promise<void> => {
      await site.run('reconcile');
      await site.settle();
    };
    await pass();
    await site.edit(LWS_FILE, OLD, NEW);
    await site.settle();
    await site.run('reconcile');
    expect((await now('a step')).trailers).toContain('Rollout-Policies');
    await pass();
    expect(await site.run('stop --why incident', PERSON)).toMatchObject({ code: 0 });
    expect((await now('`stop`, `go`')).trailers).toContain('Ordered-By');
    await site.run('go', PERSON);
    await now('`stop`, `go`');
    await site.run('approve vllm --early', PERSON);
    const approve = await site.head();
    expect((await now('an order on one Rollout')).trailers).toContain('Rollout-Release');
    await site.run('reconcile');
    await now('a step');
    expect(await git('log', '-1', '--format=%(trailers:key=Approved-By,valueonly)', 'main')).toBe(approve);
    const { out } = await site.run('status vllm');
    expect(out).toMatch(new RegExp(`^Approved: +step 2/3 by octocat, commit ${approve.slice(0, 12)}$`, 'm'));
    const status = await carried(git, 'tranche-status');
    check('the status branch', status);
  });

  test('also where pull requests ask for approvals', async () => {
    const files = { ...VLLM_FILES, 'tranche.yaml': 'promotion: pullRequest\n' };
    const world = await forgeWorld(forge, 'trailers', files);
    await world.pass();
    await world.sync();
    const { git } = world.repository;
    const branches = await git.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/tranche/');
    const [first = ''] = branches.split('\n');
    check('a pull request', await carried((...args) => git.git(...args), first));
  });
});

test('an approval by hand is named by its commit, anyone who is its author', async () => {
  const site = await startSite({ files: FILES });
  const { git } = site.repository;
  await site.run('reconcile');
  await site.settle();
  await site.edit(LWS_FILE, OLD, NEW);
  await site.settle();
  for (let pass = 0; pass < 2; pass += 1) {
    await site.run('reconcile');
    await site.settle();
  }
  const release = await git('log', '-1', '--format=%(trailers:key=Rollout-Release,valueonly)', 'main');
  const before = '  name: vllm\n  namespace: llm\n';
  const after = `${before}  annotations:\n    tranche.dev/approve: "1@${release}"\n`;
  await site.edit(ROLLOUT_FILE, before, after);
  const byHand = await site.head();
  expect(await git('log', '-1', '--format=%an', 'main')).not.toBe('tranche');
  await site.edit(LWS_FILE, 'kind: LeaderWorkerSet', '# later\nkind: LeaderWorkerSet');
  expect((await site.run('reconcile')).out).toContain('step 2/3');
  expect(await git('log', '-1', '--format=%(trailers:key=Approved-By,valueonly)', 'main')).toBe(byHand);
  const [shown] = JSON.parse((await site.run('status vllm --output json')).out).rollouts;
  expect(shown.approval).toEqual({ step: '2/3', release, by: 'Ada', commit: byHand });
  await site.settle();
  await site.run('reconcile');
  expect(JSON.parse((await site.run('status vllm --output json')).out).rollouts[0].approval).toEqual(shown.approval);
  await site.run('abort vllm');
  await site.run('reconcile');
  expect(JSON.parse((await site.run('status vllm --output json')).out).rollouts[0].approval).toBeUndefined();
});
