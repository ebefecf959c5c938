/** What of a tree can be read: its texts, and the files that cannot. */

import type { Tree } from '../../ports/git.ts';
import type { Unreadable } from '../documents/desired-issues.ts';
import type { FileText } from '../documents/parse-cache.ts';

/** The files with a text, and those that cannot be read. */
export function contentsOf({ files }: Tree): {
  readonly read: readonly FileText[];
  readonly unreadable: readonly Unreadable[];
  readonly texts: ReadonlyMap<string, string>;
} {
  const read: FileText[] = [];
  const unreadable: Unreadable[] = [];
  for (const { path, oid, content } of files) {
    if (content.kind === 'unreadable') unreadable.push({ path, ...content });
    if (content.kind === 'text') read.push({ path, oid, text: content.text });
  }
  return { read, unreadable, texts: new Map(read.map(({ path, text }) => [path, text])) };
}
