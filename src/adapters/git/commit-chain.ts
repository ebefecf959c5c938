/**
 * Turns writes into new blobs, trees and commits: only what changed, with the same ids at every try. Entries that are
 * not written are copied byte for byte, whatever their names: they are not ours to judge.
 */

import {
  type BranchGrowth,
  type BranchUpdate,
  type FileWrite,
  isDeletion,
  type NewCommit,
  type Oid,
  type Refused,
} from '../../ports/git.ts';
import { gitError } from './git-error.ts';
import { branchNameFault, writePathFault } from './names.ts';
import type { Lookup, ObjectQuestion } from './object-question.ts';
import {
  byteName,
  decodeCommit,
  decodeTree,
  encodeCommit,
  encodeEntries,
  fileModeOf,
  type GitObject,
  isFolder,
  oidOf,
  placeOf,
  type TreeEntry,
  treeMode,
} from './objects.ts';

export type BuiltUpdates = {
  readonly kind: 'built';
  /** `heads[i]` is the new head of `updates[i]`, `commits[i]` its chain, oldest first; of a deletion, none and empty. */
  readonly heads: readonly (Oid | undefined)[];
  readonly commits: readonly (readonly Oid[])[];
  /** Everything that was not there before, each once. */
  readonly objects: ReadonlyMap<Oid, GitObject>;
};

/** In the tree's own order. */
type Entries = readonly TreeEntry[];
type Write = { readonly parts: readonly string[]; readonly write: FileWrite };

/** What is known of trees, old and new, and what is new. */
type Workshop = {
  readonly trees: Map<Oid, Entries>;
  readonly objects: Map<Oid, GitObject>;
  readonly pathFault: (path: string) => string | undefined;
};

/** A write that this tree cannot take: it concerns one file, so it is an answer, and other writes can go on without it. */
class CannotWrite extends Error {
  readonly advice: string;

  constructor(message: string, advice: string) {
    super(message);
    this.advice = advice;
  }
}

/**
 * All objects of `updates`. Asks for the commits and the trees on the way to the written files. `pathFault` says why a
 * file must not be made under this name; one that is there already may be written whatever it is called. Throws PortError.
 */
export function* buildUpdates(
  updates: readonly BranchUpdate[],
  pathFault: (path: string) => string | undefined = writePathFault,
): ObjectQuestion<BuiltUpdates | Refused> {
  for (const update of updates) checkUpdate(update);
  const workshop: Workshop = { trees: new Map(), objects: new Map(), pathFault };
  const chains = updates.map((update): BranchGrowth => (isDeletion(update) ? emptyChain(update) : update));
  const roots = yield* rootsOf(chains.map(({ base }) => base));
  yield* loadFolders(chains, roots, workshop);
  const commits: (readonly Oid[])[] = [];
  for (const [i, update] of chains.entries()) {
    try {
      commits.push(buildChain(update, roots[i], workshop));
    } catch (error) {
      if (!(error instanceof CannotWrite)) throw error;
      return { kind: 'refused', branch: update.branch, rule: error.message, advice: error.advice };
    }
  }
  return { kind: 'built', heads: commits.map((chain) => chain.at(-1)), commits, objects: workshop.objects };
}

function checkUpdate(update: BranchUpdate): void {
  const fault = branchNameFault(update.branch);
  if (fault !== undefined) throw refuse(fault);
  if (!isDeletion(update) && update.commits.length === 0) throw refuse(`the push of ${update.branch} has no commit`);
}

function emptyChain({ branch, expectedOld }: BranchUpdate): BranchGrowth {
  return { branch, expectedOld, base: undefined, commits: [] };
}

function* rootsOf(commits: readonly (Oid | undefined)[]): ObjectQuestion<readonly (Oid | undefined)[]> {
  const oids = [...new Set(commits.flatMap((oid) => oid ?? []))];
  if (oids.length === 0) return commits;
  const lookup: Lookup = yield { type: 'commit', oids };
  return commits.map((oid) => {
    const found = oid === undefined ? undefined : lookup(oid);
    return oid !== undefined && found?.type === 'commit' ? decodeCommit(oid, found.bytes).tree : undefined;
  });
}

/** Reads the folders on the way to every written file, one level of all of them at a time. */
function* loadFolders(
  updates: readonly BranchGrowth[],
  roots: readonly (Oid | undefined)[],
  workshop: Workshop,
): ObjectQuestion<void> {
  let level = updates.flatMap((update, i) => {
    const oid = roots[i];
    return oid === undefined ? [] : [{ oid, writes: update.commits.flatMap((commit) => splitWrites(commit.writes)) }];
  });
  while (level.length > 0) {
    const oids = [...new Set(level.map(({ oid }) => oid))].filter((oid) => !workshop.trees.has(oid));
    if (oids.length > 0) {
      const lookup: Lookup = yield { type: 'tree', oids };
      for (const oid of oids) {
        const found = lookup(oid);
        if (found.type === 'tree') workshop.trees.set(oid, decodeTree(found.bytes));
      }
    }
    level = level.flatMap(({ oid, writes }) =>
      [...byFirstPart(writes)].flatMap(([name, below]) => {
        const entry = workshop.trees.get(oid)?.find((known) => known.name === name);
        const deeper = below.filter((write) => write.parts.length > 0);
        return entry !== undefined && isFolder(entry.mode) && deeper.length > 0
          ? [{ oid: entry.oid, writes: deeper }]
          : [];
      }),
    );
  }
}

