/** A recreation as edits: the document out of its file or back into it, and the annotation of the Rollout that says so. */

import { INTENT } from '../api/intents.ts';
import { printRecreating, type Recreating } from '../api/recreating.ts';
import type { ObjectEdits, ObjectRef } from './edit.ts';
import type { Move } from './move.ts';
import type { EditedFile, RolloutFile } from './snapshot.ts';
import { editsOf } from './step-edits.ts';

/** The comment line that keeps the place of the document; it names the kind, so that the file is read all the same. */
function noteOf(object: ObjectRef): string {
  const { kind, namespace, name } = object;
  const whole = namespace === '' ? name : `${namespace}/${name}`;
  return `tranche: ${kind} ${whole} is deleted here to be created anew; its next commit puts it back in this place`;
}

/** Everything that a move of a workload changes: its own fields, and where it is taken out or put back, more. */
export function moveEdits(move: Move, file: EditedFile, rollout: RolloutFile | undefined): readonly ObjectEdits[] {
  const { recreate } = move;
  if (recreate === undefined) return [editsOf(move, file)];
  const kept =
    rollout === undefined ? [] : [annotation(rollout, recreate.kind === 'remove' ? recreate.recreating : undefined)];
  const note = noteOf(file.object);
  switch (recreate.kind) {
    case 'remove':
      return [{ file: file.file, object: file.object, edits: [], document: { kind: 'remove', note } }, ...kept];
    case 'create':
      return [{ ...editsOf(move, file), document: { kind: 'insert', note, source: recreate.source.text } }, ...kept];
    case 'end':
      break;
  }
  return [editsOf(move, file), ...kept];
}

function annotation({ file, object }: RolloutFile, recreating: Recreating | undefined): ObjectEdits {
  const path = ['metadata', 'annotations', INTENT.recreating];
  return {
    file,
    object,
    edits: [
      recreating === undefined ? { kind: 'remove', path } : { kind: 'set', path, value: printRecreating(recreating) },
    ],
  };
}
