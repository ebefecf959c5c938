/** Decides which requests get the objects of a read, in as few of them and as few bytes as the server allows. */

import type { Expected, Marked, Oid, ReadRequest } from '../../ports/git.ts';
import type { FetchAnswer } from './fetch-answer.ts';
import { FetchGather } from './fetch-gather.ts';
import { type GitOperation, gitError } from './git-error.ts';
import { MARKED_MOST, soughtBy } from './marked-list.ts';
import { createObjectCache, type ObjectCache } from './object-cache.ts';
import type { Batch, FoundObject, Lookup, SentWhole } from './object-question.ts';
import type { GitObject } from './objects.ts';
import type { TakenObject } from './pack-read.ts';
import { RemoteAhead } from './remote-ahead.ts';
import {
  filterAt,
  type Reading,
  RemoteFetch,
  type RemoteFetchOptions,
  type Service,
  startReading,
} from './remote-fetch.ts';
import { RemoteWhole } from './remote-whole.ts';

/** How many objects missing from a tree that was known once: one whole fetch is cheaper than asking for each. */
const mostMissing = 2000;

/** Keeps what was fetched for the next read. Opens no connection yet. */
export class RemoteObjects {
  private readonly options: RemoteFetchOptions;
  private readonly cache: ObjectCache;
  private readonly server: RemoteFetch;
  private readonly gather: FetchGather;
  private readonly ahead: RemoteAhead;
  private readonly whole: RemoteWhole;
  /** The markers that a whole tree was sent for. */
  private readonly sentFor = new Set<string>();
  private running = 0;

  constructor(options: RemoteFetchOptions) {
    this.options = options;
    this.cache = createObjectCache(options.limits.cacheBytes);
    const keep = (oid: Oid, object: TakenObject, reading: Reading) => this.keep(oid, object, reading);
    this.server = new RemoteFetch(options, keep);
    this.ahead = new RemoteAhead(this.server, (oid) => this.cache.get(oid, '') !== undefined);
    const markLarge = (oid: Oid, { markersKey }: Reading) => this.cache.mark(oid, 'large', markersKey);
    const find = (oid: Oid, { markersKey }: Reading) => this.cache.get(oid, markersKey);
    this.whole = new RemoteWhole({ ...options, server: this.server, keep, find, markLarge });
    this.gather = new FetchGather({
      send: (request, reading, take) => this.server.fetch(request, reading, { take }),
      keep,
      wantsPerRequest: options.limits.wantsPerRequest,
    });
  }

  /** Asks early for what is going to be read. */
  expect(expected: Expected): void {
    this.whole.expect(expected);
    void this.during(() => this.ahead.fetch(expected));
  }

  /** Keeps what was pushed: the next pass reads it. */
  remember(objects: ReadonlyMap<Oid, GitObject>): void {
    for (const [oid, object] of objects) this.cache.put(oid, object);
    if (this.running === 0) this.cache.trim();
  }

  /** Runs a read or push; what it needs is not forgotten before it ends. */
  async during<T>(call: () => Promise<T>): Promise<T> {
    this.running += 1;
    try {
      return await call();
    } finally {
      this.running -= 1;
      if (this.running === 0) this.cache.trim();
    }
  }

  /** Gets a commit with what the request makes likely to be needed next. */
  async prepare(commit: Oid, request: ReadRequest): Promise<Reading> {
    const reading = startReading('read', [commit], [...request.markers, ...(request.soon ?? [])]);
    const isWhole = request.paths.includes('');
    const isSmall = request.markers.length === 0;
    // Once a whole tree is known, the next one differs in little: for these markers. The first comes whatever was asked for early.
    const isFirst = isWhole && !isSmall && !this.sentFor.has(reading.markersKey);
    if (!isFirst && this.commit(commit) === undefined) await this.ahead.arrived();
    const isKnown = this.commit(commit) !== undefined;
    if (isFirst || (isWhole && isSmall && !isKnown)) await this.whole.fetch(commit, reading);
    else if (!isKnown) await this.fetchCommit(commit, reading);
    // A small tree, as that of a status branch, says nothing of the large one.
    if (isFirst) this.sentFor.add(reading.markersKey);
    return reading;
  }

  /** Answers for a batch. Throws PortError where the server does not give what was asked. */
  async load(batch: Batch, reading: Reading): Promise<Lookup> {
    const named = new Set(batch.named);
    const asked = [...batch.oids, ...named];
    const lacks = (oid: Oid): boolean => {
      const found = this.cache.get(oid, reading.markersKey);
      return found === undefined || (found.type === 'skipped' && named.has(oid));
    };
    if (asked.some(lacks)) await this.ahead.arrived();
    const missing = asked.filter(lacks);
    const leftOut = batch.type === 'blob' && reading.sent === 'limited';
    const open = leftOut ? missing.filter((oid) => named.has(oid)) : missing;
    // Those that are wanted for their names were released as well, whatever else was sent.
    const asking: Reading = named.size === 0 ? reading : { ...reading, named, sent: 'parts', whole: undefined };
    if (open.length > 0) await this.fetchParts(batch.type, open, asking);
    const mayMiss = leftOut || (batch.type === 'blob' && asking.leftOut);
    // All others were there before, or are known to have no marker.
    const lost = mayMiss ? undefined : open.find(lacks);
    if (lost !== undefined) {
      throw missingObject(batch.type, lost, { name: this.options.remote.name, operation: reading.operation });
    }
    // Nothing is forgotten while a reading runs. Where something is left out, the server did so because of its size.
    return (oid) => this.cache.get(oid, reading.markersKey) ?? { type: 'large' };
  }

