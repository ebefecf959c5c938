/** Decides which trees and blobs a read needs, level by level for all paths together, and what a file says. */

import type { Folders, Gaps, Oid, ReadRequest, SkippedFile, Tree, TreeFile } from '../../ports/git.ts';
import { contentOfFile, LONG_NAME, NO_NAME, tooDeep } from './file-content.ts';
import { createIdCount, type IdCount } from './id-count.ts';
import type { GitLimits } from './limits.ts';
import type { ObjectQuestion, SentWhole } from './object-question.ts';
import { decodeTree, type EntryPlace, fileModeOf, newPlace, oidAt, readEntry } from './objects.ts';
import { noFolder } from './tree-errors.ts';
import { kindOf, mayLeadToManifests, type Wants, wantedAt, wantsOf } from './tree-folder.ts';
import { byPath, isLong, nameOf, pathOf, shortName } from './tree-paths.ts';
import { absentIn, PASSED_OVER_MOST, spelled, type Wanted, wantedOf } from './wanted-paths.ts';

/** `prefix`: its path, a byte string with the last slash. */
type Folder = { readonly prefix: string; readonly isAscii: boolean; readonly wanted: Wanted };
type OpenFolder = Folder & { readonly oid: Oid };
type ReadFolder = OpenFolder & { readonly bytes: Buffer };

/** What a walk has found so far. */
type Finding = {
  readonly wants: Wants;
  readonly folders: ReadFolder[];
  /** Those that have a file which is not known to be released. */
  readonly foldersToRead: ReadFolder[];
  /** How the ids of blobs start that were kept; undefined: any may have been. */
  readonly keptHeads: ReadonlySet<number> | undefined;
  next: OpenFolder[];
  /** Files that are wanted whatever is in them. */
  readonly named: Set<Oid>;
  readonly absent: Gaps['absent'][number][];
  readonly passedOver: string[];
  /** What has a name that is none. */
  readonly long: TreeFile[];
  /** Those that are nested too deep. */
  notEntered: readonly OpenFolder[];
  readonly leftOut: ReadonlySet<string>;
  /** Those that start so, wanted or not. */
  readonly present: Set<Oid>;
  /** All blobs there are, wanted or not, where somebody asks for their number. */
  readonly blobs: IdCount | undefined;
  visited: number;
};

/** `kept`: where all of them were sent, or are known, the files below that have a marker, whatever their names. */
export type Walked = Omit<Tree, 'commit' | 'marked'> & { readonly kept: ReadonlySet<Oid> | undefined };

/** `whole`: the commit was sent with everything. `leftOut`: prefixes of folders that are not gone into. */
type WalkOptions = { readonly whole?: SentWhole | undefined; readonly leftOut?: ReadonlySet<string> };

/**
 * The files of `request` below the tree `root`; a folder that is nested too deep is one that cannot be read. undefined: there
 * is more in them than may be visited.
 */
export function* walkTree(
  root: Oid,
  request: ReadRequest,
  limits: GitLimits,
  { whole, leftOut = new Set() }: WalkOptions = {},
): ObjectQuestion<Walked | undefined> {
  const sent = request.paths.includes('') ? whole : undefined;
  const found = findingOf(request, sent, leftOut);
  const folders = yield* visitFolders({ oid: root, wanted: wantedOf(request.paths) }, found, limits);
  if (folders === undefined) return undefined;
  const { blobs } = found;
  // Fewer came than the tree has: then each has to be asked for.
  const kept = sent?.blobs === blobs?.different() ? sent?.kept : undefined;
  const { pathsAlone, markers } = request;
  const asked = pathsAlone || kept !== undefined ? [] : unnamedIn(found);
  const lookup = yield { type: 'blob', oids: asked, named: pathsAlone ? [] : [...found.named] };
  const read = pathsAlone ? [] : readFiles(found, kept, contentOfFile(markers, { lookup, limits }));
  const unread = found.notEntered.map((folder) => unreadFolder(folder, limits));
  const files = [...read, ...unread, ...found.long].sort(byPath);
  let listed: readonly SkippedFile[] | undefined;
  const skipped = () => (listed ??= skippedBeside(files, found));
  if (kept !== undefined) sent?.letGo(() => skipped().map(({ oid }) => oid), found.visited);
  const passedOver = found.passedOver.map(spelled).sort().slice(0, PASSED_OVER_MOST);
  const gaps = { absent: found.absent, passedOver };
  return {
    folders,
    files,
    skipped,
    gaps,
    kept: kept && new Set([...found.present].filter((oid) => kept.has(oid))),
  };
}

