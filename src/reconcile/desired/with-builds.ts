/** Puts what kustomize builds in the place of the files that it is built from. */

import { CARRIER_KIND } from '../../api/carrier.ts';
import type { ManifestDocument, ManifestFile } from '../../manifests/parse-file.ts';
import type { Patched } from '../../manifests/patch-place.ts';
import { type BuiltOver, standsFor } from '../documents/built-over.ts';
import type { partsOf } from '../documents/own-delivery.ts';
import { carrierOf } from '../helm/named-releases.ts';
import type { Identity } from './desired-rollout.ts';

/**
 * Each LeaderWorkerSet that is built stands at its patch, or that patch for it, and the documents of its name that it is built from are none of
 * their own: they are parts, and patches of people's that look like one.
 */
export function withBuilds(
  files: readonly ManifestFile[],
  all: readonly BuiltOver[],
  { isPart }: Pick<ReturnType<typeof partsOf>, 'isPart'>,
): readonly ManifestFile[] {
  const built = all.filter(({ named }) => named.kind === undefined);
  if (built.length === 0) return files;
  const there = new Set(files.map(({ file }) => file));
  const fresh = built.filter(({ file }) => !there.has(file)).map(({ file }) => ({ ...NOTHING, file }));
  return [...files, ...fresh].map((file) => {
    const atPatch = built.filter((one) => one.file === file.file);
    const isIn = (one: BuiltOver): boolean => one.file === file.file || one.files.includes(file.file);
    if (!built.some(isIn)) return file;
    const others = file.documents.filter((document) => !isPart(document));
    return { ...file, documents: [...others, ...atPatch.flatMap((one) => standsFor(one) ?? [])] };
  });
}

const NOTHING = { text: '', documents: [], others: [], issues: [] };

/** The build that a workload comes out of; undefined: out of none, or out of several. */
function overOf(
  { namespace, name, kind }: Patched,
  { built }: { readonly built: readonly BuiltOver[] },
): BuiltOver | undefined {
  const found = built.filter(
    ({ named }) => named.namespace === namespace && named.name === name && named.kind === kind,
  );
  return found.length === 1 ? found[0] : undefined;
}

/** The build that it is delivered by: of the HelmRelease that renders it, where that is what counts. */
export function overWanted(
  rollout: ManifestDocument,
  asked: { readonly workload: ManifestDocument | undefined; readonly namespace: string; readonly name: string },
  all: { readonly built: readonly BuiltOver[] },
): BuiltOver | undefined {
  const { workload, namespace, name } = asked;
  const carrier = carrierOf(rollout);
  const [release, plain] = [
    carrier === undefined ? undefined : overOf({ ...carrier, kind: CARRIER_KIND }, all),
    overOf({ namespace, name }, all),
  ];
  return release !== undefined && release.document === workload ? release : (plain ?? release);
}

/** The same of one that no Rollout names. */
export function overAt(
  { object }: ManifestDocument,
  { namespace, name }: Patched,
  all: { readonly built: readonly BuiltOver[] },
): BuiltOver | undefined {
  return overOf(object.kind === CARRIER_KIND ? { namespace, name, kind: CARRIER_KIND } : { namespace, name }, all);
}

/** How an identity says so. */
export function rootIn(over: BuiltOver | undefined): Pick<Identity, 'root' | 'flux' | 'carrier'> {
  if (over === undefined) return {};
  const { root, flux, named } = over;
  const { namespace, name, kind } = named;
  return {
    root,
    ...(flux === undefined ? {} : { flux }),
    ...(kind === undefined ? {} : { carrier: { namespace, name } }),
  };
}
