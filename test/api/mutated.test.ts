/** Every field of what people write, once in another form: nothing throws, and nothing that limits is read as not there. */

import { expect, test } from 'vitest';
import type { FieldFault } from '../../src/api/field-reader.ts';
import { isJsonObject, type Json, type JsonObject } from '../../src/api/json.ts';
import { parseConfig } from '../../src/api/parse-config.ts';
import { POLICY_FIELD_NAMES } from '../../src/api/policy-fields.ts';
import { parseRollout } from '../../src/api/rollout.ts';
import { parseRolloutPolicy } from '../../src/api/rollout-policy.ts';
import { parseRouteProvider } from '../../src/api/route-provider.ts';

type Path = readonly string[];

const ROLLOUT: JsonObject = {
  workloadRef: { apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet', name: 'vllm' },
  disabled: false,
  strategy: {
    paused: false,
    canary: {
      enableExtraWorkloadForCanary: true,
      disableGenerateCanaryService: false,
      failureThreshold: '10%',
      patchPodTemplateMetadata: { labels: { a: 'b' }, annotations: { c: 'd' } },
      trafficRoutings: [
        {
          service: 's',
          gracePeriodSeconds: 5,
          ingress: { name: 'i', classType: 'nginx' },
          gateway: { httpRouteName: 'r' },
          customNetworkRefs: [{ apiVersion: 'networking.istio.io/v1', kind: 'VirtualService', name: 'v' }],
        },
      ],
      steps: [
        { replicas: 1, pause: { duration: 60 }, traffic: '10%', requestHeaderModifier: { set: [], remove: ['x'] } },
        {
          replicas: '50%',
          matches: [
            {
              path: { type: 'PathPrefix', value: '/v1' },
              headers: [{ name: 'x', type: 'Exact', value: '1' }],
              queryParams: [{ name: 'x', value: '1' }],
            },
          ],
        },
      ],
    },
  },
};

const POLICY: JsonObject = {
  rollouts: ['llm/*'],
  labels: { tier: 'prod' },
  clusters: ['eu-*'],
  strategies: ['canary'],
  sizeChange: 'Whole',
  recreate: 'Allow',
  withoutDirectPush: 'Accept',
  promotion: 'pullRequest',
  onFailure: 'rollback',
  analyses: ['chat'],
  onAnalysisFailure: 'withdraw',
  analysisAccept: 'Refuse',
  withoutRequests: 'Pass',
  allow: [{ cron: '0 9 * * 1-5', minutes: 480, timeZone: 'Europe/Berlin' }],
  deny: [{ from: '2026-12-20T00:00:00Z', to: '2026-12-30T00:00:00Z' }],
  exceptions: [{ release: '9c41d2e09c41d2e09c41d2e09c41d2e0.7', approver: 'ada', until: '2026-12-21T00:00:00Z' }],
  pullRequestLabels: ['a'],
  pullRequestReviewers: ['ada'],
  approvals: [{ people: 2, team: 'example/sre', notAuthor: true, distinct: true }, { bots: ['renovate[bot]'] }],
  notify: [{ to: 'prod', as: 'slack', events: ['done'] }],
  inferencePools: { stable: 'a', canary: 'b' },
};
const NUMBERS = POLICY_FIELD_NAMES.filter((name) => !Object.hasOwn(POLICY, name));

const PROVIDER: JsonObject = {
  resource: { group: 'example.com', kind: 'Split', plural: 'splits' },
  weights: [{ stable: '/spec/a/weight', canary: '/spec/b/weight', scale: 100, as: 'number', within: '/spec/text' }],
  patch: [{ op: 'add', path: '/spec/x', cel: '1' }],
  matches: [{ op: 'add', path: '/spec/x', cel: '1' }],
  accepted: { conditions: '/status/conditions', type: 'Accepted' },
};

const CONFIG: JsonObject = {
  cluster: 'eu',
  branches: { desired: 'main', status: 'status' },
  paths: ['apps'],
  namespaces: { apps: 'llm' },
  autoscaled: ['llm/vllm'],
  lwsVersion: '0.10',
  auditSeconds: 600,
  intervalSeconds: 30,
  requiredPolicies: ['production'],
  policyPaths: ['policies'],
  stopFile: 'policies/stop.yaml',
  promotion: 'pullRequest',
  maxProposals: 5,
  links: { dashboard: 'https://grafana.example/d' },
  author: { name: 'a', email: 'b' },
};

const object = (spec: Json): Json => ({ apiVersion: 'a/v1', kind: 'Kind', metadata: { name: 'vllm' }, spec });

type Case = readonly [what: string, valid: JsonObject, faultsOf: (spec: Json) => readonly FieldFault[], empty: boolean];

test.each(['weights', 'matches'])('a RouteProvider with none of its %s', (key) => {
  const { faults } = parseRouteProvider(object(put(PROVIDER, [key], [])));
  expect(faults).toMatchObject([{ reason: 'Missing', message: expect.stringContaining(`${key} is empty`) }]);
});

test.each<Case>([
  ['Rollout', ROLLOUT, (spec) => parseRollout(object(spec)).faults, false],
  [
    'RolloutPolicy',
    { ...POLICY, ...Object.fromEntries(NUMBERS.map((name) => [name, 2])) },
    (spec) => parseRolloutPolicy(object(spec)).faults,
    true,
  ],
  ['RouteProvider', PROVIDER, (spec) => parseRouteProvider(object(spec)).faults, true],
  ['tranche.yaml', CONFIG, (spec) => parseConfig(spec).faults, false],
])('%s: every field in another form is a fault that names it', (_, valid, faultsOf, empty) => {
  expect(faultsOf(valid)).toEqual([]);
  const others: readonly Json[] = [{ other: { x: [1] } }, [[]], -1.5, 1e300, prototype(), ...(empty ? [null] : [])];
  const passed = pathsIn(valid).flatMap((path) =>
    others.flatMap((other) => {
      const faults = faultsOf(put(valid, path, other));
      const isTold = faults.length > 0 && faults.every(({ message, hint }) => message !== '' && hint !== '');
      return isTold ? [] : [`${path.join('.')}: ${JSON.stringify(other)}`];
    }),
  );
  expect(passed).toEqual([]);
});

/** As a file may have it: a key of its own by this name. */
function prototype(): Json {
  const read: Json = JSON.parse('{"__proto__": 1, "constructor": 1}');
  return read;
}

function pathsIn(value: Json, at: Path = []): readonly Path[] {
  const own = at.length === 0 ? [] : [at];
  if (typeof value !== 'object' || value === null) return own;
  return [...own, ...Object.entries(value).flatMap(([key, child]) => pathsIn(child, [...at, key]))];
}

function put(value: Json, [key, ...rest]: Path, other: Json): Json {
  if (key === undefined) return other;
  if (Array.isArray(value)) return value.map((item: Json, at) => (String(at) === key ? put(item, rest, other) : item));
  return isJsonObject(value) ? { ...value, [key]: put(value[key] ?? null, rest, other) } : value;
}
