/** What the forge says no with: each a name with the setting to change, limits with their end, and no credential in any word. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { forgeAddress } from '../../../src/adapters/forge/github/address.ts';
import { FORGE_REFUSALS } from '../../../src/ports/forge.ts';
import { type Answered, problem } from '../../support/forge/route.ts';
import { type SimulatedForge, startForge } from '../../support/forge/start-forge.ts';
import { APP, BRANCH, type ForgeSite, forgeSite, TOKEN, value } from './site.ts';

let forge: SimulatedForge;
let site: ForgeSite;
beforeAll(async () => {
  forge = await startForge();
  site = await forgeSite(forge, 'gitops');
  await site.branch();
});
afterAll(() => forge.stop());
afterEach(() => {
  forge.fault = () => undefined;
  forge.remaining = 5000;
  expect(forge.violations.splice(0)).toEqual([]);
});

const wanted = { branch: BRANCH, head: 'a'.repeat(40), base: 'main', title: 't', body: 'b', labels: [], reviewers: [] };
const everywhere = { prefix: 'tranche/', numbers: [] };
const answering = (answer: Answered) => {
  forge.fault = () => ({ kind: 'answer', when: 'before', answer });
};

/** As GitHub words them. */
const refusals: readonly (readonly [name: keyof typeof FORGE_REFUSALS, answer: Answered, advice: RegExp])[] = [
  ['CredentialInvalid', problem(401, 'Bad credentials'), /Give a valid credential: the token of TRANCHE_FORGE_TOKEN/],
  ['NoAccess', problem(404, 'Not Found'), /Check the name team\/gitops.*an App must be installed there/],
  [
    'PermissionMissing',
    {
      ...problem(403, 'Resource not accessible by integration'),
      headers: { 'x-accepted-github-permissions': 'pull_requests=write; contents=read' },
    },
    /pull_requests: write and contents: read on team\/gitops/,
  ],
  [
    'PermissionMissing',
    problem(403, 'Resource not accessible by personal access token'),
    /the permission that is missing/,
  ],
  [
    'SingleSignOn',
    {
      ...problem(403, 'Resource protected by organization SAML enforcement.'),
      headers: { 'x-github-sso': 'required; url=https://github.example/orgs/team/sso?authorization_request=secret' },
    },
    /Configure SSO$/,
  ],
  [
    'ActionsMayNotPropose',
    problem(403, 'GitHub Actions is not permitted to create or approve pull requests.'),
    /Tick "Allow GitHub Actions to create and approve pull requests"/,
  ],
  ['RepositoryArchived', problem(403, 'Repository was archived so is read-only.'), /Unarchive team\/gitops/],
  [
    'RuleInTheWay',
    problem(422, 'Repository rule violations found\n\nCannot create ref due to creations being restricted.'),
    /add the token of TRANCHE_FORGE_TOKEN to the bypass list/,
  ],
  [
    'NothingToPropose',
    problem(422, 'Validation Failed', [
      { resource: 'PullRequest', code: 'custom', message: 'No commits between main and x' },
    ]),
    /holds it already/,
  ],
  [
    'BranchUnknown',
    problem(422, 'Validation Failed', [{ resource: 'PullRequest', field: 'base', code: 'invalid' }]),
    /branch and its base are in team\/gitops/,
  ],
  [
    'NotAccepted',
    problem(422, 'Validation Failed', [{ message: 'body is too long (maximum is 65536 characters)' }]),
    /Look at the words/,
  ],
];

describe('a refusal', () => {
  test.each(refusals)('%s', async (name, answer, advice) => {
    answering(answer);
    const refused = await site.port.create(wanted);
    expect(refused).toMatchObject({ kind: 'refused', refusal: name, advice: expect.stringMatching(advice) });
    expect(JSON.stringify(refused)).not.toContain('authorization_request');
  });

  test('there is one of each name', () => {
    const seen = new Set<string>([...refusals.map(([name]) => name), 'BranchTaken', 'BranchCrowded']);
    expect([...seen].sort()).toEqual(Object.keys(FORGE_REFUSALS).sort());
  });

  test('holds no credential, whatever the forge echoes', async () => {
    answering(problem(422, `You sent token ${TOKEN}`));
    expect(await site.port.create(wanted)).toMatchObject({ said: 'You sent token ***' });
    answering(problem(500, `You sent token ${TOKEN}`));
    await expect(site.port.pulls(everywhere)).rejects.toThrow(/You sent token \*\*\*$/);
  });

  test.each([
    ['a token that reads', { contents: 'write', pull_requests: 'read' } as const, ['team/gitops'], 'PermissionMissing'],
    ['a token of another repository', { pull_requests: 'write' } as const, ['team/other'], 'NoAccess'],
    ['an expired token', undefined, [], 'CredentialInvalid'],
  ])('%s, as the forge finds it', async (_name, permissions, repositories, refusal) => {
    const token = 'of-somebody';
    if (permissions === undefined) forge.tokens.delete(token);
    else forge.tokens.set(token, { account: APP, permissions, repositories });
    const port = site.open({ credential: { kind: 'token', token, from: 'the input token' } });
    expect(await port.create(wanted)).toMatchObject({ kind: 'refused', refusal });
  });

  test('workflows that may not propose, as the forge finds it', async () => {
    const account = { login: 'github-actions[bot]', id: 41898282, type: 'Bot' } as const;
    forge.tokens.set('actions', { account, permissions: { pull_requests: 'write' }, repositories: ['team/gitops'] });
    site.repository.settings.actionsMayPropose = false;
    const port = site.open({ credential: { kind: 'token', token: 'actions', from: 'the input token' } });
    expect(await port.create(wanted)).toMatchObject({ refusal: 'ActionsMayNotPropose' });
  });
});

