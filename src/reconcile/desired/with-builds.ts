/** Puts what kustomize builds in the place of the files that it is built from. */

import type { Config } from '../../api/config.ts';
import { LWS_KIND } from '../../api/kinds.ts';
import type { ManifestDocument, ManifestFile } from '../../manifests/parse-file.ts';
import type { BuiltOver } from '../documents/built-over.ts';
import { namespaceOf } from '../documents/manifest-index.ts';
import type { Identity } from './desired-rollout.ts';

/**
 * Each LeaderWorkerSet that is built stands at its patch, and the documents of its name that it is built from are none of
 * their own: they are parts, and patches of people's that look like one.
 */
export function withBuilds(
  files: readonly ManifestFile[],
  built: readonly BuiltOver[],
  config: Config,
): readonly ManifestFile[] {
  if (built.length === 0) return files;
  const there = new Set(files.map(({ file }) => file));
  const fresh = built.filter(({ file }) => !there.has(file)).map(({ file }) => ({ ...NOTHING, file }));
  return [...files, ...fresh].map((file) => {
    const atPatch = built.filter((one) => one.file === file.file);
    const parts = built.filter((one) => one.file === file.file || one.files.includes(file.file));
    if (parts.length === 0) return file;
    const others = file.documents.filter((document) => !parts.some((one) => isPart(document, one, config)));
    return { ...file, documents: [...others, ...atPatch.flatMap(({ document }) => document ?? [])] };
  });
}

const NOTHING = { text: '', documents: [], others: [], issues: [] };

/** One without a namespace is applied as it is where the configuration gives it one, or is in need of the build. */
function isPart(document: ManifestDocument, { named }: BuiltOver, config: Config): boolean {
  const { kind, name } = document.object;
  const own = namespaceOf(document, config);
  return kind === LWS_KIND && name === named.name && (own === undefined || own === named.namespace);
}

/** The build that a workload comes out of; undefined: out of none, or out of several. */
export function overOf(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { built }: { readonly built: readonly BuiltOver[] },
): BuiltOver | undefined {
  const found = built.filter(({ named }) => named.namespace === namespace && named.name === name);
  return found.length === 1 ? found[0] : undefined;
}

/** How an identity says so. */
export function rootIn(over: BuiltOver | undefined): Pick<Identity, 'root' | 'flux'> {
  if (over === undefined) return {};
  const { root, flux } = over;
  return flux === undefined ? { root } : { root, flux };
}
