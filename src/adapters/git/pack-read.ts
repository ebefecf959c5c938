/**
 * Reads a pack while it arrives: every object is inflated, put together from its deltas, named by its SHA-1 and
 * handed out. Blobs that nobody wants are dropped unnamed; only the compressed bytes stay until the end.
 */

import { createHash } from 'node:crypto';
import { applyDelta } from './delta.ts';
import { deflateBound, PackError, TooLarge } from './inflate.ts';
import { createInflater, plainInflater } from './inflater.ts';
import type { GitLimits } from './limits.ts';
import { type GitObject, oidOf } from './objects.ts';
import { longestHead, readPackEntry } from './pack-entry.ts';

export type PackTaker = {
  /** Decides by its content whether a blob is worth naming and taking. The bytes are only valid during the call. */
  readonly wantsBlob: (bytes: Buffer) => boolean;
  /** Gets every object but unwanted blobs once, in no promised order. */
  readonly take: (oid: string, object: GitObject) => void;
};

/** An object, or a delta on one, where it stands in the pack. */
type Delta = { readonly at: number; readonly base: number | string; readonly delta: Buffer };

const headBytes = 12;
const trailerBytes = 20;
const firstCapacity = 64 * 1024;
/** Deltas follow their base closely, so a small memory of bases saves nearly all second inflating. */
const basesBytes = 4 * 1024 * 1024;
const longestChain = 4096;
const mostPending = 10_000;
/** From here on the fast inflater earns what it takes to make and try it. */
const manyObjects = 200;

export class PackReader {
  /** How many blobs the pack has, wanted or not. */
  blobs = 0;
  private readonly limits: GitLimits;
  private readonly taker: PackTaker;
  private inflater = plainInflater;
  private buffer = Buffer.allocUnsafe(firstCapacity);
  private filled = 0;
  /** The next entry to read. */
  private at = headBytes;
  private count = -1;
  private done = 0;
  private inflated = 0;
  private readonly bases = new Map<number, GitObject>();
  private basesHeld = 0;
  /** A Map could tell the order too, but slowly: it walks over everything that was ever deleted. */
  private readonly basesInOrder: number[] = [];
  private oldestBase = 0;
  private readonly offsets = new Map<string, number>();
  private unnamed: number[] = [];
  private pending: Delta[] = [];

  constructor(limits: GitLimits, taker: PackTaker) {
    this.limits = limits;
    this.taker = taker;
  }

