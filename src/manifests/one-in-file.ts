/** Which of several documents of one name in one file counts. */

import { at } from '../api/json.ts';
import { MARK } from '../api/marks.ts';
import type { ManifestDocument } from './parse-file.ts';

/** Whether a document has the annotation that says what of it was delivered. */
export function isManaged({ value }: Pick<ManifestDocument, 'value'>): boolean {
  return at(value, ['metadata', 'annotations', MARK.release]) !== undefined;
}

/**
 * The one that tranche delivers: what is copied without its annotations, or behind it, is a twin. Who puts another with annotations
 * in front of it may write the file, and could have edited those that are there. Of Rollouts, which have none, the first.
 * undefined: there is none, or nothing tells which it is.
 */
export function oneInFile(documents: readonly ManifestDocument[]): ManifestDocument | undefined {
  const [first, ...others] = documents;
  if (others.length === 0 || first?.object.kind === 'Rollout') return first;
  return documents.find(isManaged);
}
