/** The forge of GitHub against a simulated one: what it reads, writes and adopts, and that all of it is as GitHub describes it. */

import { generateKeyPairSync } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type SimulatedForge, startForge } from '../../support/forge/start-forge.ts';
import { PATIENT } from '../../support/patient-git.ts';
import { ADA, APP, BOB, BRANCH, type ForgeSite, forgeSite, STALE, TOKEN, value } from './site.ts';

let forge: SimulatedForge;
let count = 0;
beforeAll(async () => {
  forge = await startForge();
});
afterAll(() => forge.stop());
afterEach(() => {
  forge.fault = () => undefined;
  forge.lag = 0;
  forge.remaining = 5000;
  expect(forge.violations.splice(0)).toEqual([]);
});

async function site(): Promise<ForgeSite> {
  count += 1;
  const made = await forgeSite(forge, `gitops-${count}`);
  forge.calls.splice(0);
  return made;
}

const prefix = 'tranche/prod-eu/';
const calls = () => forge.calls.map(({ call, status }) => `${call.replace(/ \/repos\/team\/[^/]+/, ' ')} ${status}`);

describe('creating', () => {
  test('opens a pull request, labels it, and lists it', async () => {
    const { port, branch } = await site();
    const wanted = await branch();
    const { pull, isAdopted } = value(await port.create(wanted));
    expect(isAdopted).toBe(false);
    expect(value(await port.attach({ number: 1, labels: ['tranche'], reviewers: [] }))).toEqual([]);
    expect(pull).toMatchObject({
      number: 1,
      branch: BRANCH,
      head: wanted.head,
      base: 'main',
      isSameRepository: true,
      state: { kind: 'open', isDraft: false },
      author: { login: APP.login, isBot: true },
    });
    expect(value(await port.pulls({ prefix, numbers: [] }))).toEqual([pull]);
    expect(calls()).toEqual([
      'POST /pulls 201',
      'GET /issues/1/events 200',
      'POST /issues/1/labels 200',
      'GET /pulls 200',
    ]);
  });

  test.each([
    ['people and a team', ['ada', 'team/sre'], ['ada', 'team/sre'], []],
    [
      'one who is no collaborator: the others are asked',
      ['ada', 'nobody'],
      ['ada'],
      [['nobody', /only be requested from collab/]],
    ],
    ['who has opened it', ['tranche[bot]'], [], [['tranche[bot]', /from pull request author/]]],
    ['a team of others, which is not even asked', ['other/sre'], [], [['other/sre', /not of team/]]],
  ] as const)('asks for reviews: %s', async (_, reviewers, requested, unasked) => {
    const { port, branch, repository } = await site();
    repository.teams.set('team/sre', new Map());
    value(await port.create(await branch()));
    const all = { number: 1, labels: ['tranche'], reviewers };
    const said = value(await port.attach(all));
    expect(said.map(({ name }) => name)).toEqual(unasked.map(([name]) => name));
    for (const [at, [, why]] of unasked.entries()) expect(said[at]?.why).toMatch(why);
    expect([repository.pull(1).labels, repository.pull(1).requested]).toEqual([['tranche'], requested]);
  });

  test('labels and asks for reviews once: what people took off stays off, and what was never done is done', async () => {
    const { port, open, branch, repository } = await site();
    repository.teams.set('team/sre', new Map());
    value(await port.create(await branch()));
    const pull = repository.pull(1);
    value(await port.attach({ number: 1, labels: ['Area'], reviewers: ['ada', 'team/sre'] }));
    [pull.labels, pull.requested] = [[], []];
    value(await open().attach({ number: 1, labels: ['area', 'more'], reviewers: ['Ada', 'team/SRE', 'bob'] }));
    expect([pull.labels, pull.requested]).toEqual([['more'], ['bob']]);
    forge.calls.splice(0);
    value(await open().attach({ number: 1, labels: ['area', 'more'], reviewers: ['ada', 'bob'] }));
    expect(calls()).toEqual(['GET /issues/1/events 200']);
  });

  test('a forge that does not let us ask says why; one that says nothing, or wants us to wait, is asked again', async () => {
    const { port, branch, repository } = await site();
    value(await port.create(await branch()));
    const all = { number: 1, labels: [], reviewers: ['ada', 'bob'] };
    const answering = (status: number, headers = {}) => {
      forge.fault = ({ path }) =>
        path.endsWith('/requested_reviewers')
          ? {
              kind: 'answer',
              when: 'before',
              answer: { status, headers, body: { message: 'Resource not accessible' } },
            }
          : undefined;
    };
    answering(403);
    expect(value(await port.attach(all)).map(({ name, why }) => `${name}: ${why}`)).toEqual([
      expect.stringContaining('ada: Resource not accessible'),
      expect.stringContaining('bob: Resource not accessible'),
    ]);
    forge.fault = ({ path }) => (path.endsWith('/requested_reviewers') ? { kind: 'drop', when: 'before' } : undefined);
    await expect(port.attach(all)).rejects.toMatchObject({ retryable: true });
    answering(429, { 'retry-after': '30' });
    expect(await port.attach(all)).toMatchObject({ kind: 'deferred', until: forge.now + 30 });
    expect(repository.pull(1).requested).toEqual([]);
  });

  test('adopts what is there and ours, and writes nothing', async () => {
    const { port, open, branch, repository } = await site();
    const wanted = await branch();
    const first = value(await port.create(wanted));
    expect(value(await open().create(wanted))).toEqual({ ...first, isAdopted: true });
    expect(repository.pulls).toHaveLength(1);
  });

  test.each([
    ['another base', { base: 'release' }, 'main', /base is release, wanted main/],
    ['another commit', {}, 'main', /it holds [0-9a-f]{40}, wanted [0-9a-f]{40}/],
  ])('refuses as taken what has %s', async (_name, _theirs, _base, said) => {
    const { port, branch, repository } = await site();
    const wanted = await branch();
    if (/release/.test(String(said))) {
      await repository.git.git('branch', 'release', 'main');
      repository.open({ by: APP, branch: BRANCH, base: 'release', head: wanted.head, title: 'x', body: '' });
      // GitHub takes one of each base; the adapter adopts none of another.
      forge.fault = ({ method, path }) =>
        method === 'POST' && path.endsWith('/pulls') ? { kind: 'drop', when: 'before' } : undefined;
    } else {
      repository.open({ by: APP, branch: BRANCH, base: 'main', head: wanted.head, title: 'x', body: '' });
      await repository.edit(1, { 'apps/vllm.yaml': 'replicas: 7\n' });
    }
    expect(await port.create(wanted)).toMatchObject({ refusal: 'BranchTaken', said: expect.stringMatching(said) });
  });

  test('refuses as taken what is by somebody else', async () => {
    const { port, branch, repository } = await site();
    const wanted = await branch();
    repository.open({ by: ADA, branch: BRANCH, base: 'main', head: wanted.head, title: 'x', body: '' });
    expect(await port.create(wanted)).toMatchObject({
      refusal: 'BranchTaken',
      said: expect.stringContaining('by ada'),
    });
  });

  test.each(['before', 'after'] as const)(
    'makes one pull request where the answer is a 502 %s the effect',
    async (when) => {
      const { port, branch, repository } = await site();
      const wanted = await branch();
      forge.lag = 1;
      let left = 1;
      forge.fault = ({ method, path }) => {
        if (method !== 'POST' || !path.endsWith('/pulls') || left === 0) return undefined;
        left -= 1;
        return { kind: 'answer', when, answer: { status: 502, body: '<html>Bad gateway</html>' } };
      };
      const first = await port.create(wanted).catch((error: unknown) => error);
      if (when === 'before') {
        // Nothing is listed, so nobody knows: the next pass asks again, and the forge takes no second one.
        expect(first).toMatchObject({ port: 'forge', retryable: true });
        expect(value(await port.create(wanted)).isAdopted).toBe(false);
      } else expect(first).toMatchObject({ kind: 'done', value: { isAdopted: true } });
      expect(repository.pulls).toHaveLength(1);
    },
  );

  test('finds what another runner has just opened, though lists do not show it yet', async () => {
    const { port, open, branch, repository } = await site();
    const wanted = await branch();
    forge.lag = 2;
    value(await open().create(wanted));
    expect(value(await port.create(wanted)).isAdopted).toBe(true);
    expect(repository.pulls).toHaveLength(1);
  });

  test('says that there is nothing to propose, and that a branch is not there', async () => {
    const { port, branch, repository } = await site();
    const wanted = await branch();
    await repository.git.git('update-ref', 'refs/heads/main', wanted.head);
    expect(await port.create(wanted)).toMatchObject({ refusal: 'NothingToPropose' });
    expect(await port.create({ ...wanted, branch: 'tranche/none' })).toMatchObject({ refusal: 'BranchUnknown' });
  });
});

