/** Routes of every kind as people may write them: several rules, filters, conditions, weights that make no 100, names. */

import * as fc from 'fast-check';
import type { Json, JsonObject } from '../../src/api/json.ts';
import type { Share } from '../../src/rollout/traffic/provider.ts';

const STABLE = 'vllm-svc';

/** A field that may be left out. */
function maybe(key: string, value: fc.Arbitrary<Json>): fc.Arbitrary<JsonObject> {
  return fc.oneof(
    fc.constant({}),
    value.map((one): JsonObject => ({ [key]: one })),
  );
}

function merged(...parts: readonly fc.Arbitrary<JsonObject>[]): fc.Arbitrary<JsonObject> {
  return fc.tuple(...parts).map((all): JsonObject => Object.assign({}, ...all));
}

function constant(value: JsonObject): fc.Arbitrary<JsonObject> {
  return fc.constant(value);
}

function listOf(item: fc.Arbitrary<JsonObject>, most: number): fc.Arbitrary<Json> {
  return fc.array(item, { minLength: 1, maxLength: most });
}

const anyWeight = fc.constantFrom(1, 7, 50, 99, 100, 128, 1000);
const anyPath = fc.constantFrom<JsonObject>(
  { type: 'PathPrefix', value: '/v1' },
  { value: '/v1/chat' },
  { type: 'Exact', value: '/v1/models' },
  { type: 'RegularExpression', value: '/v[0-9]+/.*' },
  {},
);
const conditions = (names: readonly string[]): fc.Arbitrary<Json> =>
  fc
    .uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 2 })
    .chain((list) =>
      fc.tuple(
        ...list.map((name) =>
          merged(constant({ name, value: `${name}-1` }), maybe('type', fc.constantFrom('Exact', 'RegularExpression'))),
        ),
      ),
    );

const metadata = fc.constantFrom<JsonObject>(
  { name: 'chat', namespace: 'llm' },
  { name: 'chat', namespace: 'llm', labels: { app: 'vllm' }, annotations: { 'example.com/owner': 'search: team' } },
);

function named(apiVersion: string, kind: string, spec: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  return fc.tuple(metadata, spec).map(([meta, made]): JsonObject => ({ apiVersion, kind, metadata: meta, spec: made }));
}

const httpMatch = merged(
  maybe('path', anyPath),
  maybe('headers', conditions(['x-team', 'x-tenant'])),
  maybe('queryParams', conditions(['model', 'v'])),
  maybe('method', fc.constantFrom('GET', 'POST')),
);
const grpcMatch = merged(
  maybe(
    'method',
    fc.constantFrom({ service: 'inference.GRPCInferenceService', method: 'ModelInfer' }, { method: 'Health' }),
  ),
  maybe('headers', conditions(['x-team', 'x-tenant'])),
);

const shadow: JsonObject = { type: 'RequestMirror', requestMirror: { backendRef: { name: 'recorder', port: 80 } } };
const plainFilters = fc.subarray<JsonObject>(
  [
    { type: 'ResponseHeaderModifier', responseHeaderModifier: { add: [{ name: 'x-served-by', value: 'vllm' }] } },
    { type: 'RequestHeaderModifier', requestHeaderModifier: { remove: ['cookie'] } },
    shadow,
    { type: 'RequestMirror', requestMirror: { backendRef: { name: 'audit', port: 80 }, percent: 5 } },
    { type: 'ExtensionRef', extensionRef: { group: 'example.com', kind: 'RateLimit', name: 'chat' } },
  ],
  { maxLength: 3 },
);
const filters = plainFilters.map((list): JsonObject => (list.length === 0 ? {} : { filters: list }));

