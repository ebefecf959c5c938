/** Which Service a client reaches by a route: read from applied documents as the gateways of each kind read them, and by no code of the product. */

import { at, isJsonObject, type Json, type JsonObject } from '../../src/api/json.ts';

/** Those who ask: most want nothing special, and a few are such as a step may pick. */
export type Client = {
  readonly name: 'plain' | ClientName;
  /** Of a hundred: no sum of these few is a whole number, so that no weight looks like one. */
  readonly part: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
};

/** What a step may pick clients by. */
export type ClientName = 'header' | 'query' | 'path';

const PLAIN = { path: '/v1/chat', headers: {}, query: {} };

export const CLIENTS: readonly Client[] = [
  { name: 'plain', part: 99.3, ...PLAIN },
  { name: 'header', part: 0.1, ...PLAIN, headers: { 'x-canary': 'yes' } },
  { name: 'query', part: 0.2, ...PLAIN, query: { beta: '1' } },
  { name: 'path', part: 0.4, ...PLAIN, path: '/v1/beta/chat' },
];

/** The one gRPC service that they call. */
const GRPC_SERVICE = 'inference.GRPCInferenceService';

/** Where a client is sent; nothing: nowhere. */
type Sent = readonly { readonly service: string; readonly weight: number }[];

/** Of each route in turn where each of `CLIENTS` is sent. */
export type Rules = readonly Sent[];

type Reader = (route: JsonObject, client: Client, all: readonly JsonObject[]) => Sent;

const readers: Readonly<Record<string, Reader>> = {
  HTTPRoute: byMatches,
  GRPCRoute: byMatches,
  Ingress: byIngress,
  VirtualService: inOrder,
  TraefikService: (route) => list(route, 'spec', 'weighted', 'services').map((one) => sent(one, 1)),
  HTTPProxy: byConditions,
};

/** The rules of all routes among these documents; other kinds are nothing that a client asks. */
export function rulesOf(documents: readonly JsonObject[]): Rules {
  const routes = documents.filter((document) => word(document, 'kind') in readers && !isCanary(document));
  return routes.flatMap((route) => {
    const read = readers[word(route, 'kind')];
    return CLIENTS.map((client) => read?.(route, client, documents) ?? []);
  });
}

/** Where nothing stands before the Service. */
export function directTo(service: string): Rules {
  return CLIENTS.map(() => [{ service, weight: 1 }]);
}

/** Of a hundred requests, spread evenly over the routes, those that one Service gets. */
export function shareIn(rules: Rules, service: string): number {
  let [own, all] = [0, 0];
  for (const [place, rule] of rules.entries()) {
    const { part = 0 } = CLIENTS[place % CLIENTS.length] ?? {};
    all += part;
    own += part * partOf(rule, service);
  }
  return all === 0 ? 0 : (own * 100) / all;
}

function partOf(rule: Sent, service: string): number {
  const total = rule.reduce((sum, { weight }) => sum + weight, 0);
  const own = rule.filter((one) => one.service === service).reduce((sum, { weight }) => sum + weight, 0);
  return total === 0 ? 0 : own / total;
}

/** Of a hundred those that a step with these matches picks. */
export function pickedBy(matches: readonly JsonObject[]): number {
  return CLIENTS.filter((client) => matches.some((match) => takes(match, client))).reduce(
    (sum, { part }) => sum + part,
    0,
  );
}

/** Gateway API: of all matches that take the request the most exact one wins, and of those that are alike the first. */
function byMatches(route: JsonObject, client: Client): Sent {
  const found = list(route, 'spec', 'rules').flatMap((rule) =>
    orOne(list(rule, 'matches'))
      .filter((match) => takes(match, client))
      .map((match) => ({ rule, rank: rankOf(match) })),
  );
  return list(winner(found)?.rule, 'backendRefs').map((one) => sent(one, 1));
}

