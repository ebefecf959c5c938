/** How far main's own line is followed, where nobody can tell what came before. */

import { expect, test } from 'vitest';
import type { CommitHeader } from '../../src/ports/git.ts';
import { firstParentsOf } from '../../src/reconcile/history/first-parents.ts';

const by = { name: 'Ada', email: 'ada@example.com', atSeconds: 0 };
const oidOf = (place: number): string => place.toString(16).padStart(40, '0');

/** A line of so many commits, its newest the highest. `asked`: how many each question wanted. */
function lineOf(count: number, asked: number[] = []) {
  const commitOf = (place: number): CommitHeader => ({
    oid: oidOf(place),
    parents: place === 1 ? [] : [oidOf(place - 1)],
    message: '',
    author: by,
    committedAt: 0,
  });
  const history = async (from: string, _until: string | undefined, most = 0): Promise<readonly CommitHeader[]> => {
    asked.push(most);
    const newest = Number.parseInt(from, 16);
    return Array.from({ length: Math.min(most, newest) }, (_, at) => commitOf(newest - at));
  };
  return firstParentsOf({ history }, oidOf(count));
}

test.each([
  [20_000, true],
  [1_000_000, false],
])('of %i commits the newest 20,000 are looked at, in few questions', async (count, isWhole) => {
  const asked: number[] = [];
  const line = lineOf(count, asked);
  expect((await line.commitAt(19_999))?.oid).toBe(oidOf(count - 19_999));
  expect(await line.commitAt(22_000)).toBeUndefined();
  expect([line.isWhole(), line.length() < 22_000, asked.length < 25]).toEqual([isWhole, true, true]);
});
