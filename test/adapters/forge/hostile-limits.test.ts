/** A forge that answers without end, too much, too late or in words of its own: each call ends within a limit, with a name. */

import { afterEach, expect, test } from 'vitest';
import { forgeAddress } from '../../../src/adapters/forge/github/address.ts';
import { forgeLimits } from '../../../src/adapters/forge/github/limits.ts';
import { openGithub } from '../../../src/adapters/forge/github/open-github.ts';
import { plainNetwork } from '../../../src/adapters/network/proxy.ts';
import type { Forge } from '../../../src/ports/forge.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import { type ManualTimers, manualTimers } from '../../support/manual-timers.ts';
import { type Reply, type ScriptedServer, type Seen, scriptedServer } from '../../support/scripted-server.ts';
import { BRANCH, TOKEN, value } from './site.ts';

const servers: ScriptedServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function served(script: Parameters<typeof scriptedServer>[0]): Promise<ScriptedServer> {
  const server = await scriptedServer(script);
  servers.push(server);
  return server;
}

/** The forge of a server that answers so, and its timers, which move when a test says so. */
async function forgeOf(
  script: Parameters<typeof scriptedServer>[0],
): Promise<{ readonly forge: Forge; readonly server: ScriptedServer; readonly timers: ManualTimers }> {
  const server = await served(script);
  const address = forgeAddress(`${server.url}/team/gitops`, `${server.url}/api/v3`);
  if (address === undefined) throw new Error('no address of a forge');
  const timers = manualTimers();
  timers.skipPauses();
  const forge = openGithub({
    address,
    credential: { kind: 'token', token: TOKEN, from: 'TRANCHE_FORGE_TOKEN' },
    network: plainNetwork,
    clock: { now: () => 1_800_000_000, sleep: async () => undefined },
    timers,
    limits: forgeLimits,
    userAgent: 'tranche-test',
  });
  return { forge, server, timers };
}

const json = { 'content-type': 'application/json' };
const reply = (body: unknown, status = 200): Reply => ({ status, headers: json, body });
const failed = (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error);

const HEAD = 'a'.repeat(40);
const WORDS = 500;
const LONG = 100_000;
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
  ...more,
});

test('pages without end are read as far as the limit, and then the call fails by name', async () => {
  const hundred = Array.from({ length: 100 }, () =>
    pull({ number: 8, head: { ref: 'x', sha: HEAD, repo: { id: 2 } } }),
  );
  const more = (at: string) => ({ ...json, link: `<${at}>; rel="next"` });
  const other = await served(() => reply([]));
  const { forge, server } = await forgeOf(({ url }) => {
    if (url.includes('graphql'))
      return reply({
        data: { repository: { refs: { nodes: [], pageInfo: { hasNextPage: true, endCursor: 'again' } } } },
      });
    // The next page is at another host, or itself.
    const next = url.includes('page=1') ? `${other.url}/pulls?page=2` : url;
    return { status: 200, headers: more(next), body: hundred };
  });
  const error = await failed(forge.pulls({ prefix: 'tranche/', numbers: [] }));
  expect(error).toBeInstanceOf(PortError);
  expect(String(error)).toContain('team/gitops has more than 2000 of them');
  expect(server.seen.length).toBe(1 + 2 * forgeLimits.pages);
  expect(other.seen).toEqual([]);
});

test.each([301, 302, 303, 307, 308])('HTTP %i to another host: nothing goes there', async (status) => {
  const other = await served(() => reply([pull()]));
  const { forge } = await forgeOf(() => ({ status, headers: { location: `${other.url}/pulls` }, body: '' }));
  const error = await failed(forge.pulls({ prefix: 'tranche/', numbers: [] }));
  expect(String(error)).toContain(`answered HTTP ${status}, which is not followed`);
  expect(other.seen).toEqual([]);
});

test('answers that come in drops, one after the other: the pass ends once it has waited for the forge long enough', async () => {
  const { forge, server, timers } = await forgeOf(({ url }) => {
    // Each is whole just before its own time is over.
    timers.advance(forgeLimits.idleSeconds - 1);
    return reply(url.includes('/pulls?') ? [] : pull());
  });
  const numbers = Array.from({ length: forgeLimits.requestsPerPass - 1 }, (_, at) => at + 1);
  const answer = await forge.pulls({ prefix: 'tranche/', numbers });
  expect(answer).toMatchObject({ kind: 'deferred', why: expect.stringContaining('waited') });
  expect(server.seen.length).toBeLessThan(20);
  forge.begin();
  expect(value(await forge.pulls({ prefix: 'tranche/', numbers: [] }))).toEqual([]);
});

const noise = (length: number): string => `\u001b[31m\n::error::\u202e${'x'.repeat(length)}`;
// oxlint-disable-next-line no-control-regex -- what no text may hold
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/;

/** What a call says is at most some words long, on one line, whatever was said to it. */
function expectWords(answer: unknown): void {
  const texts = answer instanceof Error ? [answer.message] : [];
  JSON.stringify(answer, (_, one: unknown) => {
    if (typeof one === 'string') texts.push(one);
    return one;
  });
  for (const text of texts) {
    expect(text.length).toBeLessThan(3 * WORDS);
    expect(text).not.toMatch(CONTROL);
  }
}

