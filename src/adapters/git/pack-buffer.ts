/** The bytes of a pack as they arrive, but for those that were released; places are those in the whole pack. */

import { createHash } from 'node:crypto';
import { TooLarge } from './inflate.ts';

const firstCapacity = 64 * 1024;
/** Memory is only taken once bytes come, but a server's word is not trusted with more than this. */
const mostReserved = 64 * 1024 * 1024;
export const trailerBytes = 20;

export class PackBuffer {
  bytes = Buffer.allocUnsafe(firstCapacity);
  private filled = 0;
  private dropped = 0;
  /** Few: only objects that are over a limit are released. */
  private readonly holes: { readonly from: number; bytes: number }[] = [];
  private readonly sum = createHash('sha1');
  /** The last bytes so far, which are not summed: the trailer is one of them. */
  private tail = Buffer.alloc(0);
  private readonly maxBytes: number;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** The place behind the last byte. */
  get end(): number {
    return this.filled + this.dropped;
  }

  /** Makes room for what is likely to come: to grow step by step copies all of it and takes twice the memory. */
  reserve(bytes: number): void {
    const wanted = Math.min(bytes, this.maxBytes, mostReserved);
    if (wanted > this.bytes.length) this.growTo(wanted);
  }

  private growTo(bytes: number): void {
    const larger = Buffer.allocUnsafe(bytes);
    this.bytes.copy(larger, 0, 0, this.filled);
    this.bytes = larger;
  }

  /** Takes the next bytes. Throws TooLarge. */
  append(chunk: Buffer): void {
    const needed = this.filled + chunk.length;
    if (needed > this.maxBytes) throw new TooLarge(`the pack is over the limit of ${this.maxBytes} bytes`);
    if (needed > this.bytes.length) this.growTo(Math.max(needed, this.bytes.length * 2));
    chunk.copy(this.bytes, this.filled);
    this.filled = needed;
    const unsummed = chunk.length < trailerBytes ? Buffer.concat([this.tail, chunk]) : chunk;
    if (unsummed === chunk) this.sum.update(this.tail);
    const summed = Math.max(0, unsummed.length - trailerBytes);
    this.sum.update(unsummed.subarray(0, summed));
    this.tail = Buffer.from(unsummed.subarray(summed));
  }

  /** Where in `bytes` a place is that was kept. */
  indexOf(place: number): number {
    let index = place;
    for (const hole of this.holes) if (hole.from < place) index -= hole.bytes;
    return index;
  }

  /** Releases the bytes from one place to another, behind everything that was released before. */
  drop(from: number, to: number): void {
    if (to === from) return;
    const bytes = to - from;
    this.bytes.copyWithin(this.indexOf(from), this.indexOf(from) + bytes, this.filled);
    this.filled -= bytes;
    this.dropped += bytes;
    const last = this.holes.at(-1);
    if (last !== undefined && last.from + last.bytes === from) last.bytes += bytes;
    else this.holes.push({ from, bytes });
  }

  /** True where the last bytes are the sum of all others. */
  isIntact(): boolean {
    return this.sum.digest().equals(this.tail);
  }

  /** A kept connection may hold on to its last reader; it must not hold on to the pack as well. */
  close(): void {
    this.bytes = Buffer.alloc(0);
  }
}
