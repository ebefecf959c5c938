/** The Rollout as people write it: what is read, and what is refused with its path and a way out. */

import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/api/json.ts';
import { isOfOtherWorkload, parseRollout } from '../../src/api/rollout.ts';

const LWS = { apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet', name: 'vllm' };

function rollout(canary: Json, spec: JsonObject = {}, rest: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'rollouts.kruise.io/v1beta1',
    kind: 'Rollout',
    metadata: { name: 'vllm', namespace: 'llm' },
    spec: { workloadRef: LWS, strategy: { canary }, ...spec },
    ...rest,
  };
}

const HEADER = { name: 'x-canary', value: '1' };
const STEPS = { steps: [{ replicas: '25%' }, { replicas: '100%' }] };

test('everything is read', () => {
  const { rollout: read, faults } = parseRollout(
    rollout(
      {
        steps: [
          { replicas: 1, pause: {} },
          { replicas: '50%', pause: { duration: 60 }, traffic: '10%', matches: [{ headers: [HEADER] }] },
          { replicas: '100%' },
        ],
        failureThreshold: '10%',
      },
      { disabled: true },
      {
        metadata: { name: 'vllm', annotations: { 'tranche.dev/abort': '9c41d2e09c41d2e09c41d2e09c41d2e0.7' } },
        status: { phase: 'Healthy' },
      },
    ),
  );
  expect(faults).toEqual([]);
  expect(read).toMatchObject({
    name: 'vllm',
    namespace: '',
    annotations: { 'tranche.dev/abort': '9c41d2e09c41d2e09c41d2e09c41d2e0.7' },
    workload: LWS,
    disabled: true,
    paused: false,
    style: 'partition',
    steps: [
      { replicas: 1, pause: { kind: 'manual' }, traffic: undefined, matches: [] },
      {
        replicas: '50%',
        pause: { kind: 'timed', seconds: 60 },
        traffic: '10%',
        matches: [{ path: undefined, headers: [HEADER], queryParams: [] }],
      },
      { replicas: '100%', pause: { kind: 'unset' } },
    ],
    failureThreshold: '10%',
    asksForTraffic: true,
  });
});

test.each<readonly [JsonObject, boolean]>([
  [{}, false],
  [{ trafficRoutings: [{ service: 's', gateway: { httpRouteName: 'r' } }] }, true],
  [{ trafficRoutingRef: 'shared' }, true],
  [{ disableGenerateCanaryService: true }, false],
])('%j asks for traffic: %j', (extra, asks) => {
  expect(parseRollout(rollout({ ...STEPS, ...extra })).rollout?.asksForTraffic).toBe(asks);
});

test('routings are read with the kinds that Kruise knows, in the order in which it writes them', () => {
  const custom = { apiVersion: 'networking.istio.io/v1', kind: 'VirtualService', name: 'v' };
  const routing = {
    service: 's',
    gracePeriodSeconds: 0,
    gateway: { httpRouteName: 'r' },
    ingress: { name: 'i', classType: 'mse' },
    customNetworkRefs: [custom],
  };
  const { rollout: read, faults } = parseRollout(rollout({ ...STEPS, trafficRoutings: [routing] }));
  expect(faults).toEqual([]);
  expect(read?.routing).toMatchObject({
    service: 's',
    gracePeriodSeconds: 0,
    routes: [
      { at: ['customNetworkRefs', '0', 'name'], group: 'networking.istio.io', kind: 'VirtualService', name: 'v' },
      { group: 'networking.k8s.io', kind: 'Ingress', name: 'i', ingressClass: 'mse' },
      { group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'r' },
    ],
  });
});

test('a step of one workload over the limit of a share: each way that it names is taken', () => {
  const reasons = (last: JsonObject, more: JsonObject = {}) => {
    const trafficRoutings = [{ service: 's', gateway: { httpRouteName: 'r' } }];
    const steps = [{ replicas: '25%', traffic: '25%' }, last];
    return parseRollout(rollout({ steps, trafficRoutings, ...more })).faults.map(
      ({ reason, hint }) => `${reason} ${hint}`,
    );
  };
  expect(reasons({ replicas: '100%', traffic: '100%' })).toEqual([
    'OverPercentLimit Lower it, take traffic and matches out of this step, or set enableExtraWorkloadForCanary: true.',
  ]);
  expect(reasons({ replicas: '50%', traffic: '100%' })).toEqual([]);
  expect(reasons({ replicas: '100%' })).toEqual([]);
  expect(reasons({ replicas: '100%', traffic: '100%' }, { enableExtraWorkloadForCanary: true })).toEqual([]);
});

