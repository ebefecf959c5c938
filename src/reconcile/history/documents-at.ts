/** Documents of one commit: what is read of history, by their names and kinds. */

import { CARRIER_KIND } from '../../api/carrier.ts';
import type { Config } from '../../api/config.ts';
import { LWS_KIND } from '../../api/kinds.ts';
import { oneInFile } from '../../manifests/one-in-file.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { rootOfPatch } from '../../manifests/patch-place.ts';
import type { Git, Oid, Tree } from '../../ports/git.ts';
import { PortError } from '../../ports/port-error.ts';
import type { Identity } from '../desired/desired-rollout.ts';
import { desiredRequest } from '../documents/desired-branch.ts';
import { namespaceOf } from '../documents/manifest-index.ts';
import type { builtAt } from '../roots/build-at.ts';
import type { FirstReader } from './file-before.ts';
import type { FirstParents } from './first-parents.ts';
import type { GitReader } from './git-reader.ts';
import { ownLine } from './own-line.ts';

/** Reads a commit, and makes documents of what was read. */
export type DocumentsOf = Pick<Git, 'readAt'> & {
  readonly documentsOf: (tree: Tree, kinds: readonly string[]) => readonly ManifestDocument[];
  /** The workload that kustomize builds in this folder. Not there: nothing is built. */
  readonly builtAt?: (commit: Oid, of: Identity & { readonly root: string }) => ReturnType<typeof builtAt>;
};

type Search = {
  readonly commit: Oid;
  readonly paths: readonly string[];
  readonly identity: Identity;
  readonly config: Config;
};

/** The only document of this name in these files; undefined: there is none, or several. */
export async function find(git: DocumentsOf, search: Search): Promise<ManifestDocument | undefined> {
  const same = await documentsCalled(git, search);
  return same.length === 1 ? same[0] : undefined;
}

async function documentsCalled(
  git: DocumentsOf,
  { commit, paths, identity, config }: Search,
): Promise<readonly ManifestDocument[]> {
  const { root } = identity;
  const { builtAt } = git;
  return root === undefined || builtAt === undefined
    ? documentsIn(git, { commit, paths, identity, config })
    : builtIn(git, { commit, paths, identity: { ...identity, root }, config, builtAt });
}

type BuiltSearch = Search & {
  readonly identity: Identity & { readonly root: string };
  readonly builtAt: NonNullable<DocumentsOf['builtAt']>;
};

/** Folders that are built to find out where one was before it was moved. */
const FOLDERS_MOST = 5;

/**
 * What kustomize builds where this patch is, or was: a folder that is moved takes its patch along. Where all paths are asked for and its
 * own folder builds none, those with a patch for it.
 */
async function builtIn(git: DocumentsOf, search: BuiltSearch): Promise<readonly ManifestDocument[]> {
  const { commit, paths, identity, builtAt } = search;
  const [only = '', ...others] = paths;
  const there = others.length === 0 ? rootOfPatch(only) : undefined;
  if (there !== undefined) return (await builtAt(commit, { ...identity, file: only, root: there })).documents;
  const { documents } = await builtAt(commit, identity);
  if (documents.length > 0) return documents;
  const patches = (await documentsIn(git, search)).filter(({ file }) => rootOfPatch(file) !== undefined);
  if (patches.length > FOLDERS_MOST) return [];
  const found: ManifestDocument[] = [];
  for (const { file } of patches) {
    const built = await builtAt(commit, { ...identity, file, root: rootOfPatch(file) ?? '' }).catch(notBuilt);
    found.push(...(built?.documents ?? []));
  }
  return found;
}

/** The folder of somebody else, which says nothing then. */
function notBuilt(error: unknown): undefined {
  if (!(error instanceof PortError) || error.port !== 'builder') throw error;
}

async function documentsIn(
  git: DocumentsOf,
  { commit, paths, identity, config }: Search,
): Promise<readonly ManifestDocument[]> {
  const { carrier } = identity;
  const kind = carrier === undefined ? LWS_KIND : CARRIER_KIND;
  const { name, namespace } = carrier ?? identity;
  const tree = await git.readAt(commit, { ...desiredRequest(paths), markers: [kind] });
  const called = git
    .documentsOf(tree, [kind])
    .filter((document) => document.object.name === name && namespaceOf(document, config) === namespace);
  return [...new Set(called.map(({ file }) => file))].flatMap((path) => {
    const inFile = called.filter(({ file }) => file === path);
    return oneInFile(inFile) ?? inFile;
  });
}

/** What holds marks against history: documents of main's own line, and whole commits of it. */
export function historyReaders(
  git: DocumentsOf,
  { line, config, firstOf }: { readonly line: FirstParents; readonly config: Config; readonly firstOf: FirstReader },
): Pick<GitReader, 'line' | 'documentsAt' | 'fileAt' | 'treeAt'> {
  return {
    line: ownLine(
      line,
      async (commit, { identity }, paths = config.paths) =>
        identity === undefined ? [] : documentsCalled(git, { commit, paths, identity, config }),
      firstOf,
    ),
    documentsAt: async (commit, { kinds, paths = config.paths }) => {
      const request = { ...desiredRequest(paths), markers: kinds };
      return git.documentsOf(await git.readAt(commit, request), kinds);
    },
    fileAt: async (commit, file) => {
      const { files } = await git.readAt(commit, { paths: [file], suffixes: [], markers: [] });
      const [found] = files;
      return found?.content.kind === 'text' ? found.content.text : undefined;
    },
    treeAt: (commit) => git.readAt(commit, desiredRequest(config.paths)),
  };
}
