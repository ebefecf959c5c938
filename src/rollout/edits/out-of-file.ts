/** A document that is out of its file to be re-created: the note in its place, and what the Rollout keeps meanwhile. */

import { ABSENT, type FieldValue } from '../../api/field.ts';
import { INTENT } from '../../api/intents.ts';
import { printRecreating, type Recreating } from '../../api/recreating.ts';
import type { RolloutFile, WorkloadFile } from '../snapshot.ts';
import type { FieldChange, ObjectChange } from './change.ts';
import type { ObjectRef } from './edit.ts';

/** The comment line that keeps the place of the document; it names the kind, so that the file is read all the same. */
export function noteOf(object: Pick<ObjectRef, 'kind' | 'namespace' | 'name'>): string {
  const { kind, namespace, name } = object;
  const whole = namespace === '' ? name : `${namespace}/${name}`;
  return `tranche: ${kind} ${whole} is deleted here to be re-created; its next commit puts it back in this place`;
}

/** Of our patch over a kustomize folder, at its root: the whole object goes from what is built, and the patch keeps all that it says. */
const DIRECTIVE = '$patch';
const GOES = 'delete';

/** The document goes, and its note keeps the place; over a kustomize folder our patch takes it out of what is built. */
export function takenOut({ file, object, beneath }: Pick<WorkloadFile, 'file' | 'object' | 'beneath'>): ObjectChange {
  if (beneath === undefined)
    return { kind: 'delete', file, object, document: { kind: 'remove', note: noteOf(object) } };
  return { kind: 'edit', file, object, fields: [{ path: [DIRECTIVE], from: ABSENT, to: GOES }], beneath };
}

/** The same of the patch, undone. */
export const COMES_BACK: FieldChange = { path: [DIRECTIVE], from: GOES, to: ABSENT };

/** What a commit does with a whole object by our patch; undefined: nothing. */
export function wholeByPatch(change: ObjectChange): 'out' | 'back' | undefined {
  if (change.kind !== 'edit' || change.beneath === undefined) return undefined;
  const field = change.fields.find(({ path }) => path.length === 1 && path[0] === DIRECTIVE);
  if (field === undefined) return undefined;
  return field.to === GOES ? 'out' : 'back';
}

/** Whether the object goes from the cluster by this change. */
export function removesObject(change: ObjectChange): boolean {
  return change.kind === 'delete' || wholeByPatch(change) === 'out';
}

/** What the annotation of the Rollout becomes; undefined: it goes. */
export function keeping(rollout: RolloutFile | undefined, recreating: Recreating | undefined): readonly ObjectChange[] {
  if (rollout === undefined) return [];
  const { file, object, intents } = rollout;
  const value = (kept: Recreating | undefined): FieldValue => (kept === undefined ? ABSENT : printRecreating(kept));
  const path = ['metadata', 'annotations', INTENT.recreating];
  const field = { path, from: value(intents.recreating), to: value(recreating) };
  return [{ kind: 'edit', file, object, fields: [field] }];
}
