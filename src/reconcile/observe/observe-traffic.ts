/** Hands lint what it asks of Services, routes and a second workload, where the Rollout has them. */

import type { Issue } from '../../api/issue.ts';
import { SERVICE_KIND } from '../../api/kinds.ts';
import type { Marks } from '../../api/marks.ts';
import type { RouteRef } from '../../api/rollout-traffic.ts';
import { isOneWorkload, updatesPrimary } from '../../api/styles.ts';
import type { KnownTexts } from '../../manifests/known-texts.ts';
import { secondName } from '../../rollout/ladders/delivery.ts';
import type { LadderFiles } from '../../rollout/ladders/ladder-files.ts';
import type { Snapshot, Stable, WorkloadFile } from '../../rollout/snapshot.ts';
import { isLadder, isRouted } from '../../rollout/state.ts';
import { canaryServiceName } from '../../rollout/traffic/canary-service.ts';
import { providerOf } from '../../rollout/traffic/index.ts';
import type { RouteDocument } from '../../rollout/traffic/provider.ts';
import type { TrafficAsked } from '../cluster/observe-live-traffic.ts';
import type { Desired, DesiredRollout } from '../desired/desired-rollout.ts';
import { contentDigests, stepDigest } from '../documents/digests.ts';
import { begunPlan } from '../ladder/begun.ts';
import { type DeliveryParts, deliveryIn, type Texts } from '../ladder/delivery-parts.ts';
import { findParts, partsWithout } from '../ladder/find-parts.ts';
import { lintTraffic } from '../lint/traffic/lint-traffic.ts';
import { tryLadder } from '../lint/try-ladder.ts';

type Of = { readonly entry: DesiredRollout; readonly desired: Desired };
type Read = { readonly file: WorkloadFile; readonly stable: Stable | undefined; readonly scaler: string | undefined };

/** The files of the Service and the routes that the Rollout names, and of an autoscaler: what a step hangs on, next to the workload. */
export function trafficFiles({ entry, desired }: Of): readonly string[] {
  const { traffic, index } = desired;
  const plan = begunPlan({ entry, desired })?.plan;
  if (plan === undefined) return [];
  const { namespace } = entry.key;
  const { routing } = plan;
  const named = routing === undefined ? [] : [{ kind: SERVICE_KIND, name: routing.service }, ...routing.routes];
  const scalers = updatesPrimary(plan.style) ? index.scalersOf({ namespace, name: entry.identity?.name ?? '' }) : [];
  const documents = named.flatMap(({ kind, name }) => traffic.called(kind, { namespace, name }));
  return [...documents, ...scalers].map(({ file }) => file);
}

/** What to read of the cluster for a delivery; undefined: the Rollout fills no second workload, and routes nothing. */
export function trafficAsked({ entry, desired }: Of, lost?: Marks): TrafficAsked | undefined {
  const { traffic } = desired;
  const { key, identity } = entry;
  const { plan, watched } = begunPlan({ entry, desired }, lost) ?? {};
  if (plan === undefined || identity === undefined) return undefined;
  const { namespace } = key;
  const { routing } = plan;
  const isOne = isOneWorkload(plan.style);
  if (isOne && routing === undefined) return undefined;
  const routes = [...(routing?.routes ?? []), ...(watched ?? [])].flatMap((ref) => {
    const provider = providerOf(ref);
    const names = provider?.copies === true ? [ref.name, `${ref.name}-canary`] : [ref.name];
    const kind = provider?.kind ?? ref.kind;
    const plural = ref.custom?.plural;
    return names.flatMap((name) =>
      traffic
        .called(kind, { namespace, name })
        .filter((one) => provider?.isOf(one) !== false)
        .map(({ object }) => ({ ...object, plural })),
    );
  });
  return {
    namespace,
    second: isOne ? undefined : secondName({ plan, own: { object: identity } }),
    services:
      routing === undefined || routing.pools !== undefined
        ? undefined
        : { stable: routing.service, canary: canaryServiceName(routing.service) },
    routes,
  };
}

