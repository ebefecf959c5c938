/** Every kind of route, and several at once, as files of a repository: what a delivery goes through in any strategy. */

import { existsSync, readFileSync } from 'node:fs';
import type { Texts } from '../../src/reconcile/ladder/delivery-parts.ts';
import { ladderFiles, ladderRollout } from './ladder.ts';
import { ROUTE_FILE, ROUTE_TEXT, SERVICE_FILE } from './traffic-files.ts';
import { ROLLOUT_FILE } from './vllm.ts';

const custom = (...refs: readonly string[]): string =>
  `customNetworkRefs: [${refs.map((ref) => `{${ref}}`).join(', ')}]`;
const GRPC = 'apiVersion: gateway.networking.k8s.io/v1, kind: GRPCRoute, name: triton';
const PROXY = 'apiVersion: projectcontour.io/v1, kind: HTTPProxy, name: chat';
const TRAEFIK = 'apiVersion: traefik.io/v1alpha1, kind: TraefikService, name: chat';
const RULE = 'apiVersion: networking.istio.io/v1, kind: DestinationRule, name: chat';
const SPLIT = 'apiVersion: split.smi-spec.io/v1alpha2, kind: TrafficSplit, name: chat';
const EDGE = 'apiVersion: edge.example.com/v1, kind: EdgeRoute, name: chat';
const ISTIO = 'apiVersion: networking.istio.io/v1, kind: VirtualService, name: chat';

/** Folders of `fixtures/traffic`, and how a Rollout names what is in them. */
export const FAMILIES: Readonly<Record<string, readonly [routing: string, ...folders: string[]]>> = {
  HTTPRoute: ['gateway: {httpRouteName: chat}', 'HTTPRoute'],
  'HTTPRoute with named rules': ['gateway: {httpRouteName: chat}', 'HTTPRoute-named-rules'],
  GRPCRoute: [custom(GRPC), 'GRPCRoute'],
  'Ingress of nginx': ['ingress: {name: chat}', 'NginxIngress'],
  'Ingress of Higress': ['ingress: {name: chat, classType: higress}', 'HigressIngress'],
  'Ingress of aliyun ALB': ['ingress: {name: chat, classType: aliyun-alb}', 'AliyunIngress'],
  'Ingress of MSE': ['ingress: {name: chat, classType: mse}', 'MseIngress'],
  'VirtualService by hosts': [custom(ISTIO), 'VirtualService'],
  'VirtualService by subsets of a DestinationRule': [custom(ISTIO, RULE), 'VirtualService-subsets', 'DestinationRule'],
  'AWS ALB action': ['ingress: {name: chat, classType: aws-alb}', 'AlbIngress'],
  TraefikService: [custom(TRAEFIK), 'TraefikService'],
  HTTPProxy: [custom(PROXY), 'HTTPProxy'],
  'a RouteProvider, by weights': [custom(SPLIT), 'Custom-TrafficSplit'],
  'a RouteProvider, with a patch': [custom(EDGE), 'Custom-text'],
  'a RouteProvider, both numbers kept': [custom(EDGE), 'Custom-number'],
  'a RouteProvider, JSON in a template': [custom(EDGE), 'Custom-json'],
  'HTTPRoute, GRPCRoute and HTTPProxy at once': [
    `gateway: {httpRouteName: chat}\n          ${custom(GRPC, PROXY)}`,
    'HTTPRoute',
    'GRPCRoute',
    'HTTPProxy',
  ],
};

/** A file of a folder of fixtures; undefined: it has none. */
function fixture(folder: string, file: string): string | undefined {
  const url = new URL(`../../fixtures/traffic/${folder}/${file}`, import.meta.url);
  return existsSync(url) ? readFileSync(url, 'utf8') : undefined;
}

/** Where the routes of a folder stand in the repository. */
export const fileOf = (folder: string): string => (folder === 'HTTPRoute' ? ROUTE_FILE : `apps/vllm/${folder}.yaml`);

type Style = Parameters<typeof ladderRollout>[0];

/** The repository with these routes in place of the usual one, the workload locked. */
export function familyFiles(
  style: Style,
  steps: readonly string[],
  routing: string,
  ...folders: readonly string[]
): Texts {
  const rollout = ladderRollout(style, steps).replace(
    /trafficRoutings: \[\{service: vllm-svc, .*\}\]\n/,
    `trafficRoutings:\n        - service: vllm-svc\n          ${routing}\n`,
  );
  const texts = new Map(ladderFiles(rollout));
  texts.delete(ROUTE_FILE);
  if (folders.includes('DestinationRule')) share(texts);
  for (const folder of folders) {
    texts.set(fileOf(folder), fixture(folder, 'before.yaml') ?? '');
    const provider = fixture(folder, 'provider.yml');
    if (provider !== undefined) texts.set(`tranche/${folder}.yaml`, provider);
  }
  return texts;
}

/** The Service takes in both versions, and the Rollout says that it stays the only one. */
function share(texts: Map<string, string>): void {
  const change = (file: string, from: string, to: string) => texts.set(file, (texts.get(file) ?? '').replace(from, to));
  change(SERVICE_FILE, '    leaderworkerset.sigs.k8s.io/name: vllm\n', '');
  change(ROLLOUT_FILE, '      steps:', '      disableGenerateCanaryService: true\n      steps:');
}

/** What the files of the routes must be when nothing is in progress; `made`: what a release needed once stays. */
export function atRest(folders: readonly string[], made: boolean): Readonly<Record<string, string>> {
  return Object.fromEntries(
    folders.map((folder) => [
      fileOf(folder),
      (made ? fixture(folder, 'prepared.yaml') : undefined) ?? fixture(folder, 'before.yaml') ?? '',
    ]),
  );
}

const POOLS = 'inference.networking.k8s.io';

/** A route to a pool in place of the Service. */
export const POOL_ROUTE = ROUTE_TEXT.replace(
  '        - name: vllm-svc # the primary\n          port: 80\n',
  `        - {group: ${POOLS}, kind: InferencePool, name: vllm-pool} # the primary\n`,
);

/** The repository with an HTTPRoute to two InferencePools of the user in place of the Service. */
export function poolFiles(style: Style, steps: readonly string[]): Texts {
  const texts = new Map(ladderFiles(ladderRollout(style, steps).replace('service: vllm-svc', 'service: vllm-pool')));
  texts.delete(SERVICE_FILE);
  texts.set(ROUTE_FILE, POOL_ROUTE);
  texts.set(
    'policies/pools.yaml',
    `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: pools}
spec:
  rollouts: [llm/vllm]
  inferencePools: {stable: vllm-pool, canary: vllm-pool-next}
`,
  );
  return texts;
}
