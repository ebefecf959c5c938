/** The names of Rollouts that there are, and which of them somebody may have meant. */

import { matchesGlob } from '../../api/glob.ts';
import { nearest } from '../../api/nearest.ts';

type Key = { readonly namespace: string; readonly name: string };

export type NamesThere = {
  /** `name` undefined: any of the namespace. */
  readonly has: (namespace: string, name: string | undefined) => boolean;
  /** The pattern with the nearest namespace that there is, and the nearest name in it; itself where none is near, or nobody looks any more. */
  readonly nearest: (pattern: string) => string;
  /** Those that a pattern fits whose namespace is written out. */
  readonly called: (pattern: string) => readonly Key[];
};

/**
 * How many names are looked at for all policies of a pass. Who has thousands of policies that mean nothing is told so for each, and
 * for the first of them what may have been meant: with a name in each of them the time would grow with the square.
 */
const LOOKED_AT_MOST = 100_000;

/** Each name is looked up by itself, and compared with others only where it is not there. */
export function namesThere(keys: readonly Key[]): NamesThere {
  const names = new Map<string, Set<string>>();
  for (const { namespace, name } of keys) names.set(namespace, (names.get(namespace) ?? new Set()).add(name));
  let left = LOOKED_AT_MOST;
  const among = (word: string, valid: readonly string[]): string => {
    left -= valid.length;
    return left < 0 ? word : (nearest(word, valid) ?? word);
  };
  const nearestTo = (pattern: string): string => {
    if (pattern === '*') return pattern;
    const [namespace, name] = parted(pattern);
    const near = names.has(namespace) ? namespace : among(namespace, [...names.keys()]);
    const own = names.get(near);
    return `${near}/${name.includes('*') || own === undefined || own.has(name) ? name : among(name, [...own])}`;
  };
  const called = (pattern: string): readonly Key[] => {
    const [namespace, name] = parted(pattern);
    const own = names.get(namespace) ?? new Set();
    if (!name.includes('*')) return own.has(name) ? [{ namespace, name }] : [];
    left -= own.size;
    return left < 0 ? [] : [...own].flatMap((one) => (matchesGlob(name, one) ? [{ namespace, name: one }] : []));
  };
  const has = (namespace: string, name: string | undefined): boolean =>
    name === undefined ? names.has(namespace) : names.get(namespace)?.has(name) === true;
  return { has, nearest: nearestTo, called };
}

function parted(pattern: string): readonly [namespace: string, name: string] {
  const slash = pattern.indexOf('/');
  return [pattern.slice(0, slash), pattern.slice(slash + 1)];
}
