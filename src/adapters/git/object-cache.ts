/** Objects kept between the reads of one instance, bounded in bytes: what did not change is not fetched again. */

import type { Oid } from '../../ports/git.ts';
import { type BlobMarks, createBlobMarks } from './blob-marks.ts';
import type { FoundObject } from './object-question.ts';
import type { GitObject } from './objects.ts';

/** What a Map entry and its key cost next to the bytes. */
const overheadBytes = 200;

export type ObjectCache = {
  get(oid: Oid, markersKey: string): FoundObject | undefined;
  put(oid: Oid, object: GitObject): void;
  /** Remembers that a blob was seen and has none of these markers, or is over the limit of a file. */
  mark: BlobMarks['mark'];
  /** The same of many that have no marker. */
  markLater: BlobMarks['markLater'];
  /** Forgets down to the bound, first what nobody asked for since the last time. Called between reads: none loses what it needs. */
  trim(): void;
};

/** `age`: when it was asked for last. */
type Kept = { readonly object: GitObject; age: number };

/** An empty cache of about this many bytes. */
export function createObjectCache(maxBytes: number): ObjectCache {
  const objects = new Map<Oid, Kept>();
  /** Counts the times that something may have been forgotten. To keep the order of use for each look costs half a read. */
  let age = 0;
  const marks = createBlobMarks(maxBytes);
  const shelf = createShelf();
  let held = 0;
  return {
    get: (oid, markersKey) => {
      const kept = objects.get(oid);
      if (kept !== undefined) {
        kept.age = age;
        return kept.object;
      }
      const type = marks.get(oid, markersKey);
      return type === undefined ? undefined : { type };
    },
    put: (oid, object) => {
      if (objects.has(oid)) return;
      objects.set(oid, { object: { type: object.type, bytes: shelf.put(object.bytes) }, age });
      held += object.bytes.length + overheadBytes;
    },
    mark: marks.mark,
    markLater: marks.markLater,
    trim: () => {
      marks.trim();
      for (const isIdle of [true, false]) {
        for (const [oid, kept] of objects) {
          if (held <= maxBytes) break;
          if (isIdle && kept.age === age) continue;
          objects.delete(oid);
          held -= kept.object.bytes.length + overheadBytes;
        }
      }
      age += 1;
    },
  };
}

const slabBytes = 64 * 1024;

/**
 * Copies small buffers side by side into slabs. A buffer of its own for each of 10,000 trees keeps the garbage
 * collector busy, and as they come they are slices of larger ones, which they would hold in memory.
 */
function createShelf() {
  let slab = Buffer.alloc(0);
  let filled = 0;
  return {
    put: (bytes: Buffer): Buffer => {
      if (bytes.length > slabBytes / 4) return Buffer.from(bytes);
      if (filled + bytes.length > slab.length) {
        slab = Buffer.allocUnsafeSlow(slabBytes);
        filled = 0;
      }
      const own = slab.subarray(filled, filled + bytes.length);
      bytes.copy(own);
      filled += bytes.length;
      return own;
    },
  };
}
