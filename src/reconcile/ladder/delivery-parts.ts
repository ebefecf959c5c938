/** Which documents a ladder is climbed on, and how texts have them. */

import { groupOf } from '../../api/group-of.ts';
import { LWS_KIND } from '../../api/kinds.ts';
import type { Release } from '../../api/release.ts';
import { SCALER_KINDS } from '../../api/scaler.ts';
import { isOneWorkload } from '../../api/styles.ts';
import type { KnownTexts } from '../../manifests/known-texts.ts';
import { type ManifestDocument, parseManifestFile } from '../../manifests/parse-file.ts';
import type { ObjectRef } from '../../rollout/edits/edit.ts';
import { asidesOfRoutes, heldScaler } from '../../rollout/ladders/asides.ts';
import { type Delivery, hasSubsets, secondName } from '../../rollout/ladders/delivery.ts';
import { canaryServiceName } from '../../rollout/traffic/canary-service.ts';
import { ROUTE_KINDS } from '../../rollout/traffic/index.ts';
import type { RouteFiles, TrafficProvider } from '../../rollout/traffic/provider.ts';
import type { LadderPlan } from './begun.ts';

/** The kinds of documents that a ladder changes. */
const LADDER_KINDS: readonly string[] = [LWS_KIND, 'Service', ...ROUTE_KINDS, ...SCALER_KINDS];

export type Texts = ReadonlyMap<string, string>;

/** A document by its file and its name. */
type Place = { readonly file: string; readonly object: ObjectRef };

export type DeliveryParts = {
  readonly plan: LadderPlan;
  readonly release: Release;
  readonly workload: Place;
  readonly service: Place | undefined;
  /** Of one workload: the Service that we made for the new version, where the user's own is missing. Not there: next to that one. */
  readonly canaryService?: Place | undefined;
  /** What writes the groups of the user's own workload by these files. */
  readonly scalers: readonly ManifestDocument[];
  readonly routes: readonly {
    readonly provider: TrafficProvider;
    readonly route: Place;
    /** Where the copy of the route is, or comes. */
    readonly canaryFile: string;
  }[];
  /** What the plan names and the files do not have, once and in its namespace. */
  readonly missing: Delivery['missing'];
  readonly liveReplicas: number;
  readonly stableText: string;
  /** Whether a document is in the namespace of the delivery: a file may have objects of the same name for others. */
  readonly isInside: (document: ManifestDocument) => boolean;
};

/** What one commit leaves to the next: the texts, and what the routes have put aside. */
export type Stand = { readonly texts: Texts; readonly displaced: RouteFiles['displaced'] };

/** The delivery as these texts have it; undefined: the workload, or a route, is not in them. */
export function deliveryIn(
  { texts, displaced }: Stand,
  parts: DeliveryParts,
  known?: KnownTexts,
): Delivery | undefined {
  const { plan, release, workload, service, missing, liveReplicas, stableText } = parts;
  const kinds = parts.routes.map(({ route }) => route.object.kind);
  const find = finder({ texts, kinds, isInside: parts.isInside, known });
  const own = find(workload);
  const routes = parts.routes.flatMap(({ provider, route: place, canaryFile }) => {
    const route = find(place);
    const canary = find({ file: canaryFile, object: named(place.object, `${place.object.name}-canary`) });
    return route === undefined ? [] : [{ provider, route, canary }];
  });
  if (own === undefined || routes.length < parts.routes.length) return undefined;
  // One of another strategy may be left; this one has nothing to do with it.
  const isOne = isOneWorkload(plan.style);
  const beside = service === undefined ? undefined : named(service.object, canaryServiceName(service.object.name));
  const canary = service === undefined || beside === undefined ? parts.canaryService : { ...service, object: beside };
  const scaler = heldScaler(parts.scalers, asidesOfRoutes(displaced));
  const second = isOne ? undefined : find({ ...workload, object: named(workload.object, secondName({ plan, own })) });
  return {
    plan,
    release,
    own,
    second,
    scaler: scaler === undefined ? undefined : find(scaler),
    service: service === undefined ? undefined : find(service),
    canaryService: canary === undefined || hasSubsets({ plan, routes }) ? undefined : find(canary),
    routes,
    pools: plan.routing?.pools,
    watched: [],
    missing,
    displaced,
    liveReplicas,
    stableText,
  };
}

type Search = {
  readonly texts: Texts;
  readonly kinds: readonly string[];
  readonly isInside: DeliveryParts['isInside'];
  readonly known?: KnownTexts | undefined;
};

/** Finds documents, and reads each file once. */
export function finder({ texts, kinds, isInside, known }: Search): (place: Place) => ManifestDocument | undefined {
  const read = new Map<string, readonly ManifestDocument[]>();
  const interests = kinds.every((kind) => LADDER_KINDS.includes(kind))
    ? LADDER_KINDS
    : [...new Set([...LADDER_KINDS, ...kinds])];
  return ({ file, object }) => {
    const documents = read.get(file) ?? parseManifestFile(file, texts.get(file) ?? '', interests, known).documents;
    read.set(file, documents);
    return documents.find((one) => isSame(one.object, object) && isInside(one));
  };
}

/** Of its API group as well: another one may have a kind of the same name. */
function isSame(one: ObjectRef, other: ObjectRef): boolean {
  return one.kind === other.kind && one.name === other.name && groupOf(one.apiVersion) === groupOf(other.apiVersion);
}

function named(object: ObjectRef, name: string): ObjectRef {
  return { ...object, name };
}