test('only blueGreen does without a provider: its Service goes from one workload to the other', () => {
  const body = { steps: [{ replicas: '100%' }], trafficRoutings: [{ service: 's' }] };
  const reasons = (strategy: JsonObject) =>
    parseRollout(rollout(null, { strategy })).faults.map(({ reason }) => reason);
  expect(reasons({ blueGreen: body })).toEqual([]);
  expect(reasons({ canary: body })).toEqual(['NoProvider']);
  const [routing = {}] = body.trafficRoutings;
  const empty = { ...body, trafficRoutings: [{ ...routing, customNetworkRefs: [] }] };
  expect(reasons({ canary: empty })).toEqual(['NoProvider']);
});

test.each<readonly [what: string, step: JsonObject, reason: string]>([
  ['a misspelt condition', { matches: [{ header: [] }] }, 'UnknownField'],
  ['a header without a value', { matches: [{ headers: [{ name: 'x' }] }] }, 'Missing'],
  ['another type', { matches: [{ headers: [{ name: 'x', value: '1', type: 'Regex' }] }] }, 'BadChoice'],
  ['another type of path', { matches: [{ path: { type: 'Prefix', value: '/' } }] }, 'BadChoice'],
  [
    'a header twice',
    {
      matches: [
        {
          headers: [
            { name: 'x-a', value: '1' },
            { name: 'X-A', value: '2' },
          ],
        },
      ],
    },
    'NameTwice',
  ],
  [
    'a parameter twice',
    {
      matches: [
        {
          queryParams: [
            { name: 'a', value: '1' },
            { name: 'a', value: '2' },
          ],
        },
      ],
    },
    'NameTwice',
  ],
  ['a name with a blank', { matches: [{ headers: [{ name: 'x a', value: '1' }] }] }, 'BadName'],
  ['a long value', { matches: [{ queryParams: [{ name: 'a', value: 'x'.repeat(1025) }] }] }, 'TooLong'],
  ['a path without a slash', { matches: [{ path: { value: 'v1' } }] }, 'BadPath'],
  ['a path with an empty part', { matches: [{ path: { type: 'Exact', value: '/v1//chat' } }] }, 'BadPath'],
  ['a path that climbs', { matches: [{ path: { value: '/v1/..' } }] }, 'BadPath'],
  ['a path with a query', { matches: [{ path: { value: '/v1?a=b' } }] }, 'BadPath'],
  ['a match without a condition', { matches: [{}] }, 'MatchesAll'],
  ['a match with an empty list', { matches: [{ headers: [] }] }, 'MatchesAll'],
  ['a match with empty fields', { matches: [{ headers: null, path: null }] }, 'MatchesAll'],
  ['a match on every path', { matches: [{ path: {} }] }, 'MatchesAll'],
  ['the same in words', { matches: [{ path: { type: 'PathPrefix', value: '/' } }] }, 'MatchesAll'],
  ['the same as an expression', { matches: [{ path: { type: 'RegularExpression', value: '/.*' } }] }, 'MatchesAll'],
  ['a header to remove that is no text', { matches: [], requestHeaderModifier: { remove: [1] } }, 'WrongType'],
])('%s is a fault', (_, step, reason) => {
  const { faults } = parseRollout(rollout({ steps: [{ replicas: 1, ...step }] }));
  expect(faults.map((fault) => fault.reason)).toEqual([reason]);
});

test.each<readonly [what: string, match: JsonObject]>([
  ['every path, with a header', { path: { value: '/' }, headers: [HEADER] }],
  ['the root alone', { path: { type: 'Exact', value: '/' } }],
  ['an expression for a path', { path: { type: 'RegularExpression', value: 'v[0-9]+' } }],
  ['a path in percent', { path: { value: '/a%20b/' } }],
  [
    'parameters that differ in case',
    {
      queryParams: [
        { name: 'a', value: '1' },
        { name: 'A', value: '1' },
      ],
    },
  ],
])('%s is none', (_, match) => {
  expect(parseRollout(rollout({ steps: [{ replicas: 1, matches: [match] }] })).faults).toEqual([]);
});

