/** Pull requests of strangers: however many there are, ours are read. */

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Account } from '../../support/forge/repository.ts';
import { problem } from '../../support/forge/route.ts';
import { type SimulatedForge, startForge } from '../../support/forge/start-forge.ts';
import { ADA, APP, type ForgeSite, forgeSite, value } from './site.ts';

const prefix = 'tranche/prod-eu/';
let forge: SimulatedForge;
let site: ForgeSite;
beforeAll(async () => {
  forge = await startForge();
  site = await forgeSite(forge, 'gitops');
  const opened = (branch: string, head: string, isFork: boolean) =>
    site.repository.open({ by: ADA, branch, base: 'main', head, title: branch, body: '', isFork });
  for (let at = 2; at < 7; at += 1) opened(`${prefix}${at}`, (await site.branch(`${prefix}${at}`, at)).head, false);
  for (let at = 0; at < 301; at += 1) opened(`${prefix}${at}`, 'a'.repeat(40), true);
});
afterAll(() => forge.stop());
beforeEach(() => forge.calls.splice(0));

/** By number, and the calls but for those of one pull request. */
async function read(pages: number): Promise<readonly [numbers: readonly number[], calls: readonly string[]]> {
  const found = value(await site.open({ limits: { pages } }).pulls({ prefix, numbers: [2] }));
  const calls = forge.calls.map(({ call }) => call.replace('/repos/team/gitops', ''));
  const own = found.filter((pull) => pull.isSameRepository);
  return [own.map(({ number }) => number), calls.filter((call) => !/pulls\/\d/.test(call))];
}

test('those of our own branches alone are asked for, page by page', async () => {
  const asked = ['GET /pulls', ...Array.from({ length: 3 }, () => 'POST /api/graphql')];
  expect(await read(3)).toEqual([[5, 4, 3, 2, 1], asked]);
  expect(forge.violations).toEqual([]);
});

test('where that is refused, all are read, as many as there may be', async () => {
  forge.fault = ({ path }) =>
    path.includes('graphql')
      ? { kind: 'answer', when: 'before', answer: problem(403, 'Resource not accessible by integration') }
      : undefined;
  const [numbers, calls] = await read(20);
  expect([numbers, calls.filter((call) => call === 'GET /pulls').length]).toEqual([[5, 4, 3, 2, 1], 5]);
  await expect(read(3)).rejects.toThrow('has more than 300 of them');
});

test('where a branch of that name in forks of the same owner was proposed as often as is looked at, ours is read', async () => {
  forge.fault = () => undefined;
  const branch = `${prefix}again`;
  const opened = (head: string, isFork: boolean) =>
    site.repository.open({ by: ADA, branch, base: 'main', head, title: branch, body: '', isFork });
  const own = opened((await site.branch(branch, 9)).head, false);
  for (let count = 0; count < 20; count += 1) opened('a'.repeat(40), true);
  const found = value(await site.open({}).pulls({ prefix: 'none/', numbers: [], branches: [branch] }));
  expect(found.filter(({ isSameRepository }) => isSameRepository).map(({ number }) => number)).toEqual([own.number]);
});

test('where somebody has opened more from a branch of ours than are looked at, ours is read', async () => {
  forge.fault = () => undefined;
  const branch = `${prefix}more`;
  const { head } = await site.branch(branch, 12);
  const closed = (by: Account): number => {
    const { number } = site.repository.open({ by, branch, base: 'main', head, title: branch, body: '' });
    site.repository.close(number, by);
    return number;
  };
  const ours = closed(APP);
  for (let count = 0; count < 10; count += 1) closed(ADA);
  const found = value(await site.open({}).pulls({ prefix: 'none/', numbers: [], branches: [branch] }));
  expect(found.map(({ number }) => number)).toEqual([10, 9, 8, 7, 6, 0].map((after) => ours + after));
});

/** A branch of ours that was proposed by us, and then this often by each of these, who closed it again. */
async function proposedSince(name: string, by: readonly Account[], times: number) {
  forge.fault = () => undefined;
  const branch = `${prefix}${name}`;
  const { head } = await site.branch(branch, 13);
  const closed = (author: Account): number => {
    const { number } = site.repository.open({ by: author, branch, base: 'main', head, title: branch, body: '' });
    site.repository.close(number, author === APP ? ADA : author);
    return number;
  };
  const ours = closed(APP);
  for (let time = 0; time < times; time += 1) for (const author of by) closed(author);
  return { branch, ours };
}

