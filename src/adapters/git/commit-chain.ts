/** Turns writes into new blobs, trees and commits: only what changed, with the same ids at every try. */

import type { BranchUpdate, FileWrite, NewCommit, Oid } from '../../ports/git.ts';
import { gitError } from './git-error.ts';
import { branchNameFault, writePathFault } from './names.ts';
import type { Lookup, ObjectQuestion } from './object-question.ts';
import {
  byteName,
  decodeCommit,
  decodeTree,
  encodeCommit,
  encodeTree,
  type GitObject,
  oidOf,
  type TreeEntry,
  treeMode,
} from './objects.ts';

export type BuiltUpdates = {
  /** `heads[i]` is the new head of `updates[i]`, `commits[i]` its chain, oldest first. */
  readonly heads: readonly Oid[];
  readonly commits: readonly (readonly Oid[])[];
  /** Everything that was not there before, each once. */
  readonly objects: ReadonlyMap<Oid, GitObject>;
};

type Entries = ReadonlyMap<string, TreeEntry>;
type Write = { readonly parts: readonly string[]; readonly write: FileWrite };

/** What is known of trees, old and new, and what is new. */
type Workshop = { readonly trees: Map<Oid, Entries>; readonly objects: Map<Oid, GitObject> };

/** All objects of `updates`. Asks for the commits and the trees on the way to the written files. Throws PortError. */
export function* buildUpdates(updates: readonly BranchUpdate[]): ObjectQuestion<BuiltUpdates> {
  for (const update of updates) checkUpdate(update);
  const workshop: Workshop = { trees: new Map(), objects: new Map() };
  const starts = updates.map((update) => (update.commits[0]?.orphan === true ? undefined : update.expectedOld));
  const roots = yield* rootsOf(starts);
  yield* loadFolders(updates, roots, workshop);
  const commits = updates.map((update, i) => buildChain(update, { parent: starts[i], tree: roots[i] }, workshop));
  return { heads: commits.map((chain) => chain.at(-1) ?? ''), commits, objects: workshop.objects };
}

function checkUpdate(update: BranchUpdate): void {
  const fault = branchNameFault(update.branch);
  if (fault !== undefined) throw refuse(fault);
  if (update.commits.length === 0) throw refuse(`the push of ${update.branch} has no commit`);
  for (const write of update.commits.flatMap((commit) => commit.writes)) {
    const why = writePathFault(write.path);
    if (why !== undefined) throw refuse(`the path "${write.path}" ${why}; it must not be written`);
  }
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
  updates: readonly BranchUpdate[],
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
        if (found.type === 'tree') workshop.trees.set(oid, entriesOf(oid, found.bytes));
      }
    }
    level = level.flatMap(({ oid, writes }) =>
      [...byFirstPart(writes)].flatMap(([name, below]) => {
        const entry = workshop.trees.get(oid)?.get(name);
        const deeper = below.filter((write) => write.parts.length > 0);
        return entry?.mode === treeMode && deeper.length > 0 ? [{ oid: entry.oid, writes: deeper }] : [];
      }),
    );
  }
}

function buildChain(
  update: BranchUpdate,
  start: { readonly parent: Oid | undefined; readonly tree: Oid | undefined },
  workshop: Workshop,
): readonly Oid[] {
  let { parent, tree } = start;
  return update.commits.map((commit) => {
    if (commit.orphan) {
      parent = undefined;
      tree = undefined;
    }
    tree = writeTree(tree, splitWrites(commit.writes), workshop) ?? keep(encodeTree([]), workshop);
    parent = keep(commitObject(commit, tree, parent), workshop);
    return parent;
  });
}

function commitObject(commit: NewCommit, tree: Oid, parent: Oid | undefined): GitObject {
  const parents = parent === undefined ? [] : [parent];
  return encodeCommit({ tree, parents, signature: commit.signature, message: commit.message });
}

/** The tree after these writes; undefined where nothing is left in it, because Git knows no empty folders. */
function writeTree(oid: Oid | undefined, writes: readonly Write[], workshop: Workshop): Oid | undefined {
  if (oid !== undefined && writes.length === 0) return oid;
  const before: Entries = (oid === undefined ? undefined : workshop.trees.get(oid)) ?? new Map();
  const entries = new Map(before);
  for (const [name, below] of byFirstPart(writes)) {
    const entry = writeEntry({ name, entry: before.get(name), writes: below }, workshop);
    if (entry === undefined) entries.delete(name);
    else entries.set(name, entry);
  }
  if (entries.size === 0) return undefined;
  const tree = encodeTree(entries.values());
  const written = oidOf(tree);
  if (written === oid) return oid;
  workshop.trees.set(written, entries);
  workshop.objects.set(written, tree);
  return written;
}

type EntryWrites = { readonly name: string; readonly entry: TreeEntry | undefined; readonly writes: readonly Write[] };

function writeEntry({ name, entry, writes }: EntryWrites, workshop: Workshop): TreeEntry | undefined {
  const path = writes[0]?.write.path ?? '';
  const own = writes.filter((write) => write.parts.length === 0).at(-1);
  if (own === undefined) {
    if (entry !== undefined && entry.mode !== treeMode) {
      if (writes.every(({ write }) => write.text === undefined)) return entry;
      throw refuse(`"${path}" cannot be written: "${name}" is not a folder but has mode ${entry.mode}`);
    }
    const oid = writeTree(entry?.oid, writes, workshop);
    return oid === undefined ? undefined : { mode: treeMode, name, oid };
  }
  if (writes.length > 1) throw refuse(`"${path}" is written twice, or as a file and a folder, in one commit`);
  if (entry !== undefined && entry.mode !== '100644' && entry.mode !== '100755') {
    throw refuse(`"${path}" cannot be written: it is not a regular file but has mode ${entry.mode}`);
  }
  if (own.write.text === undefined) return undefined;
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

function entriesOf(oid: Oid, bytes: Buffer): Entries {
  const list = decodeTree(bytes);
  const entries = new Map(list.map((entry) => [entry.name, entry]));
  // Two entries of one name: whichever we kept, the rewrite would silently drop the other.
  if (entries.size !== list.length) throw refuse(`tree ${oid} lists a name twice; it must not be rewritten`);
  return entries;
}

function keep(object: GitObject, workshop: Workshop): Oid {
  const oid = oidOf(object);
  workshop.objects.set(oid, object);
  return oid;
}

function refuse(message: string) {
  return gitError(message, { operation: 'push', retryable: false });
}
