/** What Git and the Rollout say of a delivery with a second workload: all that its place on a ladder depends on. */

import { floorOf, isIntOrPercent } from '../../api/int-or-percent.ts';
import { at } from '../../api/json.ts';
import { SERVICE_KIND } from '../../api/kinds.ts';
import type { REVISION_KEY } from '../../api/lws-labels.ts';
import { MARK, type Marks } from '../../api/marks.ts';
import type { InferencePools } from '../../api/policy-pools.ts';
import type { Release } from '../../api/release.ts';
import { parseRestore } from '../../api/restore.ts';
import type { Rollout } from '../../api/rollout.ts';
import { parseService, stringsIn } from '../../api/service.ts';
import type { StartedRouting } from '../../api/started-routing.ts';
import { secondNameOf, takesTurns } from '../../api/styles.ts';
import type { VERSION } from '../../api/version-label.ts';
import { DEFAULT_MAX_UNAVAILABLE } from '../../api/workload.ts';
import { MAX_UNAVAILABLE_PATH, PARTITION_PATH, REPLICAS_PATH } from '../../api/workload-paths.ts';
import { canaryServiceName } from '../traffic/canary-service.ts';
import type { Displaced, RouteDocument, RouteFiles, Sides, TrafficProvider } from '../traffic/provider.ts';
import { areSubsets } from '../traffic/subsets.ts';

/** A route that the Rollout names, its document, and the copy of it where its kind needs one. */
export type RouteInUse = { readonly provider: TrafficProvider } & Omit<RouteFiles, 'displaced'>;

/** A label of the leaders of the stable version, and no other's. */
export type Pin = { readonly key: typeof VERSION | typeof REVISION_KEY; readonly value: string };

/** How the cluster tells the versions of one workload apart. */
type VersionNames = {
  /** undefined: nothing does. */
  readonly stable: Pin | undefined;
  /** The revision of the release, where its label would restart groups that have loaded it; undefined: the label tells it. */
  readonly release: string | undefined;
  /** Groups on neither of two versions, by their index. */
  readonly others: readonly number[];
};

/**
 * How the rollback of two versions of one workload starts. `first`: requests go to stable before a group restarts, and the
 * Service is pinned to this label where it takes in others. `batches`: too few groups are on the stable version, so that the
 * other keeps this share, in percent. `atOnce`: nobody waits for the requests; `opens`: the Service takes in all leaders.
 */
export type BackStart =
  | { readonly kind: 'first'; readonly pin: Pin | undefined }
  | { readonly kind: 'batches'; readonly percent: number }
  | { readonly kind: 'atOnce'; readonly opens: boolean };

/** A document with its own text. */
type TextDocument = RouteDocument & { readonly text: string };

export type Delivery = {
  readonly plan: Pick<Rollout, 'name' | 'style' | 'steps' | 'strategy'>;
  /** What is being delivered. */
  readonly release: Release;
  /** The user's LeaderWorkerSet: the template of record, in every strategy. */
  readonly own: TextDocument;
  /** The other one, made by us; undefined: not yet. */
  readonly second: RouteDocument | undefined;
  /** The autoscaler in Git of the user's own; undefined: there is none, or several. */
  readonly scaler: RouteDocument | undefined;
  /** undefined: the Rollout routes no traffic. */
  readonly service: RouteDocument | undefined;
  readonly canaryService: RouteDocument | undefined;
  /** In the place of both Services, by colour in blueGreen: the user keeps them. Not there: there are Services, or none. */
  readonly pools?: InferencePools | undefined;
  readonly routes: readonly RouteInUse[];
  /** The Service and routes that it was started with, as far as no file has them: what they send is not known. */
  readonly missing: readonly { readonly kind: string; readonly name: string }[];
  /** Other routes to the Service: a share is written into none, and the new version is not left while one sends to it. */
  readonly watched: readonly RouteInUse[];
  /** Fields of routes that were put aside, and of an autoscaler. */
  readonly displaced: readonly Displaced[];
  /** N where no manifest has it, or where somebody else owns it. */
  readonly liveReplicas: number;
  /** An autoscaler owns N, in Git, in the cluster or by `tranche.yaml`, whatever the file says. Not there: nobody has said it. */
  readonly isAutoscaled?: boolean;
  /** The template to go back to, of the user's LeaderWorkerSet. */
  readonly stableText: string;
  /**
   * A hand has put the template to go back to into its file before a commit of ours did: the revision that holds it, as far
   * as one does. The newest is another where the version label of the release stays in the template. Not there: no hand has.
   */
  readonly putBack?: { readonly revision: string | undefined };
  /** Of all its documents, where they leave it out. Not there: nobody has said it. */
  readonly namespace?: string;
  /** Of the annotations that our last commit wrote, where the file has others: by those each side would be the other one. */
  readonly written?: Pick<Marks, 'serves'>;
  /** Of one workload. Not there: as in a healthy cluster, whose groups are all on one version to start with. */
  readonly versions?: VersionNames;
  /** Of one workload, by what serves in the cluster. Not there: by Git, as where all groups are ready. */
  readonly back?: BackStart;
};

