/** A route of each kind as people write it, how a Rollout names it, and which clients a step may pick by it. */

import type { ClientName } from './client-routes.ts';

type Asked = { readonly name: string; readonly service: string; readonly requestSeconds: number | undefined };

type RouteText = {
  readonly apiVersion: string;
  readonly kind: string;
  /** The `classType` of an Ingress. */
  readonly ingressClass?: string;
  readonly picks: readonly ClientName[];
  /** It can say how long a request may take. */
  readonly timed: boolean;
  /** All below `metadata.name`. */
  readonly lines: (asked: Asked) => readonly string[];
};

const GATEWAY = 'gateway.networking.k8s.io/v1';

/** By the names of the providers. */
export const routeTexts = {
  HTTPRoute: {
    apiVersion: GATEWAY,
    kind: 'HTTPRoute',
    picks: ['header', 'query', 'path'],
    timed: true,
    lines: ({ service, requestSeconds }) => [
      'spec:',
      '  parentRefs: [{name: inference}]',
      '  rules:',
      '    - matches:',
      '        - path: {type: PathPrefix, value: /v1}',
      ...(requestSeconds === undefined ? [] : [`      timeouts: {request: ${requestSeconds}s}`]),
      '      backendRefs:',
      `        - name: ${service} # the primary`,
      '          port: 80',
    ],
  },
  GRPCRoute: {
    apiVersion: GATEWAY,
    kind: 'GRPCRoute',
    picks: ['header'],
    timed: false,
    lines: ({ service }) => [
      'spec:',
      '  parentRefs: [{name: inference}]',
      '  rules:',
      '    - matches:',
      '        - method: {service: inference.GRPCInferenceService}',
      '      backendRefs:',
      `        - {name: ${service}, port: 80}`,
    ],
  },
  NginxIngress: ingress('nginx', ['header'], ['    cert-manager.io/cluster-issuer: letsencrypt']),
  HigressIngress: ingress('higress', ['header']),
  AliyunIngress: ingress('aliyun-alb', ['header']),
  MseIngress: ingress('mse', ['header', 'query'], ['    mse.ingress.kubernetes.io/service-subset: ""']),
  AlbIngress: {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    ingressClass: 'aws-alb',
    picks: [],
    timed: false,
    lines: ({ service }) => [
      '  annotations:',
      '    alb.ingress.kubernetes.io/target-type: ip',
      `    alb.ingress.kubernetes.io/actions.${service}: '{"type": "forward", "forwardConfig": {"targetGroups": [{"serviceName": "${service}", "servicePort": 80}]}}' # plain`,
      ...paths('alb', service, 'name: use-annotation'),
    ],
  },
  VirtualService: {
    apiVersion: 'networking.istio.io/v1',
    kind: 'VirtualService',
    picks: ['header', 'query', 'path'],
    timed: true,
    lines: ({ service, requestSeconds }) => [
      'spec:',
      '  hosts: [chat.example.com]',
      '  http:',
      '    - match: [{uri: {prefix: /docs}}]',
      '      route: [{destination: {host: docs}}]',
      '    - match:',
      '        - uri: {prefix: /v1}',
      ...(requestSeconds === undefined ? [] : [`      timeout: ${requestSeconds}s`]),
      '      route:',
      '        - destination: # the primary',
      `            host: ${service}.llm.svc.cluster.local`,
    ],
  },
  TraefikService: {
    apiVersion: 'traefik.io/v1alpha1',
    kind: 'TraefikService',
    picks: [],
    timed: false,
    lines: ({ service }) => ['spec:', '  weighted:', '    services:', `      - name: ${service}`, '        port: 80'],
  },
  HTTPProxy: {
    apiVersion: 'projectcontour.io/v1',
    kind: 'HTTPProxy',
    picks: ['header', 'query', 'path'],
    timed: true,
    lines: ({ service, requestSeconds }) => [
      'spec:',
      '  virtualhost: {fqdn: chat.example.com}',
      '  routes:',
      '    - conditions: [{prefix: /docs}]',
      '      services: [{name: docs, port: 80}]',
      '    - conditions:',
      '        - prefix: /v1',
      ...(requestSeconds === undefined ? [] : [`      timeoutPolicy: {response: ${requestSeconds}s}`]),
      '      services:',
      `        - name: ${service}`,
      '          port: 80 # of the primary',
    ],
  },
} as const satisfies Readonly<Record<string, RouteText>>;

export type RouteName = keyof typeof routeTexts;

function ingress(ingressClass: string, picks: readonly ClientName[], annotations: readonly string[] = []): RouteText {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    ingressClass,
    picks,
    timed: false,
    lines: ({ service }) => [
      ...(annotations.length === 0 ? [] : ['  annotations:', ...annotations]),
      ...paths(ingressClass, service, 'number: 80'),
    ],
  };
}

function paths(ingressClass: string, service: string, port: string): readonly string[] {
  return [
    'spec:',
    `  ingressClassName: ${ingressClass}`,
    '  rules:',
    '    - host: chat.example.com',
    '      http:',
    '        paths:',
    '          - path: /v1',
    '            pathType: Prefix',
    '            backend:',
    `              service: {name: ${service}, port: {${port}}}`,
  ];
}

/** What people have in Git of these kinds, one document behind the other. */
export function routesText(kinds: readonly RouteName[], asked: Asked): string {
  const texts = kinds.map((name) => {
    const { apiVersion, kind, lines } = routeTexts[name];
    const head = [`apiVersion: ${apiVersion}`, `kind: ${kind}`, 'metadata:', `  name: ${asked.name}`];
    return `${[...head, '  namespace: llm', ...lines(asked)].join('\n')}\n`;
  });
  return texts.join('---\n');
}

/** The lines of a routing that name them, where they stand in a Rollout. */
export function routeNames(kinds: readonly RouteName[], name: string): readonly string[] {
  const texts: readonly RouteText[] = kinds.map((kind) => routeTexts[kind]);
  const gateway = texts.filter(({ kind }) => kind === 'HTTPRoute').map(() => `gateway: {httpRouteName: ${name}}`);
  const ingresses = texts.flatMap(({ ingressClass }) =>
    ingressClass === undefined ? [] : [`ingress: {name: ${name}, classType: ${ingressClass}}`],
  );
  const others = texts.filter(({ kind }) => kind !== 'HTTPRoute' && kind !== 'Ingress');
  const refs = others.map(({ apiVersion, kind }) => `{apiVersion: ${apiVersion}, kind: ${kind}, name: ${name}}`);
  return [...gateway, ...ingresses, ...(refs.length === 0 ? [] : [`customNetworkRefs: [${refs.join(', ')}]`])];
}

/** The clients that a step may pick by all of these. */
export function picksOf(kinds: readonly RouteName[]): readonly ClientName[] {
  const each: readonly (readonly ClientName[])[] = kinds.map((kind) => routeTexts[kind].picks);
  return each.reduce((all, picks) => all.filter((one) => picks.includes(one)), each[0] ?? []);
}
