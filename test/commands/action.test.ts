/** The GitHub Action in the environment of a runner: what it prints, sets and writes, and what it refuses. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { fenced, SUMMARY_BYTES_MAX, writeSummary } from '../../src/commands/runner-lines.ts';
import { act, commands, type Env, TOKEN } from '../support/runner.ts';
import { runnerCommands } from '../support/runner-commands.ts';
import { type Site, startSite, stopSites } from '../support/site.ts';
import { privateHalf, statusKeysText } from '../support/status-key.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';

afterEach(stopSites);

const OWN_BRANCHES = [
  'tranche/default/llm/vllm/1',
  'tranche-order/abort-1a2b3c4d-2-0123456789ab',
  'tranche-init/0123456789ab',
  'tranche-status',
  'tranche-status-1',
];

async function requested(files?: Env): Promise<Site> {
  const site = await startSite(files === undefined ? {} : { files });
  await site.run('reconcile');
  await site.edit(LWS_FILE, OLD, NEW);
  await site.settle();
  return site;
}

describe('modes', () => {
  test('reconcile writes the step, and says which commits', async () => {
    const site = await requested();
    const ran = await act(site, { mode: 'reconcile' });
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(await site.subject()).toBe('rollout(llm/vllm): step 1/3, partition 1000000 → 3');
    expect(ran.outputs).toEqual({
      changed: 'true',
      failed: 'false',
      rollouts: JSON.stringify([
        { namespace: 'llm', name: 'vllm', phase: 'Progressing', holds: [], commit: await site.head(), failed: false },
      ]),
      commits: await site.head(),
      'pull-requests': '',
      'status-commit': await site.head('tranche-status'),
      summary: '1 Rollout looked at, 1 commit written, 0 waiting, 0 failed',
    });
    expect(ran.summary).toContain('| `llm/vllm` | step 1/3, ');
    expect(ran.summary).toContain('\n```diff\n');
    expect(ran.summary).toContain('\n+      partition: 3\n');
    expect(commands(ran.out)).toEqual(['::add-mask::ghs_canary%257f3a']);
    expect(ran.out.replace(commands(ran.out)[0] ?? '', '') + ran.summary).not.toContain(TOKEN);
  });

  test('the status key of the input signs what is written, and is masked', async () => {
    const site = await startSite({ files: { ...VLLM_FILES, 'tranche.yaml': statusKeysText() } });
    const without = await act(site, { mode: 'reconcile' });
    expect(await site.head('tranche-status')).toBe('');
    expect(without.out).toContain('StatusKeyMissing');
    const ran = await act(site, { mode: 'reconcile', 'status-key': privateHalf() });
    expect(commands(ran.out)).toContain(`::add-mask::${privateHalf()}`);
    expect(await site.text('index.json', 'tranche-status')).toContain('"signature"');
    expect(ran.out.replaceAll(`::add-mask::${privateHalf()}`, '') + ran.err + ran.summary).not.toContain(privateHalf());
  });

  test('plan is the default, and writes nothing', async () => {
    const site = await requested();
    const heads = [await site.head(), await site.head('tranche-status')];
    const ran = await act(site, {});
    expect(ran).toMatchObject({ code: 0, outputs: { changed: 'true', failed: 'false', commits: '' } });
    expect(ran.out).toContain('would commit  rollout(llm/vllm): step 1/3');
    expect(runnerCommands(ran.out).slice(1)).toEqual([
      { name: 'group', properties: {}, data: 'the commit of llm/vllm' },
      { name: 'endgroup', properties: {}, data: '' },
    ]);
    expect(ran.out).toMatch(/::group::[^]*\n\+ {6}partition: 3\n[^]*::endgroup::\n$/);
    expect([await site.head(), await site.head('tranche-status')]).toEqual(heads);
  });

  test('nothing to do', async () => {
    const site = await startSite({ signed: true });
    for (let pass = 0; pass < 2; pass += 1) {
      await site.run('reconcile');
      await site.settle();
    }
    const ran = await act(site, { mode: 'reconcile' });
    expect(ran).toMatchObject({ code: 0, outputs: { changed: 'false', failed: 'false', commits: '' } });
    expect(ran.summary).toBe('Nothing has moved; every rollout is settled.\n');
    const stays = await act(site, { mode: 'reconcile', 'wait-minutes': '5' });
    expect(stays.out.split('\n').slice(2)).toEqual([
      '::group::pass 1',
      'nothing has moved, all settled',
      '::endgroup::',
      'nothing has moved, all settled',
      '',
    ]);
  });

  test('lint puts each problem at its line, and needs no cluster', async () => {
    const site = await startSite({ files: { ...VLLM_FILES, [ROLLOUT_FILE]: ROLLOUT_TEXT.replace('50%', '20%') } });
    await site.api.close();
    const ran = await act(site, { mode: 'lint', kubeconfig: '' });
    expect(ran.code).toBe(1);
    expect(commands(ran.out).slice(1)).toEqual([
      '::error file=rollouts/vllm.yaml,line=16,title=StepsNotIncreasing::Rollout vllm: spec.strategy.canary.steps[1].replicas is 20%25, but the step before already updates 25%25. List the steps from the smallest to the largest.',
    ]);
    expect(ran.outputs).toMatchObject({ failed: 'true' });
    expect(ran.summary).toContain('1 problem in files.');
    const good = await startSite();
    expect(await act(good, { mode: 'lint', kubeconfig: '' })).toMatchObject({ code: 0, outputs: { failed: 'false' } });
  });

  test('lint reads what merging a pull request would make of the files, or the ref that is named', async () => {
    const site = await startSite();
    await site.repository.commit('theirs', { ...VLLM_FILES, [ROLLOUT_FILE]: ROLLOUT_TEXT.replace('50%', '20%') }, 'x');
    await site.repository.git('update-ref', 'refs/pull/7/merge', 'refs/heads/theirs');
    const event = { GITHUB_EVENT_NAME: 'pull_request', GITHUB_REF: 'refs/pull/7/merge' };
    const ran = await act(site, { mode: 'lint', kubeconfig: '' }, event);
    expect(ran).toMatchObject({ code: 1, outputs: { failed: 'true' } });
    expect(ran.out).toContain('title=StepsNotIncreasing::');
    expect(ran.out).toMatch(/^read: refs\/pull\/7\/merge at [0-9a-f]{12}$/m);
    const main = await act(site, { mode: 'lint', kubeconfig: '', ref: 'main' }, event);
    expect(main.code).toBe(0);
    expect(main.out).toMatch(/^read: main at [0-9a-f]{12}$/m);
    expect(await act(site, { mode: 'plan' }, event), 'plan is of the branch that is delivered').toMatchObject({
      code: 0,
    });
  });

  test('only, paths and branch', async () => {
    const chat = {
      'apps/chat/lws.yaml': LWS_TEXT.replace('name: vllm', 'name: chat'),
      'rollouts/chat.yaml': ROLLOUT_TEXT.replaceAll('vllm', 'chat'),
    };
    const site = await startSite({ files: { ...VLLM_FILES, ...chat } });
    const one = await act(site, { only: 'chat' });
    expect(one.out).toContain('llm/chat  ');
    expect(one.out).not.toContain('llm/vllm  ');
    const paths = await act(site, { paths: 'apps/vllm\n rollouts/vllm.yaml,' });
    expect(paths.out).not.toContain('llm/chat  ');
    expect(await act(site, { branch: 'nope' })).toMatchObject({ code: 2 });
  });
});

describe('an order of someone', () => {
  const by = { GITHUB_EVENT_NAME: 'workflow_dispatch', GITHUB_ACTOR: 'ada' };
  test('is written before the pass, with who gave it', async () => {
    const site = await requested();
    const ran = await act(site, { mode: 'reconcile', verb: 'pause', rollout: 'llm/vllm' }, by);
    expect(ran.code).toBe(0);
    expect(await site.text(ROLLOUT_FILE)).toContain('paused: true');
    expect(await site.repository.git('log', '-1', '--format=%B', 'main')).toContain('ada');
    expect(JSON.parse(ran.outputs['rollouts'] ?? '')).toMatchObject([{ name: 'vllm', holds: ['Paused'] }]);
  });

  const none: readonly (readonly [what: string, inputs: Env, env: Env, said: string])[] = [
    [
      'on another event',
      { verb: 'pause', rollout: 'vllm' },
      { ...by, GITHUB_EVENT_NAME: 'push' },
      'orders are given by people',
    ],
    [
      'that is none',
      { verb: 'eject', rollout: 'vllm' },
      by,
      'wanted one of approve, pause, resume, abort, undo, retry, propose',
    ],
    ['of a name that is none', { verb: 'pause', rollout: 'a b' }, by, 'wanted name or namespace/name'],
    ['of another Rollout', { verb: 'pause', rollout: 'chat' }, by, 'refused: '],
  ];
  test('writes nothing where it cannot be given', async () => {
    const site = await requested();
    const head = await site.head();
    for (const [what, inputs, env, said] of none) {
      const ran = await act(site, { mode: 'reconcile', ...inputs }, env);
      expect(ran, what).toMatchObject({ err: expect.stringContaining(said), outputs: { failed: 'true' } });
      expect(ran.code, what).toBeGreaterThan(0);
    }
    expect(await site.head()).toBe(head);
  });
});

describe('refused', () => {
  test.each([
    'pull_request',
    'pull_request_review',
    'pull_request_review_comment',
    'workflow_run',
    'issue_comment',
    'issues',
    'discussion_comment',
    'fork',
    'watch',
    'merge_group',
    'check_run',
  ])('reconcile on %s, because others can cause it', async (event) => {
    const site = await requested();
    const heads = [await site.head(), await site.head('tranche-status')];
    const ran = await act(site, { mode: 'reconcile' }, { GITHUB_EVENT_NAME: event });
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(`mode reconcile does not run on ${event}, because others can cause it.`);
    expect(ran.outputs).toMatchObject({ changed: 'false', failed: 'true', commits: '', rollouts: '[]' });
    expect([await site.head(), await site.head('tranche-status')]).toEqual(heads);
  });

  test.each(['push', 'schedule', 'workflow_dispatch', 'repository_dispatch'])('but not on %s', async (event) => {
    const site = await startSite();
    expect(await act(site, { mode: 'reconcile' }, { GITHUB_EVENT_NAME: event })).toMatchObject({ code: 0 });
  });

  test('plan and lint write nothing, and run on a pull request', async () => {
    const site = await startSite();
    for (const mode of ['plan', 'lint'])
      expect(await act(site, { mode }, { GITHUB_EVENT_NAME: 'pull_request' })).toMatchObject({ code: 0 });
    expect(await site.subject()).toBe('first files');
  });

  test.each(['plan', 'lint', 'reconcile'])('%s on pull_request_target', async (mode) => {
    const site = await startSite();
    const ran = await act(site, { mode }, { GITHUB_EVENT_NAME: 'pull_request_target' });
    expect(ran).toMatchObject({ code: 2, err: expect.stringContaining('Use pull_request\n') });
  });

  test.each([
    'refs/pull/7/merge',
    'refs/tags/v1',
    ...OWN_BRANCHES.map((branch) => `refs/heads/${branch}`),
    'refs/heads/gh-readonly-queue/main/pr-1',
  ])('reconcile for %s', async (ref) => {
    const site = await startSite();
    const ran = await act(site, { mode: 'reconcile' }, { GITHUB_REF: ref });
    expect(ran).toMatchObject({ code: 2, err: expect.stringContaining(`does not run for ${ref}`) });
  });

  test.each(OWN_BRANCHES)('reconcile with %s as the branch: nothing is written', async (branch) => {
    const site = await startSite();
    await site.repository.git('branch', branch, 'main');
    const heads = [await site.head(branch), await site.head()];
    const said = `${branch} is named as the desired branch, and tranche makes it for itself`;
    expect(await act(site, { mode: 'reconcile', branch })).toMatchObject({
      code: 2,
      out: expect.stringContaining(`title=OwnBranch::${said}`),
    });
    for (const verb of ['reconcile', 'plan', 'pause vllm'])
      expect(await site.run(`${verb} --branch ${branch}`)).toMatchObject({
        code: 2,
        err: expect.stringContaining(said),
      });
    expect([await site.head(branch), await site.head()]).toEqual(heads);
  });

  test.each(['-1', '1.5', '351', 'x'])('wait-minutes %s', async (minutes) => {
    const site = await startSite();
    const ran = await act(site, { mode: 'reconcile', 'wait-minutes': minutes });
    expect(ran).toMatchObject({
      code: 2,
      err: `error: wait-minutes is ${minutes}, wanted whole minutes from 0 to 350\n`,
    });
  });

  const wrong: readonly (readonly [what: string, inputs: Env, said: string])[] = [
    ['another mode', { mode: 'apply' }, 'error: mode is apply, wanted one of reconcile, plan, lint, verify\n'],
    ['no repository', { repo: '' }, 'error: repo is empty, and GITHUB_REPOSITORY is not set\n'],
  ];
  test.each(wrong)('%s', async (_, inputs, said) => {
    const site = await startSite();
    expect(await act(site, inputs)).toMatchObject({ code: 2, err: said });
  });

  test('a wrong tranche.yaml, each fault at its line', async () => {
    const site = await startSite({ files: { ...VLLM_FILES, 'tranche.yaml': 'cluster: Not OK\nfoo: 1\n' } });
    const ran = await act(site, {});
    expect(ran.code).toBe(2);
    expect(commands(ran.out).map((line) => line.split('::')[1])).toEqual([
      'add-mask',
      'error file=tranche.yaml,line=1,title=BadName',
      'error file=tranche.yaml,line=2,title=UnknownField',
      'error file=tranche.yaml,line=1,title=NoEarlierConfig',
    ]);
  });

  test('the repository of the run, where none is named', async () => {
    const site = await startSite();
    const env = { GITHUB_SERVER_URL: 'http://127.0.0.1:1', GITHUB_REPOSITORY: 'team/models' };
    const ran = await act(site, { repo: '' }, env);
    expect(ran.code).toBe(1);
    expect(ran.out).toContain('::error title=tranche::http://127.0.0.1:1/team/models: connect ECONNREFUSED');
    expect(ran.err).not.toContain(TOKEN);
  });
});

describe('text of others', () => {
  test('gives the runner no command, and the summary no markup', async () => {
    const evil = '```\n::error::owned\n##[add-mask]owned\n<img src=x> @everyone `x` | y';
    const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', message: evil, code: 403 };
    let on = false;
    const site = await startSite({
      files: { ...VLLM_FILES, 'apps/a,b::c%.yaml': 'kind: LeaderWorkerSet\nx: [' },
      api: { interfere: (_, target) => (on && target?.kind.plural === 'pods' ? { status: 403, body } : undefined) },
    });
    on = true;
    const ran = await act(site, { mode: 'reconcile' });
    expect(ran.code).toBe(1);
    expect(ran.out).toContain('owned');
    const [mask, error, ...rest] = commands(ran.out);
    expect(mask).toMatch(/^::add-mask::/);
    expect(error).toMatch(/^::error file=apps\/a%2Cb%3A%3Ac%25\.yaml,line=\d+,title=UnparsableYaml::/);
    expect(rest).toEqual([]);
    const outside = ran.summary.replace(/`[^`\n]*`/g, '');
    expect(outside).not.toMatch(/<img|@everyone|owned/);
  });

  test('a block of code ends where we end it', () => {
    expect(fenced('a\n````\nb', 'diff')).toBe('`````diff\na\n````\nb\n`````\n');
    expect(fenced('plain', '')).toBe('```\nplain\n```\n');
    expect(fenced('`'.repeat(5000), '').length).toBeLessThan(400);
  });

  test('a summary over the limit of the runner is cut at a line, its block closed', async () => {
    const site = await startSite();
    const path = site.file('summary', '');
    await writeSummary(path, `# all\n\n${fenced('ü line\n'.repeat(200_000), 'diff')}`);
    const text = readFileSync(path, 'utf8');
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(SUMMARY_BYTES_MAX);
    expect(text).toMatch(/ü line\n```\n\nCut: the whole text is in the log of the step\.\n$/);
  });
});

describe('action.yml', () => {
  const action = parse(readFileSync('action.yml', 'utf8'));
  const code = readFileSync('src/commands/action.ts', 'utf8');
  test('declares each input that is read, and no other; the outputs; the bundle', async () => {
    const read = [...code.matchAll(/(?:input|listed)\([a-z]+, '([a-z-]+)'\)/g)].map(([, name]) => name ?? '');
    expect(Object.keys(action.inputs).sort()).toEqual([...new Set(read)].sort());
    const site = await startSite();
    expect(Object.keys(action.outputs)).toEqual(Object.keys((await act(site, {})).outputs));
    expect(action.runs).toEqual({ using: 'node24', main: 'dist/action.js' });
    expect(readFileSync(join('scripts', 'build.mjs'), 'utf8')).toContain("action: 'src/action.ts'");
  });
});