type Style = { readonly plan: Pick<Rollout, 'style'> } & Pick<Delivery, 'written'>;
type Named = Style & {
  readonly plan: Pick<Rollout, 'name' | 'strategy'>;
  readonly own: Pick<RouteDocument, 'object' | 'value'>;
};

/** The name of the workload that a delivery adds. */
export function secondName({
  plan,
  own,
}: Style & { readonly own: { readonly object: { readonly name: string } } }): string {
  return secondNameOf(plan.style, own.object.name);
}

/** blueGreen: whether the colour that we made serves, so that the user's own is the one to be filled. */
export function greenServes({ plan, own, written }: Style & Pick<Named, 'own'>): boolean {
  const serves = written === undefined ? annotationsOf(own)[MARK.serves] : written.serves;
  return takesTurns(plan.style) && serves === 'green';
}

/** The workload that serves the stable version; undefined: its document is gone. */
export function stableSide(delivery: Delivery): RouteDocument | undefined {
  return greenServes(delivery) ? delivery.second : delivery.own;
}

/** The workload that the delivery fills; undefined: there is none yet. */
export function canarySide(delivery: Delivery): RouteDocument | undefined {
  return greenServes(delivery) ? delivery.own : delivery.second;
}

/** The name of the user's Service, where no file has it. */
export function serviceMissing({ missing = [] }: Partial<Pick<Delivery, 'missing'>>): string | undefined {
  return missing.find(({ kind }) => kind === SERVICE_KIND)?.name;
}

/** The documents that are missing, for people; undefined: none is. */
export function lostIn({ missing }: Pick<Delivery, 'missing'>): string | undefined {
  return missing.length === 0 ? undefined : missing.map(({ kind, name }) => `${kind} ${name}`).join(', ');
}

/** Whether requests are routed, by documents that are there or are missing. */
export function routesTraffic({ service, pools, missing }: Pick<Delivery, 'service' | 'pools' | 'missing'>): boolean {
  return service !== undefined || pools !== undefined || missing.length > 0;
}

/** What requests go by, for the mark; undefined: nothing is routed. */
export function routingOf({ service, pools, routes, missing }: Delivery): StartedRouting | undefined {
  const named = [
    ...routes.map(({ route: { object } }) => ({ kind: object.kind, name: object.name })),
    ...missing.filter(({ kind }) => kind !== SERVICE_KIND),
  ];
  if (pools !== undefined) return { pools, routes: named };
  const name = service?.object.name ?? serviceMissing({ missing });
  return name === undefined ? undefined : { service: name, routes: named };
}

