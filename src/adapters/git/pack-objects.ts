/** The objects of a pack that have been read: from a small memory, or once more from their bytes. */

import { applyDelta } from './delta.ts';
import { type Inflated, PackError, TooLarge } from './inflate.ts';
import { createInflater, plainInflater } from './inflater.ts';
import type { GitLimits } from './limits.ts';
import { type GitObject, oidOf } from './objects.ts';
import { PackBases } from './pack-bases.ts';
import type { PackBuffer } from './pack-buffer.ts';
import { type PackEntry, readPackEntry } from './pack-entry.ts';

const longestChain = 4096;

export class PackObjects {
  private readonly limits: GitLimits;
  private readonly buffer: PackBuffer;
  private inflater = plainInflater;
  private inflated = 0;
  private readonly bases = new PackBases();
  private readonly places = new Map<string, number>();
  /** Names that are not among the places yet: git tells the base of a delta by its place, and then nobody looks for a name. */
  private newNames: { readonly oid: string; readonly at: number }[] = [];
  private readonly unnamed: number[] = [];
  /** How many of these have a name meanwhile. */
  private named = 0;

  constructor(limits: GitLimits, buffer: PackBuffer) {
    this.limits = limits;
    this.buffer = buffer;
  }

  /** Whether there are enough objects for the fast inflater to pay for its start. */
  areMany(): void {
    this.inflater = createInflater(this.bases.areMany());
  }

  /** The head of the entry at a place, in places of the pack. Throws PackError. */
  entryAt(place: number, end: number): PackEntry {
    const { buffer } = this;
    const index = buffer.indexOf(place);
    const entry = readPackEntry(buffer.bytes, index, buffer.indexOf(end), place - index);
    return index === place ? entry : { ...entry, dataAt: entry.dataAt + place - index };
  }

  /** The bytes of an entry, which are only valid until the next call. Throws PackError. */
  inflate(dataAt: number, size: number): Inflated {
    this.countInflated(size);
    return this.inflater.inflate(this.buffer.bytes, this.buffer.indexOf(dataAt), size);
  }

  /** Remembers where the object of a name is. */
  name(oid: string, at: number): void {
    this.newNames.push({ oid, at });
  }

  private placeNamed(oid: string): number | undefined {
    for (const { oid: name, at } of this.newNames) this.places.set(name, at);
    this.newNames = [];
    return this.places.get(oid);
  }

  /** Remembers where an object is whose name nobody has asked for. */
  leaveUnnamed(at: number): void {
    this.unnamed.push(at);
  }

  /** Where the object of a name is, as far as the pack has been read. */
  placeOf(oid: string, end: number): number | undefined {
    // It may be one that was released unnamed.
    if (this.placeNamed(oid) === undefined) {
      for (const at of this.unnamed.slice(this.named)) this.nameAt(at, end);
      this.named = this.unnamed.length;
    }
    return this.places.get(oid);
  }

  /** Hands out the objects that were left unnamed, with their names. */
  nameAll(end: number, take: (oid: string, object: GitObject) => void): void {
    for (const at of this.unnamed) {
      const object = this.nameAt(at, end);
      if (object !== undefined) take(oidOf(object), object);
    }
  }

  private nameAt(at: number, end: number): GitObject | undefined {
    const object = this.objectAt(at, end);
    if (object !== undefined) this.places.set(oidOf(object), at);
    return object;
  }

  /** The object at a place before `end`; undefined where its own base is missing. Throws PackError. */
  objectAt(at: number, end: number): GitObject | undefined {
    const deltas: Buffer[] = [];
    let place = at;
    let object = this.bases.get(place);
    while (object === undefined) {
      if (deltas.length > longestChain) throw new PackError(`a chain of deltas is longer than ${longestChain}`);
      if (place >= end) throw new PackError('a delta builds on something that is no object');
      const { dataAt, size, is } = this.entryAt(place, end);
      checkSize(size, this.limits);
      const { bytes } = this.inflate(dataAt, size);
      if (is.kind === 'whole') object = { type: is.type, bytes: this.bases.put(bytes) };
      else {
        deltas.push(Buffer.from(bytes));
        const next = is.kind === 'onOffset' ? is.baseAt : this.placeNamed(is.base);
        if (next === undefined) return undefined;
        place = next;
        object = this.bases.get(place);
      }
    }
    for (const delta of deltas.reverse()) object = this.apply(object, delta);
    this.remember(at, object);
    return object;
  }

  /** What a delta makes of its base. Throws PackError. */
  apply(base: GitObject, delta: Buffer): GitObject {
    const bytes = applyDelta(base.bytes, delta, this.limits.objectBytes, (size) => this.bases.room(size));
    this.countInflated(bytes.length);
    return { type: base.type, bytes };
  }

  /** Keeps what `apply` has made, as the base of others, for a while. */
  remember(at: number, object: GitObject): void {
    this.bases.remember(at, object);
  }

  /** True once more was inflated than one pack may hold: then nothing of it is taken. */
  isExhausted(): boolean {
    return this.inflated > this.limits.inflatedBytes;
  }

  /** Releases everything. */
  close(): void {
    this.bases.close();
    this.places.clear();
    this.inflater.close();
  }

  private countInflated(bytes: number): void {
    this.inflated += bytes;
    const { inflatedBytes } = this.limits;
    if (this.isExhausted()) throw new TooLarge(`the objects of the pack inflate to more than ${inflatedBytes} bytes`);
  }
}

/** Throws TooLarge where one object is over the limit. */
export function checkSize(size: number, { objectBytes }: GitLimits): void {
  if (size > objectBytes) throw new TooLarge(`an object of ${size} bytes is over the limit of ${objectBytes}`);
}
