/** A forge that answers in other shapes than GitHub documents: what cannot be told counts for nothing. */

import { afterEach, expect, test } from 'vitest';
import { forgeAddress } from '../../../src/adapters/forge/github/address.ts';
import { forgeLimits } from '../../../src/adapters/forge/github/limits.ts';
import { openGithub } from '../../../src/adapters/forge/github/open-github.ts';
import { plainNetwork } from '../../../src/adapters/network/proxy.ts';
import type { Forge, Pull } from '../../../src/ports/forge.ts';
import { manualTimers } from '../../support/manual-timers.ts';
import { type ScriptedServer, scriptedServer } from '../../support/scripted-server.ts';
import { BRANCH, TOKEN, value } from './site.ts';

let server: ScriptedServer | undefined;
afterEach(() => server?.close());

/** A forge whose answers these are, by the last words of the path. */
async function forgeOf(answer: (path: string) => unknown): Promise<Forge> {
  server = await scriptedServer(({ url }) => {
    const path = url.replace(/\?.*/, '');
    const body = path.endsWith('/permission') ? { permission: 'write' } : answer(path);
    const headers = { 'content-type': 'application/json' };
    return body === undefined ? { status: 404, body: { message: 'Not Found' } } : { headers, body };
  });
  const address = forgeAddress(`${server.url}/team/gitops`, `${server.url}/api/v3`);
  if (address === undefined) throw new Error('no address of a forge');
  const timers = manualTimers();
  timers.skipPauses();
  return openGithub({
    address,
    credential: { kind: 'token', token: TOKEN, from: 'TRANCHE_FORGE_TOKEN' },
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

test.each(['1e400', '-7', '7.5', '0', '"7"', '[7]', 'null'])(
  'a pull request of the number %s is none, and no further request names it',
  async (number) => {
    const forge = await forgeOf(() => `[${JSON.stringify(pull()).replace('"number":7', `"number":${number}`)}]`);
    await expect(forge.pulls({ prefix: 'tranche/', numbers: [] })).rejects.toThrow('JSON that is not GitHub');
    expect(server?.seen.length).toBe(1);
  },
);
