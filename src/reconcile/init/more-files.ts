/** A repository whose files were read once, and that may have some more: a pass over what is only proposed so far. */

import { CONFIG_FILE, isBelow, OTHER_CONFIG_FILE } from '../../api/config.ts';
import type { Git, ReadRequest, SkippedFile, Tree, TreeFile } from '../../ports/git.ts';
import { desiredRequest } from '../documents/desired-branch.ts';
import { TRAFFIC_KINDS } from '../documents/traffic-index.ts';

/** Words of files that say what applies manifests, and what starts tranche. */
const AROUND = ['argoproj.io', 'tranche'];

/** Everything that a pass, the traffic and the agents of a repository may be read from, in one walk over its files. */
export function everything(): ReadRequest {
  const { markers, names = [], ...request } = desiredRequest(['']);
  return {
    ...request,
    markers: [...markers, ...TRAFFIC_KINDS, ...AROUND],
    names: [...names, CONFIG_FILE, OTHER_CONFIG_FILE],
  };
}

/**
 * The same repository, where the commit of `tree` has these files as well. `tree` was read by `everything`: what a request
 * asks of that commit is answered from there, so that a second pass reads no disk. All other commits are read as ever, and
 * so are files of any name, as a build takes them.
 */
export function withFiles(git: Git, tree: Tree, added: ReadonlyMap<string, string>): Git {
  const more = [...added].map(
    ([path, text], at): TreeFile => ({
      path,
      // No blob has this id, and each file another one: parsed files are remembered by it.
      oid: (at + 1).toString(16).padStart(40, 'f'),
      mode: '100644',
      content: { kind: 'text', text },
    }),
  );
  const files = [...tree.files.filter(({ path }) => !added.has(path)), ...more].sort(byPath);
  return {
    begin: () => git.begin(),
    heads: (branches) => git.heads(branches),
    expect: (expected) => git.expect(expected),
    readAt: async (commit, request) => {
      if (commit !== tree.commit) return git.readAt(commit, request);
      if (request.markers.length > 0 || request.pathsAlone === true) return answer({ ...tree, files }, request);
      const read = await git.readAt(commit, request);
      const own = more.filter(({ path }) => isAsked(request, path));
      return { ...read, files: [...read.files.filter(({ path }) => !added.has(path)), ...own].sort(byPath) };
    },
    differences: (before, after) => git.differences(before, after),
    history: (from, until, limit) => git.history(from, until, limit),
    push: (updates) => git.push(updates),
    heldFast: (branch) => git.heldFast(branch),
  };
}

function answer(tree: Tree, request: ReadRequest): Tree {
  const asked = tree.files.filter(({ path }) => isAsked(request, path));
  const files = asked.filter((file) => hasText(request, file));
  const kept = new Set(files);
  const textless = asked.filter((file) => !kept.has(file));
  return {
    commit: tree.commit,
    folders: [],
    files,
    skipped: () =>
      [...tree.skipped().filter(({ path }) => isAsked(request, path)), ...textless.map(withoutText)].sort(byPath),
    gaps: { absent: [], passedOver: (tree.gaps?.passedOver ?? []).filter((path) => isBelow(request.paths, path)) },
  };
}

function isAsked({ paths, suffixes }: ReadRequest, path: string): boolean {
  return isBelow(paths, path) && (suffixes.length === 0 || suffixes.some((suffix) => path.endsWith(suffix)));
}

/** A file that cannot be read is in every answer, as it is in that of a repository. */
function hasText({ markers, names = [] }: ReadRequest, { path, content }: TreeFile): boolean {
  if (content.kind !== 'text' || markers.length === 0 || names.includes(path.slice(path.lastIndexOf('/') + 1)))
    return true;
  return markers.some((marker) => content.text.includes(marker));
}

function withoutText({ path, oid, mode }: TreeFile): SkippedFile {
  return { path, oid, mode };
}

function byPath(left: { readonly path: string }, right: { readonly path: string }): number {
  return left.path < right.path ? -1 : left.path > right.path ? 1 : 0;
}
