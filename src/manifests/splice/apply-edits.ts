/** Turns planned edits of one object into the new text of its file, changing only the planned bytes. */

import type { Issue } from '../../api/issue.ts';
import type { EditPath, ObjectEdits, PlacedEdit } from '../../rollout/edit.ts';
import { MAX_EDITS } from '../limits.ts';
import { type ManifestDocument, type ManifestFile, parseManifestFile } from '../parse-file.ts';
import { type Change, replaceIn } from './change.ts';
import { choose, misfit } from './choose.ts';
import { copyDocument } from './copy-document.ts';
import { deleteDocument } from './delete-document.ts';
import { insertItem } from './insert-item.ts';
import { locate } from './locate.ts';
import { removeField } from './remove-field.ts';
import { removeItem } from './remove-item.ts';
import { restoreField } from './restore-field.ts';
import { setField } from './set-field.ts';
import { type Verified, verify } from './verify.ts';
import type { WholeDocument } from './verify-document.ts';
import { insertDocument, removeDocument } from './whole-document.ts';

export type Spliced =
  | { readonly kind: 'ok'; readonly text: string }
  | { readonly kind: 'refused'; readonly issue: Issue };

const FORBIDDEN_SEGMENTS: ReadonlySet<string> = new Set(['', '__proto__', 'constructor', 'prototype']);

/**
 * The edits are made in order, each on the text that the one before left, and each is checked by parsing the result
 * afresh. The first that is refused refuses all: a step is written whole or not at all.
 */
export function applyEdits(text: string, edits: ObjectEdits): Spliced {
  const tooMany = edits.edits.length > MAX_EDITS;
  if (tooMany)
    return misfit(edits.file, edits.object, {
      reason: 'TooManyEdits',
      what: `${edits.edits.length} edits, more than ${MAX_EDITS}, the limit`,
    });
  let file = parseManifestFile(edits.file, text, [edits.object.kind]);
  const start = opened(file, edits);
  if (start.kind === 'refused') return start;
  if (start.text !== text) file = parseManifestFile(edits.file, start.text, [edits.object.kind]);
  const chosen = choose(file, edits.object);
  if (chosen.kind === 'refused') return chosen;
  let { document } = chosen;
  for (const edit of edits.edits) {
    if (isForbidden(edit.path))
      return misfit(edits.file, edits.object, {
        reason: 'UnsupportedEdit',
        what: `no field can have the path ${JSON.stringify(edit.path)}`,
      });
    const located = locate(document, edit);
    const made = located.kind === 'refused' ? located : firstVerified(file, document, located.edit);
    if (made.kind === 'refused') return made;
    ({ file, document } = made);
  }
  return closed(file, document, edits.document);
}

function isForbidden(path: EditPath): boolean {
  return path.length === 0 || path.some((part) => FORBIDDEN_SEGMENTS.has(typeof part === 'string' ? part : part.key));
}

/** The first way of making the edit whose result reads as planned; else why the first of them was refused. */
function firstVerified(file: ManifestFile, document: ManifestDocument, edit: PlacedEdit): Verified {
  let refusal: Verified | undefined;
  const changes = changesFor(document, edit);
  const [only, second] = changes;
  // Nothing to do. (The same text may still be another value, where an alias in it means something else now.)
  const untouched = only?.kind === 'replace' && only.replacements.length === 0;
  if (untouched && second === undefined) return { kind: 'ok', file, document };
  for (const change of changes) {
    const made = change.kind === 'refused' ? change : verifiedChange({ file, document, edit, change });
    if (made.kind === 'ok') return made;
    refusal ??= made;
  }
  return refusal ?? { kind: 'ok', file, document };
}

type Attempt = {
  readonly file: ManifestFile;
  readonly document: ManifestDocument;
  readonly edit: PlacedEdit;
  readonly change: Change & { readonly kind: 'replace' };
};

function verifiedChange({ file, document, edit, change }: Attempt): Verified {
  const body = replaceIn(document.text, change.replacements);
  const after = file.text.slice(0, document.start) + body + file.text.slice(document.end);
  return verify({ before: file, document, edit, after });
}

/** The ways of making one edit, the most faithful first. */
function changesFor(document: ManifestDocument, edit: PlacedEdit): readonly Change[] {
  switch (edit.kind) {
    case 'set':
      return [setField(document, edit)];
    case 'remove':
      return [removeField(document, edit.path, 'leave')];
    case 'insertItem':
      return [insertItem(document, edit)];
    case 'removeItem':
      return [removeItem(document, edit)];
    case 'restore':
      break;
  }
  return restoreField(document, edit);
}

/** What is done with the document as a whole before fields are set in it. */
function opened(file: ManifestFile, { object, document: whole }: ObjectEdits): WholeDocument {
  if (whole?.kind === 'insert') return insertDocument(file, { ...whole, object });
  return whole?.kind === 'copy' ? copyDocument(file, object, whole) : { kind: 'ok', text: file.text };
}

function closed(file: ManifestFile, document: ManifestDocument, whole: ObjectEdits['document']): WholeDocument {
  if (whole?.kind === 'remove') return removeDocument(file, document, whole.note);
  return whole?.kind === 'delete' ? deleteDocument(file, document) : { kind: 'ok', text: file.text };
}
