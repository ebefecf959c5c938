/** Which branch a clone delivers from, where its repository has none of the default name. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_CONFIG } from '../../api/config.ts';
import { layoutOf } from './clone-remote.ts';
import { headRef } from './local-layout.ts';
import { readHead } from './local-refs.ts';

/** Names of first branches: whatever else is checked out may be somebody's own work. */
const FIRST_BRANCHES = ['master', 'trunk'];

/**
 * What the repository of a clone delivers from where it has no branch of the default name: its own default as it was cloned,
 * else the one checked out by the name of a first one; undefined: it has that branch, or nobody can tell.
 */
export function ownBranchOf(folder: string): string | undefined {
  const layout = layoutOf(folder);
  if (layout === undefined) return undefined;
  const { branch } = DEFAULT_CONFIG;
  const refs = [`refs/heads/${branch}`, `refs/remotes/origin/${branch}`];
  if (refs.some((ref) => readHead(layout, ref) !== undefined)) return undefined;
  const file = join(layout.common, 'refs', 'remotes', 'origin', 'HEAD');
  const cloned = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  const byRemote = /^ref: refs\/remotes\/origin\/(\S+)$/.exec(cloned)?.[1];
  const here = headRef(layout)?.replace(/^refs\/heads\//, '');
  return byRemote === branch ? undefined : (byRemote ?? FIRST_BRANCHES.find((one) => one === here));
}
