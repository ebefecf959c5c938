/** Finds the manifests of a pass by what they name: built once, so that no Rollout looks through all files. */

import { CARRIER_KIND, HELM_GROUP } from '../../api/carrier.ts';
import { type Config, mappedNamespace } from '../../api/config.ts';
import { groupOf } from '../../api/group-of.ts';
import type { Issue } from '../../api/issue.ts';
import { at } from '../../api/json.ts';
import { LWS_KIND } from '../../api/kinds.ts';
import { MADE_FOR } from '../../api/marks.ts';
import { isOfOtherWorkload, LWS_API_VERSION } from '../../api/rollout.ts';
import { parseScaler } from '../../api/scaler.ts';
import { layoutIssues } from '../../manifests/layout.ts';
import type { ManifestDocument, ManifestFile } from '../../manifests/parse-file.ts';
import { aloneIn } from './alone.ts';
import type { BuiltOver } from './built-over.ts';
import { type Rivals, TWINS_READ_MOST } from './desired-issues.ts';
import type { FileIds } from './file-ids.ts';
import { type FluxSetting, fluxSettingsIn } from './flux-settings.ts';
import { groupedBy } from './grouped.ts';
import { type HelmReleases, helmReleasesIn } from './helm-releases.ts';

/** A name in a namespace; undefined: neither the manifest nor tranche.yaml says which. */
export type Named = { readonly namespace: string | undefined; readonly name: string };

export type ManifestIndex = {
  readonly rollouts: readonly ManifestDocument[];
  readonly workloads: readonly ManifestDocument[];
  readonly rolloutsCalled: (asked: Named) => readonly ManifestDocument[];
  /** Rollouts whose workload has this name. */
  readonly rolloutsOf: (asked: Named) => readonly ManifestDocument[];
  /** Those of them that have another name than this. */
  readonly rivalsOf: (asked: Named, own: string) => Rivals;
  readonly workloadsCalled: (asked: Named) => readonly ManifestDocument[];
  /** Who writes `replicas` of the workload according to Git: a scaler among the manifests, or the configuration. */
  readonly scalerOf: (asked: Named) => string | undefined;
  /** Those scalers themselves. */
  readonly scalersOf: (asked: Named) => readonly ManifestDocument[];
  /** Why the workload's file is not what the cluster gets. */
  readonly layoutOf: (workload: ManifestDocument) => readonly Issue[];
  /** Whether a file is all that its folder has to apply. */
  readonly isAlone: (file: string) => boolean;
  /** Flux Kustomizations of these files that delete what cannot be changed, or keep newer commits waiting. */
  readonly fluxSettings: () => readonly FluxSetting[];
  readonly helmReleases: () => HelmReleases;
  /** All HelmReleases of that name: the cluster has one of them. */
  readonly releasesCalled: (asked: Named) => readonly ManifestDocument[];
};

type Read = {
  readonly files: readonly ManifestFile[];
  readonly texts: ReadonlyMap<string, string>;
  /** Not there: looked for once they are asked for. */
  readonly releases?: HelmReleases | undefined;
  /** All files that are known to be there, read or not. */
  readonly blobs: FileIds;
  readonly config: Config;
  /** What kustomize builds: what is in the way of that is known. Not there: nothing is built. */
  readonly built?: readonly BuiltOver[];
};

/** Looks at each document once; what it answers costs nothing that grows with the files. */
export function indexOf({ files, texts, blobs, config, built = [], releases }: Read): ManifestIndex {
  const documents = files.flatMap((file) => file.documents);
  const workloads = documents.filter((one) => one.object.kind === LWS_KIND && isReadHere(one));
  const rollouts = documents.filter((one) => one.object.kind === 'Rollout' && isReadHere(one));
  const called = (document: ManifestDocument): Named => namedAs(document, config, document.object.name);
  const scalersOf = scalersIn(documents, config);
  const layoutOf = layoutIssues({ files, texts, isThere: (path) => blobs.get(path) !== undefined });
  let fluxSettings: readonly FluxSetting[] | undefined;
  const rolloutsOf = grouped(rollouts, (document) => namedAs(document, config, workloadName(document)));
  const issuesOf = new Map(built.map(({ document, issues }) => [document, issues]));
  let helmReleases = releases;
  let releasesCalled: ManifestIndex['releasesCalled'] | undefined;
  const allReleases = () => (helmReleases ??= helmReleasesIn(texts));
  return {
    rollouts,
    workloads,
    rolloutsCalled: grouped(rollouts, called),
    rolloutsOf,
    rivalsOf: rivalsAmong(rolloutsOf),
    workloadsCalled: grouped(workloads, called),
    scalerOf: scalerNames(scalersOf, config),
    scalersOf,
    layoutOf: (workload) => issuesOf.get(workload) ?? layoutOf(workload),
    isAlone: aloneIn(files, () => blobs.all().keys()),
    fluxSettings: () => (fluxSettings ??= fluxSettingsIn(texts)),
    helmReleases: allReleases,
    releasesCalled: (asked) => (releasesCalled ??= grouped(allReleases().all, called))(asked),
  };
}

