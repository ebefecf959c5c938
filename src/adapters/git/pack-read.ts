/**
 * Reads a pack while it arrives: every object is inflated, put together from its deltas, named by its SHA-1 and
 * handed out. Blobs that nobody wants are dropped unnamed; only the compressed bytes stay until the end. Objects over
 * the limit are passed over where the taker allows it.
 */

import { deflateBound, PackError, TooLarge } from './inflate.ts';
import type { GitLimits } from './limits.ts';
import { type GitObject, oidOf } from './objects.ts';
import { PackBuffer, trailerBytes } from './pack-buffer.ts';
import { longestHead, type PackEntry } from './pack-entry.ts';
import { PackObjects } from './pack-objects.ts';
import { createSkip, type Skip } from './skip-object.ts';

type PackTaker = {
  /** Decides by its content whether a blob is worth naming and taking. The bytes are only valid during the call. */
  readonly wantsBlob: (bytes: Buffer) => boolean;
  /**
   * Gets every object but unwanted blobs once, in no promised order; of one that was passed over only the name. The bytes
   * are only valid during the call.
   */
  readonly take: (oid: string, object: TakenObject) => void;
  /** True: objects over the limit are passed over. False: the whole pack is TooLarge. */
  readonly leavesOut: boolean;
};

export type TakenObject = GitObject | { readonly type: 'large' };

/** An object, or a delta on one, where it stands in the pack. */
type Delta = { readonly at: number; readonly base: number | string; readonly delta: Buffer };

function baseIn(is: Exclude<PackEntry['is'], { readonly kind: 'whole' }>): number | string {
  return is.kind === 'onOid' ? is.base : is.baseAt;
}

type Skipping = { readonly at: number; readonly skip: Skip };

const headBytes = 12;
const mostPending = 10_000;
/** What an object of a repository of manifests takes in a pack, with some to spare. */
const usualBytes = 256;
/** From here on the fast inflater is worth it. */
const manyObjects = 200;

export class PackReader {
  /** How many blobs the pack has, wanted or not. */
  blobs = 0;
  /** How many objects were passed over without a name: only deltas are. */
  unnamedLarge = 0;
  private readonly limits: GitLimits;
  private readonly taker: PackTaker;
  private readonly buffer: PackBuffer;
  private readonly objects: PackObjects;
  /** The next entry to read. */
  private at = headBytes;
  private count = -1;
  private done = 0;
  private pending: Delta[] = [];
  /** The object that is being passed over. */
  private skipping: Skipping | undefined;
  /** Objects that were passed over, and those that build on them. */
  private readonly leftOut = new Set<number>();

  constructor(limits: GitLimits, taker: PackTaker) {
    this.limits = limits;
    this.taker = taker;
    this.buffer = new PackBuffer(limits.packBytes);
    this.objects = new PackObjects(limits, this.buffer);
  }

  /** Takes the next bytes of the pack. Throws PackError. */
  push(chunk: Buffer): void {
    this.buffer.append(chunk);
    this.readEntries(this.buffer.end, false);
  }

  /** Checks that everything came, and the trailer. Throws PackError. */
  finish(): void {
    const end = this.buffer.end - trailerBytes;
    if (end < headBytes) throw new PackError(`the pack ends after ${this.buffer.end} bytes`);
    this.readEntries(end, true);
    if (this.done !== this.count) throw new PackError(`the pack has ${this.done} of ${this.count} objects`);
    if (this.at !== end) throw new PackError(`the pack has ${end - this.at} bytes too many`);
    if (!this.buffer.isIntact()) throw new PackError('the pack has a wrong checksum');
    this.resolvePending();
    // What did not come by name is what was left out, and nothing else.
    if (this.unnamedLarge > 0) this.objects.nameAll(end, this.taker.take);
    this.buffer.close();
    this.objects.close();
  }

  private readEntries(end: number, isAll: boolean): void {
    if (this.count < 0) {
      if (end < headBytes) return;
      this.count = this.readHead();
    }
    while (this.done < this.count) {
      if (this.skipping !== undefined) {
        if (!this.skipOn(this.skipping, end)) return;
        continue;
      }
      if (!isAll && end - this.at < longestHead) return;
      const entry = this.objects.entryAt(this.at, end);
      if (this.startSkip(entry)) continue;
      const { dataAt, size, is } = entry;
      // An object is only tried once it must be there whole, so that none is inflated twice.
      if (!isAll && end - dataAt < deflateBound(size)) return;
      const at = this.at;
      // The base first: to inflate it may overwrite what was inflated before.
      const base = is.kind === 'whole' ? undefined : this.baseOf(baseIn(is));
      const { bytes, used } = this.objects.inflate(dataAt, size);
      this.at = dataAt + used;
      this.done += 1;
      if (is.kind === 'whole') this.found(at, { type: is.type, bytes });
      else if (base === undefined) this.wait({ at, base: baseIn(is), delta: Buffer.from(bytes) });
      else this.patch({ at, delta: bytes }, base);
    }
  }

