/** Stands in for `src/manifests/splice/apply-edits.ts` in bundles of the simulation: makes the same edits of a text once. */

import { applyEdits as applyAfresh, type Spliced } from '../../../src/manifests/splice/apply-edits.ts';
import type { ObjectEdits } from '../../../src/rollout/edits/edit.ts';
import { Remembered } from './remembered.ts';

export type { InTheWay, Spliced } from '../../../src/manifests/splice/apply-edits.ts';

const known = new Remembered<Spliced>(3000);

type How = Parameters<typeof applyAfresh>[2];

/** As the real one, which is pure: the texts that are known save it a parse, and change nothing of what it answers. */
export function applyEdits(text: string, edits: ObjectEdits, how: How = {}): Spliced {
  return known.of(`${how.aliases}\n${JSON.stringify(edits)}\n${text}`, () => applyAfresh(text, edits, how));
}
