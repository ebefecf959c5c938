/** Plans a copy of a document behind it, under a name of its own. */

import { jsonEqual } from '../../api/json.ts';
import type { DocumentEdit, ObjectRef } from '../../rollout/edits/edit.ts';
import type { KnownTexts } from '../known-texts.ts';
import { MAX_DOCUMENTS } from '../limits.ts';
import { lineEnd, nextLine } from '../lines.ts';
import { type ManifestDocument, type ManifestFile, parseManifestFile } from '../parse-file.ts';
import { find } from '../source-tree.ts';
import { splitDocuments } from '../split-documents.ts';
import { type Change, replaceIn } from './change.ts';
import { choose } from './choose.ts';
import { endsInBlockText, endWithComments, nodeEnd, notationOf } from './place.ts';
import { setField } from './set-field.ts';
import { shiftLines } from './shift-lines.ts';
import { wordToken } from './token.ts';
import { withValue } from './verify.ts';
import { newIssue, refusal, sameOthers, type WholeDocument } from './verify-document.ts';

type CopyEdit = Extract<DocumentEdit, { readonly kind: 'copy' }> & { readonly known: KnownTexts };

const NAME = ['metadata', 'name'];

/**
 * The copy has the comments that stand right above the document and inside of it, and a separator of its own; a file
 * without a last line break keeps none. A copy is another object of the same kind and namespace.
 */
export function copyDocument(file: ManifestFile, object: ObjectRef, edit: CopyEdit): WholeDocument {
  const chosen = choose(file, edit.of);
  if (chosen.kind === 'refused') return chosen;
  const { document } = chosen;
  const place = { file: file.file, object, line: document.lineOf([]) };
  const { of, source, known } = edit;
  const model = source === undefined ? chosen : choose(parseManifestFile(file.file, source, [of.kind], known), of);
  if (model.kind === 'refused') return refusal(place, `the text to copy is not of one ${of.kind} ${of.name}`);
  const unfit = unfitFor({ file, document, model: model.document, object });
  if (unfit !== undefined) return refusal(place, unfit.why, unfit.reason);
  const renamed = renamedTo(model.document, object.name);
  if (renamed.kind === 'refused') return renamed;
  const after = placed(file, document, copyOf(model.document, renamed));
  const now = parseManifestFile(file.file, after, [object.kind], known);
  const broken = newIssue(file, now);
  const made = choose(now, object);
  if (broken !== undefined || made.kind === 'refused')
    return refusal(place, broken?.message ?? 'the copy could not be read', 'SpliceCheckFailed');
  const { index, value } = made.document;
  const planned = jsonEqual(value, withValue(model.document.value, NAME, object.name));
  const others = sameOthers({ file: file.file, text: after, own: index }, file);
  if (index !== document.index + 1 || !planned || !others)
    return refusal(place, 'another document would change, or the copy would be another object', 'SpliceCheckFailed');
  return { kind: 'ok', text: after };
}

type CopyRequest = {
  readonly file: ManifestFile;
  readonly document: ManifestDocument;
  readonly model: ManifestDocument;
  readonly object: ObjectRef;
};

function unfitFor({
  file,
  document,
  model,
  object,
}: CopyRequest): { readonly why: string; readonly reason: string } | undefined {
  const unsupported = (why: string) => ({ why, reason: 'UnsupportedEdit' });
  if (file.file.endsWith('.json')) return unsupported('a JSON file is one document');
  if (!jsonEqual({ ...document.object, name: '' }, { ...object, name: '' }))
    return unsupported('a copy has the kind and the namespace of what it is copied from');
  if (file.documents.some((other) => jsonEqual(other.object, object)))
    return { why: 'it is in the file already', reason: 'ObjectTwice' };
  const count = splitDocuments(file.file, file.text).length;
  if (count >= MAX_DOCUMENTS)
    return { why: `the file has ${count} documents; ${MAX_DOCUMENTS} are the limit`, reason: 'TooManyDocuments' };
  const open = !file.text.endsWith('\n') && document.end === file.text.length;
  return open && (endsInBlockText(document.root) || endsInBlockText(model.root))
    ? unsupported('its last value is block text at the end of a file without a last line break, which would change it')
    : undefined;
}

/** The new name is written as a word where the old one is. */
function renamedTo(model: ManifestDocument, name: string): Change {
  const found = find(model.root, NAME);
  const change = setField(model, { kind: 'set', path: NAME, value: name });
  if (change.kind === 'refused' || found.kind !== 'found') return change;
  const { node } = found;
  if (node.kind !== 'scalar' || node.style !== 'plain') return change;
  const text = wordToken(name, notationOf(model));
  return { kind: 'replace', replacements: [{ start: node.start, end: node.end, text }] };
}

/** The text of the document under its new name, from the comment right above it to its last line. */
function copyOf({ text, root }: ManifestDocument, renamed: Change & { readonly kind: 'replace' }): string {
  const behind = text.length - endWithComments(text, nodeEnd(text, root), 0);
  const whole = replaceIn(text, renamed.replacements);
  return whole.slice(ownStart(text), whole.length - behind);
}

/** Comments that a blank line parts from the document are the file's. */
function ownStart(text: string): number {
  let start = 0;
  for (let line = 0; line < text.length; line = nextLine(text, line)) {
    const content = text.slice(line, lineEnd(text, line)).trim();
    if (content === '') start = nextLine(text, line);
    else if (!content.startsWith('#')) break;
  }
  return start;
}

function placed({ text }: ManifestFile, { end, lineBreak }: ManifestDocument, copy: string): string {
  const own = shiftLines(copy, 0, lineBreak);
  const before = text.slice(0, end);
  return before.endsWith('\n')
    ? `${before}---${lineBreak}${own}${lineBreak}${text.slice(end)}`
    : `${before}${lineBreak}---${lineBreak}${own}${text.slice(end)}`;
}
