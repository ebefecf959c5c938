/** Decides which document of a file an object is: the only one of its name, of twins the one that counts, or an issue. */

import type { Issue } from '../../api/issue.ts';
import { jsonEqual } from '../../api/json.ts';
import type { ObjectRef } from '../../rollout/edits/edit.ts';
import { oneInFile } from '../one-in-file.ts';
import type { ManifestDocument, ManifestFile } from '../parse-file.ts';

type Chosen =
  | { readonly kind: 'ok'; readonly document: ManifestDocument }
  | { readonly kind: 'refused'; readonly issue: Issue };

/** The document of the object. Where it cannot be found, what cannot be read of the file is the reason. */
export function choose(file: ManifestFile, object: ObjectRef): Chosen {
  const matches = file.documents.filter((document) => jsonEqual(document.object, object));
  const [first] = matches;
  const document = oneInFile(matches);
  if (document !== undefined) return { kind: 'ok', document };
  const issue = file.issues[0];
  if (first === undefined && issue !== undefined) return { kind: 'refused', issue };
  const { kind, name } = object;
  return first === undefined
    ? misfit(file.file, object, { reason: 'ObjectNotFound', what: `there is no ${kind} ${name} in the file` })
    : misfit(file.file, object, {
        reason: 'ObjectTwice',
        what: `${kind} ${name} is in the file ${matches.length} times`,
      });
}

const FRESH = 'The file and the plan do not fit together: run the pass again on the present branch.';

/** The refusal where the plan and the file are not about the same text. */
export function misfit(
  file: string,
  { kind, name }: ObjectRef,
  { reason, what, hint = FRESH }: { readonly reason: string; readonly what: string; readonly hint?: string },
): Chosen & { readonly kind: 'refused' } {
  return {
    kind: 'refused',
    issue: {
      file,
      line: 0,
      path: '',
      reason,
      message: `${kind} ${name}: ${what}`,
      hint: `Nothing was changed. ${hint}`,
    },
  };
}
