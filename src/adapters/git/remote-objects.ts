/** Decides which requests get the objects of a read, in as few of them and as few bytes as the server allows. */

import type { Oid, ReadRequest } from '../../ports/git.ts';
import type { FetchAnswer } from './fetch-answer.ts';
import { type GitOperation, gitError } from './git-error.ts';
import { createObjectCache } from './object-cache.ts';
import type { Batch, FoundObject, Lookup } from './object-question.ts';
import type { GitObject } from './objects.ts';
import {
  createRemoteFetch,
  filterAt,
  type Reading,
  type RemoteFetchOptions,
  saidBy,
  startReading,
} from './remote-fetch.ts';
import { hasMarker } from './tree-walk.ts';

export type RemoteObjects = {
  /** Gets a commit with what the request makes likely to be needed next. */
  prepare(commit: Oid, request: ReadRequest): Promise<Reading>;
  load(batch: Batch, reading: Reading): Promise<Lookup>;
  /** At least `depth` commits of the line from `from`, as far as it goes; commits only where the server can. */
  loadHistory(from: Oid, depth: number): Promise<FetchAnswer>;
  commit(oid: Oid): GitObject | undefined;
  /** Runs a read or push; what it needs is not forgotten before it ends. */
  during<T>(call: () => Promise<T>): Promise<T>;
};

/** So many objects missing from a tree that was known once: one whole fetch is cheaper than asking for each. */
const mostMissing = 2000;

/** Keeps what was fetched for the next read. Opens no connection yet. */
export function createRemoteObjects(options: RemoteFetchOptions): RemoteObjects {
  const { remote, limits } = options;
  const cache = createObjectCache(limits.cacheBytes);
  const server = createRemoteFetch(options, (oid, object, reading) => keep(oid, object, reading));
  let hasReadWhole = false;
  let canLimit = true;
  let running = 0;

  const keep = (oid: Oid, object: GitObject, reading: Reading): void => {
    if (object.type !== 'blob') cache.put(oid, object);
    else if (object.bytes.length > limits.fileBytes) cache.mark(oid, 'large', reading.markersKey);
    else if (!hasMarker(object.bytes, reading.markers)) cache.mark(oid, 'skipped', reading.markersKey);
    else cache.put(oid, object);
  };

  /** The commit and its whole tree, but for large files where the server can leave them out. */
  const fetchWhole = async (commit: Oid, reading: Reading): Promise<void> => {
    const request = { wants: [commit], depth: 1 };
    if (canLimit && server.service() !== 'whole') {
      try {
        await server.fetch({ ...request, filter: `blob:limit=${limits.fileBytes + 1}` }, reading);
        reading.sent = 'limited';
        hasReadWhole = true;
        return;
      } catch (error) {
        options.log?.info(
          `git: now reading whole commits with their large files: ${saidBy(server.refusalOf(error, reading))}`,
        );
      }
    }
    await server.withFallback(reading, () => server.fetch({ ...request, filter: undefined }, reading));
    canLimit = false;
    reading.sent = 'all';
    hasReadWhole = true;
  };

  const fetchCommit = (commit: Oid, reading: Reading) =>
    server.withFallback(reading, async (at) => {
      // On a commit, `tree:1` sends its root tree along and nothing below: one request less.
      await server.fetch({ wants: [commit], depth: 1, filter: filterAt(at, 'tree:1') }, reading);
      if (at === 'whole') reading.sent = 'all';
    });

  const fetchParts = async (type: Batch['type'], oids: readonly Oid[], reading: Reading): Promise<void> => {
    if (type === 'commit' && reading.sent === 'parts') {
      for (const oid of oids) await fetchCommit(oid, reading);
      return;
    }
    await server.withFallback(reading, async (at) => {
      const canAsk = at === 'withRoot' || at === 'single' || (at === 'blobless' && type === 'blob');
      if (canAsk && oids.length <= mostMissing * (hasReadWhole ? 1 : Number.POSITIVE_INFINITY)) {
        for (let from = 0; from < oids.length; from += limits.wantsPerRequest) {
          const wants = oids.slice(from, from + limits.wantsPerRequest);
          await server.fetch({ wants, depth: undefined, filter: filterAt(at, 'tree:0') }, reading);
        }
        return;
      }
      if (reading.sent === 'all') return;
      for (const wanted of reading.commits) {
        await server.fetch({ wants: [wanted], depth: 1, filter: at === 'whole' ? undefined : 'blob:none' }, reading);
      }
      if (at === 'whole') reading.sent = 'all';
    });
  };

  const missingOf = (oids: readonly Oid[], reading: Reading): readonly Oid[] =>
    oids.filter((oid) => cache.get(oid, reading.markersKey) === undefined);

  return {
    prepare: async (commit, request) => {
      const reading = startReading('read', [commit], request.markers);
      const isWhole = request.paths.includes('');
      if (isWhole && !hasReadWhole) await fetchWhole(commit, reading);
      else if (isWhole && request.markers.length === 0 && !isKnown(commit)) await fetchWhole(commit, reading);
      else if (!isKnown(commit)) await fetchCommit(commit, reading);
      return reading;
    },
    load: async (batch, reading) => {
      const before = missingOf(batch.oids, reading);
      if (before.length > 0 && !(batch.type === 'blob' && reading.sent === 'limited')) {
        await fetchParts(batch.type, before, reading);
      }
      const found = new Map<Oid, FoundObject>();
      for (const oid of batch.oids) {
        const object = cache.get(oid, reading.markersKey);
        if (object !== undefined) found.set(oid, object);
        // The server left it out because of its size, as we had asked.
        else if (batch.type === 'blob' && reading.sent === 'limited') found.set(oid, { type: 'large' });
        else throw missingObject(batch.type, oid, { name: remote.name, operation: reading.operation });
      }
      return (oid) => found.get(oid) ?? { type: 'skipped' };
    },
    loadHistory: (from, depth) => {
      const reading = startReading('history', [from], []);
      return server.withFallback(reading, (at) =>
        server.fetch({ wants: [from], depth, filter: filterAt(at, 'tree:0') }, reading),
      );
    },
    during: async (call) => {
      running += 1;
      try {
        return await call();
      } finally {
        running -= 1;
        if (running === 0) cache.trim();
      }
    },
    commit: (oid) => {
      const found = cache.get(oid, '');
      return found?.type === 'commit' ? found : undefined;
    },
  };

  function isKnown(commit: Oid): boolean {
    return cache.get(commit, '') !== undefined;
  }
}

function missingObject(type: string, oid: Oid, where: { readonly name: string; readonly operation: GitOperation }) {
  const message = `${where.name} answered without the ${type} ${oid} that was asked for`;
  return gitError(message, { operation: where.operation, retryable: true });
}
