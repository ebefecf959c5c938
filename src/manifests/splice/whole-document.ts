/** Takes a document out of its file, or puts it back, with every other byte as it was. A comment line keeps the place. */

import type { Issue } from '../../api/issue.ts';
import { jsonEqual } from '../../api/json.ts';
import type { ObjectRef } from '../../rollout/edit.ts';
import { lineBreak, lineStarts, nextLine } from '../lines.ts';
import { type ManifestDocument, type ManifestFile, parseManifestFile } from '../parse-file.ts';
import { splitDocuments } from '../split-documents.ts';

export type WholeDocument =
  | { readonly kind: 'ok'; readonly text: string }
  | { readonly kind: 'refused'; readonly issue: Issue };

/**
 * The file without the document, comments of its own included: in its place stands `# note`, so that the file is still
 * there for lists of files that name it, and the place is found again. A JSON file has no room for a comment.
 */
export function removeDocument(file: ManifestFile, document: ManifestDocument, note: string): WholeDocument {
  if (file.file.endsWith('.json'))
    return refusal(document, 'a JSON file is one document and has no comments: nothing could keep its place');
  if (lineBetween(file.text, document.start))
    return refusal(document, 'it begins on the line of its separator: nothing could keep its place');
  const after = `${file.text.slice(0, document.start)}# ${note}${document.lineBreak}${file.text.slice(document.end)}`;
  const now = parseManifestFile(file.file, after, [document.object.kind]);
  const left = now.documents.some((other) => jsonEqual(other.object, document.object));
  if (left || !sameOthers({ ...file, own: document.index }, now))
    return refusal(document, 'another document would change');
  return { kind: 'ok', text: after };
}

/**
 * The file with the document where its note is, or at the end where somebody has removed the note. Refused where the
 * object is there already: somebody else has put it back.
 */
export function insertDocument(
  file: ManifestFile,
  of: { readonly object: ObjectRef; readonly note: string; readonly source: string },
): WholeDocument {
  const { object, note, source } = of;
  const after = placed(file.text, note, source);
  const now = parseManifestFile(file.file, after, [object.kind]);
  const [document, twin] = now.documents.filter((other) => jsonEqual(other.object, object));
  const place = { file: file.file, object };
  if (document === undefined) return refusal(place, now.issues[0]?.message ?? 'its text has no such object');
  if (twin !== undefined) return refusal(place, 'it is in the file already');
  if (document.text.trimEnd() !== source.trimEnd() || !sameOthers({ ...now, own: document.index }, file))
    return refusal(place, 'another document would change');
  return { kind: 'ok', text: after };
}

function placed(text: string, note: string, source: string): string {
  const starts = lineStarts(text).map((start) => (text.startsWith('\uFEFF', start) ? start + 1 : start));
  const at = starts.find((start) => text.slice(start, nextLine(text, start)).trimEnd() === `# ${note}`);
  if (at !== undefined) {
    const rest = text.slice(nextLine(text, at));
    return text.slice(0, at) + source + (source.endsWith('\n') || rest === '' ? '' : lineBreak(text)) + rest;
  }
  if (text.trim() === '') return source;
  const fresh = lineBreak(text);
  return `${text}${text.endsWith('\n') ? '' : fresh}---${fresh}${source}`;
}

/** Whether `at` is inside a line; a byte order mark is no text of a line. */
function lineBetween(text: string, at: number): boolean {
  const before = text.slice(0, at).replace(/^\uFEFF/, '');
  return before !== '' && !before.endsWith('\n');
}

/** All documents but this one are the same bytes in the same order, whatever they are. */
function sameOthers(
  fuller: { readonly file: string; readonly text: string; readonly own: number },
  emptier: { readonly file: string; readonly text: string },
): boolean {
  const texts = (file: string, text: string): readonly string[] =>
    splitDocuments(file, text).map((slice) => text.slice(slice.start, slice.end));
  const others = texts(fuller.file, fuller.text).filter((_, index) => index !== fuller.own);
  const trimmed = (all: readonly string[]): string[] => all.map((text) => text.trimEnd());
  return jsonEqual(trimmed(others), trimmed(texts(emptier.file, emptier.text)));
}

function refusal(
  place: { readonly file: string; readonly object: ObjectRef },
  why: string,
): WholeDocument & { readonly kind: 'refused' } {
  const { kind, name } = place.object;
  return {
    kind: 'refused',
    issue: {
      file: place.file,
      line: 0,
      path: '',
      reason: 'UnsupportedEdit',
      message: `${kind} ${name}: its document cannot be moved as a whole: ${why}`,
      hint: 'Nothing was changed. Keep the object as a document of its own in a YAML file.',
    },
  };
}