test('a TrafficRouting that an annotation names is traffic too', () => {
  const metadata = { name: 'vllm', annotations: { 'rollouts.kruise.io/trafficrouting': 'shared' } };
  expect(parseRollout(rollout(STEPS, {}, { metadata })).rollout?.asksForTraffic).toBe(true);
});

test.each<readonly [string, unknown, string]>([
  ['no object', 'text', ': WrongType'],
  [
    'a misspelt field of the step',
    rollout({ steps: [{ replicas: 1, pauze: {} }] }),
    'spec.strategy.canary.steps.0.pauze: UnknownField',
  ],
  [
    'a misspelt field of the pause',
    rollout({ steps: [{ replicas: 1, pause: { seconds: 5 } }] }),
    'spec.strategy.canary.steps.0.pause.seconds: UnknownField',
  ],
  [
    'a misspelt field of the strategy',
    rollout({ ...STEPS, failureTreshold: 1 }),
    'spec.strategy.canary.failureTreshold: UnknownField',
  ],
  ['a field of another place', rollout(STEPS, { paused: true }), 'spec.paused: UnknownField'],
  [
    'v1alpha1',
    { ...rollout(STEPS), spec: { objectRef: { workloadRef: LWS }, strategy: { canary: STEPS } } },
    'spec.objectRef: UnknownField',
  ],
  ['neither strategy', rollout(STEPS, { strategy: {} }), 'spec.strategy: StrategyNotOne'],
  [
    'both strategies',
    rollout(STEPS, { strategy: { canary: STEPS, blueGreen: STEPS } }),
    'spec.strategy: StrategyNotOne',
  ],
  ['a strategy that is no map: once', rollout(STEPS, { strategy: 'canary' }), 'spec.strategy: WrongType'],
  ['no steps', rollout({}), 'spec.strategy.canary.steps: NoSteps'],
  ['steps that are no list', rollout({ steps: { replicas: 1 } }), 'spec.strategy.canary.steps: WrongType'],
  [
    '51 steps',
    rollout({ steps: Array.from({ length: 51 }, () => ({ replicas: 1 })) }),
    'spec.strategy.canary.steps: TooMany',
  ],
  [
    'a step without replicas',
    rollout({ steps: [{ pause: {} }] }),
    'spec.strategy.canary.steps.0.replicas: BadReplicas',
  ],
  [
    'a percentage without its sign',
    rollout({ steps: [{ replicas: '50' }] }),
    'spec.strategy.canary.steps.0.replicas: BadReplicas',
  ],
  ['0 %', rollout({ steps: [{ replicas: '0%' }] }), 'spec.strategy.canary.steps.0.replicas: BadReplicas'],
  ['101 %', rollout({ steps: [{ replicas: '101%' }] }), 'spec.strategy.canary.steps.0.replicas: BadReplicas'],
  ['half a group', rollout({ steps: [{ replicas: 1.5 }] }), 'spec.strategy.canary.steps.0.replicas: BadReplicas'],
  [
    'steps that go down',
    rollout({ steps: [{ replicas: '50%' }, { replicas: '25%' }] }),
    'spec.strategy.canary.steps.1.replicas: StepsNotIncreasing',
  ],
  [
    'a negative pause',
    rollout({ steps: [{ replicas: 1, pause: { duration: -1 } }] }),
    'spec.strategy.canary.steps.0.pause.duration: BadNumber',
  ],
  [
    'a pause in words',
    rollout({ steps: [{ replicas: 1, pause: { duration: '5m' } }] }),
    'spec.strategy.canary.steps.0.pause.duration: BadNumber',
  ],
  [
    'a pause that is no map',
    rollout({ steps: [{ replicas: 1, pause: 60 }] }),
    'spec.strategy.canary.steps.0.pause: WrongType',
  ],
  [
    'traffic of 0 %',
    rollout({ steps: [{ replicas: 1, traffic: '0%' }] }),
    'spec.strategy.canary.steps.0.traffic: BadTraffic',
  ],
  [
    'traffic as a number',
    rollout({ steps: [{ replicas: 1, traffic: 10 }] }),
    'spec.strategy.canary.steps.0.traffic: BadTraffic',
  ],
  [
    'a threshold below zero',
    rollout({ ...STEPS, failureThreshold: -1 }),
    'spec.strategy.canary.failureThreshold: BadNumber',
  ],
  [
    'a threshold above all groups',
    rollout({ ...STEPS, failureThreshold: '101%' }),
    'spec.strategy.canary.failureThreshold: BadNumber',
  ],
  [
    'a flag of Services in quotes',
    rollout({ ...STEPS, disableGenerateCanaryService: 'true' }),
    'spec.strategy.canary.disableGenerateCanaryService: WrongType',
  ],
  [
    'a misspelt patch of the second workload',
    rollout({ ...STEPS, patchPodTemplateMetadata: { label: { track: 'canary' } } }),
    'spec.strategy.canary.patchPodTemplateMetadata.label: UnknownField',
  ],
  [
    'a label of the second workload that is no text',
    rollout({ ...STEPS, patchPodTemplateMetadata: { labels: { generation: 2 } } }),
    'spec.strategy.canary.patchPodTemplateMetadata.labels.generation: WrongType',
  ],
  [
    'a threshold in words',
    rollout({ ...STEPS, failureThreshold: 'few' }),
    'spec.strategy.canary.failureThreshold: BadNumber',
  ],
  [
    'paused in words',
    rollout(STEPS, { strategy: { paused: 'yes', canary: STEPS } }),
    'spec.strategy.paused: WrongType',
  ],
  ['disabled in words', rollout(STEPS, { disabled: 1 }), 'spec.disabled: WrongType'],
  ['no name', rollout(STEPS, {}, { metadata: {} }), 'metadata.name: Missing'],
  ['no workload', rollout(STEPS, { workloadRef: { ...LWS, name: '' } }), 'spec.workloadRef.name: Missing'],
  [
    'an annotation that is a number',
    rollout(STEPS, {}, { metadata: { name: 'a', annotations: { x: 1 } } }),
    'metadata.annotations.x: WrongType',
  ],
])('%s is refused with its place', (_, value, fault) => {
  const { rollout: read, faults } = parseRollout(value);
  expect(read).toBeUndefined();
  expect(faults.map((found) => `${found.at.join('.')}: ${found.reason}`)).toContain(fault);
  for (const found of faults) {
    expect(found.message).toMatch(/\S/);
    expect(found.hint).toMatch(/\.$/);
  }
});

