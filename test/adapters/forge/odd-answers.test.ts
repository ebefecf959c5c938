/** A forge that answers in other shapes than GitHub documents: what cannot be told counts for nothing, and none ends a pass. */

import { generateKeyPairSync } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { forgeAddress } from '../../../src/adapters/forge/github/address.ts';
import type { ForgeCredential } from '../../../src/adapters/forge/github/credentials.ts';
import { forgeLimits } from '../../../src/adapters/forge/github/limits.ts';
import { openGithub } from '../../../src/adapters/forge/github/open-github.ts';
import { plainNetwork } from '../../../src/adapters/network/proxy.ts';
import type { Forge, Pull } from '../../../src/ports/forge.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import { manualTimers } from '../../support/manual-timers.ts';
import { type ScriptedServer, scriptedServer } from '../../support/scripted-server.ts';
import { BRANCH, TOKEN, value } from './site.ts';

let server: ScriptedServer | undefined;
afterEach(() => server?.close());

/** A forge whose answers these are, by the last words of the path. */
async function forgeOf(
  answer: (path: string) => unknown,
  how: { readonly status?: number; readonly credential?: ForgeCredential } = {},
): Promise<Forge> {
  server = await scriptedServer(({ url }) => {
    const path = url.replace(/\?.*/, '');
    const body = path.endsWith('/permission') ? { permission: 'write' } : answer(path);
    const headers = { 'content-type': 'application/json' };
    return body === undefined ? { status: 404, body: { message: 'Not Found' } } : { ...how, headers, body };
  });
  const address = forgeAddress(`${server.url}/team/gitops`, `${server.url}/api/v3`);
  if (address === undefined) throw new Error('no address of a forge');
  const timers = manualTimers();
  timers.skipPauses();
  return openGithub({
    address,
    credential: how.credential ?? { kind: 'token', token: TOKEN, from: 'TRANCHE_FORGE_TOKEN' },
    network: plainNetwork,
    clock: { now: () => 1_800_000_000, sleep: async () => undefined },
    timers,
    limits: forgeLimits,
    userAgent: 'tranche-test',
  });
}

/** The pull request 7 of such a forge, which lists none that is open. */
async function seventh(answer: (path: string) => unknown): Promise<Pull | undefined> {
  const forge = await forgeOf((path) => (path.endsWith('/pulls') ? [] : answer(path)));
  const [one] = value(await forge.pulls({ prefix: 'tranche/', numbers: [7] }));
  await server?.close();
  return one;
}

const HEAD = 'a'.repeat(40);
const pull = (more: object = {}): object => ({
  number: 7,
  html_url: 'https://forge.example/team/gitops/pull/7',
  title: 'step',
  body: 'Why.',
  state: 'open',
  draft: false,
  created_at: '2026-01-01T00:00:00Z',
  head: { ref: BRANCH, sha: HEAD, repo: { id: 1 } },
  base: { ref: 'main', repo: { id: 1 } },
  user: { login: 'tranche[bot]', type: 'Bot' },
  labels: [],
  ...more,
});
const ended = { state: 'closed', closed_at: '2026-01-02T00:00:00Z' };
const review = (state: string, user: unknown): object => ({
  state,
  user,
  commit_id: HEAD,
  submitted_at: '2026-01-02T00:00:00Z',
});

const ODD: readonly (readonly [what: string, user: unknown])[] = [
  ['no type', { login: 'ada' }],
  ['an empty type', { login: 'ada', type: '' }],
  ['a type in another case', { login: 'ada', type: 'bot' }],
  ['a type that is no text', { login: 'ada', type: ['Bot'] }],
  ['an organisation', { login: 'ada', type: 'Organization' }],
  ['somebody who was imported', { login: 'ada', type: 'Mannequin' }],
  ['no name', { type: 'User' }],
  ['an empty name', { login: '', type: 'User' }],
  ['a name that is no text', { login: { login: 'ada' }, type: 'User' }],
];

test.each(ODD)('an account of %s neither reviews, merges, closes nor opens', async (_, user) => {
  const reviewed = await forgeOf(() => [review('APPROVED', user)]);
  expect(value(await reviewed.reviews(7))).toEqual([]);
  await server?.close();
  const merge = { ...ended, merged_at: '2026-01-02T00:00:00Z', merged_by: user };
  expect(await seventh(() => pull(merge))).toMatchObject({ state: { kind: 'merged', by: undefined } });
  const closed = await seventh((path) => (path.includes('/issues/') ? { closed_by: user } : pull(ended)));
  expect(closed).toMatchObject({ state: { kind: 'closed', by: undefined } });
  expect(await seventh(() => pull({ user }))).toMatchObject({ author: { login: 'ghost' } });
});

test('a later review of one of whom nobody knows what it is takes back what that account said before', async () => {
  const forge = await forgeOf(() => [
    review('APPROVED', { login: 'ada', type: 'User' }),
    review('CHANGES_REQUESTED', { login: 'ada' }),
  ]);
  expect(value(await forge.reviews(7))).toEqual([]);
});

