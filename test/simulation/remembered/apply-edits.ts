/** Stands in for `src/manifests/splice/apply-edits.ts` in bundles of the simulation: makes the same edits of a text once. */

import { applyEdits as applyAfresh, type Spliced } from '../../../src/manifests/splice/apply-edits.ts';
import type { ObjectEdits } from '../../../src/rollout/edits/edit.ts';
import { Remembered } from './remembered.ts';

export type { Spliced } from '../../../src/manifests/splice/apply-edits.ts';

const known = new Remembered<Spliced>(3000);

/** As the real one, which is pure. */
export function applyEdits(text: string, edits: ObjectEdits): Spliced {
  return known.of(`${JSON.stringify(edits)}\n${text}`, () => applyAfresh(text, edits));
}
