/** Commits are found among all ancestors of main, with as few requests as that takes. */

import { expect, test } from 'vitest';
import { ancestryOf } from '../../src/reconcile/history/ancestry.ts';
import { FakeRepository } from '../support/fake-git.ts';

/** main: a ← b ← merge of `side` ← d; `first` says which parent comes first. */
function merged(first: 'main' | 'side') {
  const repository = FakeRepository.withFiles({ a: '1\n' });
  const a = repository.head('main')!;
  const b = repository.commit('main', { writes: [{ path: 'a', text: '2\n' }], message: 'b' });
  repository.setHead('side', a);
  const side = repository.commit('side', { writes: [{ path: 's', text: '1\n' }], message: 'side' });
  const parents = first === 'main' ? [b, side] : [side, b];
  const merge = repository.merge('main', parents, { writes: [{ path: 's', text: '1\n' }], message: 'merge' });
  const d = repository.commit('main', { writes: [{ path: 'a', text: '3\n' }], message: 'd' });
  return { repository, oids: { a, b, side, merge, d, elsewhere: 'e'.repeat(40) } };
}

test.each([
  // first parent, wanted commit, found, requests
  ['main', 'd', true, 1],
  ['main', 'b', true, 1],
  ['main', 'a', true, 1],
  ['main', 'side', true, 2],
  ['side', 'side', true, 1],
  ['side', 'b', true, 2],
  ['side', 'a', true, 1],
  ['side', 'elsewhere', false, 2],
] as const)('with %s as first parent, %s: %s', async (first, name, isThere, requests) => {
  const { repository, oids } = merged(first);
  const wanted = oids[name];
  const found = await ancestryOf(repository.open(), oids.d).find(({ oid }) => oid === wanted, wanted);
  expect(found?.oid).toBe(isThere ? wanted : undefined);
  expect(repository.calls.history).toBe(requests);
});

test('what was read once is not read again', async () => {
  const { repository, oids } = merged('side');
  const ancestry = ancestryOf(repository.open(), oids.d);
  const bySubject = (subject: string) => ancestry.find(({ message }) => message.startsWith(subject), undefined);
  expect((await bySubject('b'))?.oid).toBe(oids.b);
  expect((await bySubject('side'))?.oid).toBe(oids.side);
  expect((await bySubject('nothing'))?.oid).toBeUndefined();
  expect(repository.calls.history).toBe(2);
});

test('many merges: a bounded number of lines is followed', async () => {
  const repository = FakeRepository.withFiles({ a: '0\n' });
  const root = repository.head('main')!;
  for (let i = 0; i < 40; i += 1) {
    const main = repository.head('main')!;
    repository.setHead('side', root);
    const side = repository.commit('side', { writes: [{ path: 's', text: `${i}\n` }], message: `side ${i}` });
    repository.merge('main', [main, side], { writes: [{ path: 'a', text: `${i}\n` }] });
  }
  const found = await ancestryOf(repository.open(), repository.head('main')!).find(() => false, 'e'.repeat(40));
  expect(found).toBeUndefined();
  expect(repository.calls.history).toBe(20);
});

test('a push of more commits than a line is followed is no rewritten history', async () => {
  const repository = FakeRepository.withFiles({ a: '0\n' });
  const first = repository.head('main')!;
  for (let at = 0; at < 1200; at += 1)
    repository.commit('main', { writes: [{ path: 'a', text: `${at}\n` }], message: `${at}` });
  const line = repository.log('main');
  const ancestry = ancestryOf(repository.open(), repository.head('main')!);
  const isThere = async (oid: string): Promise<boolean> =>
    (await ancestry.find((commit) => commit.oid === oid, oid)) !== undefined;
  const calls = (): number => repository.calls.history;
  expect([await isThere(line[900]!.oid), calls()]).toEqual([true, 1]);
  expect([await isThere(line[800]!.oid), calls()]).toEqual([true, 1]);
  expect([await isThere(line[1100]!.oid), calls()]).toEqual([true, 3]);
  expect([await isThere(first), calls()]).toEqual([true, 4]);
  expect([await isThere('e'.repeat(40)), calls()]).toEqual([false, 4]);
});
