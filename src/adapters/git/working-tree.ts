/** Git whose desired branch is a working tree: the files as they lie in a folder, committed or not. Never written. */

import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isBelow } from '../../api/config.ts';
import type { Gaps, Git, Oid, ReadRequest, SkippedFile, Tree, TreeFile } from '../../ports/git.ts';
import { LINK, noText, tooDeep } from './file-content.ts';
import { gitError } from './git-error.ts';
import { type IgnoreRule, ignoreRules, isIgnored } from './ignore-rules.ts';
import { defaultGitLimits, type GitLimits } from './limits.ts';
import { findLayout, headRef } from './local-layout.ts';
import { markerSearch } from './markers.ts';
import { isOid, zeroOid } from './names.ts';
import { decodeText, oidOf } from './objects.ts';
import { mayLeadToManifests } from './tree-folder.ts';
import { byPath } from './tree-paths.ts';
import { BESIDE_MOST, PASSED_OVER_MOST } from './wanted-paths.ts';

export { workingTreeAt } from './clone-root.ts';

/** Under this name `heads` answers the files of the folder; no commit has its id. */
export const WORKING_TREE_REF = 'HEAD';

export type OpenWorkingTree = {
  readonly root: string;
  /** The repository that the folder belongs to: for everything but the files as they are. */
  readonly git: Git;
  readonly limits?: Partial<GitLimits>;
};

/** The repository as it is, but for one thing: the commit `heads(['HEAD'])` names has the files of the folder. */
export function openWorkingTree({ root, git, limits }: OpenWorkingTree): Git {
  const all = { ...defaultGitLimits, ...limits };
  return {
    begin: () => git.begin(),
    heads: async (branches) => {
      const others = await git.heads(branches.filter((branch) => branch !== WORKING_TREE_REF));
      let at = 0;
      return branches.map((branch) => (branch === WORKING_TREE_REF ? zeroOid : others[at++]));
    },
    expect: (expected) => git.expect(expected),
    readAt: async (commit, request) => {
      if (commit !== zeroOid) return git.readAt(commit, request);
      const head = await headOf(root, git);
      const committed = head === undefined ? undefined : await git.readAt(head, { ...request, pathsAlone: true });
      const hasMarker = markerSearch(request.markers);
      const paths = new Set([...(committed?.files ?? []), ...(committed?.skipped() ?? [])].map(({ path }) => path));
      return readFolder({ root, request, limits: all, hasMarker, committed: paths });
    },
    differences: (before, after) => git.differences(before, after),
    history: async (from, until, limit) => {
      const start = from === zeroOid ? await headOf(root, git) : from;
      return start === undefined ? [] : git.history(start, until, limit);
    },
    push: async () => {
      throw gitError('the files of a folder are read, never pushed', { operation: 'push', retryable: false });
    },
    heldFast: (branch) => git.heldFast(branch),
  };
}

/** The commit that is checked out; undefined before the first. */
async function headOf(root: string, git: Git): Promise<Oid | undefined> {
  const head = headRef(findLayout(root));
  if (head === undefined || isOid(head)) return head;
  return (await git.heads([head]))[0];
}

type Folder = {
  readonly root: string;
  readonly request: ReadRequest;
  readonly hasMarker: (bytes: Buffer) => boolean;
  readonly limits: GitLimits;
  /** Paths that the checked-out commit has: read though a rule would leave them out, as git does. */
  readonly committed: ReadonlySet<string>;
};

/** A folder with the rules of those above it; `leftOut`: what is not committed in it is ignored as a whole. */
type Step = { readonly folder: string; readonly above: readonly IgnoreRule[]; readonly leftOut: boolean };

function readFolder(of: Folder): Tree {
  const files: TreeFile[] = [];
  const passedOver: string[] = [];
  const skipped: SkippedFile[] = [];
  const tracked = foldersOf(of.committed);
  let visited = 0;
  const walk = ({ folder, above, leftOut }: Step, depth: number): void => {
    if (depth > of.limits.treeDepth) {
      files.push(tooDeep({ path: folder, oid: zeroOid }, of.limits));
      return;
    }
    const rules = [...above, ...rulesOf(join(of.root, folder, '.gitignore'), folder)];
    for (const name of namesIn(join(of.root, folder))) {
      visited += 1;
      if (visited > of.limits.treeEntries) throw tooLarge(`more than ${of.limits.treeEntries} folders and files`);
      const path = folder === '' ? name : `${folder}/${name}`;
      const entry = lstatSync(join(of.root, path), { throwIfNoEntry: false });
      if (name === '.git' || entry === undefined) continue;
      const ignored = leftOut || isIgnored(rules, path, entry.isDirectory() ? 'folder' : 'file');
      // Links are never followed: they may lead out of the folder. A folder with a .git is another repository.
      if (entry.isDirectory() && !existsSync(join(of.root, path, '.git'))) {
        if (leadsOn(of, path) && (!ignored || tracked.has(path)))
          walk({ folder: path, above: rules, leftOut: ignored }, depth + 1);
      } else if (entry.isFile() && isAsked(of, path) && (!ignored || of.committed.has(path))) {
        const file = readOne(of, path, entry);
        if ('content' in file) files.push(file);
        else skipped.push(file);
      } else if (!entry.isFile() && isOnTheWay(of, path)) {
        files.push({ path, oid: zeroOid, mode: '100644', content: LINK });
      } else if (!entry.isFile() && !ignored && isPassedOver(of, path, entry)) passedOver.push(path);
    }
  };
  const exclude = join(findLayout(of.root).common, 'info', 'exclude');
  walk({ folder: '', above: rulesOf(exclude, ''), leftOut: false }, 0);
  return {
    commit: zeroOid,
    folders: [],
    files: files.sort(byPath),
    skipped: () => skipped.sort(byPath),
    gaps: { absent: absentFrom(of), passedOver: passedOver.sort().slice(0, PASSED_OVER_MOST) },
  };
}

