/** Applies one of Git's deltas to its base. */

import { PackError, TooLarge } from './inflate.ts';

/** Up to here a loop is faster than a call, and from there on inside of one piece of memory or between two of them. */
const shortBytes = 12;
const shortApart = 160;

/** How many bytes from a place on. Where `all` is also what base and delta are slices of, bytes are moved at a third of the cost. */
export type Room = { readonly all: Buffer; readonly at: number };

/**
 * The object that `delta` makes of `base`, in what `room` gives for its size. Throws PackError where sizes or ranges do
 * not fit.
 */
export function applyDelta(
  base: Buffer,
  delta: Buffer,
  maxBytes: number,
  room: (size: number) => Room = ownRoom,
): Buffer {
  const cursor = { at: 0 };
  const baseSize = readSize(delta, cursor);
  const size = readSize(delta, cursor);
  if (baseSize !== base.length) throw new PackError(`a delta wants a base of ${baseSize} bytes, has ${base.length}`);
  if (size > maxBytes) throw new TooLarge(`an object of ${size} bytes is over the limit of ${maxBytes}`);
  const { all, at: begin } = room(size);
  const end = begin + size;
  const basePlace = placeIn(all, base);
  const deltaPlace = placeIn(all, delta);
  let filled = begin;
  let { at } = cursor;
  // One loop without an object for each instruction: a delta has dozens of a few bytes each.
  while (at < delta.length) {
    const code = delta[at] ?? 0;
    at += 1;
    if (code === 0) throw new PackError('a delta has the reserved instruction 0');
    let length = code;
    let start = at;
    const isCopy = code >= 0x80;
    if (isCopy) {
      start = 0;
      if (code & 0x01) start = delta[at++] ?? 0;
      if (code & 0x02) start += (delta[at++] ?? 0) * 0x100;
      if (code & 0x04) start += (delta[at++] ?? 0) * 0x1_0000;
      if (code & 0x08) start += (delta[at++] ?? 0) * 0x100_0000;
      length = 0;
      if (code & 0x10) length = delta[at++] ?? 0;
      if (code & 0x20) length += (delta[at++] ?? 0) * 0x100;
      if (code & 0x40) length += (delta[at++] ?? 0) * 0x1_0000;
      if (length === 0) length = 0x1_0000;
    } else at += length;
    const from = isCopy ? base : delta;
    if (start + length > from.length || filled + length > end) throw new PackError('a delta reaches out of bounds');
    const place = isCopy ? basePlace : deltaPlace;
    if (place >= 0 && length > shortBytes) all.copyWithin(filled, place + start, place + start + length);
    // Node makes an object of its own for each copy between two buffers, which costs more than a few bytes.
    else if (length > shortApart) from.copy(all, filled, start, start + length);
    else for (let i = 0; i < length; i += 1) all[filled + i] = from[start + i] ?? 0;
    filled += length;
  }
  if (filled !== end) throw new PackError(`a delta promises ${size} bytes and makes ${filled - begin}`);
  return all.subarray(begin, end);
}

function ownRoom(size: number): Room {
  return { all: Buffer.allocUnsafe(size), at: 0 };
}

/** Where in `all` the bytes of a slice of it are; -1: they are somewhere else. */
function placeIn(all: Buffer, { buffer, byteOffset }: Uint8Array): number {
  return buffer === all.buffer ? byteOffset - all.byteOffset : -1;
}

type Cursor = { at: number };

function readSize(delta: Buffer, cursor: Cursor): number {
  let size = 0;
  for (let shift = 0; shift < 53; shift += 7) {
    const byte = delta[cursor.at];
    if (byte === undefined) break;
    cursor.at += 1;
    size += (byte & 0x7f) * 2 ** shift;
    if ((byte & 0x80) === 0) return size;
  }
  throw new PackError('a delta has a garbled size');
}