describe('reading', () => {
  test('says who merged and who closed, and leaves out what is not there', async () => {
    const { port, branch, repository } = await site();
    for (const at of ['a', 'b', 'c']) value(await port.create(await branch(`${prefix}${at}`, at.charCodeAt(0))));
    const merged = await repository.merge(1, ADA, 'squash');
    repository.close(2, STALE);
    await repository.git.git('update-ref', '-d', `refs/heads/${prefix}c`);
    const states = value(await port.pulls({ prefix, numbers: [1, 2, 3, 99] })).map(({ number, state }) => [
      number,
      state,
    ]);
    expect(states).toEqual([
      [3, { kind: 'closed', at: forge.now, by: undefined }],
      [2, { kind: 'closed', at: forge.now, by: { login: 'stale[bot]', isBot: true } }],
      [1, { kind: 'merged', at: forge.now, commit: merged, by: { login: 'ada', isBot: false } }],
    ]);
  });

  test('lists those of the prefix alone, over pages, and knows a fork', async () => {
    const { port, repository } = await site();
    const head = (await repository.head('main')) ?? '';
    const open = (branch: string, isFork = false) =>
      repository.open({ by: ADA, branch, base: 'main', head, title: branch, body: '', isFork });
    for (let at = 0; at < 150; at += 1) open(`feature/${at}`, true);
    open(`${prefix}x`, true);
    const found = value(await port.pulls({ prefix, numbers: [] }));
    expect(found.map(({ branch, isSameRepository }) => [branch, isSameRepository])).toEqual([[`${prefix}x`, false]]);
    expect(calls()).toEqual(['GET /pulls 200', 'POST /api/graphql 200']);
  });

  test('costs three requests where nothing has changed, two of them not counted by the limit, however many proposals', async () => {
    const { port, branch, repository } = await site();
    repository.enforce([checkedMain]);
    const numbers: number[] = [];
    for (let at = 0; at < 10; at += 1)
      numbers.push(value(await port.create(await branch(`${prefix}${at}`, at))).pull.number);
    const pass = async () => {
      forge.calls.splice(0);
      port.begin();
      value(await port.pulls({ prefix, numbers }));
      return value(await port.waiting(numbers));
    };
    const first = await pass();
    expect(first).toHaveLength(10);
    expect(await pass()).toEqual(first);
    expect(calls()).toEqual(['GET /pulls 304', 'POST /api/graphql 200', 'GET /rules/branches/main 304']);
  });

  test('takes the newest verdict of each reviewer, with the commit and the permission of now', async () => {
    const { port, branch, repository } = await site();
    const wanted = await branch();
    value(await port.create(wanted));
    repository.review(1, ADA, 'CHANGES_REQUESTED');
    repository.review(1, ADA, 'APPROVED');
    repository.review(1, ADA, 'COMMENTED');
    repository.review(1, BOB, 'APPROVED', 'b'.repeat(40));
    repository.review(1, STALE, 'APPROVED');
    const at = forge.now;
    expect(value(await port.reviews(1))).toEqual([
      {
        author: { login: 'ada', isBot: false },
        verdict: 'approved',
        oid: wanted.head,
        at,
        mayWrite: { kind: 'known', value: true },
      },
      {
        author: { login: 'bob', isBot: false },
        verdict: 'approved',
        oid: 'b'.repeat(40),
        at,
        mayWrite: { kind: 'known', value: false },
      },
      {
        author: { login: 'stale[bot]', isBot: true },
        verdict: 'approved',
        oid: wanted.head,
        at,
        mayWrite: expect.objectContaining({ kind: 'unknown' }),
      },
    ]);
  });
});

