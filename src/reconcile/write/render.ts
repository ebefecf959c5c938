/** From edits to the new texts of files, and to the diff that people read. */

import type { Issue } from '../../api/issue.ts';
import { unifiedDiff } from '../../manifests/diff.ts';
import { type KnownTexts, newKnownTexts } from '../../manifests/known-texts.ts';
import { isOwnFile } from '../../manifests/patch-place.ts';
import { applyEdits, type InTheWay } from '../../manifests/splice/apply-edits.ts';
import type { FileWrite } from '../../ports/git.ts';
import type { ObjectEdits } from '../../rollout/edits/edit.ts';
import type { TextsAt } from '../texts-at.ts';

type Rendered =
  | { readonly kind: 'ok'; readonly writes: readonly FileWrite[]; readonly diff: string }
  | { readonly kind: 'refused'; readonly issue: Issue };

/** Applies the edits to `texts`, which hold what earlier commits of the same push have already changed. */
export function render(
  edits: readonly ObjectEdits[],
  texts: TextsAt,
  { known = newKnownTexts(), aliases }: { readonly known?: KnownTexts; readonly aliases?: InTheWay } = {},
): Rendered {
  const after = new Map<string, string>();
  for (const object of edits) {
    const there = after.get(object.file) ?? texts.get(object.file);
    // Somebody may have removed the file of a document that is to come back.
    const text = there ?? (object.document?.kind === 'insert' ? '' : undefined);
    if (text === undefined) return { kind: 'refused', issue: notRead(object) };
    const spliced = applyEdits(text, object, { known, ...(aliases === undefined ? {} : { aliases }) });
    if (spliced.kind === 'refused') return spliced;
    after.set(object.file, spliced.text);
  }
  const changed = [...after].filter(([file, text]) => text !== texts.get(file));
  return {
    kind: 'ok',
    writes: changed.map(([path, text]) => ({ path, text: isGone(path, text) ? undefined : text })),
    diff: changed.map(([file, text]) => unifiedDiff({ file, before: texts.get(file) ?? '', after: text })).join(''),
  };
}

/** A file that had nothing but what tranche makes goes with it. */
function isGone(path: string, text: string): boolean {
  return text.trim() === '' && isOwnFile(path);
}

function notRead(object: ObjectEdits): Issue {
  return {
    file: object.file,
    line: 0,
    path: '',
    reason: 'FileNotRead',
    message: `${object.file} was not read in this pass`,
    hint: 'Check paths in tranche.yaml.',
  };
}
