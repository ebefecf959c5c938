/** The JSON Schemas for editors: committed as the code prints them, and of one mind with the parsers. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { isRecord } from '../../src/api/json.ts';
import { parseConfig } from '../../src/api/parse-config.ts';
import { jsonText } from '../../src/api/printable.ts';
import { parseRollout } from '../../src/api/rollout.ts';
import { parseRouteProvider } from '../../src/api/route-provider.ts';
import { SCHEMAS } from '../../src/commands/schema.ts';

const ajv = new Ajv2020({ strict: false });
const validators = new Map(Object.entries(SCHEMAS).map(([name, schema]) => [name, ajv.compile(schema())]));
const takes = (name: string, value: unknown): boolean => validators.get(name)?.(value) === true;

test.each(Object.entries(SCHEMAS))('%s is committed as it is printed', (name, schema) => {
  // That of policies lies next to those that people copy.
  const folder = name === 'rollout-policy' ? 'policies' : 'schemas';
  const file = new URL(`../../${folder}/${name}.schema.json`, import.meta.url);
  if (process.env['UPDATE_GOLDEN'] !== undefined) writeFileSync(file, jsonText(schema()));
  expect(existsSync(file) ? readFileSync(file, 'utf8') : '').toBe(jsonText(schema()));
});

const parsers: Readonly<Record<string, (value: unknown) => boolean>> = {
  rollout: (value) => parseRollout(value).faults.length === 0,
  'route-provider': (value) => parseRouteProvider(value).faults.length === 0,
  tranche: (value) => parseConfig(value).faults.length === 0,
};

describe('fixtures', () => {
  const files = readdirSync('fixtures', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.yaml'));
  const documents = files.flatMap((path) => {
    const text = readFileSync(`fixtures/${path}`, 'utf8');
    if (!/kind: (Rollout|RouteProvider)$/m.test(text) && !path.endsWith('/tranche.yaml')) return [];
    return parseAllDocuments(text).flatMap((document): readonly (readonly [string, string, unknown])[] => {
      const value: unknown = document.errors.length > 0 ? undefined : document.toJS();
      if (path.endsWith('/tranche.yaml')) return [[path, 'tranche', value ?? {}]];
      const kind = isRecord(value) ? value['kind'] : undefined;
      if (kind === 'Rollout') return [[path, 'rollout', value]];
      return kind === 'RouteProvider' ? [[path, 'route-provider', value]] : [];
    });
  });

  test('that a parser takes, its schema takes', () => {
    const good = documents.filter(([, name, value]) => parsers[name]?.(value) === true);
    expect(good.length).toBeGreaterThan(20);
    expect(good.filter(([, name, value]) => !takes(name, value)).map(([path]) => path)).toEqual([]);
  });
});

/** A good document, and what each change of it does: `path = value`, with both sides of one mind where `isShape`. */
const ROLLOUT = parse(`
apiVersion: rollouts.kruise.io/v1beta1
kind: Rollout
metadata: {name: vllm, namespace: llm, labels: {tier: prod}}
spec:
  workloadRef: {apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, name: vllm}
  strategy:
    paused: false
    canary:
      enableExtraWorkloadForCanary: true
      failureThreshold: 20%
      trafficRoutings: [{service: vllm, gracePeriodSeconds: 5, gateway: {httpRouteName: chat}}]
      steps:
        - replicas: 1
          traffic: 5%
          pause: {duration: 60}
          matches: [{path: {value: /v1}, headers: [{name: x-canary, value: "1", type: Exact}]}]
          requestHeaderModifier: {set: [{name: x-version, value: new}], remove: [x-old]}
        - replicas: 100%
`);

const PROVIDER = parse(`
apiVersion: tranche.dev/v1alpha1
kind: RouteProvider
metadata: {name: apisix}
spec:
  resource: {group: apisix.apache.org, kind: ApisixRoute, plural: apisixroutes}
  weights: [{stable: "/spec/backends/[name=$stable]/weight", canary: "/spec/backends/[name=$canary]/weight", scale: 100, as: number}]
  patch: [{op: test, path: /spec/http, value: x}, {op: replace, path: /spec/backends/0/weight, cel: "1"}]
  accepted: {type: ResourcesAvailable}
`);

const CONFIG = parse(`
cluster: prod-eu
branches: {desired: main, status: tranche-status}
paths: [apps, ./rollouts/]
namespaces: {apps/vllm: llm}
owners: {"team-a-*": [teams/a]}
autoscaled: [llm/chat]
fixedReferences: [llm/Secret/hf-token]
lwsVersion: "0.11"
auditSeconds: 600
requiredPolicies: [production]
policyPaths: [policies]
promotion: pullRequest
maxProposals: 5
links: {dashboard: "https://grafana.example/d/llm?var-name={name}"}
statusKeys: [{key: "tranche-public-${'a'.repeat(43)}", until: "2027-06-01T00:00:00Z"}]
app: acme-tranche
author: {name: tranche, email: tranche@example.com}
`);

type Change = readonly [path: string, value: unknown];
const STEP = 'spec.strategy.canary.steps.0';

