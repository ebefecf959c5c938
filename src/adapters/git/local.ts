/**
 * Git in a folder of this machine: a bare or normal repository, or a linked worktree of one.
 * Absent on purpose: hooks are not run, no worktree or index is touched, and nothing is ever packed or pruned.
 */

import {
  type BranchUpdate,
  type CommitHeader,
  type Git,
  isDeletion,
  type Oid,
  type PushResult,
  type Refused,
} from '../../ports/git.ts';
import { buildUpdates } from './commit-chain.ts';
import { gitError } from './git-error.ts';
import type { GitLimits } from './limits.ts';
import { checkedOutAt, findLayout, type Layout } from './local-layout.ts';
import { type LocalObjects, openLocalObjects } from './local-objects.ts';
import { type RefMove, readHead, swapHeads } from './local-refs.ts';
import { refOf } from './names.ts';
import { answerNow } from './object-question.ts';
import { decodeCommit, signatureLine } from './objects.ts';
import { differingPaths } from './tree-differences.ts';
import { readTree } from './tree-read.ts';

export type OpenLocal = { readonly path: string; readonly limits: GitLimits };

/** Throws PortError where there is no repository, or one whose format we do not serve. */
export function openLocal({ path, limits }: OpenLocal): Git {
  const layout = findLayout(path);
  const objects = openLocalObjects(layout, limits);
  /** Packs are only kept open during a call, so that a repack in between is seen and no file stays open. */
  const during = <T>(call: () => T): T => {
    try {
      return call();
    } finally {
      objects.close();
    }
  };
  return {
    begin: () => undefined,
    heads: async (branches) => branches.map((branch) => readHead(layout, branch)),
    expect: () => undefined,
    readAt: async (commit, request) => {
      const root = during(() => decodeCommit(commit, readCommit(objects, commit, 'read')).tree);
      const found = await readTree({ root, request, limits }, (question) =>
        during(() =>
          answerNow(
            question,
            ({ type }) =>
              (oid) =>
                type === 'blob' ? objects.readFile(oid) : objects.read(oid, 'read'),
          ),
        ),
      );
      return { commit, ...found };
    },
    differences: async (before, after) =>
      during(() => {
        const rootOf = (oid: Oid) => decodeCommit(oid, readCommit(objects, oid, 'read')).tree;
        const question = differingPaths({ was: rootOf(before), now: rootOf(after) }, limits);
        return answerNow(question, () => (oid) => objects.read(oid, 'read'));
      }),
    history: async (from, until, limit) =>
      during(() => readLine(objects, { from, until, limit: Math.min(limit, limits.commitsPerHistory) })),
    push: async (updates) => push(layout, updates, (call) => during(() => call(objects))),
    heldFast: async (branch) => checkedOut(layout, branch),
  };
}

function readCommit(objects: LocalObjects, oid: Oid, operation: 'read' | 'history'): Buffer {
  const object = objects.read(oid, operation);
  if (object.type !== 'commit')
    throw gitError(`${oid} is a ${object.type}, wanted a commit`, { operation, retryable: false });
  return object.bytes;
}

type Line = { readonly from: Oid; readonly until: Oid | undefined; readonly limit: number };

function readLine(objects: LocalObjects, { from, until, limit }: Line): readonly CommitHeader[] {
  const line: CommitHeader[] = [];
  let next: Oid | undefined = from;
  while (next !== undefined && line.length < limit) {
    const { tree: _, ...header } = decodeCommit(next, readCommit(objects, next, 'history'));
    line.push(header);
    next = next === until ? undefined : header.parents[0];
  }
  return line;
}

type During = <T>(call: (objects: LocalObjects) => T) => T;

async function push(layout: Layout, updates: readonly BranchUpdate[], during: During): Promise<PushResult> {
  const known = updates.filter(({ branch, expectedOld }) => readHead(layout, branch) === expectedOld);
  const built = during((objects) => answerNow(buildUpdates(updates), () => (oid) => objects.read(oid, 'push')));
  if (built.kind === 'refused') return built;
  const pushed: PushResult = { kind: 'pushed', heads: built.heads, commits: built.commits };
  if (known.length < updates.length) {
    // The very same push may have landed before, its answer lost.
    return updates.every(({ branch }, i) => readHead(layout, branch) === built.heads[i]) ? pushed : { kind: 'moved' };
  }
  for (const { branch } of updates) {
    const held = checkedOut(layout, branch);
    if (held !== undefined) return { kind: 'refused', ...held };
  }
  during((objects) => objects.write(built.objects));
  const moves = updates.map((update, i): RefMove => {
    const { branch, expectedOld } = update;
    const last = isDeletion(update) ? undefined : update.commits.at(-1);
    return { branch, from: expectedOld, to: built.heads[i], who: signatureLine(last?.signature) };
  });
  const result = await swapHeads(layout, moves);
  return result.kind === 'pushed' ? pushed : result;
}

/** As git's receive.denyCurrentBranch: moving a checked-out branch would make its files look edited. */
function checkedOut(layout: Layout, branch: string): Omit<Refused, 'kind'> | undefined {
  const setting = layout.config.get('receive.denycurrentbranch')?.toLowerCase() ?? 'refuse';
  if (['ignore', 'warn', 'false', 'no', 'off', '0'].includes(setting)) return undefined;
  const place = checkedOutAt(layout, refOf(branch));
  if (place === undefined) return undefined;
  const url = layout.config.get('remote.origin.url') ?? '';
  const other = /^https?:\/\/[^@]*$/.test(url) ? url : '<URL>';
  return {
    branch,
    rule: `${branch} is checked out in ${place}`,
    advice: `Name the repository that this is a clone of, --repo ${other}, check out another branch there, or set receive.denyCurrentBranch to ignore`,
  };
}