const ACCOUNTS = Array.from({ length: 11 }, (_, at): Account => ({ login: `m${at}`, id: 900 + at, type: 'User' }));

test.each<readonly [what: string, by: readonly Account[], times: number]>([
  ['page', [ADA], 104],
  ['account', ACCOUNTS.slice(1), 2],
])('where there is more than one %s since, ours is read, with who closed it', async (what, by, times) => {
  const { branch, ours } = await proposedSince(`many ${what}`.replaceAll(' ', '-'), by, times);
  const found = value(await site.open({}).pulls({ prefix: undefined, numbers: [], branches: [branch] }));
  expect(found.find(({ number }) => number === ours)?.state).toMatchObject({
    kind: 'closed',
    by: { login: ADA.login },
  });
  expect(found.length).toBeLessThan(13);
});

test.each<readonly [what: string, by: readonly Account[], times: number, said: string]>([
  ['pages', [ADA], 999, 'at least 1000 pull requests'],
  ['authors', ACCOUNTS, 1, 'pull requests of more than 10 others'],
])('where there are more %s than are read, nobody knows what was said of it', async (what, by, times, said) => {
  const { branch } = await proposedSince(`crowd-of-${what}`, by, times);
  const asked = await site.open({}).pulls({ prefix: undefined, numbers: [], branches: [branch] });
  expect(asked).toMatchObject({
    kind: 'refused',
    refusal: 'BranchCrowded',
    said: `the branch ${branch} has ${said}, so nobody knows whether one was turned down`,
  });
});

test('where others have opened many from branches of ours, those that we have opened come first, and few of theirs are read', async () => {
  const branch = `${prefix}ours`;
  const { head } = await site.branch(branch, 9);
  const opened = { base: 'main', title: branch, body: '' };
  const ours = site.repository.open({ ...opened, by: APP, branch, head, isFork: false });
  // Ours is not on the first page.
  for (let at = 0; at < 100; at += 1)
    site.repository.open({ ...opened, by: ADA, branch: `${prefix}${at}`, head: 'a'.repeat(40), isFork: true });
  const found = value(await site.open({ limits: { pages: 4, foreignPulls: 2 } }).pulls({ prefix, numbers: [4] }));
  expect(found.filter((pull) => pull.isSameRepository).map(({ number }) => number)).toEqual([ours.number, 4, 2, 1]);
});

test.each(['before', 'after'] as const)(
  'where the answer is lost %s the effect and forks of the same owner have the name as well, ours is opened once',
  async (when) => {
    const wanted = await site.branch(`${prefix}lost-${when}`, when === 'before' ? 10 : 11);
    let lost = 0;
    forge.fault = ({ method, path }) => {
      if (method !== 'POST' || !path.endsWith('/pulls') || lost > 0) return undefined;
      lost += 1;
      return { kind: 'drop', when };
    };
    const open = () => {
      const { branch } = wanted;
      for (let at = 0; at < 11; at += 1)
        site.repository.open({
          by: ADA,
          branch,
          base: 'main',
          head: 'a'.repeat(40),
          title: 'x',
          body: '',
          isFork: true,
        });
    };
    open();
    if (when === 'before') await expect(site.port.create(wanted)).rejects.toMatchObject({ retryable: true });
    const { pull } = value(await site.port.create(wanted));
    open();
    expect(value(await site.port.create(wanted))).toMatchObject({ isAdopted: true, pull: { number: pull.number } });
    const own = site.repository.pulls.filter(({ branch, isFork }) => branch === wanted.branch && !isFork);
    expect(own).toHaveLength(1);
  },
);

test('where forks of the same owner have proposed a branch of that name more than a page often, ours is adopted', async () => {
  forge.fault = () => undefined;
  const wanted = await site.branch(`${prefix}adopted`, 14);
  const { pull } = value(await site.port.create(wanted));
  for (let at = 0; at < 101; at += 1) site.repository.open({ ...wanted, by: ADA, head: 'a'.repeat(40), isFork: true });
  expect(value(await site.port.create(wanted))).toMatchObject({ isAdopted: true, pull: { number: pull.number } });
});
