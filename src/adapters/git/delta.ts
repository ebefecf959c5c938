/** Applies one of Git's deltas to its base. */

import { PackError, TooLarge } from './inflate.ts';

const shortBytes = 160;

/** The object that `delta` makes of `base`. Throws PackError where sizes or ranges do not fit. */
export function applyDelta(base: Buffer, delta: Buffer, maxBytes: number): Buffer {
  const cursor = { at: 0 };
  const baseSize = readSize(delta, cursor);
  const size = readSize(delta, cursor);
  if (baseSize !== base.length) throw new PackError(`a delta wants a base of ${baseSize} bytes, has ${base.length}`);
  if (size > maxBytes) throw new TooLarge(`an object of ${size} bytes is over the limit of ${maxBytes}`);
  const result = Buffer.allocUnsafe(size);
  let filled = 0;
  while (cursor.at < delta.length) {
    const code = delta[cursor.at] ?? 0;
    cursor.at += 1;
    if (code === 0) throw new PackError('a delta has the reserved instruction 0');
    const { from, start, length } = code & 0x80 ? copyOf(base, delta, cursor, code) : insertOf(delta, cursor, code);
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
type Piece = { readonly from: Buffer; readonly start: number; readonly length: number };

function copyOf(base: Buffer, delta: Buffer, cursor: Cursor, code: number): Piece {
  let start = 0;
  let length = 0;
  for (let bit = 0; bit < 7; bit += 1) {
    if ((code & (1 << bit)) === 0) continue;
    const byte = delta[cursor.at] ?? 0;
    cursor.at += 1;
    // No shifts: the fourth byte of an offset would turn it negative.
    if (bit < 4) start += byte * 2 ** (8 * bit);
    else length += byte * 2 ** (8 * (bit - 4));
  }
  return { from: base, start, length: length === 0 ? 0x10000 : length };
}

function insertOf(delta: Buffer, cursor: Cursor, length: number): Piece {
  const start = cursor.at;
  cursor.at += length;
  return { from: delta, start, length };
}

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