describe('who made a change', () => {
  test('authors, co-authors, who opened and who merged its pull request, each once; and what leaves it open', async () => {
    const { port, branch, repository } = await site();
    const wanted = await branch('feature/x');
    const by = await repository.git.git('log', '-1', '--format=%ae', wanted.head);
    repository.addresses.set(by, 'carol');
    repository.addresses.set('bob@example.com', 'bob');
    repository.open({ ...wanted, by: APP });
    const message = 'x\n\nCo-authored-by: Bob <bob@example.com>\nCo-authored-by: Who <who@example.com>';
    const oid = await repository.merge(1, ADA, 'squash', message);
    expect(value(await port.makers([oid]))).toEqual({
      logins: ['carol', 'bob', 'tranche', 'ada'],
      unclear: [`Who of commit ${oid.slice(0, 12)} has no account there`],
    });
    const direct = await repository.git.commit('main', { 'x.md': 'x' });
    const [, more] = value(await port.makers([oid, direct])).unclear;
    expect(more).toBe(`commit ${direct.slice(0, 12)} came by no pull request and is not signed`);
    repository.signed.set(direct, undefined);
    expect(value(await port.makers([direct]))).toEqual({ logins: ['carol'], unclear: [] });
    repository.signed.set(direct, 'dave');
    expect(value(await port.makers([direct]))).toEqual({ logins: ['dave', 'carol'], unclear: [] });
    expect(value(await port.makers(['0'.repeat(40)])).unclear).toEqual(['the forge does not know commit 000000000000']);
    expect(forge.violations).toEqual([]);
  });
});

