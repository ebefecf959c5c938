/** Takes a document out of its file, or puts it back, with every other byte as it was. A comment line keeps the place. */

import { jsonEqual } from '../../api/json.ts';
import type { ObjectRef } from '../../rollout/edits/edit.ts';
import type { KnownTexts } from '../known-texts.ts';
import { lineBreak, lineStarts, nextLine } from '../lines.ts';
import { type ManifestDocument, type ManifestFile, parseManifestFile } from '../parse-file.ts';
import { refusal, sameOthers, type WholeDocument } from './verify-document.ts';

/**
 * The file without the document, comments of its own included: in its place stands `# note`, so that the file is still
 * there for lists of files that name it, and the place is found again. A JSON file has no room for a comment.
 */
export function removeDocument(
  file: ManifestFile,
  document: ManifestDocument,
  { note, known }: { readonly note: string; readonly known: KnownTexts },
): WholeDocument {
  const place = { file: file.file, object: document.object, line: document.lineOf([]) };
  if (file.file.endsWith('.json'))
    return refusal(place, 'a JSON file is one document and has no comments: nothing could keep its place');
  if (lineBetween(file.text, document.start))
    return refusal(place, 'it starts on the line of its separator: nothing could keep its place');
  const after = `${file.text.slice(0, document.start)}# ${note}${document.lineBreak}${file.text.slice(document.end)}`;
  const now = parseManifestFile(file.file, after, [document.object.kind], known);
  const left = now.documents.some((other) => jsonEqual(other.object, document.object));
  if (left || !sameOthers({ ...file, own: document.index }, now))
    return refusal(place, 'another document would change');
  return { kind: 'ok', text: after };
}

/**
 * The file with the document where its note is, or at the end where somebody has removed the note. Refused where the
 * object is there already: somebody else has put it back.
 */
export function insertDocument(
  file: ManifestFile,
  of: { readonly object: ObjectRef; readonly note: string; readonly source: string; readonly known: KnownTexts },
): WholeDocument {
  const { object, note, source, known } = of;
  const after = placed(file.text, note, source);
  const now = parseManifestFile(file.file, after, [object.kind], known);
  const [document, twin] = now.documents.filter((other) => jsonEqual(other.object, object));
  const place = { file: file.file, object, line: 0 };
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
