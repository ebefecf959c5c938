/** The reader of routes, against documents as controllers' own pages have them: who reaches the new version by each. */

import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { JsonObject } from '../../src/api/json.ts';
import { CLIENTS, rulesOf, shareIn } from './client-routes.ts';
import { routesText, routeTexts } from './route-texts.ts';

const STABLE = 'vllm-svc';
const CANARY = 'vllm-svc-canary';
const names = Object.keys(routeTexts) as (keyof typeof routeTexts)[];
const asked = { name: 'vllm-chat', service: STABLE, requestSeconds: 30 };

function documents(text: string): readonly JsonObject[] {
  return parseAllDocuments(text).map((document) => document.toJS() as JsonObject);
}

/** Per cent of each client's requests that go to the new version; undefined: they go nowhere. */
function sentBy(text: string): readonly (number | undefined)[] {
  return rulesOf(documents(text)).map((rule) => {
    const all = rule.reduce((sum, { weight }) => sum + weight, 0);
    return all === 0 ? undefined : shareIn([rule], CANARY);
  });
}

test.each(names)('%s, as people write it, sends every client to the stable version', (name) => {
  const text = routesText([name], asked);
  expect(sentBy(text)).toEqual(CLIENTS.map(() => 0));
  expect(shareIn(rulesOf(documents(text)), STABLE)).toBeCloseTo(100);
});

const http = (rules: string): string => `{kind: HTTPRoute, spec: {rules: [${rules}]}}`;
const grpc = (rules: string): string => http(rules).replace('HTTPRoute', 'GRPCRoute');
const refs = (stable: number, canary: number): string =>
  `backendRefs: [{name: ${STABLE}, weight: ${stable}}, {name: ${CANARY}, weight: ${canary}}]`;
const to = (name: string): string => `backendRefs: [{name: ${name}}]`;
const V1 = 'matches: [{path: {type: PathPrefix, value: /v1}}]';
const HEADER = 'headers: [{name: X-Canary, value: "yes"}]';
const virtual = (rules: string): string => `{kind: VirtualService, spec: {http: [${rules}]}}`;
const host = (name: string): string => `destination: {host: ${name}.llm.svc.cluster.local}`;
const proxy = (routes: string): string => `{kind: HTTPProxy, spec: {routes: [${routes}]}}`;
const PREFIX = '{prefix: /v1}';
const ingress = (service: string, annotations: string): string =>
  `{kind: Ingress, metadata: {annotations: {${annotations}}}, spec: {ingressClassName: nginx, rules: [{http: {paths: [{path: /v1, backend: {service: {name: ${service}}}}]}}]}}`;
const both = (annotations: string): string =>
  `${ingress(STABLE, '')}\n---\n${ingress(CANARY, `nginx.ingress.kubernetes.io/canary: "true", ${annotations}`)}`;
const BY_HEADER =
  'nginx.ingress.kubernetes.io/canary-by-header: x-canary, nginx.ingress.kubernetes.io/canary-by-header-value: "yes"';
const action = (groups: string): string =>
  `{kind: Ingress, metadata: {annotations: {alb.ingress.kubernetes.io/actions.${STABLE}: '{"forwardConfig":{"targetGroups":[${groups}]}}'}}, spec: {ingressClassName: alb, rules: [{http: {paths: [{path: /, backend: {service: {name: ${STABLE}}}}]}}]}}`;

/** Columns as `CLIENTS`: plain, header, query, path. */
type Row = readonly [what: string, text: string, sent: readonly (number | undefined)[]];

describe('who reaches the new version', () => {
  test.each<Row>([
    ['weights', http(`{${refs(80, 20)}}`), [20, 20, 20, 20]],
    [
      'a rule for a header wins over the shorter one',
      http(`{${V1}, ${to(STABLE)}}, {matches: [{path: {value: /v1}, ${HEADER}}], ${to(CANARY)}}`),
      [0, 100, 0, 0],
    ],
    [
      'a longer path wins over a header',
      http(`{matches: [{${HEADER}}], ${to(STABLE)}}, {${V1}, ${to(CANARY)}}`),
      [100, 100, 100, 100],
    ],
    [
      'paths go by their parts',
      http(`{${V1}, ${to(STABLE)}}, {matches: [{path: {value: /v1/be}}], ${to(CANARY)}}`),
      [0, 0, 0, 0],
    ],
    ['of two that are alike the first', http(`{${V1}, ${to(STABLE)}}, {${V1}, ${to(CANARY)}}`), [0, 0, 0, 0]],
    [
      'nobody is left but those who say so',
      http(`{matches: [{${HEADER}}], ${to(CANARY)}}`),
      [undefined, 100, undefined, undefined],
    ],
    ['a weight of nothing', http(`{${refs(0, 0)}}`), CLIENTS.map(() => undefined)],
    [
      'gRPC by a header',
      grpc(
        `{matches: [{method: {service: inference.GRPCInferenceService}}], ${to(STABLE)}}, {matches: [{method: {service: inference.GRPCInferenceService}, ${HEADER}}], ${to(CANARY)}}`,
      ),
      [0, 100, 0, 0],
    ],
    [
      'gRPC of another service',
      grpc(`{matches: [{method: {service: other}}], ${to(CANARY)}}, {${to(STABLE)}}`),
      [0, 0, 0, 0],
    ],
    [
      'Istio: the first that takes it',
      virtual(
        `{match: [{queryParams: {beta: {exact: "1"}}}], route: [{${host(CANARY)}}]}, {route: [{${host(STABLE)}}]}`,
      ),
      [0, 0, 100, 0],
    ],
    [
      'Istio: behind the rule for all nobody comes',
      virtual(`{route: [{${host(STABLE)}}]}, {match: [{uri: {prefix: /v1/beta}}], route: [{${host(CANARY)}}]}`),
      [0, 0, 0, 0],
    ],
    [
      'Istio: without a weight next to another',
      virtual(`{route: [{${host(STABLE)}}, {${host(CANARY)}, weight: 100}]}`),
      [100, 100, 100, 100],
    ],
    [
      'Contour: more conditions win',
      proxy(
        `{conditions: [${PREFIX}], services: [{name: ${STABLE}}]}, {conditions: [${PREFIX}, {header: {name: x-canary, exact: "yes"}}], services: [{name: ${CANARY}}]}`,
      ),
      [0, 100, 0, 0],
    ],
    [
      'Contour: a mirror answers nobody',
      proxy(`{conditions: [${PREFIX}], services: [{name: ${STABLE}}, {name: ${CANARY}, mirror: true}]}`),
      [0, 0, 0, 0],
    ],
    [
      'Traefik',
      `{kind: TraefikService, spec: {weighted: {services: [{name: ${STABLE}, weight: 3}, {name: ${CANARY}}]}}}`,
      [25, 25, 25, 25],
    ],
    ['nginx: a weight', both('nginx.ingress.kubernetes.io/canary-weight: "20"'), [20, 20, 20, 20]],
    ['nginx: a header, and nothing for others', both(BY_HEADER), [0, 100, 0, 0]],
    ['nginx: a second Ingress without the first', both('').split('---')[1] ?? '', []],
    [
      'AWS: target groups',
      action(`{"serviceName":"${STABLE}","weight":95},{"serviceName":"${CANARY}","weight":5}`),
      [5, 5, 5, 5],
    ],
    ['a kind that nobody asks', '{kind: ConfigMap}', []],
  ])('%s', (_what, text, wanted) => {
    expect(sentBy(text)).toEqual(wanted);
  });
});