  private readHead(): number {
    const { bytes } = this.buffer;
    if (bytes.toString('latin1', 0, 4) !== 'PACK') throw new PackError('the pack does not start with PACK');
    const version = bytes.readUInt32BE(4);
    if (version !== 2 && version !== 3) throw new PackError(`the pack has version ${version}, wanted 2`);
    const count = bytes.readUInt32BE(8);
    if (count > manyObjects) this.objects.areMany();
    const { packObjects } = this.limits;
    if (count <= packObjects) {
      this.buffer.reserve(count * usualBytes);
      return count;
    }
    throw new TooLarge(`the pack has ${count} objects, the limit is ${packObjects}`);
  }

  /** Starts to pass over an object that is over the limit. Throws TooLarge where nothing may be left out. */
  private startSkip(entry: PackEntry): boolean {
    const { is, size } = entry;
    const isBlob = is.kind === 'whole' && is.type === 'blob';
    const most = isBlob ? this.limits.blobBytes : this.limits.objectBytes;
    if (size <= most) return false;
    // Folders and commits are never left out: what is below one would look as if it were not there.
    const mayLeaveOut = this.taker.leavesOut && (isBlob || is.kind !== 'whole');
    const skip = mayLeaveOut ? createSkip(entry) : undefined;
    if (skip === undefined) throw new TooLarge(`an object of ${size} bytes is over the limit of ${most}`);
    this.skipping = { at: this.at, skip };
    this.at = entry.dataAt;
    return true;
  }

  /** True once the object is over. */
  private skipOn({ at, skip }: Skipping, end: number): boolean {
    const { buffer } = this;
    const { used, isOver } = skip.push(buffer.bytes, buffer.indexOf(this.at), buffer.indexOf(end));
    buffer.drop(this.at, this.at + used);
    this.at += used;
    if (!isOver) return false;
    this.skipping = undefined;
    this.done += 1;
    const oid = skip.oid();
    if (oid === undefined) return this.leaveOut(at);
    this.leftOut.add(at);
    this.blobs += 1;
    this.objects.name(oid, at);
    this.taker.take(oid, { type: 'large' });
    return true;
  }

  private leaveOut(at: number): true {
    this.leftOut.add(at);
    this.unnamedLarge += 1;
    return true;
  }

  /** A whole object, whose bytes may be in the scratch of the inflater. */
  private found(at: number, object: GitObject): void {
    if (object.type === 'blob') {
      this.blobs += 1;
      if (!this.taker.wantsBlob(object.bytes)) {
        this.objects.leaveUnnamed(at);
        return;
      }
    }
    const oid = oidOf(object);
    this.objects.name(oid, at);
    this.taker.take(oid, object);
  }

  /** Keeps a delta until its base has come. */
  private wait(delta: Delta): void {
    // Git puts a base before its deltas; anyone who sends thousands the other way round wants to keep us busy.
    if (this.pending.length >= mostPending)
      throw new PackError(`more than ${mostPending} deltas come before their base`);
    this.pending.push(delta);
  }

  /** Resolves a delta that waited; false where its base has not come yet. */
  private resolve(delta: Delta): boolean {
    const base = this.baseOf(delta.base);
    if (base !== undefined) return this.patch(delta, base);
    this.wait(delta);
    return false;
  }

  private patch(delta: Omit<Delta, 'base'>, base: GitObject | 'leftOut'): true {
    if (base === 'leftOut') return this.leaveOut(delta.at);
    const object = this.apply(base, delta.delta);
    if (object === undefined) return this.leaveOut(delta.at);
    this.objects.remember(delta.at, object);
    this.found(delta.at, object);
    return true;
  }

  private baseOf(base: number | string): GitObject | 'leftOut' | undefined {
    const at = typeof base === 'number' ? base : this.objects.placeOf(base, this.at);
    if (at === undefined) return undefined;
    return this.leftOut.has(at) ? 'leftOut' : this.objects.objectAt(at, this.at);
  }

  /** Undefined where the result is over the limit and may be left out. */
  private apply(base: GitObject, delta: Buffer): GitObject | undefined {
    try {
      return this.objects.apply(base, delta);
    } catch (error) {
      if (!(error instanceof TooLarge) || !this.taker.leavesOut || this.objects.isExhausted()) throw error;
      return undefined;
    }
  }

  /** Deltas whose base came after them; each round must settle at least one. */
  private resolvePending(): void {
    while (this.pending.length > 0) {
      const waiting = this.pending;
      this.pending = [];
      const settled = waiting.filter((delta) => this.resolve(delta));
      if (settled.length > 0) continue;
      if (this.unnamedLarge === 0)
        throw new PackError(`${waiting.length} objects build on objects that are not in the pack`);
      // What they build on may be among what was passed over without a name.
      for (const { at } of this.pending.splice(0)) this.leaveOut(at);
    }
  }
}
