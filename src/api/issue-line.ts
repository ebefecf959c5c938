/** What is wrong with a file, as one line. */

import type { Issue } from './issue.ts';
import { oneLine } from './printable.ts';

/** `file:line: message (Reason). hint` */
export function issueLine(issue: Issue): string {
  const place = issue.line > 0 ? `${issue.file}:${issue.line}` : issue.file;
  return oneLine(`${place === '' ? '' : `${place}: `}${issue.message} (${issue.reason}). ${issue.hint}`);
}
