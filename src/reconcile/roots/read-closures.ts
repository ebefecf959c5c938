/** Reads from Git what kustomize folders are built from: as many files as they name, and no more. */

import { type Closure, type ClosureFile, closureOf } from '../../manifests/closure.ts';
import { MAX_CLOSURE_LEVELS } from '../../manifests/limits.ts';
import type { Git, Oid, TreeFile } from '../../ports/git.ts';

/** Each look leads one level deeper: a closure that is deeper than its limit is refused before this is reached. */
const LOOKS_MOST = MAX_CLOSURE_LEVELS + 2;

export type ClosedOrRefused = Exclude<Closure, { readonly kind: 'open' }>;

/** By folder. What several share is read once. Throws PortError. */
export async function readClosures(
  git: Pick<Git, 'readAt'>,
  commit: Oid,
  roots: readonly string[],
): Promise<ReadonlyMap<string, ClosedOrRefused>> {
  const paths = new Set<string>();
  const files = new Map<string, ClosureFile>();
  const closed = new Map<string, ClosedOrRefused>();
  let open = roots;
  for (let look = 0; open.length > 0; look += 1) {
    const asked = new Set<string>();
    const still: string[] = [];
    for (const root of open) {
      const closure = closureOf(root, { paths, files });
      if (closure.kind !== 'open') closed.set(root, closure);
      else {
        still.push(root);
        for (const path of closure.paths) asked.add(path);
      }
    }
    open = still;
    if (open.length === 0) break;
    if (look === LOOKS_MOST) throw new Error(`bug: ${open[0]} asks for files without an end`);
    for (const file of await filesAt(git, commit, asked)) files.set(file.path, file);
    for (const path of asked) paths.add(path);
  }
  return closed;
}

/** A path may be a folder: of that, files of the names that are looked for come along, and are left out. */
async function filesAt(
  git: Pick<Git, 'readAt'>,
  commit: Oid,
  asked: ReadonlySet<string>,
): Promise<readonly ClosureFile[]> {
  const suffixes = [...new Set([...asked].map((path) => path.slice(path.lastIndexOf('/') + 1)))];
  const tree = await git.readAt(commit, { paths: [...asked].sort(), suffixes, markers: [] });
  return tree.files.filter(({ path }) => asked.has(path)).map(fileOf);
}

function fileOf({ path, oid, content }: TreeFile): ClosureFile {
  return content.kind === 'text'
    ? { kind: 'text', path, oid, text: content.text }
    : { kind: 'unreadable', path, why: content.why };
}

/** What a build follows from: equal keys, equal builds. */
export function closureKey({
  root,
  files,
}: Pick<Extract<Closure, { readonly kind: 'whole' }>, 'root' | 'files'>): string {
  return JSON.stringify([root, ...files.map(({ path, oid }) => [path, oid])]);
}
