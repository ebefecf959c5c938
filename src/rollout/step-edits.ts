/** A move as edits of the manifest: only the fields that it changes, in the order in which people read them. */

import { MARK, MARK_NAMES, type Marks, printMarks } from '../api/marks.ts';
import { RELEASE_PATHS } from '../api/release-content.ts';
import type { Edit, FieldPath, ObjectEdits } from './edit.ts';
import type { Move } from './move.ts';
import type { EditedFile } from './snapshot.ts';

const ROLLING_UPDATE: FieldPath = ['spec', 'rolloutStrategy', 'rollingUpdateConfiguration'];
export const PARTITION_PATH: FieldPath = [...ROLLING_UPDATE, 'partition'];
export const REPLICAS_PATH: FieldPath = ['spec', 'replicas'];
export const MAX_UNAVAILABLE_PATH: FieldPath = [...ROLLING_UPDATE, 'maxUnavailable'];

/** The edits of one move; none for a field that already is as wanted. */
export function editsOf(move: Move, file: EditedFile): ObjectEdits {
  const edits: Edit[] = [...markEdits(file.workload.marks, move.marks)];
  if (move.replicas !== undefined) edits.push({ kind: 'set', path: REPLICAS_PATH, value: move.replicas });
  if (typeof move.maxUnavailable === 'object') edits.push({ kind: 'remove', path: MAX_UNAVAILABLE_PATH });
  else if (move.maxUnavailable !== undefined)
    edits.push({ kind: 'set', path: MAX_UNAVAILABLE_PATH, value: move.maxUnavailable });
  if (move.partition !== undefined) edits.push({ kind: 'set', path: PARTITION_PATH, value: move.partition });
  const source = move.text?.text;
  if (source !== undefined) for (const path of RELEASE_PATHS) edits.push({ kind: 'restore', path, source });
  return { file: file.file, object: file.object, edits };
}

/** The annotations that differ between two sets of marks; `undefined` marks: none at all. */
export function markEdits(before: Marks | undefined, after: Marks | undefined): readonly Edit[] {
  const old = before === undefined ? undefined : printMarks(before);
  const fresh = after === undefined ? undefined : printMarks(after);
  const edits: Edit[] = [];
  for (const key of MARK_NAMES) {
    const value = fresh?.[key];
    if (value === old?.[key]) continue;
    const path = ['metadata', 'annotations', MARK[key]];
    edits.push(value === undefined ? { kind: 'remove', path } : { kind: 'set', path, value });
  }
  return edits;
}
