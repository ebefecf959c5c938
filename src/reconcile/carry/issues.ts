/** Why a delivery cannot be carried into a render, each with what to do. */

import type { Issue } from '../../api/issue.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';

type Text = Pick<Issue, 'reason' | 'message' | 'hint'>;

const TEXTS = {
  unread: { reason: 'WrongType', message: 'it cannot be read', hint: 'Correct the file.' },
  lost: {
    reason: 'WorkloadMissing',
    message: 'tranche has written in it, and the rendered files do not have it',
    hint: 'Render it under the same name and namespace. To remove it on purpose, run tranche eject first.',
  },
  twice: {
    reason: 'ObjectTwice',
    message:
      'tranche has written in one of this name, and here is another: which of them an agent applies is not known',
    hint: 'Leave one of the two, in the files of the branch and in the rendered ones.',
  },
  otherObjects: {
    reason: 'NotSupportedYet',
    message: 'the delivery has a second LeaderWorkerSet, or has changed a Service or a route, and carry knows neither',
    hint: 'Commit the render once the delivery has settled or was aborted.',
  },
  orphan: {
    reason: 'NotSupportedYet',
    message: 'tranche has made it for a workload that has no annotations of tranche on this branch',
    hint: 'Put the annotations back, or take it out of the branch as well, once nothing sends requests to it.',
  },
  notMade: {
    reason: 'MarkNotBorneOut',
    message: 'it says that tranche has made it, and tranche makes no such objects',
    hint: 'Take the annotation out, or the document.',
  },
  taken: {
    reason: 'NameTaken',
    message: 'the branch has one of this name that tranche has made, and this is another',
    hint: 'Render it under another name.',
  },
  outOfFile: {
    reason: 'NotSupportedYet',
    message:
      'the delivery re-creates it, and has taken it out of the files of the branch until the cluster has deleted it',
    hint: 'Commit the render once tranche has put it back, a few minutes later.',
  },
} as const satisfies Readonly<Record<string, Text>>;

/** The issue at the line of that field, or of the nearest parent that is there. */
export function carryIssue(document: ManifestDocument, path: readonly string[], why: keyof typeof TEXTS): Issue {
  const { file, object } = document;
  const { reason, message, hint } = TEXTS[why];
  const what = `${object.kind} ${object.name}: ${message}`;
  return { file, line: document.lineOf(path), path: path.join('.'), reason, message: what, hint };
}
