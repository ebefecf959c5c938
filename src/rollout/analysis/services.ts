/** What a gateway counted of each version: by the Services that its series name, which have to be apart. */

import type { Analysis } from '../../api/analysis.ts';
import { GATEWAY_SEEN } from '../../api/analysis-gateways.ts';
import type { AnalysisMetric } from '../../api/analysis-metric.ts';
import { badParts, type SideLabels } from '../../api/analysis-preset.ts';
import type { MetricSeries } from '../../api/metric-answer.ts';
import type { Instant } from '../../api/time.ts';
import { type Counted, countsBy, type Served, type SideName, type Sides } from './counting.ts';
import { literal, servicesSelectorOf } from './metric-query.ts';
import type { Answered, Past } from './pasts.ts';
import { totalOf } from './spread.ts';

/** One series a version: how its groups differ is not seen, so that a failure withdraws at most. */
export const BY_SERVICE: Past = { dispersion: 1, spread: undefined, cautions: ['byService'] };

/** Each version as one that counts, from when all its leaders of now count; undefined: no requests are shared by Services here. */
export function serviceSides({ canary, stable, services }: Sides): Sides | undefined {
  if (services === undefined) return undefined;
  const from = (served: readonly Served[], of: (...all: readonly number[]) => Instant) =>
    of(...served.map((one) => one.from));
  const both = services.kind === 'apart' ? services : { canary: [], stable: [] };
  return {
    canary: [{ pod: nameOf(both.canary), from: from(canary, Math.max) }],
    stable: stable.length === 0 ? [] : [{ pod: nameOf(both.stable), from: from(stable, Math.min) }],
  };
}

function nameOf(names: readonly SideName[]): string {
  return names.map(({ service }) => service).join(' and ');
}

export type Asked = { readonly analysis: Analysis; readonly metric: AnalysisMetric; readonly grid: Answered['grid'] };

/**
 * The counts of both versions. They are not apart where a series is of both, and where one version has all requests though both
 * have a share: a gateway may count weighted backends of one rule together, as Envoy Gateway does.
 */
export function servicesCounted(step: Pick<Answered, 'series'>, sides: Sides, asked: Asked): Counted {
  const counts = countedOfEach(step, sides, asked);
  const by = serviceSides(sides);
  const isAlone = by !== undefined && by.stable.length > 0 && hasAll(counts) !== undefined;
  return isAlone ? notApart(asked, 'one', namesOf(by)) : counts;
}

/** The same, though one version has all requests: at rest that is how it should be. */
export function countedOfEach({ series }: Pick<Answered, 'series'>, sides: Sides, asked: Asked): Counted {
  const { services } = sides;
  const by = serviceSides(sides);
  const { metric } = asked;
  if (services === undefined || by === undefined || services.kind === 'shared') return notApart(asked, 'shared', []);
  const names = [...new Set([metric.of, ...badParts(metric.bad)].flatMap((one) => one.names))];
  const counted = series.filter(({ name }) => names.includes(name));
  const isOf = (arm: 'canary' | 'stable') =>
    sideTest(sideLabels(services[arm], asked, { namespace: services.namespace, isCanary: arm === 'canary' }));
  const [mine, theirs] = [counted.filter(isOf('canary')), counted.filter(isOf('stable'))];
  if (mine.some((one) => theirs.includes(one))) return notApart(asked, 'both', namesOf(by));
  const seen = [...mine, ...theirs].filter(({ name }) => metric.of.names.includes(name));
  const anchors = seen.map((one) => ({ ...one, name: GATEWAY_SEEN }));
  const found = new Map([[by.canary[0]?.pod ?? '', [...mine, ...anchors]]]);
  for (const { pod } of by.stable) found.set(pod, [...theirs, ...anchors]);
  return countsBy(found, by, asked);
}

/** Why a gateway says nothing of a metric. */
export function notApart(
  { metric }: Pick<Asked, 'metric'>,
  found: 'shared' | 'both' | 'one',
  sides: readonly string[],
): Extract<Counted, { readonly kind: 'SidesNotApart' }> {
  return { kind: 'SidesNotApart', name: metric.of.names[0] ?? '', found, sides };
}

/** By its Services, of the new version first. */
export function namesOf({ canary, stable }: Pick<Sides, 'canary' | 'stable'>): readonly string[] {
  return [...canary, ...stable].map(({ pod }) => pod);
}

/** Which version has all requests; undefined: both have some, or neither has. */
export function hasAll(counts: Counted): 'canary' | 'stable' | undefined {
  if (counts.kind !== 'counted') return undefined;
  const [mine, theirs] = [
    totalOf(counts.windows.flatMap(({ canary }) => canary)),
    totalOf(counts.windows.flatMap(({ stable }) => stable)),
  ];
  if ((mine.n === 0) === (theirs.n === 0)) return undefined;
  return mine.n === 0 ? 'stable' : 'canary';
}

/** What is asked for next to the leaders; undefined: nothing. */
export function servicesQuery(analysis: Analysis, { services }: Sides): string | undefined {
  if (services?.kind !== 'apart') return undefined;
  const metrics = analysis.metrics.filter(({ gateway }) => gateway !== undefined);
  if (metrics.length === 0) return undefined;
  const { namespace } = services;
  const names = metrics.flatMap(({ of, bad }) => [of, ...badParts(bad)].flatMap((one) => one.names));
  const sides = metrics.flatMap((metric) => [
    ...sideLabels(services.canary, { analysis, metric }, { namespace, isCanary: true }),
    ...sideLabels(services.stable, { analysis, metric }, { namespace, isCanary: false }),
  ]);
  return servicesSelectorOf(analysis, { names: [...new Set(names)], sides });
}

type Named = { readonly namespace: string; readonly isCanary: boolean };

/** The labels of the series of each of these names: those of the file, or those that the gateway is known by. */
function sideLabels(
  names: readonly SideName[],
  { analysis, metric }: Pick<Asked, 'analysis' | 'metric'>,
  { namespace, isCanary }: Named,
): readonly SideLabels[] {
  return names.flatMap(({ service, workload }) => {
    const written = analysis.sides[service] ?? analysis.sides[workload];
    if (written !== undefined)
      return [Object.fromEntries(Object.entries(written).map(([label, value]) => [label, literal(value)]))];
    const { gateway } = metric;
    return gateway === undefined || gateway === 'sides' ? [] : [gateway({ namespace, service, isCanary })];
  });
}

function sideTest(sides: readonly SideLabels[]): (one: MetricSeries) => boolean {
  const tests = sides.map((labels) =>
    Object.entries(labels).map(([label, pattern]) => ({ label, pattern: new RegExp(`^(?:${pattern})$`) })),
  );
  return ({ labels }) => tests.some((all) => all.every(({ label, pattern }) => pattern.test(labels[label] ?? '')));
}
