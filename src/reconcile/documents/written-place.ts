/** Where tranche writes at all: by the name of a file, and what to do about one in another place. */

import type { Issue } from '../../api/issue.ts';
import { shellWord } from '../../api/shell-word.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { folderOf } from '../../manifests/paths.ts';

const MANIFEST = /\.(?:ya?ml|json)$/;

/** Why tranche never writes this file; undefined: it may. A folder that starts with a dot is of a tool, as `.github`. */
export function fileRefused(file: string): string | undefined {
  const parts = file.split('/');
  if (parts.some((part) => part === '' || part.startsWith('.'))) return 'it is in no folder of manifests';
  if (/^tranche\.ya?ml$/.test(file)) return 'it is the configuration of tranche';
  return MANIFEST.test(file) ? undefined : 'it is no file of manifests';
}

/** What to do about a manifest of people's own in such a place; a forged annotation that leads there finds none. */
export function moveHint(file: string): string {
  const there = file
    .split('/')
    .map((part) => part.replace(/^\.+/, ''))
    .join('/');
  // git mv makes no folder.
  const folder = folderOf(there);
  const made = folder === folderOf(file) ? '' : `mkdir -p ${shellWord(folder)} && `;
  return `Nothing was written. If this file is a workload or a Rollout of yours, move it to where no name starts with a dot, as by: ${made}git mv ${shellWord(file)} ${shellWord(there)}. Orders and rollbacks are written from then on.`;
}

/** Why no step of what is in this file may start: nothing could be ordered or taken back there. undefined: it may. */
export function placeRefused({ file, object }: Pick<ManifestDocument, 'file' | 'object'>): Issue | undefined {
  const why = fileRefused(file);
  if (why === undefined) return undefined;
  const message = `tranche never writes ${object.kind} ${object.name} in this file: ${why}`;
  return { file, line: 1, path: '', reason: 'WriteOutOfBounds', message, hint: moveHint(file) };
}
