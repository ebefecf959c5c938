/** Which folders a pass names to the next one, so that a process without memory need not look for them level by level. */

import type { Folders, Git, Oid } from '../../ports/git.ts';
import { PortError } from '../../ports/port-error.ts';

/** This many are named in all; each level with one that is not costs the next process a round of requests more. */
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

/**
 * The folders on the way to these files: where everything was read, those of all others are too many to name. They are at
 * hand then; where they are not any more, and cannot be had, none are named.
 */
export async function foldersTo(git: Pick<Git, 'readAt'>, commit: Oid, files: readonly string[]): Promise<Folders> {
  const paths = files.slice(0, MOST);
  if (paths.length === 0) return [];
  try {
    // No file is called so: the folders are read, and nothing in them.
    return (await git.readAt(commit, { paths, suffixes: ['/'], markers: [] })).folders;
  } catch (error) {
    if (error instanceof PortError) return [];
    throw error;
  }
}