/** What is wrong with Services and routes; undefined: the Rollout routes no traffic. */
export function trafficFaults(
  { entry, desired }: Of,
  { file, stable, scaler }: Read,
): Pick<Snapshot, 'issues' | 'warnings'> | undefined {
  const { rollout, workload, reading, key } = entry;
  const plan = reading.rollout?.rollout;
  if (rollout === undefined || workload === undefined || plan?.routing === undefined) return undefined;
  const { index: manifests, traffic: index, trials } = desired;
  const content = stable?.content;
  const policy = entry.policy.rules;
  const { namespace } = key;
  return lintTraffic(
    { rollout, plan, namespace, workload, file, stable: content, policy, scaler, manifests, index },
    trials,
  );
}

/** The documents of a delivery with a second workload, or with routes; undefined: there are none, or one of them is not there once. */
export function ladderFiles({ entry, desired }: Of, file: WorkloadFile): LadderFiles | undefined {
  const found = begunPlan({ entry, desired }, file.workload.marks);
  if (found === undefined) return undefined;
  const { plan, begun, watched } = found;
  const { texts, traffic, trials, index, config } = desired;
  const { scalersOf } = index;
  const { marks } = file.workload;
  const asked = { plan, namespace: entry.key.namespace, file, stableText: undefined, traffic, config, scalersOf };
  // Nothing starts without all of its documents; what is in progress goes back as far as it can.
  const isUnderWay = marks !== undefined && (isLadder(marks) || isRouted(marks));
  const parts = isUnderWay ? partsWithout(asked) : findParts(asked);
  const files = parts === undefined ? undefined : ladderFilesIn(texts, parts, trials.known);
  if (files === undefined) return undefined;
  const others = watched.flatMap((ref) => watchedRoute({ entry, desired }, ref));
  return {
    ...files,
    ...(begun ? { begun: { name: plan.name, style: plan.style, strategy: plan.strategy } } : {}),
    ...(others.length === 0 ? {} : { watched: others }),
  };
}

function watchedRoute({ entry, desired: { traffic } }: Of, ref: RouteRef): LadderFiles['routes'] {
  const provider = providerOf(ref);
  const called = (name: string) =>
    traffic.called(ref.kind, { namespace: entry.key.namespace, name }).find((one) => provider?.isOf(one) !== false);
  const route = called(ref.name);
  const canary = provider?.copies === true ? called(`${ref.name}-canary`) : undefined;
  return route === undefined ? [] : [{ ref, route: plain(route), canary: documentOf(canary) }];
}

/** The same of these texts. */
export function ladderFilesIn(texts: Texts, parts: DeliveryParts, known?: KnownTexts): LadderFiles | undefined {
  const { plan } = parts;
  const found = deliveryIn({ texts, displaced: [] }, parts, known);
  if (found === undefined) return undefined;
  const refs = plan.routing?.routes ?? [];
  return {
    own: found.own.value,
    second: documentOf(found.second),
    ...(parts.scalers.length === 0 ? {} : { scalers: parts.scalers.map(plain) }),
    service: documentOf(found.service),
    canaryService: documentOf(found.canaryService),
    ...(found.missing.length === 0 ? {} : { missing: found.missing }),
    routes: found.routes.flatMap(({ provider, route, canary }) => {
      const ref = refs.find((one) => one.name === route.object.name && provider.isNamed(one));
      return ref === undefined ? [] : [{ ref, route: plain(route), canary: documentOf(canary) }];
    }),
    plans: plan.steps.map(stepDigest),
    digests: contentDigests(found),
    ...(found.pools === undefined ? {} : { pools: found.pools }),
  };
}

function documentOf(document: RouteDocument | undefined): RouteDocument | undefined {
  return document === undefined ? undefined : plain(document);
}

/** Without the text, and where everything stands in it. */
function plain({ file, object, value }: RouteDocument): RouteDocument {
  return { file, object, value };
}

/** What a delivery that has rungs could not write: asked where nothing else is wrong with what it hangs on. */
export function ladderFaults({ entry, desired }: Of, { file, stable }: Omit<Read, 'scaler'>): readonly Issue[] {
  const { rollout, reading, key } = entry;
  const plan = reading.rollout?.rollout;
  if (rollout === undefined || plan === undefined) return [];
  const { texts, traffic, trials, index, config } = desired;
  const { scalersOf } = index;
  const parts = findParts({
    plan,
    namespace: key.namespace,
    file,
    stableText: stable?.text,
    traffic,
    config,
    scalersOf,
  });
  return parts === undefined ? [] : tryLadder({ rollout, texts, parts }, trials);
}
