/** Finds the documents of a delivery with a second workload among the files. */

import type { Config } from '../../api/config.ts';
import { SERVICE_KIND } from '../../api/kinds.ts';
import { isOneWorkload } from '../../api/styles.ts';
import { nextRelease } from '../../rollout/situation.ts';
import type { WorkloadFile } from '../../rollout/snapshot.ts';
import { canaryServiceName } from '../../rollout/traffic/canary-service.ts';
import { providerOf } from '../../rollout/traffic/index.ts';
import type { TrafficProvider } from '../../rollout/traffic/provider.ts';
import { type ManifestIndex, namespaceOf } from '../documents/manifest-index.ts';
import { isService } from '../documents/of-group.ts';
import type { TrafficIndex } from '../documents/traffic-index.ts';
import type { LadderPlan } from './begun.ts';
import type { DeliveryParts } from './delivery-parts.ts';

type DeliveryInputs = {
  readonly plan: LadderPlan;
  readonly namespace: string;
  readonly file: WorkloadFile;
  /** undefined: there is none yet, and the file's own is as good. */
  readonly stableText: string | undefined;
  readonly traffic: TrafficIndex;
  readonly config: Config;
  readonly scalersOf: ManifestIndex['scalersOf'];
};

const SERVICES = { kind: SERVICE_KIND, isOf: isService };

/** undefined: the strategy has no second workload and routes nothing, or one of the documents is not among the files, or there twice. */
export function findParts(asked: DeliveryInputs): DeliveryParts | undefined {
  const parts = partsWithout(asked);
  return parts === undefined || parts.missing.length > 0 ? undefined : parts;
}

/** The same without the documents that are missing, which it names: what is in progress goes to stable as far as it can. */
export function partsWithout({
  plan,
  namespace,
  file,
  stableText,
  traffic,
  config,
  scalersOf,
}: DeliveryInputs): DeliveryParts | undefined {
  const { routing } = plan;
  if (isOneWorkload(plan.style) && routing === undefined) return undefined;
  const only = (of: Pick<TrafficProvider, 'kind' | 'isOf'>, name: string) => {
    const [found, ...others] = traffic.called(of.kind, { namespace, name }).filter(of.isOf);
    return others.length === 0 ? found : undefined;
  };
  const hasService = routing !== undefined && routing.pools === undefined;
  const service = hasService ? only(SERVICES, routing.service) : undefined;
  const isAlone = hasService && service === undefined && isOneWorkload(plan.style);
  const left = isAlone ? only(SERVICES, canaryServiceName(routing.service)) : undefined;
  const routes = (routing?.routes ?? []).flatMap((ref) => {
    const provider = providerOf(ref);
    const route = provider === undefined ? undefined : only(provider, ref.name);
    if (provider === undefined || route === undefined) return [];
    const canaryFile = only(provider, `${ref.name}-canary`)?.file ?? route.file;
    return [{ ref, provider, route, canaryFile }];
  });
  const refs = (routing?.routes ?? []).filter((ref) => !routes.some((one) => one.ref === ref));
  const missing = [
    ...(hasService && service === undefined ? [{ kind: SERVICE_KIND, name: routing.service }] : []),
    ...refs.map(({ kind, name }) => ({ kind, name })),
  ];
  const { workload } = file;
  const release = nextRelease(file.digest, workload.marks);
  return {
    plan,
    release,
    workload: file,
    service,
    ...(left === undefined ? {} : { canaryService: left }),
    scalers: scalersOf({ namespace, name: file.object.name }),
    routes,
    missing,
    liveReplicas: workload.replicas ?? 1,
    stableText: stableText ?? file.text,
    isInside: (document) => (namespaceOf(document, config) ?? '') === namespace,
  };
}
