/** Words for the files that make a build another one. */

/** A file that a build takes, with its first line that differs (0: the file is gone) and the commit that made it so, where one is known. */
export type ChangedFile = { readonly path: string; readonly line: number; readonly commit?: string };

const NAMED_MOST = 3;
const OID_SHOWN = 12;

/** `base/lws.yaml:7 (commit 1b2c3d4e5f60) and 2 more files`; empty: none is known. */
export function changedText(files: readonly ChangedFile[] | undefined): string {
  if (files === undefined || files.length === 0) return '';
  const named = files.slice(0, NAMED_MOST).map(fileText).join(', ');
  const more = files.length - NAMED_MOST;
  return more > 0 ? `${named} and ${more} more ${more === 1 ? 'file' : 'files'}` : named;
}

function fileText({ path, line, commit }: ChangedFile): string {
  const place = line === 0 ? `${path}, gone` : `${path}:${line}`;
  return commit === undefined ? place : `${place} (commit ${commit.slice(0, OID_SHOWN)})`;
}
