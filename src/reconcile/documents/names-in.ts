/** Whether a document names another: in whatever field, also within a text as some dialects have it. */

import type { ManifestDocument } from '../../manifests/parse-file.ts';

const OF_NAME = /[a-z0-9-]/;

/** The name as it stands, for a name in a file may be any text. */
export function namesIn({ value }: ManifestDocument, name: string): boolean {
  if (name === '') return false;
  const text = JSON.stringify(value);
  for (let from = text.indexOf(name); from >= 0; from = text.indexOf(name, from + 1))
    if (!OF_NAME.test(text[from - 1] ?? '') && !OF_NAME.test(text[from + name.length] ?? '')) return true;
  return false;
}
