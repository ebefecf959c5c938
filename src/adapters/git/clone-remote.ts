/** Where a clone came from: the repository that people mean when they stand in their own copy of it. */

import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { workingTreeAt } from './clone-root.ts';
import { gitError } from './git-error.ts';
import { findLayout, type Layout } from './local-layout.ts';
import { withoutCredentials } from './names.ts';

export type CloneRemote = {
  readonly name: string;
  /** `reachable`: what to open instead of the clone. `ssh`: it cannot be opened, and this is what it would be over https. */
  readonly kind: 'reachable' | 'ssh';
  readonly location: string;
};

/** The remote of a clone with a working tree; undefined: there is none, or this is no such clone. */
export function remoteOfClone(folder: string): CloneRemote | undefined {
  const layout = layoutOf(folder);
  if (layout === undefined || layout.isBare) return undefined;
  const names = [...layout.config.keys()].flatMap((key) => /^remote\.(.+)\.url$/.exec(key)?.[1] ?? []);
  const name = names.includes('origin') ? 'origin' : names.length === 1 ? names[0] : undefined;
  const url = name === undefined ? undefined : layout.config.get(`remote.${name}.url`);
  if (name === undefined || url === undefined || url === '') return undefined;
  return { name, ...placeOf(url, folder) };
}

/**
 * Throws PortError where a folder that nobody has named is a bare repository within a clone: anyone who merges files there
 * can make it one, and orders would go to that, for nobody.
 */
export function refuseWithinClone(folder: string): void {
  if (existsSync(join(folder, '.git')) || !existsSync(join(folder, 'HEAD'))) return;
  const clone = workingTreeAt(folder);
  if (clone === undefined) return;
  throw gitError(
    `${folder} is a bare repository that lies in the clone ${clone}, where anyone who merges can put one`,
    {
      operation: 'open',
      retryable: false,
      hint: `Call tranche in ${clone}, or name the repository by its URL or path with --repo`,
    },
  );
}

/** `user.name <user.email>` as the clone itself has them. */
export function settingOfClone(folder: string, key: string): string | undefined {
  return layoutOf(folder)?.config.get(key);
}

/** The files of Git of a clone; undefined: it is none, or a broken one. */
export function layoutOf(folder: string): Layout | undefined {
  if (!existsSync(join(folder, '.git'))) return undefined;
  try {
    return findLayout(folder);
  } catch {
    // Opening it reports what is wrong with it.
    return undefined;
  }
}

function placeOf(url: string, folder: string): Pick<CloneRemote, 'kind' | 'location'> {
  if (/^https?:/i.test(url) && URL.canParse(url)) {
    const plain = new URL(url);
    // What is in there may be a password; ours comes from the environment.
    plain.username = '';
    plain.password = '';
    return { kind: 'reachable', location: plain.href };
  }
  const short = /^(?:[^/\\]+@)?([^/\\:@]+):(?!\/\/)(.+)$/.exec(url);
  if (short !== null) {
    const [, host = '', path = ''] = short;
    // A URL whose scheme was forgotten looks so as well.
    return { kind: 'ssh', location: `https://${host}/${path.replace(/^\//, '').replace(/^[^/]*@/, '***@')}` };
  }
  if (/^(?:ssh|git\+ssh|ssh\+git|git):\/\//i.test(url) && URL.canParse(url)) {
    const { hostname, pathname } = new URL(url);
    return { kind: 'ssh', location: `https://${hostname}${pathname}` };
  }
  // Opening it reports what is wrong with it, without what may be a password.
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(url)) return { kind: 'reachable', location: withoutCredentials(url) };
  return { kind: 'reachable', location: isAbsolute(url) ? url : resolve(folder, url) };
}
