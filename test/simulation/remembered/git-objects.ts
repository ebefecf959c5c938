/** Stands in for `src/adapters/git/objects.ts` in bundles of the simulation: decodes each object once. */

import {
  type DecodedCommit,
  decodeCommit as decodeCommitAfresh,
  decodeTree as decodeTreeAfresh,
  type TreeEntry,
} from '../../../src/adapters/git/objects.ts';
import type { Oid } from '../../../src/ports/git.ts';

export * from '../../../src/adapters/git/objects.ts';

// The bytes of an object never change, and go with the repository that holds them.
const commits = new WeakMap<Buffer, DecodedCommit>();
const trees = new WeakMap<Buffer, TreeEntry[]>();

export function decodeCommit(oid: Oid, bytes: Buffer): DecodedCommit {
  const known = commits.get(bytes);
  if (known !== undefined) return known;
  const decoded = decodeCommitAfresh(oid, bytes);
  commits.set(bytes, decoded);
  return decoded;
}

export function decodeTree(bytes: Buffer): TreeEntry[] {
  const known = trees.get(bytes);
  if (known !== undefined) return [...known];
  const decoded = decodeTreeAfresh(bytes);
  trees.set(bytes, decoded);
  return [...decoded];
}
