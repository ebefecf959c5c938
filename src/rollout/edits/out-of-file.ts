/** A document that is out of its file to be re-created: the note in its place, and what the Rollout keeps meanwhile. */

import { ABSENT, type FieldValue } from '../../api/field.ts';
import { INTENT } from '../../api/intents.ts';
import { printRecreating, type Recreating } from '../../api/recreating.ts';
import type { EditedFile, RolloutFile } from '../snapshot.ts';
import type { ObjectChange } from './change.ts';
import type { ObjectRef } from './edit.ts';

/** The comment line that keeps the place of the document; it names the kind, so that the file is read all the same. */
export function noteOf(object: ObjectRef): string {
  const { kind, namespace, name } = object;
  const whole = namespace === '' ? name : `${namespace}/${name}`;
  return `tranche: ${kind} ${whole} is deleted here to be re-created; its next commit puts it back in this place`;
}

/** The document goes, and its note keeps the place. */
export function takenOut({ file, object }: Pick<EditedFile, 'file' | 'object'>): ObjectChange {
  return { kind: 'delete', file, object, document: { kind: 'remove', note: noteOf(object) } };
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
