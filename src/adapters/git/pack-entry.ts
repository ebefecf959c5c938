/** Reads the head of one entry of a pack: what it is, how large, and what it builds on. */

import { PackError } from './inflate.ts';
import type { ObjectType } from './objects.ts';

export type PackEntry = {
  /** Where the compressed bytes start. */
  readonly dataAt: number;
  /** Of the inflated object, or of the inflated delta. */
  readonly size: number;
  readonly is:
    | { readonly kind: 'whole'; readonly type: ObjectType }
    | { readonly kind: 'onOffset'; readonly baseAt: number }
    | { readonly kind: 'onOid'; readonly base: string };
};

const types: readonly (ObjectType | undefined)[] = [undefined, 'commit', 'tree', 'blob', 'tag'];
const onOffset = 6;
const onOid = 7;
const oidBytes = 20;

/** The longest head there is; with this many bytes at hand nothing is ever cut. */
export const longestHead = 40;

/**
 * The head at `at`. `end`: how far the buffer may be read. `origin`: where in the pack the buffer starts; the base of a
 * delta is given as a place in the pack. Throws PackError.
 */
export function readPackEntry(buffer: Buffer, at: number, end: number, origin = 0): PackEntry {
  const place = origin + at;
  const first = byteAt(buffer, at, end);
  let next = at + 1;
  const code = (first >> 4) & 7;
  let size = first & 15;
  for (let more = first, shift = 4; more & 0x80; shift += 7) {
    if (shift > 46) throw new PackError('an object in a pack has a garbled size');
    more = byteAt(buffer, next, end);
    next += 1;
    size += (more & 0x7f) * 2 ** shift;
  }
  const type = types[code];
  if (type !== undefined) return { dataAt: next, size, is: { kind: 'whole', type } };
  if (code === onOid) {
    if (next + oidBytes > end) throw new PackError('a pack ends inside the head of an object');
    const base = buffer.toString('hex', next, next + oidBytes);
    return { dataAt: next + oidBytes, size, is: { kind: 'onOid', base } };
  }
  if (code !== onOffset) throw new PackError(`a pack holds an object of the unknown type ${code}`);
  let value = byteAt(buffer, next, end);
  next += 1;
  let distance = value & 0x7f;
  while (value & 0x80) {
    value = byteAt(buffer, next, end);
    next += 1;
    distance = (distance + 1) * 128 + (value & 0x7f);
    if (distance > place) break;
  }
  if (distance > place || distance === 0) throw new PackError('a delta builds on something before the pack');
  return { dataAt: next, size, is: { kind: 'onOffset', baseAt: place - distance } };
}

function byteAt(buffer: Buffer, index: number, end: number): number {
  const value = index < end ? buffer[index] : undefined;
  if (value === undefined) throw new PackError('a pack ends inside the head of an object');
  return value;
}