const backend = (name: string): fc.Arbitrary<JsonObject> =>
  fc
    .record({
      typed: fc.constantFrom<JsonObject>({}, { kind: 'Service' }, { group: '', kind: 'Service' }, { namespace: 'llm' }),
      weight: maybe('weight', anyWeight),
      filters: fc.oneof(
        { weight: 4, arbitrary: constant({}) },
        { weight: 1, arbitrary: constant({ filters: [shadow] }) },
      ),
      isLast: fc.boolean(),
    })
    .map(({ typed, weight, filters: own, isLast }) => ({
      ...typed,
      ...(isLast ? {} : weight),
      name,
      port: 80,
      ...own,
      ...(isLast ? weight : {}),
    }));

/** What the API takes with one prefix as the only match. */
const rewriting = fc
  .constantFrom<JsonObject>(
    { type: 'ReplacePrefixMatch', replacePrefixMatch: '/' },
    { type: 'ReplaceFullPath', replaceFullPath: '/v1' },
  )
  .map(
    (path): JsonObject => ({
      matches: [{ path: { type: 'PathPrefix', value: '/models' } }],
      filters: [{ type: 'URLRewrite', urlRewrite: { path } }],
    }),
  );

const routed = (match: fc.Arbitrary<JsonObject>, extra: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> =>
  merged(
    fc.oneof(
      { weight: 3, arbitrary: merged(maybe('matches', listOf(match, 3)), filters) },
      { weight: 1, arbitrary: extra },
    ),
    backend(STABLE).map((ref): JsonObject => ({ backendRefs: [ref] })),
  );

const othersOf = (match: JsonObject): fc.Arbitrary<JsonObject> =>
  fc.constantFrom<JsonObject>(
    {
      matches: [match],
      backendRefs: [
        { name: 'other', port: 80 },
        { name: 'more', port: 80 },
      ],
    },
    { backendRefs: [{ group: 'example.com', kind: 'Bucket', name: STABLE }] },
    { matches: [{ headers: [{ name: 'x-none', value: 'yes' }] }] },
  );

function ruled(
  rule: fc.Arbitrary<JsonObject>,
  { names, match }: { readonly names: readonly string[]; readonly match: JsonObject },
): fc.Arbitrary<JsonObject> {
  return fc
    .record({
      own: fc.array(rule, { minLength: 1, maxLength: 3 }),
      more: fc.array(othersOf(match), { maxLength: 2 }),
      isFirst: fc.boolean(),
      names: fc.constantFrom('none', 'some', 'all'),
      timeouts: fc.constantFrom<JsonObject>(
        {},
        { timeouts: { request: '5m' } },
        { timeouts: { request: '0s', backendRequest: '30s' } },
      ),
      parents: fc.constantFrom<Json>(
        [{ name: 'inference' }],
        [
          { name: 'inference', sectionName: 'http' },
          { name: 'inference', sectionName: 'https' },
        ],
      ),
      hosts: fc.constantFrom<JsonObject>({}, { hostnames: ['chat.example.com', '*.models.example.com'] }),
    })
    .map(({ own, more, isFirst, names: which, timeouts, parents, hosts }) => {
      const list = (isFirst ? [...more, ...own] : [...own, ...more]).map((one, place) => {
        const isNamed = which === 'all' || (which === 'some' && place % 2 === 0);
        return { ...(isNamed ? { name: names[place] ?? `rule-${place}` } : {}), ...one };
      });
      return {
        parentRefs: parents,
        ...hosts,
        rules: list.map((one) => (names.length > 0 ? { ...one, ...timeouts } : one)),
      };
    });
}

const GATEWAY = 'gateway.networking.k8s.io/v1';
const httpRoute = named(
  GATEWAY,
  'HTTPRoute',
  ruled(routed(httpMatch, rewriting), {
    names: ['chat', 'embeddings', 'rerank', 'audio', 'images'],
    match: { path: { type: 'Exact', value: '/healthz' } },
  }),
);
const grpcRoute = named(
  GATEWAY,
  'GRPCRoute',
  ruled(routed(grpcMatch, constant({})), { names: [], match: { method: { service: 'grpc.health.v1.Health' } } }),
);

/** Istio takes the first rule that matches. */
function istioSpec(destination: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  const match = merged(
    maybe('uri', fc.constantFrom<JsonObject>({ prefix: '/v1' }, { exact: '/v1/models' }, { regex: '/v[0-9]+' })),
    maybe('headers', fc.constantFrom<JsonObject>({ 'x-team': { exact: 'search' } }, { 'x-tenant': { prefix: 'a' } })),
    maybe('ignoreUriCase', fc.boolean()),
  );
  const rule = fc
    .tuple(
      maybe('match', listOf(match, 2)),
      maybe('timeout', fc.constantFrom('300s', '1h')),
      maybe('rewrite', constant({ uri: '/v1' })),
      maybe('mirror', constant({ host: 'recorder' })),
      maybe(
        'headers',
        fc.constantFrom<JsonObject>(
          { response: { set: { 'x-served-by': 'vllm' } } },
          { request: { remove: ['cookie'] } },
        ),
      ),
      merged(
        destination.map((to): JsonObject => ({ destination: to })),
        maybe('weight', fc.constantFrom(0, 1, 100)),
        maybe('headers', constant({ response: { remove: ['server'] } })),
      ),
    )
    .map(([a, b, c, d, e, route]): JsonObject => ({ ...a, ...b, ...c, ...d, ...e, route: [route] }));
  const other = fc.constantFrom<JsonObject>(
    { match: [{ uri: { prefix: '/old' } }], redirect: { uri: '/v1' } },
    {
      match: [{ uri: { prefix: '/docs' } }],
      route: [
        { destination: { host: 'docs' }, weight: 40 },
        { destination: { host: 'docs-next' }, weight: 60 },
      ],
    },
    { match: [{ uri: { prefix: '/a' } }], delegate: { name: 'a', namespace: 'team-a' } },
  );
  return fc
    .record({
      own: fc.array(rule, { minLength: 1, maxLength: 3 }),
      more: fc.array(other, { maxLength: 2 }),
      gateways: maybe('gateways', fc.constant(['istio-system/public'])),
    })
    .map(({ own, more, gateways }) => ({ hosts: ['chat.example.com'], ...gateways, http: [...more, ...own] }));
}

const port = maybe('port', constant({ number: 80 }));
const hosts = fc
  .constantFrom(STABLE, `${STABLE}.llm`, `${STABLE}.llm.svc.cluster.local`)
  .map((host): JsonObject => ({ host }));
const virtualService = named('networking.istio.io/v1', 'VirtualService', istioSpec(merged(hosts, port)));
const subsets = named(
  'networking.istio.io/v1',
  'VirtualService',
  istioSpec(merged(hosts, constant({ subset: 'stable' }), port)),
);
const destinationRule = named(
  'networking.istio.io/v1',
  'DestinationRule',
  merged(
    constant({ host: STABLE }),
    maybe('trafficPolicy', constant({ connectionPool: { http: { http2MaxRequests: 100 } } })),
    fc.constantFrom<JsonObject>(
      { subsets: [{ name: 'stable', labels: { 'leaderworkerset.sigs.k8s.io/name': 'vllm' } }] },
      {
        subsets: [
          { name: 'v1', labels: { 'leaderworkerset.sigs.k8s.io/name': 'vllm' } },
          { name: 'v1-leaders', labels: { 'leaderworkerset.sigs.k8s.io/name': 'vllm', app: 'vllm' } },
        ],
      },
    ),
  ),
);

const anyPort = fc.constantFrom<Json>(80, 'http');
const traefikService = named(
  'traefik.io/v1alpha1',
  'TraefikService',
  merged(
    constant({ name: STABLE }),
    maybe('kind', fc.constant('Service')),
    maybe('namespace', fc.constant('llm')),
    anyPort.map((one): JsonObject => ({ port: one })),
    maybe('weight', anyWeight),
    maybe('passHostHeader', fc.boolean()),
    maybe('strategy', fc.constant('wrr')),
  ).map((service): JsonObject => ({ weighted: { services: [service] } })),
);

const proxyCondition = fc.constantFrom<JsonObject>(
  { prefix: '/v1' },
  { exact: '/v1/models' },
  { regex: '/v[0-9]+' },
  { header: { name: 'x-team', exact: 'search' } },
  { queryParameter: { name: 'model', prefix: 'v2' } },
);
/** A path of another type, or a prefix that is replaced: Contour takes no route with both. */
const proxyPaths = fc.oneof(
  maybe('conditions', listOf(proxyCondition, 1)),
  constant({ conditions: [{ prefix: '/v1' }], pathRewritePolicy: { replacePrefix: [{ replacement: '/' }] } }),
);
const proxyRule = fc
  .tuple(
    proxyPaths,
    maybe('timeoutPolicy', fc.constantFrom<JsonObject>({ response: '300s' }, { response: 'infinity', idle: '10s' })),
    maybe('permitInsecure', fc.boolean()),
    merged(constant({ name: STABLE, port: 80 }), maybe('weight', anyWeight), maybe('protocol', fc.constant('h2c'))),
    fc.constantFrom<readonly JsonObject[]>([], [{ name: 'recorder', port: 80, mirror: true }]),
    fc.boolean(),
  )
  .map(
    ([a, b, c, service, mirrors, isFirst]): JsonObject => ({
      ...a,
      ...b,
      ...c,
      services: isFirst ? [...mirrors, service] : [service, ...mirrors],
    }),
  );
const httpProxy = named(
  'projectcontour.io/v1',
  'HTTPProxy',
  fc
    .record({ own: fc.array(proxyRule, { minLength: 1, maxLength: 3 }), isFirst: fc.boolean() })
    .map(({ own, isFirst }): JsonObject => {
      const docs: JsonObject = {
        conditions: [{ prefix: '/docs' }],
        services: [
          { name: 'docs', port: 80 },
          { name: 'docs-next', port: 80, weight: 3 },
        ],
      };
      return { virtualhost: { fqdn: 'chat.example.com' }, routes: isFirst ? [docs, ...own] : [...own, docs] };
    }),
);

/** Paths of several hosts, some of them to other Services and other kinds of backends. */
function ingress(annotations: fc.Arbitrary<JsonObject>, portOf: JsonObject): fc.Arbitrary<JsonObject> {
  const path = (service: string) =>
    fc
      .constantFrom<JsonObject>(
        { path: '/', pathType: 'Prefix' },
        { path: '/v1', pathType: 'Exact' },
        { pathType: 'ImplementationSpecific' },
      )
      .map(
        (one): JsonObject => ({
          ...one,
          backend: { service: { name: service, port: service === STABLE ? portOf : { name: 'http' } } },
        }),
      );
  const resource: JsonObject = {
    path: '/static',
    pathType: 'Prefix',
    backend: { resource: { apiGroup: 'example.com', kind: 'Bucket', name: 'a' } },
  };
  const rule = fc
    .tuple(
      maybe('host', fc.constantFrom('chat.example.com', '*.example.com')),
      fc.array(fc.oneof(path(STABLE), path('other'), fc.constant(resource)), { minLength: 1, maxLength: 3 }),
    )
    .map(([host, paths]): JsonObject => ({ ...host, http: { paths } }));
  const own = path(STABLE).map((one): JsonObject => ({ host: 'models.example.com', http: { paths: [one] } }));
  return fc
    .record({
      annotations,
      rules: fc.tuple(fc.array(rule, { maxLength: 2 }), own, fc.array(rule, { maxLength: 1 })),
      head: maybe('ingressClassName', fc.constant('nginx')),
      tls: maybe('tls', fc.constant([{ hosts: ['chat.example.com'], secretName: 'chat-tls' }])),
      otherwise: maybe('defaultBackend', constant({ service: { name: 'other', port: { number: 80 } } })),
    })
    .map(({ annotations: own2, rules: [a, b, c], head, tls, otherwise }) => ({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'chat', namespace: 'llm', ...(Object.keys(own2).length === 0 ? {} : { annotations: own2 }) },
      spec: { ...head, ...tls, ...otherwise, rules: [...a, b, ...c] },
    }));
}