const calls = {
  pulls: (forge: Forge) => forge.pulls({ prefix: 'tranche/', numbers: [7], branches: [BRANCH] }),
  reviews: (forge: Forge) => forge.reviews(7),
  makers: (forge: Forge) => forge.makers([HEAD]),
  self: (forge: Forge) => forge.self(),
  waiting: (forge: Forge) => forge.waiting([7]),
  rules: (forge: Forge) => forge.rules('main'),
  members: (forge: Forge) => forge.members('team/sre', ['ada']),
  create: (forge: Forge) => forge.create({ branch: BRANCH, head: HEAD, base: 'main', title: 't', body: 'b' }),
  attach: (forge: Forge) => forge.attach({ number: 7, labels: ['x'], reviewers: ['ada'] }),
  close: (forge: Forge) => forge.close(7, 'Why.'),
} as const;

const ERRORS: readonly (readonly [what: string, body: (words: string) => unknown])[] = [
  ['a message', (words) => ({ message: words })],
  ['many errors', (words) => ({ message: 'no', errors: [words, 7, { message: words }, { message: [words] }, null] })],
  ['an error of GraphQL', (words) => ({ data: null, errors: [{ type: 'FORBIDDEN', message: words }] })],
  ['a text', (words) => words],
];

test.each(ERRORS.flatMap(([what, body]) => [200, 403, 500].map((status) => [what, status, body] as const)))(
  'of %s of many words with HTTP %i some words are left, on one line',
  async (_, status, body) => {
    const words = noise(LONG);
    const { forge } = await forgeOf(() => reply(body(words), status));
    for (const call of Object.values(calls)) expectWords(await failed(call(forge)));
  },
);

test.each([200, 403, 500])('an answer of HTTP %i that has no end is given up at its limit', async (status) => {
  const most = status === 200 ? forgeLimits.answerBytes : forgeLimits.errorBytes;
  const { forge } = await forgeOf((_, response) => {
    response.writeHead(status, json);
    const more = (): void => {
      while (response.writable && response.write(' '.repeat(LONG)));
    };
    response.on('drain', more);
    more();
    return undefined;
  });
  expect(String(await failed(forge.self()))).toContain(`the answer has more than ${most} bytes`);
});

test('names of people, checks, branches and labels are words of people, and addresses are addresses', async () => {
  const many = Array.from({ length: 5000 }, () => ({ name: noise(WORDS) }));
  const user = { login: `ada${noise(LONG)}`, type: 'User' };
  const context = { __typename: 'StatusContext', context: noise(LONG), state: 'FAILURE', isRequired: true };
  const rollup = { statusCheckRollup: { contexts: { nodes: Array.from({ length: 100 }, () => context) } } };
  const state = { state: 'OPEN', headRefOid: HEAD, baseRefName: 'main', commits: { nodes: [{ commit: rollup }] } };
  const author = { name: noise(LONG), user: null };
  const commit = { authors: { totalCount: 1, nodes: [author] }, associatedPullRequests: { totalCount: 0, nodes: [] } };
  const answerTo = ({ url }: Seen): unknown => {
    if (url.endsWith('/graphql')) return { data: { repository: { p7: state, c0: commit } } };
    if (url.includes('/rules/')) return [];
    if (url.includes('/reviews'))
      return [{ state: 'APPROVED', user, commit_id: HEAD, submitted_at: '2026-01-01T00:00:00Z' }];
    const merged = { state: 'closed', merged_at: '2026-01-01T00:00:00Z', closed_at: '2026-01-01T00:00:00Z' };
    const odd = { ...merged, merged_by: user, user, labels: [...many, 7, null, { name: 7 }], title: noise(LONG) };
    return url.includes('/pulls/') ? pull({ ...odd, html_url: `javascript:alert(1)//${noise(LONG)}` }) : [];
  };
  const { forge } = await forgeOf((seen) => reply(answerTo(seen)));
  const [one] = value(await forge.pulls({ prefix: 'tranche/', numbers: [7] }));
  expect(one).toMatchObject({ number: 7, url: '', author: { login: 'ghost' }, state: { by: undefined } });
  for (const said of [{ ...one, title: '' }, value(await forge.reviews(7)), value(await forge.makers([HEAD]))])
    expectWords(said);
  const [waiting] = value(await forge.waiting([7]));
  expectWords(waiting);
  expect(JSON.stringify(waiting).length).toBeLessThan(100 * WORDS);
});

const COUNTS: readonly (readonly [what: string, count: unknown])[] = [
  ['a text', 'two'],
  ['a list', [1, 2]],
  ['an object', {}],
  ['a fraction', 1.5],
  ['less than nothing', -1],
];

test.each(COUNTS)('a number of reviews that is %s is not known', async (_, count) => {
  const rule = { type: 'pull_request', parameters: { required_approving_review_count: count } };
  const { forge } = await forgeOf(({ url }) => reply(url.includes('/rules/') ? [rule] : {}));
  expect(value(await forge.rules('main')).approvals).toMatchObject({ kind: 'unknown' });
});
