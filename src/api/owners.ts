/** Which folders speak for a namespace: `owners` in `tranche.yaml`. */

import type { FieldReader } from './field-reader.ts';
import { matchesGlob } from './glob.ts';
import { isRecord } from './json.ts';

/** Folders by patterns of namespaces. A namespace that no pattern fits belongs to every folder. */
export type Owners = Readonly<Record<string, readonly string[]>>;

export const PATTERNS_MOST = 1000;
export const FOLDERS_MOST = 50;
export const PATTERN = /^[a-z0-9*-]{1,63}$/;

/** The folders from which what is in this namespace counts; undefined: from every one. One pattern decides: the name itself, else the longest. */
export function foldersOf(owners: Owners, namespace: string): readonly string[] | undefined {
  if (Object.hasOwn(owners, namespace)) return owners[namespace];
  const [pattern] = Object.keys(owners)
    .filter((one) => matchesGlob(one, namespace))
    .sort((left, right) => right.length - left.length || (left < right ? -1 : 1));
  return pattern === undefined ? undefined : owners[pattern];
}

/** Reads the map. An entry that is wrong says nothing, and is a fault. */
export function readOwners(root: FieldReader): Owners {
  if (!root.has('owners')) return {};
  const owners = root.object('owners', 'fault');
  const value = root.value('owners');
  const patterns = Object.keys(isRecord(value) ? value : {});
  if (patterns.length > PATTERNS_MOST)
    root.fault('owners', 'TooMany', `has ${patterns.length} patterns, wanted at most ${PATTERNS_MOST}`, 'Use *.');
  owners.refuseEmpty(patterns);
  return Object.fromEntries(
    patterns.slice(0, PATTERNS_MOST).flatMap((pattern) => {
      if (!PATTERN.test(pattern))
        owners.fault(
          pattern,
          'BadPattern',
          'is no namespace and no pattern of some, wanted lower-case letters, digits, - and *',
          'Write for example "team-a-*": [teams/a].',
        );
      const before = owners.faults.length;
      const folders = owners.texts(pattern, FOLDERS_MOST).map(trimSlashes);
      if (folders.length === 0 && owners.has(pattern) && owners.faults.length === before)
        owners.fault(pattern, 'Missing', 'is empty, wanted a folder', 'Name its folder, or take the pattern out.');
      return PATTERN.test(pattern) && folders.length > 0 ? [[pattern, folders] as const] : [];
    }),
  );
}

/** A path as the configuration keeps it: from the root of the repository, without `/` at an end. */
export function trimSlashes(path: string): string {
  return path.replace(/^\.\//, '').replace(/^\/+|\/+$/g, '');
}
