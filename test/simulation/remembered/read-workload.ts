/** Stands in for `src/reconcile/documents/read-workload.ts` in bundles of the simulation: reads each text once, which a pass does at twenty places. */

import { plantedBug } from '../../../scripts/planted-switch.mjs';
import type { ManifestDocument } from '../../../src/manifests/parse-file.ts';
import { readWorkload as readAfresh } from '../../../src/reconcile/documents/read-workload.ts';

export { SIZE_PATH } from '../../../src/reconcile/documents/read-workload.ts';

type Reading = ReturnType<typeof readAfresh>;

/** By what a text was read as, and where it stands: a text that is parsed once more is another one. */
let known = new WeakMap<object, Map<string, Reading>>();
let under = 0;

/** As the real one, which is pure: what is read of a document is told by its text and by where that stands. */
export function readWorkload(document: ManifestDocument): Reading {
  if (under !== plantedBug()) {
    known = new WeakMap();
    under = plantedBug();
  }
  const { file, firstLine, value } = document;
  const place = `${file}\n${firstLine}`;
  const found = known.get(value) ?? new Map<string, Reading>();
  known.set(value, found);
  const read = found.get(place) ?? readAfresh(document);
  found.set(place, read);
  return read;
}