const number: JsonObject = { number: 80 };
const someAnnotations = merged(
  maybe('nginx.ingress.kubernetes.io/proxy-body-size', fc.constant('8m')),
  maybe('cert-manager.io/cluster-issuer', fc.constant('letsencrypt')),
  maybe('argocd.argoproj.io/sync-wave', fc.constant('3')),
);
const mse = merged(someAnnotations, maybe('mse.ingress.kubernetes.io/service-subset', fc.constantFrom('', 'base')));
const action = fc
  .record({
    upper: fc.boolean(),
    port: fc.constantFrom<Json>(80, '80', 'http'),
    weight: maybe('weight', anyWeight),
    spaces: fc.constantFrom(0, 1),
  })
  .map(({ upper, port: servicePort, weight, spaces }): JsonObject => {
    const group = { serviceName: STABLE, servicePort, ...weight };
    const key = (name: string): string => (upper ? name.slice(0, 1).toUpperCase() + name.slice(1) : name);
    const groups = Object.fromEntries(Object.entries(group).map(([name, value]) => [key(name), value]));
    const value = { [key('type')]: 'forward', [key('forwardConfig')]: { [key('targetGroups')]: [groups] } };
    return {
      [`alb.ingress.kubernetes.io/actions.${STABLE}`]: JSON.stringify(value, null, spaces).replaceAll('\n', ' '),
      'alb.ingress.kubernetes.io/target-type': 'ip',
    };
  });

