/**
 * Whatever form a route has and whatever steps ask for: what is written is valid by the published schema and by the rules
 * of the API server, it is read again as the share that it is, also as the server stores it, and the restored route gives back the bytes.
 */

import { existsSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/api/json.ts';
import { trafficProviders } from '../../../src/rollout/traffic/index.ts';
import type { RouteEdits, RouteReading, Share, Sides, TrafficProvider } from '../../../src/rollout/traffic/provider.ts';
import { anyStyle } from '../../manifests/any-manifest.ts';
import { writeYaml } from '../../manifests/written-yaml.ts';
import { anyRouteOf, anyShare } from '../../support/any-route.ts';
import { invalidities } from '../../support/contour.ts';
import { refusals, stored } from '../../support/gateway-server.ts';
import { modelOf } from '../../support/published-schemas.ts';
import {
  documentsOf,
  NO_SHARE,
  prepared,
  providerIn,
  routeIn,
  SIDES,
  spliced,
  type Texts,
  textOf,
  written,
} from '../../support/routes.ts';

const RUNS = Number(process.env['ROUTE_RUNS'] ?? 10);
const FILE = 'route.yaml';
const ROOT = new URL('../../../fixtures/traffic/', import.meta.url);
/** Documents around it, which no share is to touch. */
const AROUND = [
  '# Kept by Ana.\nkind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n',
  'kind: Secret\napiVersion: v1\nmetadata: {name: b}\n',
];

function sidesOf(folder: string): Sides {
  const url = new URL(`${folder}/sides.json`, ROOT);
  return existsSync(url) ? { ...SIDES, ...(JSON.parse(readFileSync(url, 'utf8')) as Partial<Sides>) } : SIDES;
}

test('every kind is here', () => {
  const shown = new Set(Object.keys(anyRouteOf).map((folder) => folder.split('-')[0]));
  expect(Object.keys(trafficProviders).filter((key) => !shown.has(key))).toEqual([]);
});

describe.each(Object.keys(anyRouteOf))('%s', (folder) => {
  const provider = providerIn(folder);
  const sides = sidesOf(folder);

  test('is valid with every share, is read as it is, and returns to stable', async () => {
    const [sample] = fc.sample(anyRouteOf[folder]!, 1);
    const model = await modelOf(sample!);
    const counts = { written: 0, unwritable: 0 };
    const check = (value: JsonObject): void => {
      new model!(value).validate();
      expect(refusals(value)).toEqual([]);
      if (value['kind'] === 'HTTPProxy') expect(invalidities(value)).toEqual([]);
    };
    fc.assert(
      fc.property(
        anyRouteOf[folder]!,
        fc.record({ style: anyStyle, ties: fc.nat(3), above: fc.boolean(), below: fc.boolean() }),
        fc.array(anyShare, { minLength: 1, maxLength: 3 }),
        (value, { style, ties, above, below }, shares) => {
          const own = writeYaml(value, { ...style, ties: ties === 0, byteOrderMark: false, finalBreak: true });
          const text = [...(above ? [AROUND[0]] : []), own, ...(below ? [AROUND[1]] : [])].join('---\n');
          check(value);
          const before: Texts = { files: { [FILE]: text }, displaced: [] };
          if (isRefused(before, provider.prepare(routeIn(before, provider), sides))) return;
          const start = prepared(before, provider, sides);
          let texts = start;
          for (const share of shares) {
            const made = provider.write(routeIn(texts, provider), sides, share);
            counts[made.kind === 'ok' ? 'written' : 'unwritable'] += 1;
            if (made.kind === 'unwritable' || isRefused(texts, made.edits)) continue;
            texts = written(texts, provider, share, sides);
            for (const { value: json } of documentsOf(texts.files, [provider.kind])) check(json);
            const seen = readings(texts, provider, sides);
            expect(seen.server).toEqual(seen.git);
            sends(seen.git, share, provider);
            expect(written(texts, provider, share, sides).files).toEqual(texts.files);
            for (const [there, other] of [
              [above, AROUND[0]],
              [below, AROUND[1]],
            ] as const)
              if (there) expect(texts.files[FILE]).toContain(other);
          }
          expect(written(texts, provider, NO_SHARE, sides).files).toEqual(start.files);
        },
      ),
      { numRuns: RUNS },
    );
    expect(counts.written).toBeGreaterThan(0);
  });
});

/** What an anchor stands for is not written to, because it would change in two places. What was written returns to stable. */
function isRefused({ files }: Texts, edits: readonly RouteEdits[]): boolean {
  try {
    spliced(files, edits);
    return false;
  } catch (error) {
    expect(String(error)).toMatch(/alias|anchor|merge|more than the item|SpliceCheckFailed/i);
    return true;
  }
}

type Told = Pick<RouteReading, 'percent' | 'stable'> & { readonly ours: number; readonly mirrors: number };

/** According to Git, and by that of a server that has filled in its defaults. */
function readings(
  texts: Texts,
  provider: TrafficProvider,
  sides: Sides,
): { readonly git: Told; readonly server: Told } {
  const files = routeIn(texts, provider);
  const isGateway = files.route.object.apiVersion.startsWith('gateway.');
  const live = isGateway ? { ...files, route: { ...files.route, value: stored(files.route.value) } } : files;
  const [git, server] = [files, live].map((of): Told => {
    const { percent, stable, ours, mirrors } = provider.read(of, sides);
    return { percent, stable, ours: ours.length, mirrors: mirrors.length };
  });
  return { git: git!, server: server! };
}

function sends(read: Told, share: Share, { kind }: TrafficProvider): void {
  if (kind === 'DestinationRule') return;
  expect(read.percent).toBe(share.kind === 'weight' ? share.percent : 0);
  expect(read.ours > 0).toBe(share.kind === 'matches');
  if (share.kind === 'none') expect(read.mirrors).toBe(0);
}

const gateway = (namespace: string): JsonObject => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name: 'chat' },
  spec: { rules: [{ backendRefs: [{ name: 'vllm-svc', namespace, port: 80 }] }] },
});
const istio = (namespace: string): JsonObject => ({
  apiVersion: 'networking.istio.io/v1',
  kind: 'VirtualService',
  metadata: { name: 'chat' },
  spec: { hosts: ['chat'], http: [{ route: [{ destination: { host: `vllm-svc.${namespace}.svc.cluster.local` } }] }] },
});
const traefik = (namespace: string): JsonObject => ({
  apiVersion: 'traefik.io/v1alpha1',
  kind: 'TraefikService',
  metadata: { name: 'chat' },
  spec: { weighted: { services: [{ name: 'vllm-svc', namespace, port: 80 }] } },
});