const checkedMain = {
  id: 5,
  name: 'main',
  branches: ['main'],
  bypass: [APP.login],
  rules: [
    {
      type: 'required_status_checks',
      parameters: {
        strict_required_status_checks_policy: true,
        required_status_checks: [{ context: 'tranche/gate', integration_id: 77 }, { context: 'ci' }],
      },
    },
    {
      type: 'pull_request',
      parameters: {
        required_approving_review_count: 1,
        require_last_push_approval: true,
        dismiss_stale_reviews_on_push: false,
        require_code_owner_review: false,
        required_review_thread_resolution: false,
        allowed_merge_methods: ['squash', 'rebase'],
      },
    },
  ],
};

describe('what a pull request waits for', () => {
  test('reviews, checks that failed, are pending or were never reported, then behind, then nothing', async () => {
    const { port, branch, repository } = await site();
    repository.enforce([checkedMain]);
    const wanted = await branch();
    value(await port.create(wanted));
    const waits = async () => value(await port.waiting([1]))[0]?.on;
    expect(await waits()).toEqual([
      { reason: 'ReviewsMissing', names: [] },
      { reason: 'CheckNeverReported', names: ['tranche/gate', 'ci'] },
    ]);
    const status = {
      oid: wanted.head,
      context: 'tranche/gate',
      state: 'failure',
      description: 'Held',
      url: undefined,
    } as const;
    value(await port.setStatus(status));
    repository.checks.set(wanted.head, [{ name: 'ci', status: 'IN_PROGRESS', conclusion: undefined }]);
    repository.review(1, ADA, 'APPROVED');
    expect(await waits()).toEqual([
      { reason: 'CheckFailing', names: ['tranche/gate'] },
      { reason: 'CheckPending', names: ['ci'] },
    ]);
    value(await port.setStatus({ ...status, state: 'success' }));
    repository.checks.set(wanted.head, [{ name: 'ci', status: 'COMPLETED', conclusion: 'SUCCESS' }]);
    await repository.git.commit('main', { 'docs/a.md': 'a' });
    expect(await waits()).toEqual([{ reason: 'Behind', names: [] }]);
    repository.enforce([]);
    expect(await waits()).toEqual([]);
    expect(value(await port.waiting([1]))[0]?.statuses).toEqual([
      { context: 'tranche/gate', state: 'success', description: 'Held', isRequired: false },
    ]);
  });

  test('a conflict, a draft, a merge queue; and one that is closed is left out', async () => {
    const { port, branch, repository } = await site();
    value(await port.create(await branch()));
    await repository.git.commit('main', { 'apps/vllm.yaml': 'replicas: 9\n' });
    const pull = repository.pull(1);
    pull.isDraft = true;
    pull.isQueued = true;
    const found = value(await port.waiting([1]));
    expect(found[0]?.on.map(({ reason }) => reason)).toEqual(['Draft', 'InMergeQueue', 'Conflict']);
    repository.close(1, ADA);
    expect(value(await port.waiting([1]))).toEqual([]);
  });
});

