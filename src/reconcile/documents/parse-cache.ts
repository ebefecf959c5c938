/** Remembers files as they were parsed: one that has not changed is not parsed again. */

import { LWS_KIND, POLICY_KIND, ROUTE_PROVIDER_KIND } from '../../api/kinds.ts';
import type { KnownTexts } from '../../manifests/known-texts.ts';
import { type ManifestFile, parseManifestFile, withoutTrees } from '../../manifests/parse-file.ts';

/** The kinds that a pass reads; `Kustomization` files are recognised by their names. */
export const INTERESTS = [
  LWS_KIND,
  'Rollout',
  POLICY_KIND,
  ROUTE_PROVIDER_KIND,
  'HorizontalPodAutoscaler',
  'ScaledObject',
] as const;

/** Parsed files by path and blob id: a file that has not changed is not parsed again. Owned by the caller. */
export type ParseCache = Map<string, ManifestFile>;

/** Characters of files that are kept parsed next to those of the tree at hand: one that is taken back is known still. */
const PARSED_MOST = 2 * 1024 * 1024;

/** Drops the oldest files that this tree does not have. */
function trim(cache: ParseCache, used: ReadonlySet<ManifestFile>): void {
  const others = [...cache].filter(([, file]) => !used.has(file));
  let characters = others.reduce((sum, [, { text }]) => sum + text.length, 0);
  for (const [key, { text }] of others) {
    if (characters <= PARSED_MOST) return;
    cache.delete(key);
    characters -= text.length;
  }
}

/**
 * Characters of the documents at hand that keep their trees: those of a thousand Rollouts. The trees of all others are
 * built where one is asked for, so that ten thousand fit into memory.
 */
const TREES_MOST = 2 * 1024 * 1024;

export type FileText = { readonly path: string; readonly oid: string; readonly text: string };

/** Files as they are parsed for these kinds; one that has not changed is not parsed again. */
export function parsedFiles(
  cache: ParseCache,
  files: readonly FileText[],
  { interests, known }: { readonly interests: readonly string[]; readonly known: KnownTexts },
): readonly ManifestFile[] {
  let characters = 0;
  const kinds = interests === INTERESTS ? '' : interests.join(' ');
  return files.map(({ path, oid, text }) => {
    const key = `${oid} ${path} ${kinds}`;
    const there = cache.get(key);
    const read = there ?? parseManifestFile(path, text, interests, known);
    characters += read.documents.reduce((sum, document) => sum + document.text.length, 0);
    if (there !== undefined) return there;
    const fresh = characters <= TREES_MOST ? read : withoutTrees(read, known);
    cache.set(key, fresh);
    return fresh;
  });
}

/** The same where the cache is for no other files. */
export function parsedAlone(...[cache, files, of]: Parameters<typeof parsedFiles>): readonly ManifestFile[] {
  const parsed = parsedFiles(cache, files, of);
  trim(cache, new Set(parsed));
  return parsed;
}
