/**
 * Gets objects from a server in as few requests and bytes as it allows: exactly the objects asked for; else whole
 * trees without blobs; else whole commits. What a server will not do is found out once and remembered.
 */

import type { Oid, ReadRequest } from '../../ports/git.ts';
import type { Log } from '../../ports/log.ts';
import { createFetchReader, type FetchAnswer } from './fetch-answer.ts';
import { cleanText, type GitOperation, gitError } from './git-error.ts';
import type { GitLimits } from './limits.ts';
import { createObjectCache } from './object-cache.ts';
import type { Batch, FoundObject, Lookup } from './object-question.ts';
import type { GitObject } from './objects.ts';
import { createPackReader } from './pack-read.ts';
import { type FetchRequest, fetchRequest, ServerSaid } from './protocol.ts';
import type { Remote } from './remote.ts';
import { serverSaidError } from './remote-error.ts';
import { hasMarker } from './tree-walk.ts';

/** One read or push: what it is of, and how much of it has been sent whole. */
export type Reading = {
  readonly operation: GitOperation;
  /** The commits that objects of this reading belong to. */
  readonly commits: readonly Oid[];
  readonly markers: readonly Buffer[];
  readonly markersKey: string;
  /** `limited`: but for files over the limit. */
  sent: 'parts' | 'limited' | 'all';
};

export type RemoteObjects = {
  /** Gets a commit with what the request makes likely to be needed next. */
  prepare(commit: Oid, request: ReadRequest): Promise<Reading>;
  load(batch: Batch, reading: Reading): Promise<Lookup>;
  /** At least `depth` commits of the line from `from`, as far as it goes; commits only where the server can. */
  loadHistory(from: Oid, depth: number): Promise<FetchAnswer>;
  commit(oid: Oid): GitObject | undefined;
};

/** What the server does for us, best first. */
type Service = 'objects' | 'blobless' | 'whole';

/** So many objects missing from a tree that was known once: one whole fetch is cheaper than asking for each. */
const mostMissing = 2000;

