/** The Services and routes of the files: read only where a Rollout routes traffic, because most repositories have many. */

import type { Config } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import { SERVICE_KIND } from '../../api/kinds.ts';
import type { Owners } from '../../api/owners.ts';
import type { CustomKind } from '../../api/route-provider.ts';
import { layoutIssues } from '../../manifests/layout.ts';
import type { ManifestDocument, ManifestFile } from '../../manifests/parse-file.ts';
import { ROUTE_KINDS } from '../../rollout/traffic/index.ts';
import { type Firsts, type Settled, settleClaims, without } from './claims.ts';
import type { FileIds } from './file-ids.ts';
import { groupedBy } from './grouped.ts';
import { type Named, namespaceOf } from './manifest-index.ts';
import { isOfItsGroup, POOL_KIND } from './of-group.ts';
import { type LosersTo, losersTo } from './twin-issues.ts';

/** The kinds of documents that a Rollout with traffic hangs on. */
export const TRAFFIC_KINDS: readonly string[] = [SERVICE_KIND, ...ROUTE_KINDS, POOL_KIND];

/** With those that the files describe themselves. */
export function trafficKinds(customs: readonly CustomKind[]): readonly string[] {
  return customs.length === 0 ? TRAFFIC_KINDS : [...new Set([...TRAFFIC_KINDS, ...customs.map(({ kind }) => kind)])];
}

export type TrafficIndex = {
  /** The documents of a kind in the namespace. */
  readonly inNamespace: (kind: string, namespace: string) => readonly ManifestDocument[];
  /** Those with this name. */
  readonly called: (kind: string, asked: Named) => readonly ManifestDocument[];
  /** Why a document is not what the cluster gets. */
  readonly layoutOf: (document: ManifestDocument) => readonly Issue[];
  readonly texts: ReadonlyMap<string, string>;
  /** Kinds of routes that the files describe themselves. */
  readonly customs: readonly CustomKind[];
  /** Which folders speak for a namespace. */
  readonly owners: Owners;
  /** Which of several documents for one object count. */
  readonly claims: Settled;
  readonly losersTo: LosersTo;
};

export const NO_TRAFFIC: TrafficIndex = {
  inNamespace: () => [],
  called: () => [],
  layoutOf: () => [],
  texts: new Map(),
  customs: [],
  owners: {},
  claims: { files: [], losers: [], open: [] },
  losersTo: () => [],
};

type Read = {
  readonly files: readonly ManifestFile[];
  /** With the kustomizations among them. */
  readonly layouts: readonly ManifestFile[];
  readonly texts: ReadonlyMap<string, string>;
  readonly blobs: FileIds;
  readonly config: Config;
  readonly customs: readonly CustomKind[];
  /** Not there: nobody has looked. */
  readonly firsts?: Firsts;
};

/** Looks at each document once. */
export function trafficIndexOf(read: Read): TrafficIndex {
  const { layouts, texts, blobs, config, customs, firsts = new Map() } = read;
  const isOther = (document: ManifestDocument): boolean => !isOfItsGroup(document, customs);
  const files = read.files.map((file) => without(file, new Set(file.documents.filter(isOther))));
  const claims = settleClaims(files, config, firsts);
  const documents = claims.files.flatMap((file) => file.documents);
  const namespaceIn = (document: ManifestDocument): string => namespaceOf(document, config) ?? '';
  const groups = groupedBy(documents, (one) => keyOf(one.object.kind, namespaceIn(one)));
  const named = groupedBy(documents, (one) => keyOf(one.object.kind, namespaceIn(one), one.object.name));
  return {
    inNamespace: (kind, namespace) => groups.get(keyOf(kind, namespace)) ?? [],
    called: (kind, { namespace = '', name }) => named.get(keyOf(kind, namespace, name)) ?? [],
    layoutOf: layoutIssues({ files: layouts, texts, isThere: (path) => blobs.get(path) !== undefined }),
    texts,
    customs,
    owners: config.owners,
    claims,
    losersTo: losersTo(claims),
  };
}

function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