function findingOf(request: ReadRequest, sent: SentWhole | undefined, leftOut: ReadonlySet<string>): Finding {
  const ids = { named: new Set<Oid>(), present: new Set<Oid>() };
  const lists = { folders: [], foldersToRead: [], long: [], next: [], absent: [], passedOver: [], notEntered: [] };
  const blobs = sent?.blobs === undefined ? undefined : createIdCount(sent.blobs);
  const keptHeads = sent && headsOf(sent.kept);
  return { ...ids, ...lists, wants: wantsOf(request), blobs, keptHeads, leftOut, visited: 0 };
}

function unreadFolder({ oid, prefix }: OpenFolder, limits: GitLimits): TreeFile {
  return tooDeep({ oid, path: spelled(prefix.slice(0, -1)) }, limits);
}

/** undefined: the tree is too large. */
function* visitFolders(
  { oid, wanted }: Pick<OpenFolder, 'oid' | 'wanted'>,
  found: Finding,
  limits: GitLimits,
): ObjectQuestion<Folders | undefined> {
  const folders: (readonly Oid[])[] = [];
  let level: readonly OpenFolder[] = [{ oid, prefix: '', isAscii: true, wanted }];
  for (let depth = 0; level.length > 0 && depth <= limits.treeDepth; depth += 1) {
    const oids = [...new Set(level.map((folder) => folder.oid))];
    folders.push(oids);
    const lookup = yield { type: 'tree', oids };
    for (const folder of level) {
      const tree = lookup(folder.oid);
      // A folder that cannot be read must not look empty.
      if (tree.type !== 'tree') throw noFolder(folder);
      const { oid: id, prefix, isAscii, wanted: below } = folder;
      visit({ oid: id, prefix, isAscii, wanted: below, bytes: tree.bytes }, found);
      // The same tree under many names costs nothing to send and everything to walk.
      if (found.visited > limits.treeEntries) return undefined;
    }
    level = found.next;
    found.next = [];
  }
  found.notEntered = level;
  return folders;
}

/** Notes what one folder holds; no generator, whose loops V8 never makes fast. */
function visit(folder: ReadFolder, found: Finding): void {
  const { prefix, bytes, wanted: here } = folder;
  const place = newPlace();
  let isToRead = false;
  if (here.names.size > 0)
    found.absent.push(...absentIn({ path: prefix.slice(0, -1), wanted: here }, decodeTree(bytes)));
  for (let at = 0; at < bytes.length; ) {
    at = readEntry(bytes, at, place);
    found.visited += 1;
    const wanted = wantedAt(here, bytes, place);
    if (wanted === undefined) continue;
    const kind = kindOf(bytes, place, { folder: here, wanted, wants: found.wants });
    if (isLong(place) && kind !== 'other') found.long.push(longNamed(prefix, bytes, place));
    if (kind === 'folder' && !isLong(place)) {
      const path = `${prefix}${nameOf(bytes, place)}/`;
      const below = { oid: oidAt(bytes, place), prefix: path, isAscii: folder.isAscii && place.isAscii, wanted };
      if (found.leftOut.size === 0 || !found.leftOut.has(path)) found.next.push(below);
    } else if (kind !== 'submodule' && kind !== 'folder') {
      found.blobs?.add(bytes, place.end + 1);
      if (found.keptHeads?.has(bytes.readUInt32BE(place.end + 1)) === true) found.present.add(oidAt(bytes, place));
    }
    if (isLong(place)) continue;
    isToRead ||=
      (kind === 'file' || kind === 'named' || kind === 'link') && !isReleasedForUpdate({ folder, place, kind }, found);
    if (kind === 'named') found.named.add(oidAt(bytes, place));
    if (kind === 'submodule' || kind === 'passedLink') notePassedOver(prefix, nameOf(bytes, place), { kind, found });
  }
  found.folders.push(folder);
  if (isToRead) found.foldersToRead.push(folder);
}

