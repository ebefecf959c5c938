/** Who may have approved a step, and who had a hand in it, where somebody would like that not to be seen. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { forgeLimits } from '../../../src/adapters/forge/github/limits.ts';
import { type SimulatedForge, startForge } from '../../support/forge/start-forge.ts';
import { ADA, APP, BOB, forgeSite, value } from './site.ts';

let forge: SimulatedForge;
beforeAll(async () => {
  forge = await startForge();
});
afterAll(() => forge.stop());

const CROWD = 400;

test('a crowd that approves one pull request hides no reviewer who may write, and leaves requests to the others', async () => {
  const { port, branch, repository } = await forgeSite(forge, 'crowd');
  for (const at of [1, 2]) value(await port.create(await branch(`tranche/prod-eu/${at}`, at + 1)));
  for (let at = 0; at < CROWD; at += 1)
    repository.review(1, { login: `one-${at}`, id: 100 + at, type: 'User' }, 'APPROVED');
  repository.review(1, ADA, 'APPROVED');
  repository.review(2, ADA, 'APPROVED');
  forge.calls.splice(0);
  port.begin();
  const crowd = value(await port.reviews(1));
  expect(crowd).toHaveLength(CROWD + 1);
  expect(crowd.find(({ author }) => author.login === 'ada')?.mayWrite).toEqual({ kind: 'known', value: true });
  expect(crowd.at(-1)?.mayWrite).toMatchObject({ kind: 'unknown', why: expect.stringContaining('30 others') });
  expect(forge.calls.length).toBeLessThan(forgeLimits.requestsPerPass / 5);
  expect(value(await port.reviews(2)).map(({ mayWrite }) => mayWrite)).toEqual([{ kind: 'known', value: true }]);
});

test('who signed a commit of the pull request that brought it is one of its makers, whatever name stands in it', async () => {
  const { port, branch, repository } = await forgeSite(forge, 'signers');
  const wanted = await branch('feature/x');
  repository.addresses.set(await repository.git.git('log', '-1', '--format=%ae', wanted.head), 'carol');
  repository.signed.set(wanted.head, BOB.login);
  repository.open({ ...wanted, by: APP });
  const oid = await repository.merge(1, ADA, 'squash', 'x');
  expect(value(await port.makers([oid]))).toEqual({ logins: ['carol', 'tranche', 'ada', 'bob'], unclear: [] });
  expect(forge.violations).toEqual([]);
});

test('all commits that may have brought a version fit into one question', async () => {
  const { port } = await forgeSite(forge, 'many');
  const oids = Array.from({ length: 10 }, (_, at) => String(at).repeat(40));
  expect(value(await port.makers(oids)).unclear).toHaveLength(10);
});

test('crowds on ten pull requests at once: who may write is known of each, and requests are left for what comes after', async () => {
  const { port, branch, repository } = await forgeSite(forge, 'crowds');
  const pulls = Array.from({ length: 10 }, (_, at) => at + 1);
  for (const at of pulls) {
    value(await port.create(await branch(`tranche/prod-eu/${at}`, at + 1)));
    for (let one = 0; one < 200; one += 1)
      repository.review(at, { login: `one-${at}-${one}`, id: 1000 * at + one, type: 'User' }, 'APPROVED');
    repository.review(at, ADA, 'APPROVED');
  }
  port.begin();
  forge.calls.splice(0);
  for (const at of pulls) {
    port.share(pulls.length + 1 - at);
    const reviews = value(await port.reviews(at));
    expect(reviews.find(({ author }) => author.login === 'ada')?.mayWrite).toEqual({ kind: 'known', value: true });
    expect(reviews.at(-1)?.mayWrite).toMatchObject({ kind: 'unknown', why: expect.stringMatching(/of \d+ others/) });
    expect(value(await port.makers(['a'.repeat(40)])).unclear).toHaveLength(1);
  }
  port.share(undefined);
  expect(forge.calls.length).toBeLessThan((forgeLimits.requestsPerPass * 2) / 3);
  value(await port.pulls({ prefix: 'tranche/prod-eu/', numbers: [], branches: [] }));
});
