/** Decides which files a read gives back where there are more than one pass may take in: each folder gets a fair part. */

import type { Oid, TreeFile } from '../../ports/git.ts';
import { weightOf, weightOfAll } from './file-weight.ts';
import { gitError } from './git-error.ts';
import type { GitLimits } from './limits.ts';
import { DIVIDED_LEAST, divided } from './tree-shares.ts';
import { namedTogether } from './tree-stand-ins.ts';

/** `prefix`: its path with the last slash. `own`: what the files right in it weigh, `weight`: all in it, which are `many`. */
type Folder = {
  readonly prefix: string;
  readonly files: TreeFile[];
  readonly folders: Map<string, Folder>;
  own: number;
  weight: number;
  many: number;
};

/**
 * All of them where they are few enough. Else they are divided among folders as `leftOutOf` divides a tree, and what is left out is
 * one file for each folder that cannot be read. Throws PortError where the root alone has too many.
 */
export function fairFiles(files: readonly TreeFile[], limits: GitLimits): readonly TreeFile[] {
  if (weightOfAll(files) <= limits.treeFiles) return files;
  const kept: TreeFile[] = [];
  const leftOut: Folder[] = [];
  const open = [{ ...treeOf(files), most: limits.treeFiles }];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const { most } = folder;
    if (folder.own > most && folder.prefix === '') throw tooManyFiles(limits);
    if (folder.own > most) leftOut.push(folder);
    else {
      const folders = [...folder.folders.values()];
      const parts = divided(folders, most - folder.own, limits.treeFiles * DIVIDED_LEAST);
      const cut = new Set([...parts.leftOut, ...parts.open].map(({ prefix }) => prefix));
      for (const file of folder.files) kept.push(file);
      for (const below of folders) if (!cut.has(below.prefix)) for (const file of allIn(below)) kept.push(file);
      for (const below of parts.leftOut) leftOut.push(below);
      open.push(...parts.open);
    }
  }
  const named = namedTogether(
    leftOut.map((folder) => ({ oid: oidIn(folder), prefix: folder.prefix, many: folder.many })),
  );
  return [...kept, ...named.map(({ oid, prefix, many }) => tooMany({ oid, path: prefix.slice(0, -1) }, many, limits))];
}

function treeOf(files: readonly TreeFile[]): Folder {
  const root = folderAt('');
  for (const file of files) {
    const weight = weightOf(file);
    let at = root;
    at.weight += weight;
    at.many += 1;
    for (let end = file.path.indexOf('/'); end >= 0; end = file.path.indexOf('/', end + 1)) {
      const prefix = file.path.slice(0, end + 1);
      const below = at.folders.get(prefix) ?? folderAt(prefix);
      at.folders.set(prefix, below);
      below.weight += weight;
      below.many += 1;
      at = below;
    }
    at.files.push(file);
    at.own += weight;
  }
  return root;
}

function folderAt(prefix: string): Folder {
  return { prefix, files: [], folders: new Map(), own: 0, weight: 0, many: 0 };
}

/** It stands for what cannot be read, and nothing is read by it. */
function oidIn(folder: Folder): Oid {
  const [first] = allIn(folder);
  return first?.oid ?? '';
}

/** Without recursion: paths are as long as anyone likes. */
function* allIn(folder: Folder): Generator<TreeFile> {
  const open = [folder];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    yield* one.files;
    for (const below of one.folders.values()) open.push(below);
  }
}

/** What stands for a folder with more files for tranche than its part of what a pass takes in; `many`: files in it. */
function tooMany(
  folder: Pick<TreeFile, 'path' | 'oid'>,
  many: number,
  { treeFiles }: Pick<GitLimits, 'treeFiles'>,
): TreeFile {
  const why = `${many} files in it are left out, because more is for tranche to read than a pass takes in (${treeFiles} files, or 64 MiB)`;
  return { ...folder, mode: '100644', content: { kind: 'unreadable', cause: 'folder', why } };
}

/** No pass can go on: the root itself has too many. */
function tooManyFiles({ treeFiles }: Pick<GitLimits, 'treeFiles'>) {
  return gitError(
    `the tree has too many files for tranche to read: more than ${treeFiles}, or 64 MiB, that are in no folder`,
    {
      operation: 'read',
      retryable: false,
      hint: 'Move them into folders, or list the folders with rollouts and workloads under `paths` in tranche.yaml.',
    },
  );
}
