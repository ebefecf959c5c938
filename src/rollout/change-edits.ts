/** Changes of objects as edits of their manifests: only what they change, in the order in which people read it. */

import { sameValue } from '../api/field.ts';
import { MARK, MARK_NAMES, type Marks, printMarks } from '../api/marks.ts';
import { RELEASE_PATHS } from '../api/release-content.ts';
import { type FieldChange, type ObjectChange, type ObjectContent } from './change.ts';
import type { Edit, ObjectEdits } from './edit.ts';

/** The edits of one commit. New documents come first: what they are copied from is then as it was. */
export function editsOf(changes: readonly ObjectChange[]): readonly ObjectEdits[] {
  const made = changes.filter(({ kind }) => kind === 'create');
  const others = changes.filter(({ kind }) => kind !== 'create');
  return [...made, ...others].map(objectEdits);
}

function objectEdits(change: ObjectChange): ObjectEdits {
  const { file, object } = change;
  switch (change.kind) {
    case 'edit':
      return { file, object, edits: contentEdits(change) };
    case 'create':
      return { file, object, edits: contentEdits(change), document: change.document };
    case 'delete':
      break;
  }
  return { file, object, edits: [], document: change.document };
}

function contentEdits({ fields, workload }: ObjectContent): readonly Edit[] {
  const marks = workload === undefined ? [] : markEdits(workload.marks.from, workload.marks.to);
  const source = workload?.content.source;
  const text = source === undefined ? [] : RELEASE_PATHS.map((path): Edit => ({ kind: 'restore', path, source }));
  return [...marks, ...fields.flatMap(fieldEdit), ...text];
}

/** None where the field is to stay. */
export function fieldEdit({ path, from, to }: FieldChange): readonly Edit[] {
  if (sameValue(from, to)) return [];
  return [typeof to === 'object' ? { kind: 'remove', path } : { kind: 'set', path, value: to }];
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