/** Wrong by their shape: an editor marks each. */
const wrong: Readonly<Record<string, readonly [good: unknown, changes: readonly Change[]]>> = {
  rollout: [
    ROLLOUT,
    [
      ['extra', 1],
      ['metadata.name', ''],
      ['metadata.labels.tier', 1],
      ['spec.extra', true],
      ['spec.workloadRef.name', undefined],
      ['spec.workloadRef.extra', 'x'],
      ['spec.disabled', 'yes'],
      ['spec.strategy.paused', 1],
      ['spec.strategy.blueGreen', { steps: [{ replicas: 1 }] }],
      ['spec.strategy.canary', undefined],
      ['spec.strategy.canary.steps', []],
      ['spec.strategy.canary.steps', Array.from({ length: 51 }, () => ({ replicas: 1 }))],
      ['spec.strategy.canary.extra', 1],
      ['spec.strategy.canary.failureThreshold', '101%'],
      ['spec.strategy.canary.failureThreshold', -1],
      ['spec.strategy.canary.enableExtraWorkloadForCanary', 'true'],
      ['spec.strategy.canary.trafficRoutings.0.service', undefined],
      ['spec.strategy.canary.trafficRoutings.0.gateway', undefined],
      ['spec.strategy.canary.trafficRoutings.0.gracePeriodSeconds', '3s'],
      ['spec.strategy.canary.trafficRoutings.1', { service: 'b', gateway: { httpRouteName: 'b' } }],
      ['spec.strategy.canary.patchPodTemplateMetadata', { extra: {} }],
      [`${STEP}.replicas`, 0],
      [`${STEP}.replicas`, '0%'],
      [`${STEP}.replicas`, '101%'],
      [`${STEP}.replicas`, undefined],
      [`${STEP}.pausa`, {}],
      [`${STEP}.pause.duration`, '60s'],
      [`${STEP}.pause.seconds`, 60],
      [`${STEP}.traffic`, '0%'],
      [`${STEP}.traffic`, 5],
      [`${STEP}.matches.0.headers.0.name`, 'x canary'],
      [`${STEP}.matches.0.headers.0.type`, 'Prefix'],
      [`${STEP}.matches.0.host`, 'x'],
      [`${STEP}.requestHeaderModifier.set.0.value`, undefined],
    ],
  ],
  'route-provider': [
    PROVIDER,
    [
      ['spec.extra', 1],
      ['spec.resource.group', 'Apisix/v2'],
      ['spec.resource.kind', 'apisix'],
      ['spec.weights', []],
      ['spec.weights.0.canary', undefined],
      ['spec.weights.0.canary', 'spec'],
      ['spec.weights.0.scale', 0],
      ['spec.weights.0.as', 'percent'],
      ['spec.patch.0.op', 'remove'],
      ['spec.patch.0.value', undefined],
      ['spec.patch.1.cel', 'x'.repeat(1025)],
      ['spec.matches', []],
      ['spec.accepted.type', undefined],
    ],
  ],
  tranche: [
    CONFIG,
    [
      ['clusters', 'eu'],
      ['cluster', 'Prod EU'],
      ['branches.main', 'x'],
      ['branches.desired', 'a..b'],
      ['paths', 'apps'],
      ['paths.0', '../x'],
      ['namespaces.apps/vllm', 'LLM'],
      ['owners.Team', ['x']],
      ['owners.team-a-*', []],
      ['autoscaled.0', 'chat'],
      ['fixedReferences.0', 'hf-token'],
      ['lwsVersion', 0.11],
      ['auditSeconds', 59],
      ['intervalSeconds', '30s'],
      ['requiredPolicies', 'production'],
      ['stopFile', 'policies/stop.json'],
      ['promotion', 'PullRequest'],
      ['maxProposals', 101],
      ['links.dashboard', 'http://grafana.example'],
      ['statusKeys', []],
      ['statusKeys.0.key', `tranche-private-${'a'.repeat(43)}`],
      ['app', 'acme[bot]'],
      ['author.name', ''],
      ['author.mail', 'x'],
    ],
  ],
};

/** The document with one field set, or taken out where the value is undefined. */
function changed(document: unknown, [path, value]: Change): unknown {
  const copy: unknown = JSON.parse(JSON.stringify(document));
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  let place = copy as Record<string, unknown>;
  for (const key of keys) place = place[key] as Record<string, unknown>;
  if (value === undefined) delete place[last];
  else place[last] = value;
  return copy;
}

describe.each(Object.entries(wrong))('%s', (name, [good, changes]) => {
  test('takes a document with every field', () => {
    expect(parsers[name]?.(good)).toBe(true);
    expect(takes(name, good), JSON.stringify(validators.get(name)?.errors)).toBe(true);
  });

  test.each(changes)('refuses %s = %j, as its parser does', (...change) => {
    const value = changed(good, change);
    expect(parsers[name]?.(value)).toBe(false);
    expect(takes(name, value)).toBe(false);
  });
});

test('a step of the partition strategy with a share has half of the groups at most', () => {
  for (const [replicas, wanted] of [
    ['50%', true],
    ['51%', false],
    ['100%', false],
    ['9%', true],
    [3, true],
  ] as const) {
    const canary = { steps: [{ replicas, traffic: '5%' }] };
    const value = { ...ROLLOUT, spec: { ...ROLLOUT.spec, strategy: { canary } } };
    expect([parsers['rollout']?.(value), takes('rollout', value)], String(replicas)).toEqual([wanted, wanted]);
  }
});