const APPROVED = review('APPROVED', { login: 'ada', type: 'User' });
const LATER: readonly (readonly [what: string, later: object])[] = [
  ['without a time', { ...review('CHANGES_REQUESTED', { login: 'ada', type: 'User' }), submitted_at: null }],
  ['at a time that is none', { ...review('DISMISSED', { login: 'ada', type: 'User' }), submitted_at: 'yesterday' }],
  ['of a verdict that nobody knows', review('changes_requested', { login: 'ada', type: 'User' })],
  ['by another spelling of the account', review('CHANGES_REQUESTED', { login: 'Ada', type: 'User' })],
  [
    'dated before it',
    { ...review('CHANGES_REQUESTED', { login: 'ada', type: 'User' }), submitted_at: '2026-01-01T00:00:00Z' },
  ],
];

test.each(LATER)('no approval outlives a review of the same account that comes after it, %s', async (_, later) => {
  const forge = await forgeOf(() => [APPROVED, later]);
  expect(value(await forge.reviews(7)).filter(({ verdict }) => verdict === 'approved')).toEqual([]);
});

test('nor does one that is dated before a rejection, wherever the list has it', async () => {
  const rejected = {
    ...review('CHANGES_REQUESTED', { login: 'ada', type: 'User' }),
    submitted_at: '2026-01-03T00:00:00Z',
  };
  const forge = await forgeOf(() => [rejected, APPROVED, review('COMMENTED', { login: 'ada', type: 'User' })]);
  expect(value(await forge.reviews(7))).toMatchObject([{ verdict: 'changesRequested' }]);
});

const authors = (nodes: unknown): object => ({ totalCount: Array.isArray(nodes) ? nodes.length : 0, nodes });
const ADA_WROTE = authors([{ name: 'Ada', user: { login: 'ada' } }]);
const none = { totalCount: 0, nodes: [] };
const signed = { isValid: true, wasSignedByGitHub: false, signer: { login: 'dave' } };
const MAKERS: readonly (readonly [what: string, commit: object])[] = [
  ['a signature, and no author', { authors: none, signature: signed, associatedPullRequests: none }],
  ['a signature, and authors that are no list', { authors: null, signature: signed, associatedPullRequests: none }],
  ['a signature of nobody', { authors: ADA_WROTE, signature: { isValid: true }, associatedPullRequests: none }],
  [
    'a pull request without commits',
    {
      authors: ADA_WROTE,
      associatedPullRequests: authors([{ number: 7, state: 'MERGED', author: { login: 'ada' }, commits: none }]),
    },
  ],
];

test.each(MAKERS)('a commit with %s leaves open who made it', async (_, commit) => {
  const forge = await forgeOf(() => ({ data: { repository: { c0: commit } } }));
  expect(value(await forge.makers([HEAD])).unclear).not.toEqual([]);
});

test.each(['1e400', '-7', '7.5', '0', '"7"', '[7]', 'null', '9007199254740993'])(
  'a pull request of the number %s is none, and no further request names it',
  async (number) => {
    const forge = await forgeOf(() => `[${JSON.stringify(pull()).replace('"number":7', `"number":${number}`)}]`);
    await expect(forge.pulls({ prefix: 'tranche/', numbers: [] })).rejects.toThrow('JSON that is not GitHub');
    expect(server?.seen.length).toBe(1);
  },
);

const deep = '['.repeat(20_000) + ']'.repeat(20_000);
const BODIES: readonly (readonly [what: string, body: string])[] = [
  ['a number that no number holds', '{"id":9007199254740993}'],
  ['one in a list of errors', '{"message":"x","errors":[{"id":9007199254740993}]}'],
  ['one in an error of GraphQL', '{"errors":[{"type":"RATE_LIMITED","id":9007199254740993}]}'],
  ['lists in lists without end', deep],
  ['such a message', `{"message":${deep}}`],
  ['such an error', `{"message":"x","errors":[${deep}]}`],
  ['nothing', 'null'],
  ['half an object', '{"message":'],
  ['an App without an account', '{"id":1,"token":null,"expires_at":5,"permissions":null}'],
  ['a token that is none', '{"id":1,"token":["ghs_x"],"expires_at":"x","permissions":{}}'],
];
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const APP_KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const CREDENTIALS: readonly ForgeCredential[] = [
  { kind: 'token', token: TOKEN, from: 'TRANCHE_FORGE_TOKEN' },
  { kind: 'app', appId: '4711', key: APP_KEY },
];

test.each(BODIES.flatMap(([what, body]) => [200, 403, 500].map((status) => [what, status, body] as const)))(
  '%s with HTTP %i ends no pass: each call is answered, or fails as the world does',
  async (_, status, body) => {
    for (const credential of CREDENTIALS) {
      const forge = await forgeOf(() => body, { status, credential });
      for (const call of [
        () => forge.pulls({ prefix: 'tranche/', numbers: [7], branches: [BRANCH] }),
        () => forge.reviews(7),
        () => forge.makers([HEAD]),
        () => forge.self(),
        () => forge.waiting([7]),
        () => forge.rules('main'),
        () => forge.create({ branch: BRANCH, head: HEAD, base: 'main', title: 't', body: 'b' }),
        () => forge.attach({ number: 7, labels: ['x'], reviewers: ['ada'] }),
        () => forge.close(7, 'Why.'),
      ]) {
        const failed: unknown = await call().then(
          () => undefined,
          (error: unknown) => error,
        );
        expect(failed === undefined || failed instanceof PortError, String(failed)).toBe(true);
      }
      await server?.close();
    }
  },
);
