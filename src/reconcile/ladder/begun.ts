/** How a delivery in progress was started, by its marks and the documents that it has made: its Rollout may be gone, or another since. */

import { at } from '../../api/json.ts';
import { SERVICE_KIND } from '../../api/kinds.ts';
import { MADE_FOR, MARK, type Marks } from '../../api/marks.ts';
import type { Rollout } from '../../api/rollout.ts';
import { GRACE_SECONDS, type RouteRef, type TrafficRouting } from '../../api/rollout-traffic.ts';
import { stringsIn } from '../../api/service.ts';
import { updatesPrimary } from '../../api/styles.ts';
import { istioHost } from '../../api/weighted-routes.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { asideName } from '../../rollout/ladders/asides.ts';
import { secondName, sidesOf } from '../../rollout/ladders/delivery.ts';
import { isLadder, isRouted } from '../../rollout/state.ts';
import { canaryServiceName } from '../../rollout/traffic/canary-service.ts';
import { canarySubset } from '../../rollout/traffic/destination-rule.ts';
import { namesOf, providerOf, ROUTE_KINDS, trafficProviders } from '../../rollout/traffic/index.ts';
import type { Sides } from '../../rollout/traffic/provider.ts';
import type { Desired, DesiredRollout } from '../desired/desired-rollout.ts';
import { isService } from '../documents/of-group.ts';
import { readWorkload } from '../documents/read-workload.ts';

/** What a ladder is climbed by. */
export type LadderPlan = Pick<Rollout, 'name' | 'style' | 'steps' | 'strategy' | 'routing'>;

export type Begun = {
  readonly plan: LadderPlan;
  /** It is not what the Rollout says. */
  readonly begun: boolean;
  /** Other routes to the Service: nothing is written into them, and the new version is not left while one sends to it. */
  readonly watched: readonly RouteRef[];
};

type Of = {
  readonly entry: Pick<DesiredRollout, 'reading' | 'key' | 'identity' | 'workload'>;
  readonly desired: Pick<Desired, 'index' | 'traffic'>;
};

/** The plan of the delivery in progress; what the Rollout says where none is. undefined: nobody plans anything. */
export function begunPlan(of: Of, lost?: Marks): Begun | undefined {
  const { entry } = of;
  const plan: LadderPlan | undefined = entry.reading.rollout?.rollout;
  const marks = lost ?? marksIn(entry.workload);
  const isUnderWay = marks !== undefined && (isLadder(marks) || isRouted(marks));
  const own = entry.workload;
  const asItIs = plan === undefined ? undefined : { plan, begun: false, watched: [] };
  if (!isUnderWay || own === undefined) return asItIs;
  const style = marks.restore?.style ?? plan?.style;
  if (style === undefined) return asItIs;
  const name = plan?.name ?? entry.key.name;
  // Which of two pools takes what, the Rollout and its policy say together: until both are back nothing is planned.
  if (plan?.routing?.pools === undefined && marks.restore?.routing?.pools !== undefined) return undefined;
  const found = routingOf(of, { marks, own, plan: { name, style, routing: plan?.routing } });
  const { routing, watched, strategy } = found;
  if (plan !== undefined && plan.style === style && plan.routing === routing) return { plan, begun: false, watched };
  const begun = { name, style, steps: plan?.steps ?? [], strategy: { ...plan?.strategy, ...strategy }, routing };
  return { plan: begun, begun: true, watched };
}

/** Most workloads are at rest, and are not read for this. */
function marksIn(workload: ManifestDocument | undefined): Marks | undefined {
  if (workload === undefined || annotationsOf(workload)[MARK.step] === undefined) return undefined;
  return readWorkload(workload).workload?.workload.marks;
}

type Under = { readonly marks: Marks; readonly own: ManifestDocument };

type Planned = Pick<LadderPlan, 'name' | 'style' | 'routing'>;

type ByPlan = { readonly own: ManifestDocument; readonly plan: Planned };

type Routed = {
  readonly routing: TrafficRouting | undefined;
  readonly watched: readonly RouteRef[];
  /** Fields of the strategy that its documents show. */
  readonly strategy: LadderPlan['strategy'];
};

/** The Service whose copy is ours, and every route that has a share of its requests, no matter who names it. */
function routingOf(of: Of, { marks, own, plan }: Under & { readonly plan: Planned }): Routed {
  const { traffic } = of.desired;
  const { namespace } = of.entry.key;
  const { routing } = plan;
  const subsets = subsetsOf(of, { own, plan });
  const started = marks.restore?.routing;
  const service = subsets?.service ?? serviceOf(of, { own, plan }, started?.service);
  if (service === undefined) return { routing: undefined, watched: [], strategy: {} };
  const document = traffic.called(SERVICE_KIND, { namespace, name: service }).find(isService);
  const strategy = subsets === undefined ? {} : { disableGenerateCanaryService: true };
  const { pools } = routing ?? {};
  const named = document ?? { object: { ...own.object, kind: SERVICE_KIND, name: service } };
  const apart = sidesOf({ plan: { ...plan, strategy: {} }, own, service: named, routes: [], pools });
  const sides = subsets === undefined ? apart : { ...apart, canary: apart.stable };
  const asides = (marks.restore?.objects ?? []).map(({ object }) => object);
  const refs = routing?.routes ?? [];
  const isNamed = ({ kind, name }: RouteRef): boolean => refs.some((ref) => ref.kind === kind && ref.name === name);
  // Kinds that nobody names need rights of their own.
  const known = [...new Set([...ROUTE_KINDS, ...traffic.customs.map(({ kind }) => kind)])];
  const kinds = routing === undefined ? known : known.filter((kind) => refs.some((ref) => ref.kind === kind));
  const found = kinds
    .flatMap((kind) => traffic.inNamespace(kind, namespace))
    .flatMap((route) => {
      const isRule = subsets !== undefined && route.object.name === subsets.rule.object.name && isOfRules(route);
      const use = (ref: RouteRef): Use => (isRule ? 'shared' : useOf(route, { ref, of, sides, asides }));
      return namesOf(route, traffic.customs).map((ref) => ({ ref, use: use(ref) }));
    })
    .filter(({ ref }) => !isNamed(ref));
  const once = (use: Use): readonly RouteRef[] => {
    const all = found.filter((one) => one.use === use).map(({ ref }) => ref);
    return all.filter(
      (ref, place) => all.findIndex(({ kind, name }) => kind === ref.kind && name === ref.name) === place,
    );
  };
  const shared = once('shared');
  const watched = once('named').filter(
    (ref) => !shared.some(({ name, kind }) => name === ref.name && kind === ref.kind),
  );
  const isThere = ({ kind, name }: Pick<RouteRef, 'kind' | 'name'>): boolean =>
    traffic.called(kind, { namespace, name }).length > 0;
  const lost = (started?.routes ?? []).filter((route) => !isThere(route)).map(lostRef);
  const isAsNamed = shared.length === 0 && service === routing?.service && lost.every(isNamed);
  if (isAsNamed) return { routing, watched, strategy };
  const gracePeriodSeconds = routing?.gracePeriodSeconds ?? GRACE_SECONDS;
  const routes = [...refs.filter(isThere), ...shared, ...lost];
  return { routing: { service, gracePeriodSeconds, routes }, watched, strategy };
}

