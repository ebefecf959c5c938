/** What one commit of a ladder changes, and the fields that it is made of. */

import type { FieldPath } from '../../api/field.ts';
import type { FieldFault } from '../../api/field-reader.ts';
import { at } from '../../api/json.ts';
import type { Edit, ObjectEdits } from '../edits/edit.ts';
import type { Displaced, RouteDocument, RouteEdits } from '../traffic/provider.ts';

/** `displaced` is all that is put aside of routes once it is written. */
export type Made = {
  readonly kind: 'ok';
  readonly objects: readonly ObjectEdits[];
  readonly displaced: readonly Displaced[];
};

export type Unwritable = {
  readonly kind: 'unwritable';
  readonly route: RouteDocument;
  readonly faults: readonly FieldFault[];
};

export type Commit = Made | Unwritable;

/** The field as `value`; nothing where it is that already. */
export function setField(document: RouteDocument, path: FieldPath, value: string | number): readonly Edit[] {
  return at(document.value, path) === value ? [] : [{ kind: 'set', path, value }];
}

/** Without the field; nothing where it is not there. */
export function removeField(document: RouteDocument, path: FieldPath): readonly Edit[] {
  return at(document.value, path) === undefined ? [] : [{ kind: 'remove', path }];
}

/** The edits of one object; none are no change of it. */
export function edited({ file, object }: RouteDocument, edits: readonly Edit[]): readonly ObjectEdits[] {
  return edits.length === 0 ? [] : [{ file, object, edits }];
}

/** What providers want written, as edits of documents. */
export function ofRoutes(routes: readonly RouteEdits[]): readonly ObjectEdits[] {
  return routes.map(({ copyOf, ...rest }) =>
    copyOf === undefined ? rest : { ...rest, document: { kind: 'copy', of: copyOf, source: undefined } },
  );
}

/** A commit that leaves routes alone. */
export function madeOf(
  { displaced }: { readonly displaced: readonly Displaced[] },
  objects: readonly ObjectEdits[],
): Commit {
  return { kind: 'ok', objects, displaced };
}

/** The same commit with more edits: those of an object that it changes already are made together. */
export function withObjects(commit: Commit, objects: readonly ObjectEdits[]): Commit {
  if (commit.kind === 'unwritable') return commit;
  const all = new Map<string, ObjectEdits>();
  for (const one of [...commit.objects, ...objects]) {
    const key = JSON.stringify([one.file, one.object]);
    const known = all.get(key);
    all.set(key, known === undefined ? one : { ...known, edits: [...known.edits, ...one.edits] });
  }
  return { ...commit, objects: [...all.values()] };
}