test.each([
  [gateway('llm'), 5],
  [gateway('other'), 0],
  [istio('llm'), 5],
  [istio('other'), 0],
  [traefik('llm'), 5],
  [traefik('other'), 0],
])('a route that leaves its namespace out is in that of the Rollout: %j', (value, percent) => {
  const provider = Object.values(trafficProviders).find(({ kind }) => kind === value['kind'])!;
  const sides = { ...SIDES, namespace: 'llm' };
  const after = written(textOf(value), provider, { kind: 'weight', percent: 5 }, sides);
  expect(provider.read(routeIn(after, provider), sides).percent).toBe(percent);
});

const NGINX = 'nginx.ingress.kubernetes.io/';
const ingress = (metadata: JsonObject, spec: JsonObject): string =>
  JSON.stringify({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'chat', ...metadata },
    spec: {
      ...spec,
      rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'vllm-svc' } } }] } }],
    },
  });

test('a second Ingress that is kept follows what people have changed of their own, and keeps its share', () => {
  const provider = trafficProviders.NginxIngress;
  const before = ingress(
    { annotations: { [`${NGINX}proxy-body-size`]: '8m', [`${NGINX}use-regex`]: 'true' } },
    { ingressClassName: 'nginx' },
  );
  const made = prepared({ files: { [FILE]: before }, displaced: [] }, provider);
  const [, copy = ''] = (made.files[FILE] ?? '').split(/^---$/m);
  const after = ingress(
    {
      annotations: {
        [`${NGINX}proxy-body-size`]: '64m',
        [`${NGINX}ssl-redirect`]: 'false',
        'argocd.argoproj.io/x': 'y',
      },
    },
    { ingressClassName: 'edge' },
  );
  const shared = written({ files: { [FILE]: `${after}\n---\n${copy}` }, displaced: [] }, provider, {
    kind: 'weight',
    percent: 20,
  });
  const kept = prepared(shared, provider);
  const { canary } = routeIn(kept, provider);
  expect(canary?.value['metadata']).toEqual({
    name: 'chat-canary',
    annotations: {
      [`${NGINX}proxy-body-size`]: '64m',
      [`${NGINX}ssl-redirect`]: 'false',
      'tranche.dev/made-for': 'vllm',
      [`${NGINX}canary`]: 'true',
      [`${NGINX}canary-weight`]: '20',
    },
  });
  expect(canary?.value['spec']).toMatchObject({ ingressClassName: 'edge' });
  expect(prepared(kept, provider)).toEqual(kept);
});