function takes(match: JsonObject, client: Client): boolean {
  const { service } = isJsonObject(match['method']) ? match['method'] : {};
  return (
    (service === undefined || service === GRPC_SERVICE) &&
    takesPath(client.path, at(match, ['path', 'type']) ?? 'PathPrefix', at(match, ['path', 'value']) ?? '/') &&
    list(match, 'headers').every((one) => client.headers[word(one, 'name').toLowerCase()] === one['value']) &&
    list(match, 'queryParams').every((one) => client.query[word(one, 'name')] === one['value'])
  );
}

/** Prefixes go by the parts between slashes. */
function takesPath(path: string, type: Json, value: Json): boolean {
  if (typeof value !== 'string') return false;
  const whole = value.replace(/\/$/, '');
  return type === 'Exact' ? path === value : path === whole || path.startsWith(`${whole}/`);
}

/** What goes first is worth more. */
type Rank = readonly number[];

function rankOf(match: JsonObject): Rank {
  const exact = at(match, ['path', 'type']) === 'Exact' ? 1 : 0;
  const value = at(match, ['path', 'value']);
  const length = typeof value === 'string' ? value.length : 1;
  const method = Object.keys(isJsonObject(match['method']) ? match['method'] : {}).length;
  return [exact, length, method, list(match, 'headers').length, list(match, 'queryParams').length];
}

function winner<T extends { readonly rank: Rank }>(found: readonly T[]): T | undefined {
  return found.reduce<T | undefined>(
    (best, one) => (best === undefined || above(one.rank, best.rank) ? one : best),
    undefined,
  );
}

function above(left: Rank, right: Rank): boolean {
  const place = left.findIndex((size, i) => size !== right[i]);
  return place >= 0 && (left[place] ?? 0) > (right[place] ?? 0);
}

/** How controllers spell the annotations of a second Ingress, by the class of the first. */
const PREFIXES: Readonly<Record<string, string>> = {
  nginx: 'nginx.ingress.kubernetes.io/',
  higress: 'nginx.ingress.kubernetes.io/',
  'aliyun-alb': 'alb.ingress.kubernetes.io/',
  mse: 'nginx.ingress.kubernetes.io/',
};
const ACTION = 'alb.ingress.kubernetes.io/actions.';

function isCanary(document: JsonObject): boolean {
  return word(document, 'kind') === 'Ingress' && note(document, 'canary') === 'true';
}

/** An annotation of the class that an Ingress has. */
function note(ingress: JsonObject, key: string): string | undefined {
  const prefix = PREFIXES[word(ingress, 'spec', 'ingressClassName')];
  return prefix === undefined ? undefined : annotation(ingress, `${prefix}${key}`);
}

function annotation(ingress: JsonObject, key: string): string | undefined {
  const value = at(ingress, ['metadata', 'annotations', key]);
  return typeof value === 'string' ? value : undefined;
}

/** ingress-nginx and what reads its dialect: a canary Ingress of the same path takes by header, query or weight. */
function byIngress(ingress: JsonObject, client: Client, all: readonly JsonObject[]): Sent {
  const service = backendOf(ingress, client);
  if (service === undefined) return [];
  if (word(ingress, 'spec', 'ingressClassName') === 'alb') return byAction(ingress, service);
  const canary = all.find((one) => isCanary(one) && backendOf(one, client) !== undefined);
  const other = canary === undefined ? undefined : backendOf(canary, client);
  if (canary === undefined || other === undefined) return [{ service, weight: 100 }];
  const asks = (kind: string, has: Readonly<Record<string, string>>): boolean => {
    const name = note(canary, `canary-by-${kind}`);
    return name !== undefined && has[name.toLowerCase()] === (note(canary, `canary-by-${kind}-value`) ?? 'always');
  };
  if (asks('header', client.headers) || asks('query', client.query)) return [{ service: other, weight: 100 }];
  const weight = Number(note(canary, 'canary-weight') ?? '0');
  return [
    { service, weight: 100 - weight },
    { service: other, weight },
  ];
}

