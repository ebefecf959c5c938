/** Plans how a document goes with its separator, so that nothing shows that it was there. */

import { jsonEqual } from '../../api/json.ts';
import type { KnownTexts } from '../known-texts.ts';
import { lineEnd, lineStart, nextLine } from '../lines.ts';
import { parseDocumentText } from '../parse-document.ts';
import { type ManifestDocument, type ManifestFile, parseManifestFile } from '../parse-file.ts';
import { splitDocuments } from '../split-documents.ts';
import { endsInBlockText } from './place.ts';
import { newIssue, refusal, sameOthers, type WholeDocument } from './verify-document.ts';

/**
 * With the separator before it; the first document without one takes the separator behind it, unless that has a
 * comment. The only document leaves an empty text: whether the file stays is not decided here.
 */
export function deleteDocument(file: ManifestFile, document: ManifestDocument, known: KnownTexts): WholeDocument {
  const place = { file: file.file, object: document.object, line: document.lineOf([]) };
  if (file.file.endsWith('.json')) return refusal(place, 'a JSON file is one document');
  const { start, end } = cutOf(file, document);
  const after = file.text.slice(0, start) + file.text.slice(end);
  const now = parseManifestFile(file.file, after, [document.object.kind], known);
  const left = now.documents.some((other) => jsonEqual(other.object, document.object));
  const broken = newIssue(file, now);
  if (left || broken !== undefined || !sameOthers({ ...file, own: document.index }, now))
    return refusal(place, broken?.message ?? 'another document would change', 'SpliceCheckFailed');
  return { kind: 'ok', text: after };
}

type Cut = { readonly start: number; readonly end: number };

function cutOf(file: ManifestFile, { start, end }: ManifestDocument): Cut {
  const { text } = file;
  const first = text.startsWith('\uFEFF') ? 1 : 0;
  if (start > first) {
    const separator = Math.max(first, lineStart(text, start - 1));
    const keepsBreak = end < text.length || text.endsWith('\n') || separator === first || isOpenText(file, separator);
    return { start: keepsBreak ? separator : lineEnd(text, lineStart(text, separator - 1)), end };
  }
  const behind = nextLine(text, end);
  return { start, end: text.slice(end, behind).trimEnd() === '---' ? behind : end };
}

/** Would the last line break be missed? Only where the document that is then the last surely ends otherwise, it goes. */
function isOpenText({ file, text }: ManifestFile, end: number): boolean {
  const before = splitDocuments(file, text).find((slice) => slice.end === end);
  if (before === undefined) return false;
  const { firstLine, doubt } = before;
  const parsed = parseDocumentText({ file, text: text.slice(before.start, end), firstLine, doubt });
  return parsed.kind === 'wrong' || endsInBlockText(parsed.root);
}
