/** Reads single objects out of a pack on the disk, found by its index; the pack itself is never held in memory. */

import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import type { Oid } from '../../ports/git.ts';
import { applyDelta } from './delta.ts';
import { deflateBound, inflateAt, PackError } from './inflate.ts';
import type { GitLimits } from './limits.ts';
import type { GitObject } from './objects.ts';
import { type PackEntry, readPackEntry } from './pack-entry.ts';
import { checkSize } from './pack-objects.ts';

export type LocalPack = {
  /** Undefined where the pack does not have it. Throws PackError. */
  read(oid: Oid): GitObject | undefined;
  close(): void;
};

const magic = 0xff744f63;
const fanOutAt = 8;
const namesAt = fanOutAt + 256 * 4;
const oidBytes = 20;
const windowBytes = 4096;
const longestChain = 4096;
const basesKept = 256;

/** Opens `<name>.pack` by `<name>.idx`. Throws PackError on an index of another version than 2. */
export function openLocalPack(indexFile: string, limits: GitLimits): LocalPack {
  const index = readFileSync(indexFile);
  if (index.length < namesAt || index.readUInt32BE(0) !== magic || index.readUInt32BE(4) !== 2) {
    throw new PackError(`${indexFile} is not a pack index of version 2; run git gc once`);
  }
  const file = openSync(indexFile.replace(/\.idx$/, '.pack'), 'r');
  const bases = new Map<number, GitObject>();
  const read = (oid: Oid): GitObject | undefined => {
    const at = offsetOf(index, oid);
    return at === undefined ? undefined : objectAt({ index, file, limits, bases }, at);
  };
  return { read, close: () => closeSync(file) };
}

/** Binary search below the fan-out of the first byte. */
function offsetOf(index: Buffer, oid: Oid): number | undefined {
  const name = Buffer.from(oid, 'hex');
  const first = name[0] ?? 0;
  const count = index.readUInt32BE(fanOutAt + 255 * 4);
  let low = first === 0 ? 0 : index.readUInt32BE(fanOutAt + (first - 1) * 4);
  let high = index.readUInt32BE(fanOutAt + first * 4);
  while (low < high) {
    const middle = (low + high) >>> 1;
    const from = namesAt + middle * oidBytes;
    const order = name.compare(index, from, from + oidBytes);
    if (order === 0) return offsetAt(index, count, middle);
    if (order < 0) high = middle;
    else low = middle + 1;
  }
  return undefined;
}

function offsetAt(index: Buffer, count: number, position: number): number {
  const offsetsAt = namesAt + count * (oidBytes + 4);
  const small = index.readUInt32BE(offsetsAt + position * 4);
  if (small < 0x80000000) return small;
  return Number(index.readBigUInt64BE(offsetsAt + count * 4 + (small - 0x80000000) * 8));
}

type OpenPack = {
  readonly index: Buffer;
  readonly file: number;
  readonly limits: GitLimits;
  readonly bases: Map<number, GitObject>;
};

function objectAt(pack: OpenPack, at: number): GitObject {
  const deltas: Buffer[] = [];
  let place = at;
  let object = pack.bases.get(place);
  while (object === undefined) {
    if (deltas.length > longestChain) throw new PackError(`a chain of deltas is longer than ${longestChain}`);
    const { entry, bytes } = entryAt(pack, place);
    if (entry.is.kind === 'whole') object = { type: entry.is.type, bytes };
    else {
      deltas.push(bytes);
      const base = entry.is.kind === 'onOffset' ? entry.is.baseAt : offsetOf(pack.index, entry.is.base);
      if (base === undefined) throw new PackError('a delta builds on an object that is not in its pack');
      place = base;
      object = pack.bases.get(place);
    }
  }
  for (const delta of deltas.reverse()) {
    object = { type: object.type, bytes: applyDelta(object.bytes, delta, pack.limits.objectBytes) };
  }
  remember(pack, at, object);
  return object;
}

function remember({ bases, limits }: OpenPack, at: number, object: GitObject): void {
  if (object.bytes.length > limits.fileBytes) return;
  bases.set(at, object);
  const [oldest] = bases.keys();
  if (bases.size > basesKept && oldest !== undefined) bases.delete(oldest);
}

function entryAt(pack: OpenPack, at: number): { readonly entry: PackEntry; readonly bytes: Buffer } {
  let window = readWindow(pack.file, at, windowBytes);
  const entry = readPackEntry(window, 0, window.length, at);
  checkSize(entry.size, pack.limits);
  const needed = entry.dataAt + deflateBound(entry.size);
  if (needed > window.length) window = readWindow(pack.file, at, needed);
  return { entry, bytes: inflateAt(window, entry.dataAt, entry.size).bytes };
}

function readWindow(file: number, at: number, bytes: number): Buffer {
  const window = Buffer.allocUnsafe(bytes);
  return window.subarray(0, readSync(file, window, 0, bytes, at));
}