function longNamed(prefix: string, bytes: Buffer, place: EntryPlace): TreeFile {
  const path = spelled(prefix + shortName(nameOf(bytes, place)));
  return { oid: oidAt(bytes, place), path, mode: '100644', content: LONG_NAME };
}

/** What a link in a tree that is read whole leads to is read in its own place. */
function notePassedOver(
  prefix: string,
  name: string,
  { kind, found }: { readonly kind: 'submodule' | 'passedLink'; readonly found: Finding },
): void {
  const { isWhole, suffixes } = found.wants;
  if (kind === 'submodule' || (!isWhole && mayLeadToManifests(name, suffixes))) found.passedOver.push(prefix + name);
}

type FileEntry = { readonly folder: ReadFolder; readonly place: EntryPlace; readonly kind: 'file' | 'named' | 'link' };

/** How many bytes of an id tell whether it is worth being made into a text. */
function headsOf(oids: ReadonlySet<Oid>): ReadonlySet<number> {
  return new Set([...oids].map((oid) => Number.parseInt(oid.slice(0, 8), 16)));
}

/** True where a file was released for its content; false where that has to be looked up. Reports a name that cannot be decoded. */
function isReleasedForUpdate({ folder, place, kind }: FileEntry, { keptHeads }: Finding): boolean {
  if (keptHeads === undefined || kind !== 'file' || !folder.isAscii || !place.isAscii) return false;
  return !keptHeads.has(folder.bytes.readUInt32BE(place.end + 1));
}

/** Each file of these folders that counts by its name. The same object each time. */
function eachFile(folders: readonly ReadFolder[], { wants }: Finding, take: (entry: FileEntry) => void): void {
  const place = newPlace();
  for (const folder of folders) {
    const { bytes } = folder;
    for (let at = 0; at < bytes.length; ) {
      at = readEntry(bytes, at, place);
      if (isLong(place)) continue;
      const wanted = wantedAt(folder.wanted, bytes, place);
      const kind = wanted && kindOf(bytes, place, { folder: folder.wanted, wanted, wants });
      if (kind === 'file' || kind === 'named' || kind === 'link') take({ folder, place, kind });
    }
  }
}

/** The ids of files that are wanted for what is in them, each once. */
function unnamedIn(found: Finding): readonly Oid[] {
  const oids = new Set<Oid>();
  eachFile(found.folders, found, ({ folder, place, kind }) => {
    if (kind === 'file') oids.add(oidAt(folder.bytes, place));
  });
  return [...oids];
}

/** Those that say something, sorted by path. `kept`: of files without a wanted name only these may. */
function readFiles(
  found: Finding,
  kept: ReadonlySet<Oid> | undefined,
  saidBy: (oid: Oid, kind: FileEntry['kind']) => TreeFile['content'] | undefined,
): readonly TreeFile[] {
  const files: TreeFile[] = [];
  eachFile(kept === undefined ? found.folders : found.foldersToRead, found, (entry) => {
    const { folder, place, kind } = entry;
    if (kept !== undefined && isReleasedForUpdate(entry, found)) return;
    const oid = oidAt(folder.bytes, place);
    const path = pathOf(folder, place);
    const mode = fileModeOf(place.mode) ?? '100644';
    const isGone = kind === 'file' && kept?.has(oid) === false;
    // A file whose name we cannot spell must never be written, so it is reported as one that cannot be read.
    if (!path.isText) files.push({ path: path.spelled, oid, mode, content: NO_NAME });
    else if (!isGone) {
      const content = saidBy(oid, kind);
      if (content !== undefined) files.push({ path: path.spelled, oid, mode, content });
    }
  });
  return files;
}

/** All others, sorted by path. */
function skippedBeside(files: readonly TreeFile[], found: Finding): readonly SkippedFile[] {
  const read = new Set(files.map(({ path }) => path));
  const skipped: SkippedFile[] = [];
  eachFile(found.folders, found, ({ folder, place }) => {
    const { spelled: path } = pathOf(folder, place);
    const mode = fileModeOf(place.mode) ?? '100644';
    if (!read.has(path)) skipped.push({ path, oid: oidAt(folder.bytes, place), mode });
  });
  return skipped.sort(byPath);
}
