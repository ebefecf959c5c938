/** Kruise's scenarios with a share of the requests: the Rollout and the files of theirs, and what is seen of both sides. */

import type { IntOrPercent } from '../../src/api/int-or-percent.ts';
import { at, type Json, type JsonObject } from '../../src/api/json.ts';
import { INGRESS_FILE, INGRESS_TEXT, SERVICE_FILE, SERVICE_TEXT } from './traffic-files.ts';

/** What the input of a scenario says; steps of a canary without shares have them by their groups. */
export type KruiseStory = {
  readonly replicas?: number;
  readonly steps?: readonly KruiseStep[];
  readonly extraWorkload?: boolean;
  readonly strategy?: 'blueGreen';
  readonly provider?: 'ingress';
  readonly providers?: readonly string[];
};

export type KruiseStep = IntOrPercent | { readonly replicas: IntOrPercent; readonly traffic?: string };

type Style = 'partition' | 'canary' | 'blueGreen';

/** What the scenarios deliver where they do not say it, in the words of their own test files. */
const STEPS: Readonly<Record<Style | 'providers', readonly JsonObject[]>> = {
  partition: [{ replicas: '20%' }, { replicas: '100%' }],
  canary: ['20%', '40%', '60%', '80%', '100%'].map((traffic) => ({ replicas: traffic, traffic })),
  blueGreen: [
    { replicas: '50%', traffic: '0%' },
    { replicas: '100%', traffic: '0%' },
    { replicas: '100%', traffic: '50%' },
    { replicas: '100%', traffic: '100%' },
  ],
  providers: [
    { replicas: 1, matches: [{ headers: [{ type: 'Exact', name: 'user-agent', value: 'pc' }] }] },
    { replicas: '50%', traffic: '50%' },
    { replicas: '100%', traffic: '100%' },
  ],
};

const VIRTUAL_SERVICE_TEXT = `apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: chat, namespace: llm}
spec:
  hosts: [vllm-svc]
  http:
    - route:
        - destination: {host: vllm-svc}
`;

/** The style of its strategy. */
export function styleOf({ strategy, extraWorkload = false }: KruiseStory): Style {
  return strategy ?? (extraWorkload ? 'canary' : 'partition');
}

/** The name of its second workload, which a partition does not have. */
export function secondOf(story: KruiseStory): string {
  return styleOf(story) === 'blueGreen' ? 'vllm-green' : 'vllm-canary';
}

/** The strategy of the Rollout. Kruise waits for approval after each step; after all groups only where it is written. */
export function strategyOf(story: KruiseStory, steps: readonly KruiseStep[] | undefined): JsonObject {
  const style = styleOf(story);
  const list = stepsOf({ ...story, ...(steps === undefined ? {} : { steps }) });
  const spec = {
    ...(style === 'canary' ? { enableExtraWorkloadForCanary: true } : {}),
    ...(isRouted(story) ? { trafficRoutings: [routing(story)] } : {}),
    steps: list.map((step) => ({ ...step, ...(isWhole(step) && style !== 'blueGreen' ? {} : { pause: {} }) })),
  };
  return style === 'blueGreen' ? { blueGreen: spec } : { canary: spec };
}

function stepsOf(story: KruiseStory): readonly JsonObject[] {
  const style = styleOf(story);
  return story.steps?.map((step) => stepOf(step, style)) ?? STEPS[story.providers === undefined ? style : 'providers'];
}

function stepOf(step: KruiseStep, style: Style): JsonObject {
  if (typeof step === 'object') return { ...step };
  return style === 'canary' ? { replicas: step, traffic: String(step) } : { replicas: step };
}

function isWhole({ replicas }: JsonObject): boolean {
  return replicas === '100%';
}

/** Whether it routes requests: a second workload of Kruise's always does. */
export function isRouted(story: KruiseStory): boolean {
  return styleOf(story) !== 'partition' || story.provider !== undefined;
}

function routing({ providers = [] }: KruiseStory): JsonObject {
  const virtualService = { apiVersion: 'networking.istio.io/v1', kind: 'VirtualService', name: 'chat' };
  return {
    service: 'vllm-svc',
    ingress: { name: 'chat' },
    ...(providers.includes('istio') ? { customNetworkRefs: [virtualService] } : {}),
  };
}

/** The Service and the routes next to the workload. */
export function routeFiles(story: KruiseStory): Readonly<Record<string, string>> {
  if (!isRouted(story)) return {};
  const istio = story.providers?.includes('istio') === true;
  return {
    [SERVICE_FILE]: SERVICE_TEXT,
    [INGRESS_FILE]: INGRESS_TEXT,
    ...(istio ? { 'apps/vllm/virtual-service.yaml': VIRTUAL_SERVICE_TEXT } : {}),
  };
}

const NGINX = 'nginx.ingress.kubernetes.io/';

/** Of the documents in Git, in the words of Kruise's expectations. `weightOfStep`: which step of the scenario has that weight. */
export function sharesIn(documents: readonly JsonObject[], story: KruiseStory): JsonObject {
  const named = (kind: string, name: string): JsonObject | undefined =>
    documents.find((one) => one['kind'] === kind && at(one, ['metadata', 'name']) === name);
  const [service, second] = [named('Service', 'vllm-svc-canary'), named('LeaderWorkerSet', secondOf(story))];
  const ingresses = documents.filter((one) => one['kind'] === 'Ingress');
  const ingress = ingresses.find((one) => annotation(one, 'canary') === 'true');
  const weight = Number(annotation(ingress, 'canary-weight') ?? 0);
  const labels = (of: JsonObject | undefined): string => JSON.stringify(at(of, ['metadata', 'labels']));
  return {
    canaryService: service !== undefined,
    canaryServiceLabelsEqualStable: labels(service) === labels(named('Service', 'vllm-svc')),
    canaryIngress: ingress !== undefined,
    ingressCanary: ingress !== undefined,
    canaryReplicas: at(second, ['spec', 'replicas']) ?? 0,
    weight,
    annotations: {
      by_header: annotation(ingress, 'canary-by-header') ?? '',
      by_header_value: annotation(ingress, 'canary-by-header-value') ?? '',
      weight: annotation(ingress, 'canary-weight') ?? '',
      weightOfStep: 1 + stepsOf(story).findIndex(({ traffic }) => traffic === `${weight}%`),
    },
  };
}

function annotation(of: JsonObject | undefined, name: string): Json | undefined {
  return at(of, ['metadata', 'annotations', `${NGINX}${name}`]);
}
