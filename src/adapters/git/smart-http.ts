/** Git over smart HTTP, version 2: the port. The heads are asked for before what reads and writes is loaded. */

import type { Git, Oid } from '../../ports/git.ts';
import { type GitOperation, gitError } from './git-error.ts';
import type { GitLimits } from './limits.ts';
import { refOf } from './names.ts';
import { createLsRefsReader, type Discovery, lsRefsRequest, ServerSaid } from './protocol.ts';
import { Remote, type RemoteOptions } from './remote.ts';
import { serverSaidError } from './remote-error.ts';
import type { RemoteRepository } from './remote-repository.ts';

/** Opens no connection yet. */
export function openSmartHttp(options: RemoteOptions): Git {
  const { limits, log } = options;
  const remote = new Remote(options);
  const offer = lazyOffer(remote);
  const heads = (branches: readonly string[], operation: GitOperation) =>
    readHeads({ remote, offer, limits }, branches, operation);
  let opened: Promise<RemoteRepository> | undefined;
  const repository = (): Promise<RemoteRepository> => {
    opened ??= import('./remote-repository.ts').then(({ openRemoteRepository }) =>
      openRemoteRepository({
        remote,
        limits,
        log,
        hasFilter: async (operation) => hasFilter(await offer(operation)),
        heads: (branches) => heads(branches, 'push'),
      }),
    );
    return opened;
  };
  return {
    begin: () => remote.begin(),
    heads: (branches) => heads(branches, 'heads'),
    expect: (expected) => void repository().then((there) => there.expect(expected)),
    readAt: async (commit, request) => (await repository()).readAt(commit, request),
    differences: async (before, after) => (await repository()).differences(before, after),
    history: async (from, until, limit) => (await repository()).history(from, until, limit),
    push: async (updates) => (await repository()).push(updates),
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
  const discovery = await remote.discover('git-upload-pack', { operation, branches: [] }).catch((error: unknown) => {
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
      reader: () => createLsRefsReader(new Set(branches.map(refOf))),
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