describe('writing', () => {
  test('the text, the status, the comment: once, and not again where nothing differs', async () => {
    const { port, branch, repository } = await site();
    const wanted = await branch();
    value(await port.create(wanted));
    const text = { title: 'New', body: 'Other\r\n' };
    const status = {
      oid: wanted.head,
      context: 'tranche/gate',
      state: 'pending',
      description: 'x'.repeat(200),
      url: 'https://a.example/',
    } as const;
    const write = async (body: string) => {
      value(await port.update(1, text));
      value(await port.setStatus(status));
      value(await port.comment({ number: 1, key: 'after-merge', body }));
    };
    repository.pull(1).comments.push({ id: 1, by: BOB, body: '<!-- tranche:after-merge -->\nmine', at: 0 });
    await write('Applied.');
    expect(repository.pull(1)).toMatchObject({ title: 'New', body: 'Other\r\n' });
    expect(repository.statuses.get(wanted.head)).toMatchObject([{ state: 'pending', description: 'x'.repeat(140) }]);
    expect(repository.pull(1).comments.map(({ by, body }) => [by.login, body])).toEqual([
      ['bob', '<!-- tranche:after-merge -->\nmine'],
      ['tranche[bot]', '<!-- tranche:after-merge -->\nApplied.'],
    ]);
    forge.calls.splice(0);
    await write('Applied.');
    expect(forge.calls.filter(({ call }) => !/^GET|graphql/.test(call))).toEqual([]);
    await write('Ready.');
    expect(repository.pull(1).comments).toHaveLength(2);
    expect(repository.pull(1).comments[1]?.body).toContain('Ready.');
  });

  test('a check run: once, its text where that differs, and never that of another App', async () => {
    const { port, open, branch, repository } = await site();
    const { head: oid } = await branch();
    const check = { oid, name: 'tranche/progress', title: '1 of 4', summary: 'One.\n' };
    const others = { id: 7, by: STALE, title: '', summary: '' };
    const theirs = { name: check.name, status: 'COMPLETED', conclusion: 'SUCCESS', written: others } as const;
    repository.checks.set(oid, [{ ...theirs }]);
    value(await port.showCheck(check));
    value(await open().showCheck(check));
    value(await port.showCheck({ ...check, title: '2 of 4', summary: 'Two.\n' }));
    expect(calls().filter((call) => !/^GET|graphql/.test(call))).toEqual([
      'POST /check-runs 201',
      `PATCH /check-runs/${repository.checks.get(oid)?.[1]?.written?.id} 200`,
    ]);
    expect(repository.checks.get(oid)).toMatchObject([
      theirs,
      { name: check.name, conclusion: 'NEUTRAL', written: { by: APP, title: '2 of 4', summary: 'Two.\n' } },
    ]);
  });

  test('no check run by who is no App, and none without the permission', async () => {
    const { port, branch, repository } = await site();
    const { head: oid } = await branch();
    const check = { oid, name: 'tranche/progress', title: 'x', summary: 'x' };
    const given = forge.tokens.get(TOKEN);
    if (given === undefined) throw new Error('no token');
    forge.tokens.set(TOKEN, { ...given, account: ADA });
    expect(await port.showCheck(check)).toMatchObject({
      refusal: 'PermissionMissing',
      said: expect.stringContaining('ada is no App'),
    });
    forge.tokens.set(TOKEN, { ...given, permissions: { ...given.permissions, checks: 'read' } });
    expect(await port.showCheck(check)).toMatchObject({
      refusal: 'PermissionMissing',
      advice: expect.stringContaining('checks: write'),
    });
    expect(repository.checks.get(oid)).toBeUndefined();
  });

  test('closes with its reason, once, and a merged one not at all', async () => {
    const { port, branch, repository } = await site();
    value(await port.create(await branch()));
    value(await port.close(1, 'Another release came.'));
    value(await port.close(1, 'Another release came.'));
    expect(repository.pull(1)).toMatchObject({
      state: 'closed',
      endedBy: APP,
      comments: [{ body: expect.stringContaining('Another release') }],
    });
    expect(await port.close(9, 'x')).toMatchObject({ kind: 'refused', refusal: 'NotAccepted' });
  });

  test('closes what people have locked, and what has more comments than anybody reads: open, it could still be merged', async () => {
    const { port, open, branch, repository } = await site();
    for (const at of ['a', 'b']) value(await port.create(await branch(`${prefix}${at}`, at.charCodeAt(0))));
    forge.fault = ({ method, path }) =>
      method === 'POST' && path.endsWith('/comments')
        ? {
            kind: 'answer',
            when: 'before',
            answer: { status: 403, body: { message: 'Unable to create comment because issue is locked.' } },
          }
        : undefined;
    value(await port.close(1, 'Another release came.'));
    forge.fault = () => undefined;
    for (let at = 0; at < 100; at += 1) repository.pull(2).comments.push({ id: at, by: BOB, body: 'x', at: 0 });
    value(await open({ limits: { pages: 1 } }).close(2, 'Another release came.'));
    expect(repository.pulls.map(({ state }) => state)).toEqual(['closed', 'closed']);
  });

  test('waits a second between two writes', async () => {
    const { port, branch, timers } = await site();
    value(await port.create(await branch()));
    const start = timers.now();
    for (const title of ['a', 'b', 'c']) value(await port.update(1, { title, body: '' }));
    expect(timers.now() - start).toBeCloseTo(3);
  });
});

