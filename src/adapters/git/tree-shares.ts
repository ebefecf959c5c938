/** Decides what is left out of a tree with more than one read may visit, so that each folder gets a fair part, and what stands for it. */

import type { Oid, TreeFile } from '../../ports/git.ts';
import { tooMuch } from './file-content.ts';
import type { GitLimits } from './limits.ts';
import type { Lookup, ObjectQuestion } from './object-question.ts';
import { isFolder, newPlace, oidAt, readEntry } from './objects.ts';
import { tooLarge } from './tree-errors.ts';
import { wantedAt } from './tree-folder.ts';
import { isLong, nameOf } from './tree-paths.ts';
import { namedTogether } from './tree-stand-ins.ts';
import { spelled, type Wanted } from './wanted-paths.ts';

/** `prefix`: its path, a byte string with the last slash. */
type Folder = { readonly oid: Oid; readonly prefix: string; readonly wanted: Wanted };
type Limits = Pick<GitLimits, 'treeEntries' | 'treeDepth'>;
/** The prefixes of folders, and the files that stand for them. */
type LeftOut = { readonly prefixes: ReadonlySet<string>; readonly files: readonly TreeFile[] };
/** How many entries a tree has, and the folders among them, of which something is wanted. */
type Shape = { readonly entries: number; readonly folders: readonly Folder[] };

/** Folders with less than this part of what may be visited are not divided: those that fit are read, the smallest first. */
export const DIVIDED_LEAST = 1 / 64;
/** Entries of different trees that are counted, as a multiple of what may be visited. What is below counts as endless. */
const COUNTED_MOST = 8;

/**
 * The folders to leave out, each by its place: the same tree elsewhere stays. What a folder may come to is divided among the
 * folders in it: one that needs no more than an equal part is read whole, what it leaves goes to the others, and one that needs
 * more is divided in the same way. So nobody can fill the tree so that a folder next to theirs, or one further away, gets less
 * than its equal part. Throws PortError where the root alone is too large.
 */
export function* leftOutOf(root: Omit<Folder, 'prefix'>, limits: Limits): ObjectQuestion<LeftOut> {
  const weightOf = yield* weights(root, limits);
  const leftOut: Folder[] = [];
  const open: (Folder & { readonly most: number })[] = [{ ...root, prefix: '', most: limits.treeEntries }];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const { oid, most } = folder;
    const { entries, folders } = shapeOf(folder, yield { type: 'tree', oids: [oid] });
    const weighed = yield* weighedAgain(
      folders.map((below) => ({ ...below, weight: weightOf(below) })),
      { most: Math.floor((most - entries) / folders.length), treeDepth: limits.treeDepth },
    );
    const parts = divided(weighed, most - entries, limits.treeEntries * DIVIDED_LEAST);
    if (entries > most) leftOut.push(folder);
    else {
      for (const below of parts.leftOut) leftOut.push(below);
      open.push(...parts.open);
    }
  }
  const prefixes = new Set(leftOut.map(({ prefix }) => prefix));
  if (prefixes.has('')) throw tooLarge(limits);
  return { prefixes, files: standIns(leftOut, limits) };
}

type Weighed = Folder & { readonly weight: number };

/** How much of a folder is counted, and what comes next in it. */
type Counted = { readonly folder: Folder; readonly weight: number; readonly level: readonly Folder[] };

/** Of what is not read whole: what may be read in it, or nothing. With less than `least` for each those that fit are whole. */
export function divided<T extends { readonly weight: number }>(folders: readonly T[], most: number, least: number) {
  const open: (T & { readonly most: number })[] = [];
  const leftOut: T[] = [];
  let left = most;
  let others = folders.length;
  for (const folder of [...folders].sort((a, b) => a.weight - b.weight)) {
    const part = left / others;
    const isWhole = folder.weight <= (part < least ? left : part);
    if (isWhole) left -= folder.weight;
    else if (part < least) leftOut.push(folder);
    else {
      open.push({ ...folder, most: Math.floor(part) });
      left -= part;
    }
    others -= 1;
  }
  return { open, leftOut };
}

/**
 * Folders that came after all that is counted of a tree get their weights here, as far as they have no more than `most`: others
 * may fill the tree with more than is counted, and an equal part is due next to that as well.
 */
