/** Which kustomize folders a question about LeaderWorkerSets, and HelmReleases that render one, is about: by what stands in their files, before anything is built. */

import { CARRIER_KIND } from '../../api/carrier.ts';
import { LWS_KIND } from '../../api/kinds.ts';
import type { Root } from '../../manifests/kustomize-roots.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { ClosedOrRefused } from './read-closures.ts';

/**
 * Whether the folder is about LeaderWorkerSets, and may be about those that are looked for. `releases`: names of HelmReleases that a
 * Rollout names. Most folders have some that render no workload: of those alone nothing is built.
 */
export function isAsked(
  { folder, document }: Root,
  closure: ClosedOrRefused,
  {
    names,
    patched,
    releases,
  }: {
    readonly names: readonly string[] | undefined;
    readonly patched: readonly string[];
    readonly releases: readonly string[];
  },
): boolean {
  // What it lists may be missing: then its own text is all that tells.
  if (closure.kind === 'refused' && names?.some((name) => makesName(document, name)) === true) return true;
  if (patched.includes(folder)) return true;
  const has = (kind: string): boolean => closure.files.some(({ text }) => text.includes(kind));
  if (has(LWS_KIND)) return names === undefined || mayBuild(closure, names);
  return releases.length > 0 && has(CARRIER_KIND) && mayBuild(closure, names ?? releases);
}

/** By its prefix and suffix. */
function makesName({ value }: ManifestDocument, name: string): boolean {
  const [prefix, suffix] = [value['namePrefix'] ?? '', value['nameSuffix'] ?? ''];
  if (typeof prefix !== 'string' || typeof suffix !== 'string' || prefix + suffix === '') return false;
  return name.startsWith(prefix) && name.endsWith(suffix);
}

/** Of a document that is built from, as far as it is written as people write it. */
const NAME =
  /^metadata:[ \t]*(?:\{[^\n}]*?\bname:[ \t]*["']?([a-z0-9.-]+)|\n(?:[ \t]+[^\n]*\n)*?[ \t]+name:[ \t]*["']?([a-z0-9.-]+))/gm;

/** Whether one of these names may come out: it stands in a file, or is one of there with a prefix or a suffix. */
function mayBuild({ files }: ClosedOrRefused, names: readonly string[]): boolean {
  return files.some(({ text }) => {
    if (names.some((name) => text.includes(name))) return true;
    if (!text.includes(LWS_KIND) && !text.includes(CARRIER_KIND)) return false;
    const there = [...text.matchAll(NAME)].flatMap(([, flow, block]) => flow ?? block ?? []);
    return names.some((name) => there.some((part) => name.includes(part)));
  });
}