/** `checkService` is called once the server has refused something: it throws where the server is no use at all. */
export function createRemoteObjects(options: {
  readonly remote: Remote;
  readonly limits: GitLimits;
  readonly log: Log | undefined;
  readonly hasFilter: (operation: GitOperation) => Promise<boolean>;
}): RemoteObjects {
  const { remote, limits } = options;
  const cache = createObjectCache(limits.cacheBytes);
  let service: Service = 'objects';
  let hasReadWhole = false;

  const fetch = (request: FetchRequest, reading: Reading): Promise<FetchAnswer> =>
    remote.read({
      operation: reading.operation,
      service: 'git-upload-pack',
      body: fetchRequest(request),
      maxBytes: limits.packBytes + limits.answerBytes,
      reader: () => {
        const pack = createPackReader(limits, (oid, object) => keep(oid, object, reading));
        const answer = createFetchReader((chunk) => pack.push(chunk));
        return {
          packet: answer.packet,
          finish: () => {
            const end = answer.finish();
            pack.finish();
            return end;
          },
        };
      },
    });

  const keep = (oid: Oid, object: GitObject, reading: Reading): void => {
    if (object.type !== 'blob') cache.put(oid, object);
    else if (object.bytes.length > limits.fileBytes) cache.mark(oid, 'large', reading.markersKey);
    else if (!hasMarker(object.bytes, reading.markers)) cache.mark(oid, 'skipped', reading.markersKey);
    else cache.put(oid, object);
  };

  /** Tries a request at the best service, and lower where the server says no in words. */
  const withFallback = async <T>(reading: Reading, attempt: (at: Service) => Promise<T>): Promise<T> => {
    for (let at: Service = service; ; ) {
      try {
        const result = await attempt(at);
        service = at;
        return result;
      } catch (error) {
        if (!(error instanceof ServerSaid)) throw error;
        const missing = reading.commits.find((oid) => error.message.includes(oid));
        if (missing !== undefined) throw missingCommit(missing, remote.name, reading.operation);
        const lower = await lowerService(at, reading.operation);
        if (lower === undefined) throw serverSaidError(error, remote.errorContext(reading.operation));
        options.log?.info(`git: reading ${lower === 'blobless' ? 'whole trees' : 'whole commits'}: ${saidBy(error)}`);
        at = lower;
      }
    }
  };

  const lowerService = async (at: Service, operation: GitOperation): Promise<Service | undefined> => {
    if (at === 'whole') return undefined;
    return (await options.hasFilter(operation)) && at === 'objects' ? 'blobless' : 'whole';
  };

  /** The commit and its whole tree, but for large files where the server can leave them out. */
  const fetchWhole = (commit: Oid, reading: Reading) =>
    withFallback(reading, async (at) => {
      const filter = at === 'whole' ? undefined : `blob:limit=${limits.fileBytes + 1}`;
      await fetch({ wants: [commit], depth: 1, filter }, reading);
      reading.sent = filter === undefined ? 'all' : 'limited';
      hasReadWhole = true;
    });

  const fetchCommit = (commit: Oid, reading: Reading) =>
    withFallback(reading, async (at) => {
      // On a commit, `tree:1` sends its root tree along and nothing below.
      await fetch({ wants: [commit], depth: 1, filter: filterAt(at, 'tree:1') }, reading);
      if (at === 'whole') reading.sent = 'all';
    });

  const fetchParts = async (type: Batch['type'], oids: readonly Oid[], reading: Reading): Promise<void> => {
    if (type === 'commit' && reading.sent === 'parts') {
      for (const oid of oids) await fetchCommit(oid, reading);
      return;
    }
    await withFallback(reading, async (at) => {
      const canAsk = at === 'objects' || (at === 'blobless' && type === 'blob');
      if (canAsk && oids.length <= mostMissing * (hasReadWhole ? 1 : Number.POSITIVE_INFINITY)) {
        for (let from = 0; from < oids.length; from += limits.wantsPerRequest) {
          const wants = oids.slice(from, from + limits.wantsPerRequest);
          await fetch({ wants, depth: undefined, filter: filterAt(at, 'tree:0') }, reading);
        }
        return;
      }
      if (reading.sent === 'all') return;
      for (const wanted of reading.commits) {
        await fetch({ wants: [wanted], depth: 1, filter: at === 'whole' ? undefined : 'blob:none' }, reading);
      }
      if (at === 'whole') reading.sent = 'all';
    });
  };

  const missingOf = (oids: readonly Oid[], reading: Reading): readonly Oid[] =>
    oids.filter((oid) => cache.get(oid, reading.markersKey) === undefined);

  return {
    prepare: async (commit, request) => {
      cache.trim();
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
      return withFallback(reading, (at) => fetch({ wants: [from], depth, filter: filterAt(at, 'tree:0') }, reading));
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

/** A reading of which nothing has been sent yet. */
export function startReading(operation: GitOperation, commits: readonly Oid[], markers: readonly string[]): Reading {
  const texts = markers.map((marker) => Buffer.from(marker, 'utf8'));
  return { operation, commits, markers: texts, markersKey: JSON.stringify(markers), sent: 'parts' };
}

function filterAt(at: Service, best: string): string | undefined {
  return at === 'objects' ? best : at === 'blobless' ? 'blob:none' : undefined;
}

function saidBy(error: ServerSaid): string {
  return error.message === '' ? 'the server does no less' : `the server says "${cleanText(error.message)}"`;
}

function missingCommit(oid: Oid, name: string, operation: GitOperation) {
  return gitError(`${name} has no commit ${oid} (any more, or not yet)`, { operation, retryable: true });
}

function missingObject(type: string, oid: Oid, where: { readonly name: string; readonly operation: GitOperation }) {
  const message = `${where.name} answered without the ${type} ${oid} that was asked for`;
  return gitError(message, { operation: where.operation, retryable: true });
}
