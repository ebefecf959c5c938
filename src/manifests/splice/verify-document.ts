/** Checks a file in which a document came or went as a whole: all others are as they were. */

import type { Issue } from '../../api/issue.ts';
import { jsonEqual } from '../../api/json.ts';
import type { ObjectRef } from '../../rollout/edits/edit.ts';
import type { ManifestFile } from '../parse-file.ts';
import { splitDocuments } from '../split-documents.ts';

export type WholeDocument =
  | { readonly kind: 'ok'; readonly text: string }
  | { readonly kind: 'refused'; readonly issue: Issue };

type Text = { readonly file: string; readonly text: string };

/** All documents but `own` are the same bytes in the same order, whatever they are, but for blanks at their end. */
export function sameOthers(fuller: Text & { readonly own: number }, emptier: Text): boolean {
  const texts = ({ file, text }: Text): readonly (readonly string[])[] =>
    splitDocuments(file, text).map(({ start, end, doubt }) => [text.slice(start, end).trimEnd(), doubt?.reason ?? '']);
  const others = texts(fuller).filter((_, index) => index !== fuller.own);
  return jsonEqual(others, texts(emptier));
}

/** What cannot be read of the new text and could be of the old one. */
export function newIssue(before: ManifestFile, now: ManifestFile): Issue | undefined {
  return now.issues.find((issue) => !before.issues.some((known) => known.message === issue.message));
}

type DocumentPlace = { readonly file: string; readonly object: ObjectRef; readonly line: number };

/** The refusal of a document that should come or go. */
export function refusal(
  { file, object, line }: DocumentPlace,
  why: string,
  reason = 'UnsupportedEdit',
): WholeDocument & { readonly kind: 'refused' } {
  const { kind, name } = object;
  return {
    kind: 'refused',
    issue: {
      file,
      line,
      path: '',
      reason,
      message: `${kind} ${name}: its document cannot be moved as a whole: ${why}`,
      hint: 'Nothing was changed. Keep the object as a document of its own in a YAML file.',
    },
  };
}
