/** What one commit changes, object by object: its subject, its edits and the last check before the push come from this. */

import { type EditPath, type FieldValue, samePath } from '../../api/field.ts';
import { type JsonObject, at as valueAt } from '../../api/json.ts';
import type { Marks } from '../../api/marks.ts';
import { PARTITION_PATH } from '../../api/workload-paths.ts';
import type { Beneath } from './beneath.ts';
import type { CarriedChange } from './carried.ts';
import type { DocumentEdit, Edit, ObjectRef } from './edit.ts';

/** One field. Where it is to be what it is, nothing is written, and the last check looks at it all the same. */
export type FieldChange = { readonly path: EditPath; readonly from: FieldValue; readonly to: FieldValue };

/** What is more than fields in the user's LeaderWorkerSet. */
export type WorkloadPart = {
  readonly marks: { readonly from: Marks | undefined; readonly to: Marks };
  /** What a release covers: its digest afterwards, and the template that it is taken from; undefined: it stays. */
  readonly content: {
    readonly digest: string;
    readonly source: string | undefined;
    /** The parts of a release that the source has, of a patch over a build. */
    readonly parts?: readonly string[];
  };
};

/** What becomes of an object that is there afterwards. */
export type ObjectContent = {
  readonly fields: readonly FieldChange[];
  /** Not there: another object than the user's LeaderWorkerSet. */
  readonly workload?: WorkloadPart | undefined;
  /** There: the file is our patch over what kustomize builds, and the fields are those of the build. */
  readonly beneath?: Beneath | undefined;
  /** There: the file is a HelmRelease, and the fields are those of what it renders. */
  readonly carried?: CarriedChange | undefined;
};

type InsertOrCopy = Extract<DocumentEdit, { readonly kind: 'insert' | 'copy' }>;
type RemoveOrDelete = Extract<DocumentEdit, { readonly kind: 'remove' | 'delete' }>;

/** One object and all that a commit does with it. */
export type ObjectChange = {
  /** The file, relative to the root of the repository. */
  readonly file: string;
  readonly object: ObjectRef;
} & (
  | ({ readonly kind: 'edit' } & ObjectContent)
  /** `from` of a field is then what the document has that it is made from, as that was before this commit. */
  | ({ readonly kind: 'create'; readonly document: InsertOrCopy } & ObjectContent)
  | { readonly kind: 'delete'; readonly document: RemoveOrDelete }
  /** More than fields, such as items of lists: the object was exactly `from`, and is exactly `to` afterwards. */
  | ({ readonly kind: 'exact' } & ExactContent)
);

/** All of an object, before and after; its edits lead from the one to the other. */
export type ExactContent = {
  /** Those of marks and of a template that is put back apart: they come from `workload`. */
  readonly edits: readonly Edit[];
  /** There: the document is made first; `from` is then what it is made from. */
  readonly document?: InsertOrCopy | undefined;
  readonly from: JsonObject;
  /** Where a template is put back, that template is reported by its digest, and is whatever it is here. */
  readonly to: JsonObject;
  readonly workload?: WorkloadPart | undefined;
};

/** What becomes of marks and text of the user's LeaderWorkerSet; undefined: nothing, or it goes as a whole. */
export function workloadIn(changes: readonly ObjectChange[]): WorkloadPart | undefined {
  for (const change of changes) if (change.kind !== 'delete' && change.workload !== undefined) return change.workload;
  return undefined;
}

/** Whether the user's LeaderWorkerSet lets more groups go after it. */
export function lowersPartition(changes: readonly ObjectChange[]): boolean {
  return changes.some((change) => {
    if (change.kind === 'delete' || change.workload === undefined) return false;
    const field =
      change.kind === 'exact' ? undefined : change.fields.find(({ path }) => samePath(path, PARTITION_PATH));
    const [from, to] =
      change.kind === 'exact'
        ? [valueAt(change.from, PARTITION_PATH), valueAt(change.to, PARTITION_PATH)]
        : [field?.from, field?.to];
    return typeof from === 'number' && typeof to === 'number' && to < from;
  });
}

/** The field of the user's LeaderWorkerSet at `path`, as a change of fields names it; undefined: it is not there, and stays so. */
export function workloadField(changes: readonly ObjectChange[], path: EditPath): FieldChange | undefined {
  for (const change of changes) {
    const isOwn = (change.kind === 'edit' || change.kind === 'create') && change.workload !== undefined;
    if (isOwn) return change.fields.find((field) => samePath(field.path, path));
  }
  return undefined;
}
