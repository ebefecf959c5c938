/** Changes of objects as edits of their manifests: only what they change, in the order in which people read it. */

import { sameValue } from '../../api/field.ts';
import { MARK, MARK_NAMES, type Marks, printMarks } from '../../api/marks.ts';
import { RELEASE_PATHS } from '../../api/release-content.ts';
import type { Beneath } from './beneath.ts';
import { carriedEdits } from './carried-edits.ts';
import type { FieldChange, ObjectChange, ObjectContent, WorkloadPart } from './change.ts';
import type { Edit, ObjectEdits } from './edit.ts';
import { overField, pinEdits } from './patch-edits.ts';
import { patchedEdits } from './patched-release.ts';

/** The edits of one commit. New documents come first: what they are copied from is then as it was. */
export function editsOf(changes: readonly ObjectChange[]): readonly ObjectEdits[] {
  const made = changes.filter(isMade);
  const others = changes.filter((change) => !isMade(change));
  return [...made, ...others].map(objectEdits);
}

function isMade(change: ObjectChange): boolean {
  return change.kind === 'create' || (change.kind === 'exact' && change.document !== undefined);
}

function objectEdits(change: ObjectChange): ObjectEdits {
  const { file, object } = change;
  switch (change.kind) {
    case 'edit': {
      const { beneath, carried, workload, fields } = change;
      if (carried !== undefined && workload !== undefined)
        return { file, object, edits: releaseEdits({ fields, workload, carried }, beneath) };
      if (beneath !== undefined) return { file, object, edits: patchEdits({ workload, fields }, beneath) };
      return { file, object, edits: contentEdits(workload, fields.flatMap(fieldEdit)) };
    }
    case 'create': {
      const { beneath, carried, workload, fields } = change;
      const { document } = change;
      if (carried !== undefined && workload !== undefined)
        return { file, object, edits: releaseEdits({ fields, workload, carried }, beneath), document };
      const edits =
        beneath === undefined
          ? contentEdits(workload, fields.flatMap(fieldEdit))
          : patchEdits({ workload, fields }, beneath);
      return { file, object, edits, document };
    }
    case 'exact':
      return { file, object, edits: contentEdits(change.workload, change.edits), document: change.document };
    case 'delete':
      break;
  }
  return { file, object, edits: [], document: change.document };
}

/** Marks first, the template that is put back last. */
function contentEdits(workload: WorkloadPart | undefined, edits: readonly Edit[]): readonly Edit[] {
  const marks = workload === undefined ? [] : markEdits(workload.marks.from, workload.marks.to);
  const source = workload?.content.source;
  const text = source === undefined ? [] : RELEASE_PATHS.map((path): Edit => ({ kind: 'restore', path, source }));
  return [...marks, ...edits, ...text];
}

/** Of a HelmRelease, in its own document or in our patch over it. */
function releaseEdits(change: Parameters<typeof carriedEdits>[0], beneath: Beneath | undefined): readonly Edit[] {
  const { from, to } = change.workload.marks;
  return [...markEdits(from, to), ...(beneath === undefined ? carriedEdits(change) : patchedEdits(change, beneath))];
}

/** The same of our patch over a build: what it repeats of people's own files goes, but for the partition. */
function patchEdits({ workload, fields }: ObjectContent, beneath: Beneath): readonly Edit[] {
  const marks = workload === undefined ? [] : markEdits(workload.marks.from, workload.marks.to);
  const content = workload?.content;
  const pin = content?.source === undefined ? [] : pinEdits(content, beneath);
  return [...marks, ...fields.map((field) => overField(field, beneath)).flatMap(fieldEdit), ...pin];
}

/** None where the field is to stay. */
export function fieldEdit({ path, from, to }: FieldChange): readonly Edit[] {
  if (sameValue(from, to)) return [];
  return [typeof to === 'object' ? { kind: 'remove', path } : { kind: 'set', path, value: to }];
}

/** The annotations that differ between two sets of marks. `undefined` before: none, or nobody can read them, so that all others go. */
export function markEdits(before: Marks | undefined, after: Marks | undefined): readonly Edit[] {
  const old = before === undefined ? undefined : printMarks(before);
  const fresh = after === undefined ? undefined : printMarks(after);
  const edits: Edit[] = [];
  for (const key of MARK_NAMES) {
    const value = fresh?.[key];
    if (old !== undefined && value === old[key]) continue;
    const path = ['metadata', 'annotations', MARK[key]];
    edits.push(value === undefined ? { kind: 'remove', path } : { kind: 'set', path, value });
  }
  return edits;
}
