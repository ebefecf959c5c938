/** Reads from Git what kustomize folders are built from: as many files as they name, and no more. */

import type { Issue } from '../../api/issue.ts';
import { argoSourceIssues, isArgoSource } from '../../manifests/argo-source.ts';
import {
  type Closure,
  type ClosureFile,
  type ClosurePart,
  closureOf,
  kustomizationsAt,
} from '../../manifests/closure.ts';
import { fluxPart } from '../../manifests/flux-merge.ts';
import { newKnownTexts } from '../../manifests/known-texts.ts';
import { MAX_CLOSURE_LEVELS } from '../../manifests/limits.ts';
import { folderOf } from '../../manifests/paths.ts';
import type { Git, Oid, TreeFile } from '../../ports/git.ts';

/** Each look leads one level deeper: a closure that is deeper than its limit is refused before this is reached. */
const LOOKS_MOST = MAX_CLOSURE_LEVELS + 2;

export type ClosedOrRefused = Exclude<Closure, { readonly kind: 'open' }>;
export type WholeClosure = Extract<Closure, { readonly kind: 'whole' }>;

/** Files of Flux objects that apply a folder, as main has them: what they add to it in this commit is part of its closure. */
type FluxFiles = (root: string) => readonly string[];

/** By folder. What several share is read once. Throws PortError. */
export async function readClosures(
  git: Pick<Git, 'readAt'>,
  commit: Oid,
  roots: readonly string[],
  flux: FluxFiles = () => [],
): Promise<ReadonlyMap<string, ClosedOrRefused>> {
  const paths = new Set<string>();
  const files = new Map<string, ClosureFile>();
  const closed = new Map<string, ClosedOrRefused>();
  const known = newKnownTexts();
  let open = roots;
  for (let look = 0; open.length > 0; look += 1) {
    const asked = new Set<string>();
    const still: string[] = [];
    for (const root of open) {
      const more = flux(root).filter((path) => !paths.has(path));
      const closure = closureOf(root, { paths, files, known }, partOf(root, flux(root), files));
      if (closure.kind !== 'open') closed.set(root, closure);
      else {
        still.push(root);
        for (const path of [...closure.paths, ...more]) asked.add(path);
      }
    }
    open = still;
    if (open.length === 0) break;
    if (look === LOOKS_MOST) throw new Error(`bug: ${open[0]} asks for files without an end`);
    for (const file of await filesAt(git, commit, asked)) files.set(file.path, file);
    for (const path of asked) paths.add(path);
  }
  return withArgoSources(git, commit, closed);
}

function partOf(
  root: string,
  flux: readonly string[],
  files: ReadonlyMap<string, ClosureFile>,
): ClosurePart | undefined {
  const texts = [...kustomizationsAt(root), ...flux].flatMap((path) => {
    const file = files.get(path);
    return file?.kind === 'text' ? [file] : [];
  });
  return flux.length === 0 ? undefined : fluxPart({ root, files: texts });
}

/** The same with the files that Argo CD merges into the source of an Application: their names are not known from others. */
async function withArgoSources(
  git: Pick<Git, 'readAt'>,
  commit: Oid,
  closed: ReadonlyMap<string, ClosedOrRefused>,
): Promise<ReadonlyMap<string, ClosedOrRefused>> {
  const roots = [...closed].flatMap(([root, { kind }]) => (kind === 'whole' ? [root] : [])).sort();
  if (roots.length === 0) return closed;
  const { files, skipped } = await git.readAt(commit, {
    paths: roots,
    suffixes: ['.yaml'],
    markers: [],
    pathsAlone: true,
  });
  const there = [...files, ...skipped()].map(({ path }) => path);
  const sources = there.filter((path) => isArgoSource(path, folderOf(path)) && closed.has(folderOf(path)));
  if (sources.length === 0) return closed;
  const read = await filesAt(git, commit, new Set(sources));
  return new Map([...closed].map(([root, closure]) => [root, withSources(closure, root, read)]));
}

function withSources(closure: ClosedOrRefused, root: string, read: readonly ClosureFile[]): ClosedOrRefused {
  const own = read.filter(({ path }) => isArgoSource(path, root));
  if (own.length === 0 || closure.kind === 'refused') return closure;
  const texts = own.flatMap((file) => (file.kind === 'text' ? [file] : []));
  const files = [...closure.files, ...texts].sort((a, b) => (a.path < b.path ? -1 : 1));
  const issues = [...own.flatMap(unreadableIssue), ...argoSourceIssues(texts)];
  return issues.length === 0 ? { ...closure, files } : { kind: 'refused', issues, files };
}

function unreadableIssue(file: ClosureFile): readonly Issue[] {
  if (file.kind === 'text') return [];
  const message = `the source that Argo CD merges cannot be read: ${file.why}`;
  return [
    {
      file: file.path,
      line: 0,
      path: '',
      reason: 'UnsupportedLayout',
      message,
      hint: 'Write it as text, or remove it.',
    },
  ];
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
export function closureKey({ root, files }: Pick<WholeClosure, 'root' | 'files'>): string {
  return JSON.stringify([root, ...files.map(({ path, oid }) => [path, oid])]);
}
