/** Decides which trees and blobs a read needs, level by level for all paths together, and what a file says. */

import type { Folders, Gaps, Oid, ReadRequest, Tree, TreeFile } from '../../ports/git.ts';
import { gitError } from './git-error.ts';
import type { GitLimits } from './limits.ts';
import { legible, markerSearch } from './markers.ts';
import type { FoundObject, ObjectQuestion } from './object-question.ts';
import { decodeText, decodeTree, fileModeOf, isFolder, textOfName } from './objects.ts';
import { absentIn, PASSED_OVER_MOST, pathIn, spelled, type Wanted, wantedIn, wantedOf } from './wanted-paths.ts';

type Folder = { readonly oid: Oid; readonly path: string; readonly wanted: Wanted };
type Found = { readonly files: readonly File[]; readonly folders: Folders; readonly blobs: Blobs; readonly gaps: Gaps };
type File = {
  readonly oid: Oid;
  readonly path: string;
  /** `link`: it leads elsewhere, and the request names it. */
  readonly mode: '100644' | '100755' | 'link';
  /** Wanted for its name, whatever is in it. */
  readonly isNamed: boolean;
};
/** Each once: of files that are wanted if they have a marker, of those that are wanted anyway, and of all others. */
type Blobs = { readonly marked: Set<Oid>; readonly named: Set<Oid>; readonly others: Set<Oid> };

const submoduleMode = '160000';

/** The files of `request` below the tree `root`, sorted by path. Throws PortError where a limit is passed. */
export function* walkTree(root: Oid, request: ReadRequest, limits: GitLimits): ObjectQuestion<Omit<Tree, 'commit'>> {
  const { files, folders, blobs, gaps } = yield* findFiles(root, request, limits);
  const lookup = yield {
    type: 'blob',
    oids: [...blobs.marked],
    named: [...blobs.named],
    ...(request.paths.includes('') ? { blobsInTree: countOf(blobs) } : {}),
  };
  return { folders, files: described(files, request, { lookup, limits }), gaps };
}

function* findFiles(root: Oid, request: ReadRequest, limits: GitLimits): ObjectQuestion<Found> {
  const found: Finding = { ...nothingFound(), next: [], visited: 0 };
  const { suffixes, paths } = request;
  const wants = { suffixes, names: new Set(request.names), isWhole: paths.includes('') };
  const folders: (readonly Oid[])[] = [];
  let level: readonly Folder[] = [{ oid: root, path: '', wanted: wantedOf(request.paths) }];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limits.treeDepth) throw tooLarge(`folders are nested deeper than ${limits.treeDepth}`);
    const oids = [...new Set(level.map((folder) => folder.oid))];
    folders.push(oids);
    const lookup = yield { type: 'tree', oids };
    for (const folder of level) {
      visit(folder, { lookup, wants }, found);
      // The same tree under many names costs nothing to send and everything to walk.
      if (found.visited > limits.treeEntries) throw tooLarge(`more than ${limits.treeEntries} folders and files`);
    }
    level = found.next;
    found.next = [];
  }
  const passedOver = found.passedOver.map(spelled).sort().slice(0, PASSED_OVER_MOST);
  return { files: found.files, folders, blobs: found, gaps: { absent: found.absent, passedOver } };
}

function nothingFound() {
  return {
    files: [],
    marked: new Set<Oid>(),
    named: new Set<Oid>(),
    others: new Set<Oid>(),
    absent: [],
    passedOver: [],
  };
}

type Finding = Blobs & {
  readonly files: File[];
  readonly absent: Gaps['absent'][number][];
  readonly passedOver: string[];
  next: Folder[];
  visited: number;
};
type Visiting = {
  readonly lookup: (oid: Oid) => FoundObject;
  readonly wants: {
    readonly suffixes: readonly string[];
    readonly names: ReadonlySet<string>;
    readonly isWhole: boolean;
  };
};

/** Adds what one folder holds. Apart from the generator, whose loops V8 never makes fast. */
function visit(folder: Folder, { lookup, wants }: Visiting, found: Finding): void {
  const tree = lookup(folder.oid);
  // A folder that cannot be read must not look empty.
  if (tree.type !== 'tree') throw noFolder(folder);
  const entries = decodeTree(tree.bytes);
  found.visited += entries.length;
  if (folder.wanted.names.size > 0) found.absent.push(...absentIn(folder, entries));
  for (const { mode, name, oid } of entries) {
    const wanted = wantedIn(folder.wanted, name);
    if (wanted === undefined) continue;
    const path = pathIn(folder, name);
    const regular = fileModeOf(mode);
    if (isFolder(mode)) found.next.push({ oid, path, wanted });
    else if (regular !== undefined && wanted.everything && hasSuffix(name, wants.suffixes)) {
      const isNamed = wants.names.has(name);
      found.files.push({ oid, path, mode: regular, isNamed });
      (isNamed ? found.named : found.marked).add(oid);
    } else if (regular === undefined && !folder.wanted.everything)
      found.files.push({ oid, path, mode: 'link', isNamed: false });
    else {
      if (isPassedOver({ mode, name }, wants)) found.passedOver.push(path);
      if (mode !== submoduleMode) found.others.add(oid);
    }
  }
}

