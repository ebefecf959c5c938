/** Remembers files as they were parsed: one that has not changed is not parsed again. */

import { LWS_KIND } from '../../api/rollout.ts';
import { POLICY_KIND } from '../../api/rollout-policy.ts';
import { type ManifestFile, parseManifestFile } from '../../manifests/parse-file.ts';

/** The kinds that a pass reads; `Kustomization` files are recognised by their names. */
export const INTERESTS = [LWS_KIND, 'Rollout', POLICY_KIND, 'HorizontalPodAutoscaler', 'ScaledObject'] as const;

/** Parsed files by path and blob id: a file that has not changed is not parsed again. Owned by the caller. */
export type ParseCache = Map<string, ManifestFile>;

/** Characters of files that are kept parsed beside those of the tree at hand: one that is taken back is known still. */
const PARSED_MOST = 2 * 1024 * 1024;

/** Lets go of the oldest files that this tree does not have. */
export function trim(cache: ParseCache, used: ReadonlySet<ManifestFile>): void {
  const others = [...cache].filter(([, file]) => !used.has(file));
  let characters = others.reduce((sum, [, { text }]) => sum + text.length, 0);
  for (const [key, { text }] of others) {
    if (characters <= PARSED_MOST) return;
    cache.delete(key);
    characters -= text.length;
  }
}

/** A file as it is parsed for these kinds; one that has not changed is not parsed again. */
export function parsed(
  cache: ParseCache,
  file: { readonly path: string; readonly oid: string; readonly text: string },
  interests: readonly string[],
): ManifestFile {
  const key = `${file.oid} ${file.path} ${interests === INTERESTS ? '' : interests.join(' ')}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const fresh = parseManifestFile(file.path, file.text, interests);
  cache.set(key, fresh);
  return fresh;
}
