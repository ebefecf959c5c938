/** What is put aside of a route is named by the place that it has after the commit: the mark is read with the route as it is then. */

import { expect, test } from 'vitest';
import { at, type JsonObject } from '../../../src/api/json.ts';
import { trafficProviders } from '../../../src/rollout/traffic/index.ts';
import type { Share, TrafficProvider } from '../../../src/rollout/traffic/provider.ts';
import { documentsOf, NO_SHARE, type Texts, textOf, weight, written } from '../../support/routes.ts';

const MATCHES: Share = {
  kind: 'matches',
  matches: [{ path: undefined, headers: [{ name: 'x', value: '1', type: undefined }], queryParams: [] }],
  modifier: undefined,
};

const istio = (http: readonly JsonObject[]): JsonObject => ({
  apiVersion: 'networking.istio.io/v1',
  kind: 'VirtualService',
  metadata: { name: 'chat' },
  spec: { hosts: ['chat.example.com'], http },
});
const own = (prefix: string): JsonObject => ({
  match: [{ uri: { prefix } }],
  route: [{ destination: { host: 'vllm-svc' } }],
});
const docs: JsonObject = { match: [{ uri: { prefix: '/docs' } }], route: [{ destination: { host: 'docs' } }] };
const contour: JsonObject = {
  apiVersion: 'projectcontour.io/v1',
  kind: 'HTTPProxy',
  metadata: { name: 'chat' },
  spec: {
    virtualhost: { fqdn: 'chat.example.com' },
    routes: [{ conditions: [{ prefix: '/v1' }], services: [{ name: 'vllm-svc', port: 80 }] }],
  },
};
const gateway: JsonObject = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name: 'chat' },
  spec: { rules: [{ backendRefs: [{ name: 'vllm-svc', port: 80 }] }] },
};

const { VirtualService, HTTPProxy, HTTPRoute } = trafficProviders;

test.each<readonly [what: string, route: JsonObject, provider: TrafficProvider, shares: readonly Share[]]>([
  ['a weight after a rule of ours in front', istio([own('/v1')]), VirtualService, [MATCHES, weight(74)]],
  ['behind a rule of others', istio([docs, own('/v1')]), VirtualService, [weight(26), MATCHES, weight(63)]],
  ['two rules', istio([own('/v1'), docs, own('/v2')]), VirtualService, [MATCHES, weight(74), weight(100)]],
  ['weights alone', istio([docs, own('/v1')]), VirtualService, [weight(5), weight(50)]],
  ['a rule of ours at the end', contour, HTTPProxy, [MATCHES, weight(74)]],
  ['the same of an HTTPRoute', gateway, HTTPRoute, [MATCHES, weight(74)]],
])('%s: each field that was put aside is where the mark says, and comes back', (_, route, provider, shares) => {
  const before = textOf(route);
  let texts: Texts = before;
  for (const share of shares) {
    texts = written(texts, provider, share);
    const [there] = documentsOf(texts.files, [provider.kind]);
    for (const { path, set } of texts.displaced) expect(at(there!.value, pathIn(there!.value, path))).toBe(set);
    expect(texts.displaced.length > 0).toBe(share.kind === 'weight');
  }
  expect(written(texts, provider, NO_SHARE)).toEqual(before);
});

/** Items of lists by their places. */
function pathIn(value: JsonObject, path: Texts['displaced'][number]['path']): readonly string[] {
  return path.reduce<readonly string[]>((keys, part) => {
    if (typeof part === 'string') return [...keys, part];
    const list = at(value, keys);
    const place = Array.isArray(list) ? list.findIndex((item) => at(item, [part.key]) === part.value) : -1;
    return [...keys, String(place)];
  }, []);
}