  /** What is known of a commit after `prepare`. */
  sentWhole(reading: Reading): SentWhole | undefined {
    const { whole, markersKey } = reading;
    if (whole === undefined) return undefined;
    return {
      ...whole,
      letGo: (oids, about) => this.cache.markLater(oids, about, markersKey),
    };
  }

  /**
   * What the next process may be told of a commit: the files with a marker and those that are too large, where they are not
   * too many. `readAt`: what it builds on was read then, if it does.
   */
  marked(
    commit: Oid,
    reading: Reading,
    { kept, readAt }: { readonly kept: ReadonlySet<Oid> | undefined; readonly readAt: Marked['readAt'] },
  ): Marked | undefined {
    if (kept === undefined || kept.size > MARKED_MOST) return undefined;
    const found = [...kept].sort().map((oid) => ({ oid, type: this.cache.get(oid, reading.markersKey)?.type }));
    const those = (type: FoundObject['type']) => found.flatMap((one) => (one.type === type ? [one.oid] : []));
    const [blobs, large] = [those('blob'), those('large')];
    if (blobs.length + large.length < kept.size) return undefined;
    return { commit, sought: soughtBy(reading, this.options.limits), blobs, large, readAt };
  }

  /** At least `depth` commits of the line from `from`, as far as it goes; commits only where the server can. */
  loadHistory(from: Oid, depth: number): Promise<FetchAnswer> {
    const reading = startReading('history', [from], []);
    return this.server.withFallback(reading, (at) =>
      this.server.fetch({ wants: [from], depth, filter: filterAt(at, 'tree:0') }, reading),
    );
  }

  /** A commit that is at hand. */
  commit(oid: Oid): GitObject | undefined {
    const found = this.cache.get(oid, '');
    return found?.type === 'commit' ? found : undefined;
  }

  private keep(oid: Oid, object: TakenObject, reading: Reading): void {
    const { markersKey } = reading;
    if (object.type === 'large') this.cache.mark(oid, 'large', markersKey);
    else if (object.type !== 'blob') this.cache.put(oid, object);
    else if (object.bytes.length > this.options.limits.fileBytes) this.cache.mark(oid, 'large', markersKey);
    else if (!reading.named.has(oid) && !reading.hasMarker(object.bytes)) this.cache.mark(oid, 'skipped', markersKey);
    else this.cache.put(oid, object);
  }

  private fetchCommit(commit: Oid, reading: Reading): Promise<void> {
    return this.server.withFallback(reading, async (at) => {
      // On a commit, `tree:1` sends its root tree along and nothing below: one request less.
      const request = { depth: 1, filter: filterAt(at, 'tree:1') };
      if (at !== 'whole') {
        await this.gather.fetch(request, [commit], reading);
        return;
      }
      await this.server.fetch({ ...request, wants: [commit] }, reading);
      reading.sent = 'all';
    });
  }

  private async fetchParts(type: Batch['type'], oids: readonly Oid[], reading: Reading): Promise<void> {
    if (type === 'commit') {
      for (const oid of oids) await this.fetchCommit(oid, reading);
      return;
    }
    // All trees of a commit can be had without asking for each; files only with everything else.
    const isFew = type === 'blob' || this.sentFor.size === 0 || oids.length <= mostMissing;
    await this.server.withFallback(reading, async (at) => {
      const canAsk = at === 'withRoot' || at === 'single' || (at === 'blobless' && type === 'blob');
      if (canAsk && isFew) await this.fetchObjects(oids, at, reading);
      else if (reading.sent !== 'all' || reading.whole !== undefined) await this.fetchTrees(at, reading);
    });
  }

  private async fetchObjects(oids: readonly Oid[], at: Service, reading: Reading): Promise<void> {
    const { wantsPerRequest } = this.options.limits;
    for (let from = 0; from < oids.length; from += wantsPerRequest) {
      const wants = oids.slice(from, from + wantsPerRequest);
      await this.gather.fetch({ depth: undefined, filter: filterAt(at, 'tree:0') }, wants, reading);
    }
  }

  /** All trees of the commits that are being read, with the blobs where the server cannot leave them out. */
  private async fetchTrees(at: Service, reading: Reading): Promise<void> {
    const filter = at === 'whole' ? undefined : 'blob:none';
    for (const commit of reading.commits) await this.server.fetch({ wants: [commit], depth: 1, filter }, reading);
    if (at === 'whole') reading.sent = 'all';
    reading.whole = undefined;
  }
}

function missingObject(type: string, oid: Oid, where: { readonly name: string; readonly operation: GitOperation }) {
  const message = `${where.name} answered without the ${type} ${oid} that was asked for`;
  return gitError(message, { operation: where.operation, retryable: true });
}