describe('a limit', () => {
  test.each([
    [
      'with Retry-After',
      { ...problem(403, 'You have exceeded a secondary rate limit.'), headers: { 'retry-after': '90' } },
      90,
    ],
    [
      'of which nothing is left',
      { ...problem(403, 'API rate limit exceeded'), headers: { 'x-ratelimit-remaining': '0' } },
      600,
    ],
    [
      'that never ends, which nobody believes',
      { ...problem(429, 'Too many requests'), headers: { 'retry-after': '999999999' } },
      3600,
    ],
    ['that is secondary', problem(403, 'You have exceeded a secondary rate limit.'), 60],
    ['of too many requests', problem(429, 'Too many requests'), 60],
  ])('%s ends the call, and every other until then, without a request', async (_name, answer, seconds) => {
    const port = site.open();
    answering(answer);
    const until = forge.now + seconds;
    expect(await port.create(wanted)).toMatchObject({ kind: 'deferred', until });
    forge.calls.splice(0);
    port.begin();
    expect(await port.pulls(everywhere)).toMatchObject({ kind: 'deferred', until });
    expect(forge.calls).toEqual([]);
    forge.fault = () => undefined;
    forge.now = until;
    expect(value(await port.pulls(everywhere))).toEqual([]);
  });

  test('of GraphQL is said with HTTP 200', async () => {
    answering({ status: 200, body: { errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }] } });
    expect(await site.open().waiting([1])).toMatchObject({ kind: 'deferred', until: forge.now + 60 });
  });

  test('of our own ends a pass that writes too much', async () => {
    const port = site.open({ limits: { writesPerPass: 1 } });
    answering(problem(422, 'no'));
    expect(await port.create(wanted)).toMatchObject({ kind: 'refused' });
    expect(await port.create(wanted)).toMatchObject({ kind: 'deferred', why: expect.stringContaining('1 writes') });
    port.begin();
    expect(await port.create(wanted)).toMatchObject({ kind: 'refused' });
  });
});

describe('a fault of the world', () => {
  test('is asked through where it passes, and is an error with what to do where it stays', async () => {
    let left = 2;
    forge.fault = () => {
      left -= 1;
      return left < 0 ? undefined : { kind: 'answer', when: 'before', answer: { status: 502, body: '<html>' } };
    };
    expect(value(await site.port.pulls(everywhere))).toEqual([]);
    forge.fault = () => ({ kind: 'drop', when: 'before' });
    await expect(site.port.pulls(everywhere)).rejects.toMatchObject({
      port: 'forge',
      retryable: true,
      hint: expect.stringContaining('HTTPS_PROXY'),
    });
  });

  test.each([
    ['a redirect', { status: 301, body: { message: 'Moved Permanently' } }, 'Give the new address'],
    ['a web page', { status: 200, body: '<html>Log in</html>' }, 'a login page'],
  ])('%s is not taken for an answer', async (_name, answer, hint) => {
    answering(answer);
    await expect(site.port.pulls(everywhere)).rejects.toMatchObject({
      retryable: false,
      hint: expect.stringContaining(hint),
    });
  });

  test('of a data base that times out in GraphQL is said in its words', async () => {
    answering({ status: 200, body: { data: null, errors: [{ message: 'Something went wrong' }] } });
    await expect(site.port.waiting([1])).rejects.toThrow('Something went wrong');
  });
});

test.each([
  ['https://github.com/team/gitops.git', undefined, 'https://api.github.com', 'https://api.github.com/graphql'],
  ['https://acme.ghe.com/team/gitops', undefined, 'https://api.acme.ghe.com', 'https://api.acme.ghe.com/graphql'],
  [
    'https://git.acme.example/team/gitops',
    undefined,
    'https://git.acme.example/api/v3',
    'https://git.acme.example/api/graphql',
  ],
  [
    'https://git.acme.example/team/gitops',
    'https://api.acme.example/',
    'https://api.acme.example',
    'https://api.acme.example/graphql',
  ],
])('the API of %s with %s is %s', (repository, apiUrl, api, graphql) => {
  expect(forgeAddress(repository, apiUrl)).toEqual({ api, graphql, owner: 'team', name: 'gitops' });
});

test.each([
  'https://gitlab.example/a/b/c.git',
  '/srv/git/gitops',
  'git@github.com:team/gitops',
  'https://github.com/team',
])('%s is on no forge', (repository) => {
  expect(forgeAddress(repository, undefined)).toBeUndefined();
});