/** By the folder whose provider and sides they are for. */
export const anyRouteOf: Readonly<Record<string, fc.Arbitrary<JsonObject>>> = {
  HTTPRoute: httpRoute,
  GRPCRoute: grpcRoute,
  VirtualService: virtualService,
  'VirtualService-subsets': subsets,
  DestinationRule: destinationRule,
  TraefikService: traefikService,
  HTTPProxy: httpProxy,
  NginxIngress: ingress(someAnnotations, number),
  HigressIngress: ingress(someAnnotations, number),
  AliyunIngress: ingress(someAnnotations, number),
  MseIngress: ingress(mse, number),
  AlbIngress: ingress(action, { name: 'use-annotation' }),
};

const stepCondition = (name: string) =>
  fc.record({
    name: fc.constant(name),
    value: fc.constantFrom('1', 'v2.*', 'on: off', '# no'),
    type: fc.constantFrom('Exact' as const, 'RegularExpression' as const, undefined),
  });
const stepPath = fc.record({
  type: fc.constantFrom('Exact' as const, 'PathPrefix' as const, 'RegularExpression' as const, undefined),
  value: fc.constantFrom('/preview', '/v2/chat'),
});
const stepMatch = fc.record({
  path: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: stepPath }),
  headers: fc.oneof(
    fc.tuple(stepCondition('x-canary')),
    fc.tuple(stepCondition('X-Team'), stepCondition('x-canary')),
    fc.constant([]),
  ),
  queryParams: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.tuple(stepCondition('model')) },
  ),
});
const modifier = fc.constantFrom(
  undefined,
  { set: [{ name: 'x-version', value: 'canary' }], add: [], remove: [] },
  { set: [], add: [{ name: 'x-version', value: 'canary' }], remove: ['cookie'] },
);

/** What steps ask for. */
export const anyShare: fc.Arbitrary<Share> = fc.oneof(
  fc.constantFrom(1, 5, 33, 50, 99, 100).map((percent): Share => ({ kind: 'weight', percent })),
  fc.record({
    kind: fc.constant('matches' as const),
    matches: fc.array(stepMatch, { minLength: 1, maxLength: 3 }),
    modifier,
  }),
  fc.constant<Share>({ kind: 'none' }),
);