/** Whether manifests may be behind it: a link of another ending leads to a file that would not be read either. */
export function mayLeadToManifests(name: string, suffixes: readonly string[]): boolean {
  return hasSuffix(name, suffixes) || !/\.[a-z][a-z0-9]*$/i.test(name);
}

function isPassedOver({ mode, name }: { mode: string; name: string }, wants: Visiting['wants']): boolean {
  if (fileModeOf(mode) !== undefined) return false;
  return mode === submoduleMode || (!wants.isWhole && mayLeadToManifests(name, wants.suffixes));
}

function countOf({ marked, named, others }: Blobs): number {
  let count = marked.size;
  for (const oid of named) if (!marked.has(oid)) count += 1;
  for (const oid of others) if (!marked.has(oid) && !named.has(oid)) count += 1;
  return count;
}

function hasSuffix(name: string, suffixes: readonly string[]): boolean {
  return suffixes.length === 0 || suffixes.some((suffix) => name.endsWith(suffix));
}

/** Sorted by path. */
function described(files: readonly File[], request: ReadRequest, of: Reader): readonly TreeFile[] {
  const read = contentReader(request.markers, of);
  const readAny = contentReader([], of);
  const saidBy = ({ mode, isNamed, oid }: File): TreeFile['content'] =>
    mode === 'link' ? LINK : isNamed ? readAny(oid) : read(oid);
  const found = files.map((file) => describe(file, saidBy(file)));
  return found.sort((left, right) => (left.path < right.path ? -1 : left.path > right.path ? 1 : 0));
}

/** A file whose name we cannot spell must never be written, so it is reported as one that cannot be read. */
function describe(file: File, content: TreeFile['content']): TreeFile {
  const path = textOfName(file.path);
  const mode = file.mode === 'link' ? '100644' : file.mode;
  if (path !== undefined) return { path, oid: file.oid, mode, content };
  return { path: spelled(file.path), oid: file.oid, mode, content: unreadable('garbled', 'its name is not UTF-8') };
}

type Reader = { readonly lookup: (oid: Oid) => FoundObject; readonly limits: GitLimits };

function contentReader(texts: readonly string[], { lookup, limits }: Reader) {
  const hasMarker = markerSearch(texts);
  const seen = new Map<Oid, TreeFile['content']>();
  return (oid: Oid): TreeFile['content'] => {
    const found = lookup(oid);
    // Most files: they are not worth remembering.
    if (found.type === 'skipped') return skipped;
    const known = seen.get(oid);
    if (known !== undefined) return known;
    const content = contentOf(found, hasMarker, limits);
    seen.set(oid, content);
    return content;
  };
}

const skipped: TreeFile['content'] = { kind: 'skipped' };

type Had = Exclude<FoundObject, { readonly type: 'skipped' }>;

function contentOf(found: Had, hasMarker: (bytes: Buffer) => boolean, limits: GitLimits): TreeFile['content'] {
  if (found.type === 'large') return unreadable('large', `it is over the limit of ${limits.fileBytes} bytes`);
  if (found.bytes.length > limits.fileBytes) {
    return unreadable('large', `it has ${found.bytes.length} bytes, over the limit of ${limits.fileBytes}`);
  }
  if (!hasMarker(found.bytes)) return skipped;
  const text = decodeText(found.bytes);
  return text === undefined ? noText(found.bytes) : { kind: 'text', text };
}

/** A file that is not UTF-8, with what can be made out of it. */
export function noText(bytes: Buffer): TreeFile['content'] {
  return { kind: 'unreadable', cause: 'garbled', why: 'it is not UTF-8', legible: legible(bytes) };
}

/** What stands at a path of the request in place of a file or folder: a link is not followed, a submodule not fetched. */
export const LINK = unreadable('link', 'it is a symbolic link or a submodule, which is not followed');

function unreadable(cause: 'large' | 'link' | 'garbled', why: string): TreeFile['content'] {
  return { kind: 'unreadable', cause, why };
}

function noFolder({ path, oid }: Folder) {
  const message = `the folder ${path === '' ? '/' : path} is no tree in the repository (${oid})`;
  return gitError(message, { operation: 'read', retryable: false, hint: 'Run git fsck.' });
}

function tooLarge(what: string) {
  return gitError(`the tree is too large to read: ${what}`, {
    operation: 'read',
    retryable: false,
    hint: 'List the folders with rollouts and workloads under `paths` in tranche.yaml.',
  });
}