function buildChain({ base, commits }: BranchGrowth, root: Oid | undefined, workshop: Workshop): readonly Oid[] {
  let [parent, tree] = [base, root];
  return commits.map((commit) => {
    tree = writeTree(tree, splitWrites(commit.writes), workshop) ?? keep(encodeEntries([]), workshop);
    parent = keep(commitObject(commit, tree, parent), workshop);
    return parent;
  });
}

function commitObject(commit: NewCommit, tree: Oid, parent: Oid | undefined): GitObject {
  const parents = parent === undefined ? [] : [parent];
  const { signature, author, message } = commit;
  return encodeCommit({ tree, parents, signature, author, message });
}

/** The tree after these writes; undefined where nothing is left in it, because Git knows no empty folders. */
function writeTree(oid: Oid | undefined, writes: readonly Write[], workshop: Workshop): Oid | undefined {
  if (oid !== undefined && writes.length === 0) return oid;
  const entries = [...((oid === undefined ? undefined : workshop.trees.get(oid)) ?? [])];
  for (const [name, below] of byFirstPart(writes)) {
    const at = entries.findIndex((entry) => entry.name === name);
    // Two entries of one name: nobody knows which of them is meant.
    if (entries.findLastIndex((entry) => entry.name === name) !== at) throw twice(below, name);
    const entry = writeEntry({ name, entry: entries[at], writes: below }, workshop);
    if (at >= 0) entries.splice(at, 1, ...(entry === undefined ? [] : [entry]));
    else if (entry !== undefined) entries.splice(placeOf(entry, entries), 0, entry);
  }
  if (entries.length === 0) return undefined;
  const tree = encodeEntries(entries);
  const written = oidOf(tree);
  if (written === oid) return oid;
  workshop.trees.set(written, entries);
  workshop.objects.set(written, tree);
  return written;
}

function twice(writes: readonly Write[], name: string) {
  const path = writes[0]?.write.path ?? '';
  return new CannotWrite(`"${path}" cannot be written: its folder lists ${name} twice`, 'Repair the tree (git fsck)');
}

type EntryWrites = { readonly name: string; readonly entry: TreeEntry | undefined; readonly writes: readonly Write[] };

function writeEntry({ name, entry, writes }: EntryWrites, workshop: Workshop): TreeEntry | undefined {
  const path = writes[0]?.write.path ?? '';
  const own = writes.filter((write) => write.parts.length === 0).at(-1);
  if (own === undefined) {
    if (entry !== undefined && !isFolder(entry.mode)) {
      if (writes.every(({ write }) => write.text === undefined)) return entry;
      throw new CannotWrite(
        `"${path}" cannot be written: "${name}" is not a folder but has mode ${entry.mode}`,
        `Remove or rename "${name}" there`,
      );
    }
    const oid = writeTree(entry?.oid, writes, workshop);
    return oid === undefined ? undefined : { mode: entry?.mode ?? treeMode, name, oid };
  }
  if (writes.length > 1) {
    const rule = `"${path}" is written twice, or as a file and a folder, in one commit`;
    throw new CannotWrite(rule, 'Give one of the two another name');
  }
  if (entry !== undefined && fileModeOf(entry.mode) === undefined) {
    throw new CannotWrite(
      `"${path}" cannot be written: it is not a regular file but has mode ${entry.mode}`,
      'Make it a regular file, or remove it',
    );
  }
  if (own.write.text === undefined) return undefined;
  const fault = entry === undefined ? workshop.pathFault(path) : undefined;
  if (fault !== undefined)
    throw new CannotWrite(`the path "${path}" ${fault}; it must not be made`, 'Give the file another name');
  const blob: GitObject = { type: 'blob', bytes: Buffer.from(own.write.text, 'utf8') };
  const oid = oidOf(blob);
  if (oid !== entry?.oid) workshop.objects.set(oid, blob);
  return { mode: entry?.mode ?? '100644', name, oid };
}

function splitWrites(writes: readonly FileWrite[]): readonly Write[] {
  return writes.map((write) => ({ write, parts: write.path.split('/').map(byteName) }));
}

function byFirstPart(writes: readonly Write[]): ReadonlyMap<string, readonly Write[]> {
  const groups = new Map<string, Write[]>();
  for (const { parts, write } of writes) {
    const [name = '', ...rest] = parts;
    const group = groups.get(name) ?? [];
    group.push({ parts: rest, write });
    groups.set(name, group);
  }
  return groups;
}

function keep(object: GitObject, workshop: Workshop): Oid {
  const oid = oidOf(object);
  workshop.objects.set(oid, object);
  return oid;
}

function refuse(message: string) {
  return gitError(message, { operation: 'push', retryable: false });
}
