/** What is found of an agent's object, as an issue: with its place, and the way out as a patch where the file alone says it. */

import type { Issue } from '../../api/issue.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { pathText } from '../../manifests/path-text.ts';
import type { Edit, FieldPath } from '../../rollout/edits/edit.ts';
import { mendPatch } from '../documents/mend-patch.ts';

export type AgentFinding = Pick<Issue, 'reason' | 'message' | 'hint'> & {
  readonly path: FieldPath;
  /** Edits of the object after which this is not found any more; not there: people have to choose. */
  readonly mend?: readonly Edit[];
};

/** `text`: of the file of the object. */
export function agentIssue(document: ManifestDocument, finding: AgentFinding, text: string): Issue {
  const { file, object } = document;
  const { path, mend, message, reason, hint } = finding;
  const patch = mendPatch(document, { mend, before: text });
  const named = `${object.kind} ${object.name}: ${message}`;
  const issue = { file, line: document.lineOf(path), path: pathText(path), reason, message: named, hint };
  return patch === '' ? issue : { ...issue, patch };
}
