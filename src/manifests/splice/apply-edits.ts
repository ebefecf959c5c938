/** Turns planned edits of one object into the new text of its file, changing only the planned bytes. */

import type { Issue } from '../../api/issue.ts';
import type { Edit, ObjectEdits } from '../../rollout/edit.ts';
import { MAX_EDITS } from '../limits.ts';
import { type ManifestDocument, type ManifestFile, parseManifestFile } from '../parse-file.ts';
import { type Change, replaceIn } from './change.ts';
import { removeField } from './remove-field.ts';
import { restoreField } from './restore-field.ts';
import { setField } from './set-field.ts';
import { type Verified, verify } from './verify.ts';
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
  if (tooMany) return refused(edits, 'TooManyEdits', `${edits.edits.length} edits, more than ${MAX_EDITS}, the limit`);
  let file = parseManifestFile(edits.file, text, [edits.object.kind]);
  const whole = edits.document;
  if (whole?.kind === 'insert') {
    const inserted = insertDocument(file, { ...whole, object: edits.object });
    if (inserted.kind === 'refused') return inserted;
    file = parseManifestFile(edits.file, inserted.text, [edits.object.kind]);
  }
  const chosen = choose(file, edits);
  if (chosen.kind === 'refused') return chosen;
  let { document } = chosen;
  for (const edit of edits.edits) {
    if (edit.path.length === 0 || edit.path.some((segment) => FORBIDDEN_SEGMENTS.has(segment))) {
      return refused(edits, 'UnsupportedEdit', `no field can have the path ${JSON.stringify(edit.path)}`);
    }
    const made = firstVerified(file, document, edit);
    if (made.kind === 'refused') return made;
    ({ file, document } = made);
  }
  return whole?.kind === 'remove' ? removeDocument(file, document, whole.note) : { kind: 'ok', text: file.text };
}

/** The first way of making the edit whose result reads as planned; else why the first of them was refused. */
function firstVerified(file: ManifestFile, document: ManifestDocument, edit: Edit): Verified {
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
  readonly edit: Edit;
  readonly change: Change & { readonly kind: 'replace' };
};

function verifiedChange({ file, document, edit, change }: Attempt): Verified {
  const body = replaceIn(document.text, change.replacements);
  const after = file.text.slice(0, document.start) + body + file.text.slice(document.end);
  return verify({ before: file, document, edit, after });
}

/** The ways of making one edit, the most faithful first. */
function changesFor(document: ManifestDocument, edit: Edit): readonly Change[] {
  switch (edit.kind) {
    case 'set':
      return [setField(document, edit)];
    case 'remove':
      return [removeField(document, edit.path, 'leave')];
    case 'restore':
      break;
  }
  return restoreField(document, edit);
}

type Chosen = { readonly kind: 'ok'; readonly document: ManifestDocument } | (Spliced & { readonly kind: 'refused' });

function choose(file: ManifestFile, edits: ObjectEdits): Chosen {
  const { apiVersion, kind, namespace, name } = edits.object;
  const matches = file.documents.filter(({ object }) => {
    return (
      object.apiVersion === apiVersion && object.kind === kind && object.namespace === namespace && object.name === name
    );
  });
  const [document] = matches;
  if (document !== undefined && matches.length === 1) return { kind: 'ok', document };
  const issue = file.issues[0];
  if (document === undefined && issue !== undefined) return { kind: 'refused', issue };
  return document === undefined
    ? refused(edits, 'ObjectNotFound', `there is no ${kind} ${name} in the file`)
    : refused(edits, 'ObjectTwice', `${kind} ${name} is in the file ${matches.length} times`);
}

function refused(edits: ObjectEdits, reason: string, what: string): Spliced & { readonly kind: 'refused' } {
  const { kind, name } = edits.object;
  return {
    kind: 'refused',
    issue: {
      file: edits.file,
      line: 0,
      path: '',
      reason,
      message: `${kind} ${name}: ${what}`,
      hint: 'Nothing was changed. The file and the plan do not fit together: run the pass again on the present branch.',
    },
  };
}