/** A submodule, or a link behind which manifests may be; where the whole tree is read, links within it are no loss. */
function isPassedOver({ request }: Folder, path: string, entry: { readonly isDirectory: () => boolean }): boolean {
  if (!isBelow(request.paths, path)) return false;
  const name = path.slice(path.lastIndexOf('/') + 1);
  return entry.isDirectory() || (!request.paths.includes('') && mayLeadToManifests(name, request.suffixes));
}

/** Paths of the request that are not there. A link on the way is reported by itself. */
function absentFrom({ root, request }: Folder): Gaps['absent'] {
  return request.paths.flatMap((path) => {
    const parts = path.split('/').filter((part) => part !== '');
    for (const [depth, part] of parts.entries()) {
      const folder = parts.slice(0, depth).join('/');
      const entry = lstatSync(join(root, folder, part), { throwIfNoEntry: false });
      const isLast = depth === parts.length - 1;
      if (entry === undefined || (entry.isFile() && !isLast))
        return [{ path, folder, beside: namesIn(join(root, folder)).slice(0, BESIDE_MOST) }];
      if (!entry.isDirectory()) return [];
    }
    return [];
  });
}

function isAsked({ request }: Folder, path: string): boolean {
  const { paths, suffixes } = request;
  return isBelow(paths, path) && (suffixes.length === 0 || suffixes.some((suffix) => path.endsWith(suffix)));
}

/** Whether the request names this very path, or one that would lie below it. */
function isOnTheWay({ request }: Folder, path: string): boolean {
  return request.paths.some((asked) => `${asked}/`.startsWith(`${path}/`));
}

/** Whether something that is asked for may lie in a folder. */
function leadsOn({ request }: Folder, folder: string): boolean {
  return request.paths.some(
    (asked) => asked === '' || `${asked}/`.startsWith(`${folder}/`) || folder.startsWith(`${asked}/`),
  );
}

type Entry = { readonly size: number; readonly mode: number };

function readOne(
  { root, request, limits, hasMarker }: Folder,
  path: string,
  { size, mode }: Entry,
): TreeFile | SkippedFile {
  const file = { path, mode: (mode & 0o111) === 0 ? '100644' : '100755' } as const;
  const unreadable = (why: string, cause: 'large' | 'name' | 'garbled' = 'garbled'): TreeFile => ({
    ...file,
    oid: zeroOid,
    content: { kind: 'unreadable', cause, why },
  });
  if (path.includes('\uFFFD')) return unreadable('its name is not UTF-8', 'name');
  if (size > limits.fileBytes)
    return unreadable(`it has ${size} bytes, over the limit of ${limits.fileBytes}`, 'large');
  let bytes: Buffer;
  try {
    bytes = readFileSync(join(root, path));
  } catch (error) {
    return unreadable(error instanceof Error ? error.message : 'it cannot be read');
  }
  const oid = oidOf({ type: 'blob', bytes });
  const isNamed = request.names?.includes(path.slice(path.lastIndexOf('/') + 1)) === true;
  if (!isNamed && !hasMarker(bytes)) return { ...file, oid };
  const text = decodeText(bytes);
  return { ...file, oid, content: text === undefined ? noText(bytes) : { kind: 'text', text } };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    throw gitError(`${folder} cannot be listed: ${error instanceof Error ? error.message : 'no reason'}`, {
      operation: 'read',
      retryable: false,
      hint: 'Allow this process to read it, or narrow paths in tranche.yaml.',
    });
  }
}

function rulesOf(file: string, folder: string): readonly IgnoreRule[] {
  const entry = lstatSync(file, { throwIfNoEntry: false });
  if (entry?.isFile() !== true || entry.size > defaultGitLimits.fileBytes) return [];
  return ignoreRules(readFileSync(file, 'utf8'), folder);
}

/** Every folder above one of these paths. */
function foldersOf(paths: ReadonlySet<string>): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) folders.add(path.slice(0, at));
  }
  return folders;
}

function tooLarge(what: string) {
  return gitError(`the folder is too large to read: ${what}`, {
    operation: 'read',
    retryable: false,
    hint: 'List the folders with rollouts and workloads under `paths` in tranche.yaml.',
  });
}