describe('the rules of a branch', () => {
  test('are known without administration, with whether we bypass them', async () => {
    const { port, repository } = await site();
    repository.enforce([checkedMain]);
    expect(value(await port.rules('main'))).toEqual({
      checks: {
        kind: 'known',
        value: [
          { context: 'tranche/gate', app: 77 },
          { context: 'ci', app: undefined },
        ],
      },
      isStrict: { kind: 'known', value: true },
      hasMergeQueue: { kind: 'known', value: false },
      approvals: { kind: 'known', value: 1 },
      needsLastPushApproval: { kind: 'known', value: true },
      needsOwnersReview: { kind: 'known', value: false },
      needsSignatures: { kind: 'known', value: false },
      needsLinearHistory: { kind: 'known', value: false },
      takesDirectPush: { kind: 'known', value: true },
      isOpenToOthers: { kind: 'known', value: true },
      mergeMethods: { kind: 'known', value: ['squash', 'rebase'] },
    });
    repository.enforce([{ ...checkedMain, bypass: [] }]);
    expect(value(await port.rules('main')).takesDirectPush).toEqual({ kind: 'known', value: false });
    const own = {
      ...checkedMain,
      branches: ['tranche/*'],
      rules: [{ type: 'creation' }, { type: 'update' }, { type: 'deletion' }],
    };
    repository.enforce([own]);
    expect(value(await port.rules(`${prefix}none-yet`)).isOpenToOthers).toEqual({ kind: 'known', value: false });
  });

  test('are unknown where the older protection hides them, never fine', async () => {
    const { port, repository } = await site();
    repository.settings.protectedBranches = ['main'];
    const rules = value(await port.rules('main'));
    expect(
      Object.entries(rules)
        .filter(([, one]) => one.kind === 'known')
        .map(([name]) => name),
    ).toEqual(['mergeMethods']);
  });

  test('are enforced when somebody pushes', async () => {
    const { repository, url } = await site();
    repository.enforce([{ ...checkedMain, bypass: [APP.login] }]);
    const { openGit } = await import('../../../src/adapters/git/open.ts');
    const head = (await repository.head('main')) ?? '';
    const signature = { name: 'a', email: 'a@example.com', atSeconds: 0 };
    const commits = [{ writes: [{ path: 'a', text: 'a' }], message: 'a', signature }];
    const push = async (token: string) =>
      openGit({ location: `${url}.git`, token, limits: PATIENT }).push([
        { branch: 'main', expectedOld: head, base: head, commits },
      ]);
    expect(await push('nobody')).toMatchObject({ kind: 'refused', rule: expect.stringContaining('GH013') });
    expect(await push(TOKEN)).toMatchObject({ kind: 'pushed' });
  });
});

