/** Applies one of Git's deltas to its base. */

import { PackError, TooLarge } from './inflate.ts';

const shortBytes = 160;

/** Where a result is put: a buffer of just this length. */
type Room = (size: number) => Buffer;

/**
 * The object that `delta` makes of `base`, in what `room` gives for its size. Throws PackError where sizes or ranges do
 * not fit.
 */
export function applyDelta(
  base: Buffer,
  delta: Buffer,
  maxBytes: number,
  room: Room = (size) => Buffer.allocUnsafe(size),
): Buffer {
  const cursor = { at: 0 };
  const baseSize = readSize(delta, cursor);
  const size = readSize(delta, cursor);
  if (baseSize !== base.length) throw new PackError(`a delta wants a base of ${baseSize} bytes, has ${base.length}`);
  if (size > maxBytes) throw new TooLarge(`an object of ${size} bytes is over the limit of ${maxBytes}`);
  const result = room(size);
  let filled = 0;
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
    if (start + length > from.length || filled + length > size) throw new PackError('a delta reaches out of bounds');
    // Node makes an object of its own for each copy, which costs more than a few bytes.
    if (length > shortBytes) from.copy(result, filled, start, start + length);
    else for (let i = 0; i < length; i += 1) result[filled + i] = from[start + i] ?? 0;
    filled += length;
  }
  if (filled !== size) throw new PackError(`a delta promises ${size} bytes and makes ${filled}`);
  return result;
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