/** The name of the workload that a Rollout is about; empty where it names none. */
export function workloadName(rollout: ManifestDocument): string {
  const name = at(rollout.value, ['spec', 'workloadRef', 'name']);
  return typeof name === 'string' ? name : '';
}

/** The LeaderWorkerSet that a document was made for by us; undefined: it is people's own. */
export function madeFor({ value }: ManifestDocument): string | undefined {
  const of = at(value, ['metadata', 'annotations', MADE_FOR]);
  return of === undefined || typeof of === 'string' ? of : JSON.stringify(of);
}

/** The namespace of a manifest, or the one that the configuration maps its path to. */
export function namespaceOf(document: ManifestDocument, config: Config): string | undefined {
  return document.object.namespace === '' ? mappedNamespace(config, document.file) : document.object.namespace;
}

/** The document of this kind and name among those of a commit: another namespace or API group may have one in the same file. */
export function documentCalled(
  documents: readonly ManifestDocument[],
  { kind, name, namespace }: Named & { readonly kind: 'Rollout' | typeof LWS_KIND },
  config: Config,
): ManifestDocument | undefined {
  const isIt = (one: ManifestDocument): boolean => one.object.kind === kind && one.object.name === name;
  return documents.find((one) => isIt(one) && isReadHere(one) && namespaceOf(one, config) === namespace);
}

/** Whether a pass reads it as what its kind says: one of another API group is never a workload or a Rollout, in no commit. */
export function isReadHere({ object: { kind, apiVersion }, value }: ManifestDocument): boolean {
  if (kind === LWS_KIND) return apiVersion === LWS_API_VERSION;
  if (kind === CARRIER_KIND) return groupOf(apiVersion) === HELM_GROUP;
  return kind !== 'Rollout' || (apiVersion.startsWith('rollouts.kruise.io/') && !isOfOtherWorkload(value));
}

function namedAs(document: ManifestDocument, config: Config, name: string): Named {
  return { namespace: namespaceOf(document, config), name };
}

function grouped<T>(all: readonly T[], named: (one: T) => Named): (asked: Named) => readonly T[] {
  const groups = groupedBy(all, (one) => keyOf(named(one)));
  return (asked) => groups.get(keyOf(asked)) ?? [];
}

/** Each of a group asks for all others of it: they are looked through once. */
function rivalsAmong(rolloutsOf: ManifestIndex['rolloutsOf']): ManifestIndex['rivalsOf'] {
  const groups = new Map<readonly ManifestDocument[], ReadonlyMap<string, readonly ManifestDocument[]>>();
  return (asked, own) => {
    const all = rolloutsOf(asked);
    const byName = groups.get(all) ?? groupedBy(all, ({ object }) => object.name);
    groups.set(all, byName);
    const first: ManifestDocument[] = [];
    for (const [name, documents] of byName) {
      if (first.length >= TWINS_READ_MOST) break;
      if (name !== own) first.push(...documents.slice(0, TWINS_READ_MOST));
    }
    return { first, many: all.length - (byName.get(own)?.length ?? 0) };
  };
}

/** Any text may stand in a manifest as a name, so nothing in it may separate the parts. */
function keyOf({ namespace, name }: Named): string {
  return JSON.stringify([namespace ?? '', name]);
}

/** The autoscalers among these documents, by the LeaderWorkerSet whose replicas they write. */
export function scalersIn(documents: readonly ManifestDocument[], config: Config): ManifestIndex['scalersOf'] {
  const named = documents.flatMap((document) => {
    const read = parseScaler(document.object, document.value);
    const isOurs = read?.kind === 'known' && read.value.target.kind === LWS_KIND;
    return isOurs ? [{ document, target: read.value.target.name }] : [];
  });
  const byTarget = grouped(named, ({ document, target }) => namedAs(document, config, target));
  return (asked) => byTarget(asked).map(({ document }) => document);
}

function scalerNames(scalersOf: ManifestIndex['scalersOf'], config: Config): ManifestIndex['scalerOf'] {
  const configured = new Set(config.autoscaled);
  return (asked) => {
    if (configured.has(`${asked.namespace}/${asked.name}`)) return 'tranche.yaml, autoscaled';
    const [first] = scalersOf(asked);
    return first && `${first.object.kind} ${first.object.name} in ${first.file}`;
  };
}