function* weighedAgain(
  folders: readonly Weighed[],
  { most, treeDepth }: { readonly most: number; readonly treeDepth: number },
): ObjectQuestion<readonly Weighed[]> {
  const known = new Map(folders.map(({ prefix, weight }) => [prefix, weight]));
  let open: readonly Counted[] = folders
    .filter(({ weight }) => !Number.isFinite(weight))
    .map((folder) => ({ folder, weight: 0, level: [folder] }));
  for (let depth = 0; open.length > 0 && depth <= treeDepth; depth += 1) {
    const lookup = yield { type: 'tree', oids: [...new Set(open.flatMap(({ level }) => level.map(({ oid }) => oid)))] };
    open = open.flatMap(({ folder, weight, level }) => {
      const shapes = level.map((below) => shapeOf(below, lookup));
      const sum = shapes.reduce((all, { entries }) => all + entries, weight);
      const next = sum > most ? [] : shapes.flatMap(({ folders: below }) => below);
      if (sum <= most && next.length === 0) known.set(folder.prefix, sum);
      return next.length === 0 ? [] : [{ folder, weight: sum, level: next }];
    });
  }
  // Deeper than may be gone into: nothing of it is visited.
  for (const { folder, weight } of open) known.set(folder.prefix, weight);
  return folders.map((folder) => ({ ...folder, weight: known.get(folder.prefix) ?? folder.weight }));
}

/** What a folder comes to with all that is wanted below it: each different tree is read once. */
function* weights(
  root: Omit<Folder, 'prefix'>,
  { treeEntries, treeDepth }: Limits,
): ObjectQuestion<(folder: Folder) => number> {
  const most = treeEntries * COUNTED_MOST;
  const shapes = new Map<string, Shape>();
  let counted = 0;
  let level: readonly Folder[] = [{ ...root, prefix: '' }];
  for (let depth = 0; level.length > 0 && depth <= treeDepth; depth += 1) {
    const lookup = yield { type: 'tree', oids: [...new Set(level.map(({ oid }) => oid))] };
    const next = new Map<string, Folder>();
    for (const folder of level) {
      if (counted > most) break;
      const shape = shapeOf(folder, lookup);
      shapes.set(keyOf(folder), shape);
      counted += shape.entries;
      for (const below of shape.folders) next.set(keyOf(below), below);
    }
    level = [...next].flatMap(([key, folder]) => (shapes.has(key) ? [] : [folder]));
  }
  // Deeper than may be gone into: nothing of it is visited.
  const unknown = counted > most ? Number.POSITIVE_INFINITY : 0;
  return summed(shapes, unknown);
}

/** Without recursion: trees that name each other may be a chain of any length. */
function summed(shapes: ReadonlyMap<string, Shape>, unknown: number): (folder: Folder) => number {
  const sums = new Map<string, number>();
  return (folder) => {
    const open = [folder];
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const key = keyOf(top);
      const shape = shapes.get(key);
      const missing = sums.has(key) ? [] : (shape?.folders ?? []).filter((below) => !sums.has(keyOf(below)));
      if (missing.length > 0) for (const below of missing) open.push(below);
      else {
        open.pop();
        const below = (shape?.folders ?? []).reduce((sum, one) => sum + (sums.get(keyOf(one)) ?? 0), 0);
        if (!sums.has(key)) sums.set(key, shape === undefined ? unknown : shape.entries + below);
      }
    }
    return sums.get(keyOf(folder)) ?? unknown;
  };
}

/** Where names are asked for, a tree counts by its place, else wherever it stands. */
function keyOf({ oid, prefix, wanted }: Folder): string {
  return wanted.everything && wanted.names.size === 0 ? oid : prefix;
}

function shapeOf({ oid, prefix, wanted }: Folder, lookup: Lookup): Shape {
  const tree = lookup(oid);
  const folders: Folder[] = [];
  let entries = 0;
  if (tree.type !== 'tree') return { entries, folders };
  const { bytes } = tree;
  const place = newPlace();
  for (let at = 0; at < bytes.length; ) {
    at = readEntry(bytes, at, place);
    entries += 1;
    if (!isFolder(place.mode) || isLong(place)) continue;
    const below = wantedAt(wanted, bytes, place);
    if (below !== undefined)
      folders.push({ oid: oidAt(bytes, place), prefix: `${prefix}${nameOf(bytes, place)}/`, wanted: below });
  }
  return { entries, folders };
}

/** What stands for folders that are left out. */
function standIns(folders: readonly Folder[], limits: Limits): readonly TreeFile[] {
  return namedTogether(folders.map(({ oid, prefix }) => ({ oid, prefix, many: 0 }))).map(({ oid, prefix, many }) =>
    tooMuch({ oid, path: spelled(prefix.slice(0, -1)) }, many, limits),
  );
}
