/**
 * What deltas were applied to a short while ago, and what they made: the next deltas build on it nearly always. All of it is
 * in one piece of memory that is used again and again, together with the room in which deltas are inflated.
 */

import type { Room } from './delta.ts';
import type { GitObject } from './objects.ts';

/** Deltas follow their base closely, so a small memory saves nearly all second inflating. */
const usualSlabBytes = 1024 * 1024;
/** Of the last bases, of those before them, and of the next ones, which are made while an old one is still read. */
const slabs = 3;
const scratchBytes = 64 * 1024;

export class PackBases {
  private readonly slabBytes: number;
  /** Those remembered last, and those before them: so that none is ever deleted one by one, which is slow in a Map. */
  private bases = new Map<number, GitObject>();
  private older = new Map<number, GitObject>();
  private memory: Buffer | undefined;
  private slab = 0;
  private filled = 0;

  constructor(slabBytes = usualSlabBytes) {
    this.slabBytes = slabBytes;
  }

  /** Takes the memory that many objects are worth, and gives the part of it that is for inflating. */
  areMany(): Buffer {
    this.memory = Buffer.allocUnsafeSlow(scratchBytes + slabs * this.slabBytes);
    return this.memory.subarray(0, scratchBytes);
  }

  /** Room for one object. What was got from here before stays as it is until the room after this one is asked for. */
  room(size: number): Room {
    if (this.filled > 0 && this.filled + size > this.slabBytes) this.forgetOlder();
    const at = this.filled;
    this.filled += size;
    // One that is larger than a slab is alone in its turn.
    if (this.memory === undefined || size > this.slabBytes) return { all: Buffer.allocUnsafe(size), at: 0 };
    return { all: this.memory, at: scratchBytes + this.slab * this.slabBytes + at };
  }

  /** Puts a copy of these bytes into a room. */
  put(bytes: Buffer): Buffer {
    const { all, at } = this.room(bytes.length);
    bytes.copy(all, at);
    return all.subarray(at, at + bytes.length);
  }

  private forgetOlder(): void {
    this.older = this.bases;
    this.bases = new Map();
    this.slab = (this.slab + 1) % slabs;
    this.filled = 0;
  }

  /** Keeps an object for a while whose bytes are in the room that was given last. */
  remember(at: number, object: GitObject): void {
    this.bases.set(at, object);
  }

  get(at: number): GitObject | undefined {
    return this.bases.get(at) ?? this.older.get(at);
  }

  close(): void {
    this.bases.clear();
    this.older.clear();
    this.memory = undefined;
  }
}