describe('the credential', () => {
  test('says which App it is, as rules name one; someone is none, and what is not shown is not known', async () => {
    const { port, open } = await site();
    expect(value(await port.self())).toEqual({ login: APP.login, isBot: true, app: { kind: 'known', value: 77 } });
    forge.fault = ({ path }) =>
      path.startsWith('/apps/')
        ? { kind: 'answer', when: 'before', answer: { status: 404, body: { message: 'Not Found' } } }
        : undefined;
    expect(value(await open().self()).app).toEqual({ kind: 'unknown', why: 'the forge does not show the App tranche' });
    const given = forge.tokens.get(TOKEN)!;
    forge.tokens.set(TOKEN, { ...given, account: ADA });
    expect(value(await port.self())).toEqual({ login: 'ada', isBot: false, app: { kind: 'absent' } });
    forge.tokens.set(TOKEN, given);
  });

  test('of an App is a token of its installation, made once, that reaches one repository', async () => {
    const { open, forge: at, branch } = await site();
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    at.apps.push({
      id: '4711',
      publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      installation: 5,
      token: TOKEN,
    });
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const port = open({ credential: { kind: 'app', appId: '4711', key } });
    value(await port.create(await branch()));
    value(await port.pulls({ prefix, numbers: [] }));
    expect(calls()).toEqual([
      'GET /installation 200',
      'POST /app/installations/5/access_tokens 201',
      'POST /pulls 201',
      'GET /pulls 200',
    ]);
    const wrong = open({ credential: { kind: 'app', appId: '4711', key: 'none' } });
    expect(await wrong.pulls({ prefix, numbers: [] })).toMatchObject({
      refusal: 'CredentialInvalid',
      said: expect.stringContaining('no RSA private key'),
    });
  });
});