/** The longest path wins. */
function backendOf(ingress: JsonObject, client: Client): string | undefined {
  const found = list(ingress, 'spec', 'rules')
    .flatMap((rule) => list(rule, 'http', 'paths'))
    .filter((one) => takesPath(client.path, one['pathType'] ?? 'Prefix', one['path'] ?? '/'))
    .map((one) => ({ name: word(one, 'backend', 'service', 'name'), rank: [word(one, 'path').length] }));
  return winner(found)?.name;
}

/** AWS: the action that the path asks for by the name of its Service. */
function byAction(ingress: JsonObject, service: string): Sent {
  const action: Json = JSON.parse(annotation(ingress, `${ACTION}${service}`) ?? '{}') as Json;
  return list(isJsonObject(action) ? action : {}, 'forwardConfig', 'targetGroups').map((one) => ({
    service: word(one, 'serviceName'),
    weight: number(one['weight'], 1),
  }));
}

/** Istio: the first rule that takes the request; what has no weight next to others gets nothing. */
function inOrder(route: JsonObject, client: Client): Sent {
  const rule = list(route, 'spec', 'http').find((one) =>
    orOne(list(one, 'match')).some((match) => isFor(match, client)),
  );
  const targets = list(rule, 'route');
  return targets.map((one) => ({
    service: word(one, 'destination', 'host').split('.')[0] ?? '',
    weight: number(one['weight'], targets.length === 1 ? 100 : 0),
  }));
}

function isFor(match: JsonObject, client: Client): boolean {
  const says = (value: Json | undefined, is: string | undefined): boolean =>
    is !== undefined &&
    isJsonObject(value) &&
    (value['exact'] === is || (typeof value['prefix'] === 'string' && is.startsWith(value['prefix'])));
  const all = (key: string, has: Readonly<Record<string, string>>): boolean =>
    Object.entries(isJsonObject(match[key]) ? match[key] : {}).every(([name, value]) => says(value, has[name]));
  return (
    (match['uri'] === undefined || says(match['uri'], client.path)) &&
    all('headers', client.headers) &&
    all('queryParams', client.query)
  );
}

/** Contour: all conditions must hold, and the route with the most exact ones wins. */
function byConditions(proxy: JsonObject, client: Client): Sent {
  const found = list(proxy, 'spec', 'routes').flatMap((route) => {
    const conditions = list(route, 'conditions');
    const has = (key: string): readonly JsonObject[] => conditions.filter((one) => one[key] !== undefined);
    const isTaken =
      has('prefix').every((one) => takesPath(client.path, 'Prefix', one['prefix'] ?? '')) &&
      has('exact').every((one) => one['exact'] === client.path) &&
      has('header').every(
        (one) => client.headers[word(one, 'header', 'name').toLowerCase()] === at(one, ['header', 'exact']),
      ) &&
      has('queryParameter').every(
        (one) => client.query[word(one, 'queryParameter', 'name')] === at(one, ['queryParameter', 'exact']),
      );
    const length = Math.max(0, ...has('prefix').map((one) => word(one, 'prefix').length));
    return isTaken
      ? [{ route, rank: [has('exact').length, length, has('header').length, has('queryParameter').length] }]
      : [];
  });
  const services = list(winner(found)?.route, 'services').filter((one) => one['mirror'] !== true);
  const isWeighted = services.some((one) => one['weight'] !== undefined);
  return services.map((one) => sent(one, isWeighted ? 0 : 1));
}

function sent(backend: JsonObject, otherwise: number): Sent[number] {
  return { service: word(backend, 'name'), weight: number(backend['weight'], otherwise) };
}

function orOne(matches: readonly JsonObject[]): readonly JsonObject[] {
  return matches.length === 0 ? [{}] : matches;
}

function list(value: JsonObject | undefined, ...keys: readonly string[]): readonly JsonObject[] {
  const found = at(value, keys);
  return Array.isArray(found) ? found.filter((one): one is JsonObject => isJsonObject(one)) : [];
}

function word(value: JsonObject, ...keys: readonly string[]): string {
  const found = at(value, keys);
  return typeof found === 'string' ? found : '';
}

function number(value: Json | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
