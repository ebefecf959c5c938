/** Git over smart HTTP, version 2: the port, put together from reading, building and pushing. */

import { type CommitHeader, type Git, isDeletion, type Oid } from '../../ports/git.ts';
import { buildUpdates } from './commit-chain.ts';
import { type GitOperation, gitError } from './git-error.ts';
import type { GitLimits } from './limits.ts';
import { refOf } from './names.ts';
import { answerLater } from './object-question.ts';
import { decodeCommit } from './objects.ts';
import { createLsRefsReader, type Discovery, lsRefsRequest, ServerSaid } from './protocol.ts';
import { Remote, type RemoteOptions } from './remote.ts';
import { serverSaidError } from './remote-error.ts';
import { startReading } from './remote-fetch.ts';
import { RemoteObjects } from './remote-objects.ts';
import { RemotePush } from './remote-push.ts';
import { walkTree } from './tree-walk.ts';

/** Opens no connection yet. */
export function openSmartHttp(options: RemoteOptions): Git {
  const { limits, log } = options;
  const remote = new Remote(options);
  const offer = lazyOffer(remote);
  const objects = new RemoteObjects({
    remote,
    limits,
    log,
    hasFilter: async (operation) => hasFilter(await offer(operation)),
  });
  const heads = (branches: readonly string[], operation: GitOperation) =>
    readHeads({ remote, offer, limits }, branches, operation);
  const writer = new RemotePush({ remote, limits, heads: (branches) => heads(branches, 'push'), log });
  return {
    begin: () => remote.begin(),
    heads: (branches) => heads(branches, 'heads'),
    expect: (expected) => {
      objects.expect(expected);
      if (expected.writes) writer.prepare();
    },
    readAt: (commit, request) =>
      objects.during(async () => {
        const reading = await objects.prepare(commit, request);
        const head = (await objects.load({ type: 'commit', oids: [commit] }, reading))(commit);
        if (head.type !== 'commit') throw noCommit(remote, commit, 'read');
        const root = decodeCommit(commit, head.bytes).tree;
        const found = await answerLater(walkTree(root, request, limits), (batch) => objects.load(batch, reading));
        return { commit, ...found };
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
    heldFast: async () => undefined,
  };
}

type Offer = (operation: GitOperation) => Promise<Discovery>;

/** The server's offer, asked for once and only when something did not work without it. */
function lazyOffer(remote: Remote): Offer {
  let known: Promise<Discovery> | undefined;
  return (operation) => {
    known ??= readOffer(remote, operation).catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}

async function readOffer(remote: Remote, operation: GitOperation): Promise<Discovery> {
  const discovery = await remote.discover('git-upload-pack', operation).catch((error: unknown) => {
    throw error instanceof ServerSaid ? serverSaidError(error, remote.errorContext(operation)) : error;
  });
  const format = discovery.capabilities.get('object-format') ?? 'sha1';
  if (discovery.version !== 2) {
    throw gitError(`${remote.name} does not speak Git's protocol version 2`, {
      operation,
      retryable: false,
      hint: 'Git 2.18 or later serves it; a proxy must pass the header Git-Protocol on.',
    });
  }
  if (format !== 'sha1') {
    throw gitError(`${remote.name} names objects by ${format}, wanted sha1`, { operation, retryable: false });
  }
  return discovery;
}

function hasFilter(discovery: Discovery): boolean {
  return (discovery.capabilities.get('fetch') ?? '').split(' ').includes('filter');
}

type HeadsSource = { readonly remote: Remote; readonly offer: Offer; readonly limits: GitLimits };

async function readHeads(
  { remote, offer, limits }: HeadsSource,
  branches: readonly string[],
  operation: GitOperation,
): Promise<readonly (Oid | undefined)[]> {
  if (branches.length === 0) return [];
  const list = () =>
    remote.read({
      operation,
      service: 'git-upload-pack',
      body: lsRefsRequest(branches),
      maxBytes: limits.answerBytes,
      reader: createLsRefsReader,
    });
  // The request is sent without asking first what the server offers, which saves a round trip nearly always.
  const refs = await list().catch(async (error: unknown) => {
    if (!(error instanceof ServerSaid)) throw error;
    await offer(operation);
    return list().catch((again: unknown) => {
      throw again instanceof ServerSaid ? serverSaidError(again, remote.errorContext(operation)) : again;
    });
  });
  return branches.map((branch) => refs.get(refOf(branch)));
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
    const { oid, parents, author, message } = decodeCommit(next, object.bytes);
    commits.push({ oid, parents, author, message });
    next = oid === until ? undefined : parents[0];
  }
  return { commits, isComplete: true };
}

function noCommit(remote: Remote, oid: Oid, operation: GitOperation) {
  return gitError(`${remote.name}: ${oid} is not a commit`, { operation, retryable: false });
}
