/** Ids of the files of a tree by their paths. Nearly nobody asks for those without a marker: they are listed when one does. */

import type { Oid, Tree } from '../../ports/git.ts';

export type FileIds = {
  /** undefined: there is no such file. */
  readonly get: (path: string) => Oid | undefined;
  /** All of them. */
  readonly all: () => ReadonlyMap<string, Oid>;
};

/** The ids of all files that a tree was read for. */
export function fileIdsOf({ files, skipped }: Pick<Tree, 'files' | 'skipped'>): FileIds {
  const read = new Map(files.map(({ path, oid }) => [path, oid]));
  let listed: ReadonlyMap<string, Oid> | undefined;
  const all = () => (listed ??= new Map([...read, ...skipped().map(({ path, oid }) => [path, oid] as const)]));
  return { get: (path) => read.get(path) ?? all().get(path), all };
}

/** The ids of files that have none, because they are in no repository. */
export function idsOfTexts(texts: ReadonlyMap<string, string>): FileIds {
  const all = () => new Map([...texts.keys()].map((path) => [path, path]));
  return { get: (path) => (texts.has(path) ? path : undefined), all };
}