/** A route that no file has: nothing is read of it and nothing is written into it, it is only waited for. */
function lostRef({ kind, name }: Pick<RouteRef, 'kind' | 'name'>): RouteRef {
  return { at: [], group: '', kind, name, ingressClass: '' };
}

const isOfRules = (route: ManifestDocument): boolean => trafficProviders.DestinationRule.isOf(route);

/** The DestinationRule whose subset of the new version selects the workload that we made: then no Service of ours does. */
function subsetsOf(
  { desired, entry }: Of,
  { own, plan }: ByPlan,
): { readonly rule: ManifestDocument; readonly service: string } | undefined {
  if (!updatesPrimary(plan.style)) return undefined;
  const workload = secondName({ plan, own });
  const rules = desired.traffic.inNamespace(trafficProviders.DestinationRule.kind, entry.key.namespace);
  const rule = rules.find((one) => isOfRules(one) && canarySubset(one.value) === workload);
  return rule === undefined ? undefined : { rule, service: istioHost(at(rule.value, ['spec', 'host'])).name };
}

/** That of the Rollout, where we have made its copy; else the one whose copy we have made, or that the delivery was started with. */
function serviceOf(of: Of, { own, plan }: ByPlan, started: string | undefined): string | undefined {
  const { desired, entry } = of;
  const named = plan.routing?.service;
  const services = desired.traffic.inNamespace(SERVICE_KIND, entry.key.namespace).filter(isService);
  const ours = services.filter((document) => isMadeFor(document, own)).map(({ object }) => object.name);
  if (named !== undefined && ours.includes(canaryServiceName(named))) return named;
  const other = services.find(({ object }) => ours.includes(canaryServiceName(object.name)))?.object.name;
  // Both were renamed by a hand, and the routes still send by the names that the Rollout has.
  const isKept = named !== undefined && !services.some(({ object }) => object.name === named);
  return isKept && isShared(of, { own, plan }) ? named : (other ?? started ?? named);
}

/** Whether a route that the Rollout names sends to the copy of its Service. */
function isShared({ desired, entry }: Of, { own, plan }: ByPlan): boolean {
  const { namespace } = entry.key;
  const { routes = [], service: name = '', pools } = plan.routing ?? {};
  const service = { object: { ...own.object, kind: SERVICE_KIND, name } };
  const sides = sidesOf({ plan: { ...plan, strategy: {} }, own, service, routes: [], pools });
  return routes.some((ref) =>
    desired.traffic.called(ref.kind, { namespace, name: ref.name }).some((route) => {
      const provider = providerOf(ref);
      const found =
        provider?.isOf(route) !== true ? undefined : provider.read({ route, canary: undefined, displaced: [] }, sides);
      return found !== undefined && (found.percent > 0 || found.ours.length > 0);
    }),
  );
}

/** `shared`: it has a share, or a field that was put aside. `named`: it sends to the Service. */
type Use = 'shared' | 'named' | 'none';

function useOf(
  route: ManifestDocument,
  by: { readonly ref: RouteRef; readonly of: Of; readonly sides: Sides; readonly asides: readonly string[] },
): Use {
  const { ref, of, sides, asides } = by;
  const provider = providerOf(ref);
  if (provider === undefined) return 'none';
  const name = `${route.object.name}-canary`;
  const copies = of.desired.traffic.called(route.object.kind, { namespace: of.entry.key.namespace, name });
  const canary = provider.copies ? copies.find(provider.isOf) : undefined;
  const objects = [route, ...(canary === undefined ? [] : [canary])].map(({ object }) => asideName(object));
  const { percent, ours, mirrors, stable } = provider.read({ route, canary, displaced: [] }, sides);
  if (percent > 0 || ours.length + mirrors.length > 0 || objects.some((object) => asides.includes(object)))
    return 'shared';
  return stable ? 'named' : 'none';
}

function annotationsOf({ value }: ManifestDocument): Readonly<Record<string, string>> {
  return stringsIn(at(value, ['metadata', 'annotations']));
}

function isMadeFor(document: ManifestDocument, { object }: ManifestDocument): boolean {
  return annotationsOf(document)[MADE_FOR] === object.name;
}
