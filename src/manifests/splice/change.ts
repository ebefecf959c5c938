/** What a planned edit is: replacements in the text of one document, or the reason why there are none. */

import type { Issue } from '../../api/issue.ts';
import type { FieldPath } from '../../rollout/edits/edit.ts';
import type { ManifestDocument } from '../parse-file.ts';
import { pathText } from '../path-text.ts';

/** Characters [start, end) of the document's text become `text`. Replacements of one change never overlap. */
export type Replacement = { readonly start: number; readonly end: number; readonly text: string };

export type Change =
  | { readonly kind: 'replace'; readonly replacements: readonly Replacement[] }
  | { readonly kind: 'refused'; readonly issue: Issue };

export type Refused = Change & { readonly kind: 'refused' };

export const noChange: Change = { kind: 'replace', replacements: [] };

/** The text with the replacements made. */
export function replaceIn(text: string, replacements: readonly Replacement[]): string {
  const ordered = [...replacements].sort((left, right) => right.start - left.start);
  let result = text;
  for (const { start, end, text: replacement } of ordered) {
    result = result.slice(0, start) + replacement + result.slice(end);
  }
  return result;
}

type Refusal = { readonly reason: string; readonly message: string; readonly hint: string };

/** A change that is not made, said with the object, the field and the line. */
export function refuse(document: ManifestDocument, path: FieldPath, refusal: Refusal): Refused {
  const { kind, name } = document.object;
  return {
    kind: 'refused',
    issue: {
      file: document.file,
      line: document.lineOf(path),
      path: pathText(path),
      reason: refusal.reason,
      message: `${kind} ${name}: ${refusal.message}`,
      hint: refusal.hint,
    },
  };
}

/** The refusal where a place in the file is written in a way that no rule here covers. */
export function unclearPlace(document: ManifestDocument, path: FieldPath, why: string): Refused {
  return refuse(document, path, {
    reason: 'UnsupportedEdit',
    message: `${pathText(path)} cannot be changed here: ${why}`,
    hint: 'Write this part of the manifest as ordinary lines of "key: value", one key a line.',
  });
}