  /** Takes the next bytes of the pack. Throws PackError. */
  push(chunk: Buffer): void {
    const needed = this.filled + chunk.length;
    const { packBytes } = this.limits;
    if (needed > packBytes) throw new TooLarge(`the pack is over the limit of ${packBytes} bytes`);
    if (needed > this.buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.buffer.length * 2));
      this.buffer.copy(larger, 0, 0, this.filled);
      this.buffer = larger;
    }
    chunk.copy(this.buffer, this.filled);
    this.filled = needed;
    this.readEntries(this.filled, false);
  }

  /** Checks that everything came, and the trailer. Throws PackError. */
  finish(): void {
    const end = this.filled - trailerBytes;
    if (end < headBytes) throw new PackError(`the pack ends after ${this.filled} bytes`);
    this.readEntries(end, true);
    if (this.done !== this.count) throw new PackError(`the pack has ${this.done} of ${this.count} objects`);
    if (this.at !== end) throw new PackError(`the pack has ${end - this.at} bytes too many`);
    const sum = createHash('sha1').update(this.buffer.subarray(0, end)).digest();
    if (!sum.equals(this.buffer.subarray(end, this.filled))) throw new PackError('the pack has a wrong checksum');
    this.resolvePending();
    // A kept connection may hold on to its last reader; it must not hold on to the pack as well.
    this.buffer = Buffer.alloc(0);
    this.bases.clear();
    this.offsets.clear();
    this.inflater.close();
  }

  private readEntries(end: number, isAll: boolean): void {
    if (this.count < 0) {
      if (this.filled < headBytes) return;
      this.count = this.readHead();
    }
    while (this.done < this.count) {
      if (!isAll && end - this.at < longestHead) return;
      const { dataAt, size, is } = readPackEntry(this.buffer, this.at, end);
      this.checkSize(size);
      // An object is only tried once it must be there whole, so that none is inflated twice.
      if (!isAll && end - dataAt < deflateBound(size)) return;
      const at = this.at;
      const { bytes, used } = this.inflate(dataAt, size);
      this.at = dataAt + used;
      this.done += 1;
      if (is.kind === 'whole') this.found(at, { type: is.type, bytes });
      else this.patch({ at, base: is.kind === 'onOid' ? is.base : is.baseAt, delta: Buffer.from(bytes) });
    }
  }

  private readHead(): number {
    const { buffer, limits } = this;
    if (buffer.toString('latin1', 0, 4) !== 'PACK') throw new PackError('the pack does not begin with PACK');
    const version = buffer.readUInt32BE(4);
    if (version !== 2 && version !== 3) throw new PackError(`the pack has version ${version}, wanted 2`);
    const count = buffer.readUInt32BE(8);
    if (count > manyObjects) this.inflater = createInflater();
    if (count <= limits.packObjects) return count;
    throw new TooLarge(`the pack has ${count} objects, the limit is ${limits.packObjects}`);
  }

  /** A whole object, whose bytes may be in the scratch of the inflater. */
  private found(at: number, object: GitObject): void {
    if (object.type === 'blob') {
      this.blobs += 1;
      if (!this.taker.wantsBlob(object.bytes)) {
        this.unnamed.push(at);
        return;
      }
    }
    const own = { type: object.type, bytes: Buffer.from(object.bytes) };
    const oid = oidOf(own);
    this.offsets.set(oid, at);
    this.taker.take(oid, own);
  }

  /** Resolves a delta; false where its base has not come yet. */
  private patch(delta: Delta): boolean {
    const base = this.baseOf(delta.base);
    if (base === undefined) {
      // Git puts a base before its deltas; whoever sends thousands the other way round wants to keep us busy.
      if (this.pending.length >= mostPending)
        throw new PackError(`more than ${mostPending} deltas come before their base`);
      this.pending.push(delta);
      return false;
    }
    const object = this.apply(base, delta.delta);
    this.remember(delta.at, object);
    this.found(delta.at, object);
    return true;
  }

  private baseOf(base: number | string): GitObject | undefined {
    if (typeof base === 'number') return this.objectAt(base);
    if (!this.offsets.has(base)) this.nameAll();
    const at = this.offsets.get(base);
    return at === undefined ? undefined : this.objectAt(at);
  }

  /** Somebody builds on an object by name, and it may be one that we let go unnamed. */
  private nameAll(): void {
    const unnamed = this.unnamed;
    this.unnamed = [];
    for (const at of unnamed) {
      const object = this.objectAt(at);
      if (object !== undefined) this.offsets.set(oidOf(object), at);
    }
  }

  /** Deltas whose base came after them; each round must settle at least one. */
  private resolvePending(): void {
    while (this.pending.length > 0) {
      const waiting = this.pending;
      this.pending = [];
      const settled = waiting.filter((delta) => this.patch(delta));
      if (settled.length === 0)
        throw new PackError(`${waiting.length} objects build on objects that are not in the pack`);
    }
  }

  /** An object read before, from memory or once more from its bytes; undefined where its own base is missing. */
  private objectAt(at: number): GitObject | undefined {
    const deltas: Buffer[] = [];
    let place = at;
    let object = this.bases.get(place);
    while (object === undefined) {
      if (deltas.length > longestChain) throw new PackError(`a chain of deltas is longer than ${longestChain}`);
      if (place >= this.at) throw new PackError('a delta builds on something that is no object');
      const { dataAt, size, is } = readPackEntry(this.buffer, place, this.at);
      this.checkSize(size);
      const bytes = Buffer.from(this.inflate(dataAt, size).bytes);
      if (is.kind === 'whole') object = { type: is.type, bytes };
      else {
        deltas.push(bytes);
        const next = is.kind === 'onOffset' ? is.baseAt : this.offsets.get(is.base);
        if (next === undefined) return undefined;
        place = next;
        object = this.bases.get(place);
      }
    }
    for (const delta of deltas.reverse()) object = this.apply(object, delta);
    this.remember(at, object);
    return object;
  }

  private apply(base: GitObject, delta: Buffer): GitObject {
    const bytes = applyDelta(base.bytes, delta, this.limits.objectBytes);
    this.countInflated(bytes.length);
    return { type: base.type, bytes };
  }

  private inflate(dataAt: number, size: number) {
    this.countInflated(size);
    return this.inflater.inflate(this.buffer, dataAt, size);
  }

  private remember(at: number, object: GitObject): void {
    if (this.bases.has(at)) return;
    this.bases.set(at, object);
    this.basesInOrder.push(at);
    this.basesHeld += object.bytes.length;
    while (this.basesHeld > basesBytes && this.oldestBase < this.basesInOrder.length - 1) {
      const oldest = this.basesInOrder[this.oldestBase] ?? 0;
      this.oldestBase += 1;
      this.basesHeld -= this.bases.get(oldest)?.bytes.length ?? 0;
      this.bases.delete(oldest);
    }
  }

  private checkSize(size: number): void {
    const { objectBytes } = this.limits;
    if (size > objectBytes) throw new TooLarge(`an object of ${size} bytes is over the limit of ${objectBytes}`);
  }

  private countInflated(bytes: number): void {
    this.inflated += bytes;
    const { inflatedBytes } = this.limits;
    if (this.inflated > inflatedBytes) {
      throw new TooLarge(`the objects of the pack inflate to more than ${inflatedBytes} bytes`);
    }
  }
}