test('all faults are reported, not only the first', () => {
  const value = rollout({ steps: [{ replicas: 0 }, { replicas: 'x' }], failureThreshold: {} }, { disabled: 'no' });
  expect(parseRollout(value).faults).toHaveLength(4);
});

test.each<readonly [labels: Json, at: string]>([
  [{ tier: 1 }, 'metadata.labels.tier'],
  [{ tier: null }, 'metadata.labels.tier'],
  [['prod'], 'metadata.labels'],
])('labels %j are a fault: policies choose by them', (labels, at) => {
  const { rollout: read, faults } = parseRollout(rollout(STEPS, {}, { metadata: { name: 'vllm', labels } }));
  expect(read).toBeUndefined();
  expect(faults.map((fault) => `${fault.at.join('.')} ${fault.reason}`)).toEqual([`${at} WrongType`]);
});

test.each<readonly [workloadRef: JsonObject, isOther: boolean]>([
  [{ apiVersion: 'leaderworkersets.x-k8s.io/v1' }, false],
  [{ apiVersion: 'leaderworkerset.x-k8s.io' }, false],
  [{ apiVersion: 'leaderworkerset.x-k8s.io/v2' }, false],
  [{ kind: 'leaderWorkerSets' }, false],
  [{ kind: 'LeaderWorkerset' }, false],
  [{ apiVersion: 'example.com/v1' }, true],
  [{ apiVersion: 'apps/v1', kind: 'Deployment' }, true],
  [{ kind: 'Deployment' }, true],
  [{ apiVersion: 'disaggregatedset.x-k8s.io/v1', kind: 'DisaggregatedSet' }, false],
  [{ kind: 'DisaggregatedSet' }, false],
])('a workloadRef with %j is of another workload: %j', (changed, isOther) => {
  expect(isOfOtherWorkload(rollout(STEPS, { workloadRef: { ...LWS, ...changed } }))).toBe(isOther);
});

test('null is a field that is not there', () => {
  expect(parseRollout(rollout({ ...STEPS, failureThreshold: null, trafficRoutings: null })).faults).toEqual([]);
});

test('keys of the prototype are fields like any other', () => {
  const value = JSON.parse('{"__proto__": {"steps": [{"replicas": 1}]}, "constructor": 1}') as Json;
  const { faults } = parseRollout(rollout(value));
  expect(faults.map((fault) => fault.at.at(-1))).toEqual(expect.arrayContaining(['__proto__', 'constructor', 'steps']));
});
