/** What a remote repository has, and what is pushed to it: reading, building and pushing put together. */

import { type CommitHeader, type Git, isDeletion, type Oid } from '../../ports/git.ts';
import { buildUpdates } from './commit-chain.ts';
import { type GitOperation, gitError } from './git-error.ts';
import { answerLater } from './object-question.ts';
import { decodeCommit } from './objects.ts';
import type { Remote } from './remote.ts';
import { type Reading, type RemoteFetchOptions, startReading } from './remote-fetch.ts';
import { RemoteObjects } from './remote-objects.ts';
import { RemotePush } from './remote-push.ts';
import { differingPaths } from './tree-differences.ts';
import { readTree } from './tree-read.ts';

export type RemoteRepository = Pick<Git, 'expect' | 'readAt' | 'differences' | 'history' | 'push'>;

type RepositoryOptions = RemoteFetchOptions & {
  /** Asked for again where it is not clear what became of a push. */
  readonly heads: (branches: readonly string[]) => Promise<readonly (Oid | undefined)[]>;
};

/** Opens no connection yet. */
export function openRemoteRepository(options: RepositoryOptions): RemoteRepository {
  const { remote, limits } = options;
  const objects = new RemoteObjects(options);
  const writer = new RemotePush(options);
  return {
    expect: (expected) => {
      objects.expect(expected);
      if (expected.writes) writer.prepare();
    },
    readAt: (commit, request) =>
      objects.during(async () => {
        const reading = await objects.prepare(commit, request);
        const root = await rootOf(commit, { objects, remote, reading });
        const whole = objects.sentWhole(reading);
        const { kept, ...found } = await readTree({ root, request, limits, whole }, (question) =>
          answerLater(question, (batch) => objects.load(batch, reading)),
        );
        const marked = objects.marked(commit, reading, { kept, readAt: whole?.readAt });
        return { commit, ...found, ...(marked === undefined ? {} : { marked }) };
      }),
    differences: (before, after) =>
      objects.during(async () => {
        const reading = startReading('read', [before, after], []);
        const rooted = { objects, remote, reading };
        const roots = { was: await rootOf(before, rooted), now: await rootOf(after, rooted) };
        return answerLater(differingPaths(roots, limits), (batch) => objects.load(batch, reading));
      }),
    history: (from, until, limit) =>
      objects.during(() => readHistory(objects, { from, until, limit: Math.min(limit, limits.commitsPerHistory) })),
    push: async (updates) => {
      const built = await objects.during(() => {
        const reading = startReading(
          'push',
          updates.flatMap((update) => (isDeletion(update) ? [] : (update.base ?? []))),
          [],
        );
        return answerLater(buildUpdates(updates), (batch) => objects.load(batch, reading));
      });
      if (built.kind === 'refused') return built;
      const result = await writer.push(updates, built);
      if (result.kind === 'pushed') objects.remember(built.objects);
      return result;
    },
  };
}

type Rooted = { readonly objects: RemoteObjects; readonly remote: Remote; readonly reading: Reading };

async function rootOf(commit: Oid, { objects, remote, reading }: Rooted): Promise<Oid> {
  const found = (await objects.load({ type: 'commit', oids: [commit] }, reading))(commit);
  if (found.type !== 'commit') throw noCommit(remote, commit, 'read');
  return decodeCommit(commit, found.bytes).tree;
}

type Line = { readonly from: Oid; readonly until: Oid | undefined; readonly limit: number };

const firstDepth = 16;
const growth = 8;

async function readHistory(objects: RemoteObjects, line: Line): Promise<readonly CommitHeader[]> {
  for (let depth = firstDepth; ; depth *= growth) {
    const known = knownLine(objects, line);
    if (known.isComplete) return known.commits;
    const asked = Math.min(depth, line.limit);
    await objects.loadHistory(line.from, asked);
    const now = knownLine(objects, line);
    if (now.isComplete) return now.commits;
    if (asked === line.limit || now.commits.length < asked) {
      const last = now.commits.at(-1)?.oid ?? line.from;
      throw gitError(`the history of ${line.from} stops at ${last}, whose parent was not sent`, {
        operation: 'history',
        retryable: true,
      });
    }
  }
}

/** The line as far as its commits are at hand. */
function knownLine(objects: RemoteObjects, { from, until, limit }: Line) {
  const commits: CommitHeader[] = [];
  let next: Oid | undefined = from;
  while (next !== undefined && commits.length < limit) {
    const object = objects.commit(next);
    if (object === undefined) return { commits, isComplete: false };
    const { tree: _, ...header } = decodeCommit(next, object.bytes);
    commits.push(header);
    next = next === until ? undefined : header.parents[0];
  }
  return { commits, isComplete: true };
}

function noCommit(remote: Remote, oid: Oid, operation: GitOperation) {
  return gitError(`${remote.name}: ${oid} is not a commit`, { operation, retryable: false });
}
