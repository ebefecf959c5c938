/** The way out of a finding as a unified diff of the file: what `lint`, `init` and `preflight` print below it. */

import { unifiedDiff } from '../../manifests/diff.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { applyEdits } from '../../manifests/splice/apply-edits.ts';
import type { Edit } from '../../rollout/edits/edit.ts';

/** Edits of one document, as the diff of `before`, the text of its file. Empty: there are none, or the text cannot take them. */
export function mendPatch(
  { file, object }: ManifestDocument,
  { mend = [], before }: { readonly mend: readonly Edit[] | undefined; readonly before: string },
): string {
  if (mend.length === 0) return '';
  const made = applyEdits(before, { file, object, edits: mend });
  return made.kind === 'ok' ? unifiedDiff({ file, before, after: made.text }) : '';
}
