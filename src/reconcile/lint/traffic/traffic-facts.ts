/** What the rules about traffic look at: the Rollout, its workload, the Service, and the routes that it names. */

import type { JsonObject } from '../../../api/json.ts';
import { SERVICE_KIND } from '../../../api/kinds.ts';
import type { InferencePools } from '../../../api/policy-pools.ts';
import type { PolicyRules } from '../../../api/policy-rules.ts';
import type { Rollout } from '../../../api/rollout.ts';
import type { RouteRef, TrafficRouting } from '../../../api/rollout-traffic.ts';
import { STYLES, secondNameOf, takesTurns } from '../../../api/styles.ts';
import type { ManifestDocument } from '../../../manifests/parse-file.ts';
import type { FieldPath } from '../../../rollout/edits/edit.ts';
import type { WorkloadFile } from '../../../rollout/snapshot.ts';
import { canaryServiceName } from '../../../rollout/traffic/canary-service.ts';
import { providerOf } from '../../../rollout/traffic/index.ts';
import type { RouteFiles, Sides, TrafficProvider } from '../../../rollout/traffic/provider.ts';
import { type PodLabels, podLabels } from '../../../rollout/traffic/selectors.ts';
import { areSubsets } from '../../../rollout/traffic/subsets.ts';
import type { ManifestIndex } from '../../documents/manifest-index.ts';
import type { TrafficIndex } from '../../documents/traffic-index.ts';

/** With where each document stands. */
export type LintedFiles = RouteFiles & {
  readonly route: ManifestDocument;
  readonly canary: ManifestDocument | undefined;
};

/** A route that the Rollout names, with the document and the provider where there are both. */
export type NamedRoute = {
  readonly ref: RouteRef;
  readonly provider: TrafficProvider | undefined;
  /** undefined: not among the files, or there twice; `found` says which. */
  readonly files: LintedFiles | undefined;
  readonly found: number;
};

export type TrafficFacts = {
  readonly rollout: ManifestDocument;
  readonly plan: Rollout;
  readonly routing: TrafficRouting;
  /** Keys of the routing in the Rollout. */
  readonly routingPath: FieldPath;
  readonly namespace: string;
  readonly workload: ManifestDocument;
  readonly file: WorkloadFile;
  /** The text that is being left, where there is one. */
  readonly stable: JsonObject | undefined;
  readonly services: readonly ManifestDocument[];
  readonly sides: Sides;
  /** What the pods of either side carry; without a second workload there is one side. */
  readonly pods: { readonly stable: PodLabels; readonly canary: PodLabels | undefined };
  readonly routes: readonly NamedRoute[];
  readonly policy: PolicyRules;
  /** Who writes `replicas`, according to Git. */
  readonly scaler: string | undefined;
  readonly manifests: ManifestIndex;
  readonly index: TrafficIndex;
};

export type TrafficSources = Pick<
  TrafficFacts,
  'rollout' | 'plan' | 'namespace' | 'workload' | 'file' | 'stable' | 'policy' | 'scaler' | 'manifests' | 'index'
>;

/** The facts about a Rollout that routes traffic; undefined: it does not. */
export function trafficFacts(of: TrafficSources): TrafficFacts | undefined {
  const { plan, namespace, index, file } = of;
  const { routing } = plan;
  if (routing === undefined) return undefined;
  const workloads = { stable: plan.workload.name, canary: secondNameOf(plan.style, plan.workload.name) };
  const { service } = routing;
  const size = file.workload.size;
  const labels = (content: JsonObject, name: string) => podLabels(content, { name, size });
  const { content } = file.workload;
  const hasSubsets = areSubsets(
    plan,
    routing.routes.map(({ kind }) => kind),
  );
  const { pools } = routing;
  const own = { owner: plan.name, workloads, namespace };
  return {
    ...of,
    routing,
    routingPath: ['spec', 'strategy', STYLES[plan.style].key, 'trafficRoutings', '0'],
    services: pools === undefined ? index.called(SERVICE_KIND, { namespace, name: service }) : [],
    sides:
      pools === undefined
        ? { ...own, backend: 'Service', stable: service, canary: hasSubsets ? service : canaryServiceName(service) }
        : { ...own, backend: 'InferencePool', ...poolsBySide(pools, of) },
    pods: {
      stable: labels(of.stable ?? content, workloads.stable),
      canary: workloads.canary === workloads.stable ? undefined : labels(content, workloads.canary),
    },
    routes: routing.routes.map((ref) => namedRoute(ref, of)),
  };
}

/** In blueGreen each pool is a colour's, and the colours take turns. */
function poolsBySide(pools: InferencePools, { plan, file }: TrafficSources): InferencePools {
  const isGreen = takesTurns(plan.style) && file.workload.marks?.serves === 'green';
  return isGreen ? { stable: pools.canary, canary: pools.stable } : pools;
}

function namedRoute(ref: RouteRef, { namespace, index }: TrafficSources): NamedRoute {
  const provider = providerOf(ref);
  if (provider === undefined) return { ref, provider, files: undefined, found: 0 };
  const found = index.called(provider.kind, { namespace, name: ref.name }).filter(provider.isOf);
  const [canary] = index.called(provider.kind, { namespace, name: `${ref.name}-canary` }).filter(provider.isOf);
  const [route] = found;
  const files = route === undefined || found.length > 1 ? undefined : { route, canary, displaced: [] };
  return { ref, provider, files, found: found.length };
}

/** The second workload of blueGreen serves at rest, and the Rollout asks for another strategy since. */
export function greenServesElsewhere({ plan, file }: Pick<TrafficFacts, 'plan' | 'file'>): boolean {
  const { marks } = file.workload;
  return marks?.serves === 'green' && marks.step === undefined && !takesTurns(plan.style);
}
