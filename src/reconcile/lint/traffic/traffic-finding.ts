/** What lint says of Services and routes: an issue with its line, and the way out as a patch where the files say what it is. */

import type { Issue } from '../../../api/issue.ts';
import type { ManifestDocument } from '../../../manifests/parse-file.ts';
import type { Edit, FieldPath } from '../../../rollout/edits/edit.ts';
import type { RouteFault } from '../../../rollout/traffic/provider.ts';
import { mendPatch } from '../../documents/mend-patch.ts';
import { nameOf } from '../../documents/read-rollout.ts';

export type TrafficFinding = {
  readonly document: ManifestDocument;
  readonly path: FieldPath;
  readonly reason: string;
  /** What was seen, and why it would hurt. */
  readonly what: string;
  readonly hint: string;
  /** Edits of that document that mend it; none where people have to choose. */
  readonly mend?: readonly Edit[];
  /** Another document that these edits are for. */
  readonly mendIn?: ManifestDocument;
};

/** A fault that a provider found, in the document of its route. */
export function ofFault(
  document: ManifestDocument,
  { at, reason, message, hint, mend = [] }: RouteFault,
): TrafficFinding {
  return { document, path: at, reason, what: message, hint, mend };
}

/** The finding as an issue; a mend that the text cannot take is left out. */
export function trafficIssue(finding: TrafficFinding, texts: ReadonlyMap<string, string>): Issue {
  const { document, path, reason, what, hint, mend, mendIn = document } = finding;
  const { file } = document;
  const patch = mendPatch(mendIn, { mend, before: texts.get(mendIn.file) ?? '' });
  return {
    file,
    line: document.lineOf(path),
    path: path.join('.'),
    reason,
    message: `${nameOf(document)}: ${what}`,
    hint,
    ...(patch === '' ? {} : { patch }),
  };
}
