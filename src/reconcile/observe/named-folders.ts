/** Which folders a pass names to the next one, so that a process without memory need not look for them level by level. */

import type { Folders } from '../../ports/git.ts';

/** So many are named in all; each level with one that is not costs the next process a round of requests more. */
const MOST = 1000;

/** All of both, level by level, those of the first first. */
export function mergedFolders(first: Folders, second: Folders): Folders {
  const depths = Math.max(first.length, second.length);
  return Array.from({ length: depths }, (_none, depth) => [
    ...new Set([...(first[depth] ?? []), ...(second[depth] ?? [])]),
  ]);
}

/** Those of now, and as many of those before: the text that a delivery leaves is in a commit of before. */
export function namedFolders(now: Folders, before: Folders): Folders {
  let left = MOST;
  return mergedFolders(now, before).flatMap((level, depth) => {
    const named = level.slice(0, Math.min(left, 2 * (now[depth]?.length ?? 0)));
    left -= named.length;
    return named.length === 0 ? [] : [named];
  });
}
