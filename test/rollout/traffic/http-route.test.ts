/** HTTPRoute where Kruise goes wrong, where people have edited in the middle, and on generated files. */

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { at, type Json, type JsonObject } from '../../../src/api/json.ts';
import { mapsAt } from '../../../src/api/weighted-routes.ts';
import { grpcRoute, httpRoute } from '../../../src/rollout/traffic/http-route.ts';
import type { Share, Sides } from '../../../src/rollout/traffic/provider.ts';
import { anyStyle } from '../../manifests/any-manifest.ts';
import { writeYaml } from '../../manifests/written-yaml.ts';
import { refusals } from '../../support/gateway-server.ts';
import { documentsOf, NO_SHARE, routeIn, SIDES, type Texts, textOf, weight, written } from '../../support/routes.ts';

function route(...rules: readonly JsonObject[]): JsonObject {
  return { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', metadata: { name: 'chat' }, spec: { rules } };
}

function rulesIn(texts: Texts): Json | undefined {
  return at(documentsOf(texts.files, ['HTTPRoute'])[0]!.value, ['spec', 'rules']);
}

const stable = { name: 'vllm-svc', port: 80 };
const canary = { name: 'vllm-svc-canary', port: 80 };
const header = (value = '1'): Share => ({
  kind: 'matches',
  matches: [{ path: undefined, headers: [{ name: 'x-canary', value, type: undefined }], queryParams: [] }],
  modifier: undefined,
});
const path = (value: string) => ({ path: { value } });

describe('where Kruise goes wrong', () => {
  test('a header step after a weight step keeps the shared rule (httproute/13)', () => {
    const start = textOf(route({ matches: [path('/a')], backendRefs: [stable] }));
    expect(rulesIn(written(written(start, httpRoute, weight(20)), httpRoute, header()))).toEqual([
      { matches: [path('/a')], backendRefs: [stable] },
      {
        matches: [{ ...path('/a'), headers: [{ name: 'x-canary', value: '1' }] }],
        backendRefs: [canary],
      },
    ]);
  });

  test('matches with paths and with headers each keep their conditions (httproute/15)', () => {
    const matches = [
      { path: { type: undefined, value: '/p' }, headers: [], queryParams: [] },
      ...(header() as Extract<Share, { kind: 'matches' }>).matches,
    ];
    const texts = written(
      textOf(route({ matches: [path('/a')], backendRefs: [stable] }, { matches: [path('/b')], backendRefs: [stable] })),
      httpRoute,
      { kind: 'matches', matches, modifier: undefined },
    );
    const headers = [{ name: 'x-canary', value: '1' }];
    expect(rulesIn(texts)).toMatchObject([
      {},
      {},
      { matches: [path('/p'), { ...path('/a'), headers }] },
      { matches: [{ ...path('/b'), headers }] },
    ]);
  });

  test('the rollback leaves rules without backends (httproute/16)', () => {
    const redirect = { matches: [path('/old')], filters: [{ type: 'RequestRedirect' }] };
    const start = textOf(route({ backendRefs: [stable] }, redirect));
    expect(written(written(start, httpRoute, weight(5)), httpRoute, NO_SHARE).files).toEqual(start.files);
  });
});

describe('people who edit in the middle', () => {
  const start = textOf(
    route({ matches: [path('/a')], backendRefs: [{ ...stable, weight: 7 }] }, { backendRefs: [stable] }),
  );

  test('a rule that is inserted in front: each rule gets its own weight back', () => {
    const shared = written(start, httpRoute, weight(10));
    const rules = rulesIn(shared) as Json[];
    const more = {
      ...textOf(route({ matches: [path('/new')], backendRefs: [{ name: 'other' }] }, ...(rules as JsonObject[]))),
      displaced: shared.displaced,
    };
    const next = written(more, httpRoute, weight(20));
    expect(rulesIn(written(next, httpRoute, NO_SHARE))).toEqual([
      { matches: [path('/new')], backendRefs: [{ name: 'other' }] },
      { matches: [path('/a')], backendRefs: [{ ...stable, weight: 7 }] },
      { backendRefs: [stable] },
    ]);
  });

  test('a rule that goes takes what was put aside of it along', () => {
    const shared = written(start, httpRoute, weight(10));
    const [first] = rulesIn(shared) as JsonObject[];
    const less = { ...textOf(route(first!)), displaced: shared.displaced };
    expect(rulesIn(written(less, httpRoute, NO_SHARE))).toEqual([
      { matches: [path('/a')], backendRefs: [{ ...stable, weight: 7 }] },
    ]);
  });

  test('weights of others are read, and go to stable without a record', () => {
    const texts = textOf(
      route(
        {
          backendRefs: [
            { ...stable, weight: 3 },
            { ...canary, weight: 1 },
          ],
        },
        { backendRefs: [canary] },
      ),
    );
    expect(httpRoute.read(routeIn(texts, httpRoute), SIDES)).toMatchObject({
      percent: 25,
      ours: [['spec', 'rules', '1']],
    });
    expect(rulesIn(written(texts, httpRoute, NO_SHARE))).toEqual([{ backendRefs: [{ ...stable, weight: 3 }] }]);
  });
});

describe('InferencePools', () => {
  const sides: Sides = { ...SIDES, backend: 'InferencePool', stable: 'pool', canary: 'pool-canary' };
  const pool = { group: 'inference.networking.k8s.io', kind: 'InferencePool', name: 'pool' };

  test('are backends like Services, and a Service of that name is another backend', () => {
    const start = textOf(route({ backendRefs: [pool] }));
    const shared = written(start, httpRoute, weight(10), sides);
    expect(rulesIn(shared)).toEqual([
      {
        backendRefs: [
          { ...pool, weight: 90 },
          { ...pool, name: 'pool-canary', weight: 10 },
        ],
      },
    ]);
    expect(written(shared, httpRoute, NO_SHARE, sides).files).toEqual(start.files);
    const mixed = routeIn(textOf(route({ backendRefs: [pool, { name: 'pool', port: 80 }] })), httpRoute);
    expect(httpRoute.survey(mixed, sides).faults).toMatchObject([{ reason: 'OtherBackend' }]);
  });
});

test.each([
  [httpRoute, ['30s', 30]],
  [httpRoute, [undefined, 'unset']],
  // No version of its CRD has the field: nobody is told to write it.
  [grpcRoute, [undefined, undefined]],
] as const)('what $kind says of how long a request may take', (provider, [request, seconds]) => {
  const timeouts = request === undefined ? {} : { timeouts: { request } };
  const texts = textOf({ ...route({ ...timeouts, backendRefs: [stable] }), kind: provider.kind });
  expect(provider.survey(routeIn(texts, provider), SIDES).rules.map(({ timeout }) => timeout?.seconds)).toEqual([
    seconds,
  ]);
});

test('a GRPCRoute knows no paths', () => {
  const texts = textOf({ ...route({ backendRefs: [stable] }), kind: 'GRPCRoute' });
  const share: Share = {
    ...header(),
    matches: [{ path: { type: undefined, value: '/a' }, headers: [], queryParams: [] }],
  } as Share;
  expect(grpcRoute.write(routeIn(texts, grpcRoute), SIDES, share)).toMatchObject({
    kind: 'unwritable',
    faults: [{ reason: 'MatchNotSupported' }],
  });
});

describe('what the API server takes', () => {
  const rewrite = {
    type: 'URLRewrite',
    urlRewrite: { path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/' } },
  };
  const matches: Extract<Share, { kind: 'matches' }> = {
    kind: 'matches',
    matches: ['x-canary', 'x-team'].map((name) => ({
      path: undefined,
      headers: [{ name, value: '1', type: undefined }],
      queryParams: [],
    })),
    modifier: undefined,
  };

  test('a rule that replaces a prefix has one match: each match of the step gets a rule', () => {
    const start = textOf(route({ matches: [path('/models')], filters: [rewrite], backendRefs: [stable] }));
    const shared = written(start, httpRoute, matches);
    const own = { filters: [rewrite], backendRefs: [canary] };
    expect(rulesIn(shared)).toMatchObject([
      {},
      { matches: [{ ...path('/models'), headers: [{ name: 'x-canary' }] }], ...own },
      { matches: [{ ...path('/models'), headers: [{ name: 'x-team' }] }], ...own },
    ]);
    expect(refusals(documentsOf(shared.files, ['HTTPRoute'])[0]!.value)).toEqual([]);
    expect(written(shared, httpRoute, NO_SHARE).files).toEqual(start.files);
  });

  const pooled = { group: 'inference.networking.k8s.io', kind: 'InferencePool', name: 'vllm-svc' };
  test.each([
    // A name in the fields of people's rule, its backend → names of the rules of ours
    ['no names: older CRDs refuse the field (1.1 to 1.3)', {}, stable, [undefined, undefined]],
    ['a name of people: the server takes it', { name: 'chat' }, stable, ['tranche-vllm-0', 'tranche-vllm-0-1']],
    ['a pool: nothing else tells our rules', {}, pooled, ['tranche-vllm-0', 'tranche-vllm-0-1']],
  ])('%s', (_, named, backend, names) => {
    const rule = { ...named, matches: [path('/models')], filters: [rewrite], backendRefs: [backend] };
    const sides = backend === pooled ? { ...SIDES, backend: 'InferencePool' as const } : SIDES;
    const start = textOf(route(rule));
    const shared = written(start, httpRoute, matches, sides);
    const found = mapsAt(documentsOf(shared.files, ['HTTPRoute'])[0]!.value, ['spec', 'rules']);
    expect(found.map((one) => one['name'])).toEqual(['name' in named ? named.name : undefined, ...names]);
    expect(written(shared, httpRoute, matches, sides).files).toEqual(shared.files);
    expect(written(shared, httpRoute, NO_SHARE, sides).files).toEqual(start.files);
  });

  test('a rule that replaces a prefix takes no path of another type', () => {
    const start = textOf(route({ matches: [path('/models')], filters: [rewrite], backendRefs: [stable] }));
    const exact = { path: { type: 'Exact' as const, value: '/a' }, headers: [], queryParams: [] };
    expect(httpRoute.write(routeIn(start, httpRoute), SIDES, { ...matches, matches: [exact] })).toMatchObject({
      kind: 'unwritable',
      faults: [{ reason: 'MatchContradicts', at: ['spec', 'rules', '0', 'filters'] }],
    });
  });

  test.each([
    ['as many as older servers take', 2, 4, []],
    ['more than older servers take', 3, 4, ['TooManyRules']],
    ['more, in a route that shows that its server takes them', 1, 9, []],
  ])('matches of a GRPCRoute: %s', (_, count, own, reasons) => {
    const list = Array.from({ length: own }, (__, place) => ({ headers: [{ name: `x-${place}`, value: '1' }] }));
    const texts = textOf({ ...route({ matches: list, backendRefs: [stable] }), kind: 'GRPCRoute' });
    const [first] = matches.matches;
    const asked = Array.from({ length: count }, (__, place) => ({
      ...first!,
      headers: [{ name: `x-canary-${place}`, value: '1', type: undefined }],
    }));
    const made = grpcRoute.write(routeIn(texts, grpcRoute), SIDES, { ...matches, matches: asked });
    expect(made.kind === 'ok' ? [] : made.faults.map(({ reason }) => reason)).toEqual(reasons);
  });

  test('a header is changed once', () => {
    const modifier = { set: [{ name: 'x-a', value: '1' }], add: [], remove: ['X-A'] };
    const texts = textOf(route({ backendRefs: [stable] }));
    expect(httpRoute.write(routeIn(texts, httpRoute), SIDES, { ...matches, modifier })).toMatchObject({
      kind: 'unwritable',
      faults: [{ reason: 'ModifierTwice' }],
    });
  });

  test('a backend that names the namespace of its route is that of the route', () => {
    const spelled = { ...stable, namespace: 'llm' };
    const value = { ...route({ backendRefs: [spelled] }), metadata: { name: 'chat', namespace: 'llm' } };
    const shared = written(textOf(value), httpRoute, weight(10));
    expect(rulesIn(shared)).toEqual([
      {
        backendRefs: [
          { ...spelled, weight: 90 },
          { ...canary, namespace: 'llm', weight: 10 },
        ],
      },
    ]);
    const elsewhere = textOf(route({ backendRefs: [{ ...stable, namespace: 'other' }] }));
    expect(httpRoute.survey(routeIn(elsewhere, httpRoute), SIDES).faults).toMatchObject([{ reason: 'BackendMissing' }]);
  });
});

const anyMatch = fc.record({ path: fc.record({ value: fc.constantFrom('/a', '/b/c', '/') }) });
const anyRule = fc
  .record({
    name: fc.constantFrom('', 'one', 'two'),
    matches: fc.array(anyMatch, { maxLength: 3 }),
    backend: fc.constantFrom<readonly JsonObject[]>(
      [stable],
      [{ ...stable, weight: 100 }],
      [{ name: 'other', port: 1 }],
      [],
    ),
  })
  .map(
    ({ name, matches, backend }): JsonObject => ({
      ...(name === '' ? {} : { name }),
      ...(matches.length === 0 ? {} : { matches }),
      ...(backend.length === 0 ? { filters: [{ type: 'RequestRedirect' }] } : { backendRefs: backend }),
    }),
  );
const anyShare = fc.oneof(fc.nat(100).map(weight), fc.constantFrom(header('1'), header('2')));

test('any shares and home give back the very bytes, in any style', () => {
  const rules = fc.array(anyRule, { minLength: 1, maxLength: 4 });
  const shares = fc.array(anyShare, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(rules, anyStyle, shares, (list, style, steps) => {
      const start: Texts = { files: { 'route.yaml': writeYaml(route(...list), style) }, displaced: [] };
      let texts = start;
      for (const share of steps) {
        texts = written(texts, httpRoute, share);
        expect(written(texts, httpRoute, share)).toEqual(texts);
      }
      expect(written(texts, httpRoute, NO_SHARE).files).toEqual(start.files);
    }),
    { numRuns: 150 },
  );
});