/** Both sides, as routes name them: of the partition strategy both are groups of one workload. */
export function sidesOf(
  delivery: Named &
    Pick<Delivery, 'routes' | 'pools'> &
    Partial<Pick<Delivery, 'missing' | 'namespace'>> & { readonly service: Pick<RouteDocument, 'object'> | undefined },
): Sides {
  const { name } = delivery.own.object;
  const names = [name, secondName(delivery)] as const;
  const [stable, canary] = greenServes(delivery) ? [names[1], names[0]] : names;
  const { pools } = delivery;
  const workloads = { stable, canary };
  const owner = delivery.plan.name;
  const inside = delivery.namespace === undefined ? {} : { namespace: delivery.namespace };
  if (pools !== undefined) {
    const [own, other] = greenServes(delivery) ? [pools.canary, pools.stable] : [pools.stable, pools.canary];
    return { owner, backend: 'InferencePool', stable: own, canary: other, workloads, ...inside };
  }
  const service = delivery.service?.object.name ?? serviceMissing(delivery) ?? '';
  return {
    owner,
    backend: 'Service',
    stable: service,
    canary: hasSubsets(delivery) ? service : canaryServiceName(service),
    workloads,
    ...inside,
  };
}

/** Whether both versions are subsets of the user's Service, so that there is no other. */
export function hasSubsets({
  plan,
  routes,
}: Pick<Delivery, 'routes'> & { readonly plan: Pick<Rollout, 'style' | 'strategy'> }): boolean {
  return areSubsets(
    plan,
    routes.map(({ provider }) => provider.kind),
  );
}

/** Groups that Git asks for; none without a document. */
export function replicasOf(document: RouteDocument | undefined): number {
  const value = document === undefined ? 0 : at(document.value, REPLICAS_PATH);
  return typeof value === 'number' ? value : 0;
}

/** N: the groups of the side that serves the stable version. */
export function primaryGroups(delivery: Delivery): number {
  const side = stableSide(delivery);
  const isScaled = side === delivery.own && (delivery.scaler !== undefined || delivery.isAutoscaled === true);
  const isWritten = side !== undefined && !isScaled && at(side.value, REPLICAS_PATH) !== undefined;
  return isWritten ? replicasOf(side) : delivery.liveReplicas;
}

/** The groups that must serve while others restart: N − U, at least one. */
export function quorumOf(delivery: Delivery): number {
  return Math.max(1, primaryGroups(delivery) - budgetOf(delivery));
}

/** Whether all groups may be down at once, so that another side must carry the load. */
export function isUncovered(delivery: Delivery): boolean {
  return primaryGroups(delivery) - budgetOf(delivery) < 1;
}

/** Whether LWS may take all groups down at once by the maxUnavailable that is written now, raised or not. */
export function mayRestartAtOnce(delivery: Delivery): boolean {
  const value = at(delivery.own.value, MAX_UNAVAILABLE_PATH);
  const written = floorOf(isIntOrPercent(value) ? value : DEFAULT_MAX_UNAVAILABLE, primaryGroups(delivery));
  return primaryGroups(delivery) - written < 1;
}

/** U in groups as people have it: what a rollback has raised it to does not count. */
function budgetOf(delivery: Delivery): number {
  const { own } = delivery;
  const value = at(own.value, MAX_UNAVAILABLE_PATH);
  const raised = parseRestore(annotationsOf(own)[MARK.restore] ?? '')?.maxUnavailable;
  const asked = raised !== undefined && raised.set === value ? raised.was : value;
  return floorOf(isIntOrPercent(asked) ? asked : DEFAULT_MAX_UNAVAILABLE, primaryGroups(delivery));
}

/** P as Git has it; undefined: it is missing. */
export function partitionIn(document: RouteDocument): number | undefined {
  const value = at(document.value, PARTITION_PATH);
  return typeof value === 'number' ? value : undefined;
}

/** The annotations of a document. */
export function annotationsOf({ value }: Pick<RouteDocument, 'value'>): Readonly<Record<string, string>> {
  return stringsIn(at(value, ['metadata', 'annotations']));
}

/** The selector of a Service; empty without one. */
export function selectorOf(service: RouteDocument | undefined): Readonly<Record<string, string>> {
  return service === undefined ? {} : parseService(service.value).selector;
}
