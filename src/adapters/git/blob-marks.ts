/** What is known of blobs that were not kept, by the markers that were looked for: that they have none, or are too large. */

import type { Oid } from '../../ports/git.ts';

type BlobMark = 'skipped' | 'large';

const markBytes = 120;

export type BlobMarks = {
  readonly get: (oid: Oid, markersKey: string) => BlobMark | undefined;
  readonly mark: (oid: Oid, as: BlobMark, markersKey: string) => void;
  /** Marks `count` blobs as skipped; they are listed only when one of them is looked for. */
  readonly markLater: (oids: () => readonly Oid[], count: number, markersKey: string) => void;
  /** Forgets all of it where it is above the bound. */
  readonly trim: () => void;
};

type Later = { readonly oids: () => readonly Oid[]; readonly more: number };

/** No marks yet, and never more than about this many bytes after `trim`. */
export function createBlobMarks(maxBytes: number): BlobMarks {
  const marks = new Map<string, Map<Oid, BlobMark>>();
  const later = new Map<string, Later[]>();
  let count = 0;
  const mark: BlobMarks['mark'] = (oid, as, markersKey) => {
    const known = marks.get(markersKey) ?? new Map<Oid, BlobMark>();
    if (!known.has(oid)) count += 1;
    marks.set(markersKey, known.set(oid, as));
  };
  const list = (markersKey: string): void => {
    const lists = later.get(markersKey) ?? [];
    later.delete(markersKey);
    for (const { oids, more } of lists) {
      count -= more;
      for (const oid of oids()) mark(oid, 'skipped', markersKey);
    }
  };
  return {
    get: (oid, markersKey) => {
      const known = marks.get(markersKey)?.get(oid);
      if (known !== undefined || !later.has(markersKey)) return known;
      list(markersKey);
      return marks.get(markersKey)?.get(oid);
    },
    mark,
    markLater: (oids, more, markersKey) => {
      count += more;
      later.set(markersKey, [...(later.get(markersKey) ?? []), { oids, more }]);
    },
    trim: () => {
      if (count * markBytes <= maxBytes) return;
      marks.clear();
      later.clear();
      count = 0;
    },
  };
}
