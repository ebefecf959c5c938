/** What gateways counted of each version: which series are whose, what is asked for, and where the versions are not apart. */

import { describe, expect, test } from 'vitest';
import { type Analysis, parseAnalysis } from '../../../src/api/analysis.ts';
import { parseMetricAnswer } from '../../../src/api/metric-answer.ts';
import type { Sides } from '../../../src/rollout/analysis/counting.ts';
import { gatewayChecked } from '../../../src/rollout/analysis/gateway-check.ts';
import { judge } from '../../../src/rollout/analysis/judge.ts';
import { unusableWhy } from '../../../src/rollout/analysis/seen.ts';
import { servicesQuery } from '../../../src/rollout/analysis/services.ts';

const analysisOf = (use: string, sides?: object): Analysis =>
  parseAnalysis({
    apiVersion: 'tranche.dev/v1alpha1',
    kind: 'Analysis',
    metadata: { name: 'chat' },
    spec: { provider: 'prod', metrics: [{ use }], ...(sides === undefined ? {} : { sides }) },
  }).analysis!;

const name = (service: string) => ({ service, workload: `${service}-lws` });
const SIDES: Sides = {
  canary: [{ pod: 'vllm-canary-0', from: 0 }],
  stable: ['vllm-0', 'vllm-1', 'vllm-2'].map((pod) => ({ pod, from: 0 })),
  services: { kind: 'apart', namespace: 'llm', canary: [name('vllm-canary')], stable: [name('vllm')] },
};
const WINDOWS = 20;
const GRID = { start: 0, end: WINDOWS * 300, step: 300 };

type Grown = (window: number) => number | undefined;
/** So many requests a window, counted from the start. */
const each =
  (requests: number): Grown =>
  (window) =>
    window * requests;

function series(metric: string, labels: Readonly<Record<string, string>>, value: Grown) {
  const values = Array.from({ length: WINDOWS + 1 }, (_, at) => [at * 300, value(at)] as const);
  return {
    metric: { __name__: metric, instance: 'gw-a', ...labels },
    values: values.flatMap(([at, one]) => (one === undefined ? [] : [[at, String(one)]])),
  };
}

function said(analysis: Analysis, result: readonly object[], sides = SIDES) {
  const parsed = parseMetricAnswer({ status: 'success', data: { resultType: 'matrix', result } }, GRID);
  if (parsed.kind !== 'series') throw new Error(parsed.kind);
  return judge({ grid: GRID, series: parsed.series }, [], { analysis, sides, steps: 3 })[0]?.said;
}

/** Every preset whose series name a Service, with labels of both versions, and what is bad. */
type Row = readonly [use: string, metric: string, canary: object, stable: object, good: object, bad: object];
const ISTIO = { destination_service_namespace: 'llm', reporter: 'source' };
const ROWS: readonly Row[] = [
  [
    'istio/errors',
    'istio_requests_total',
    { ...ISTIO, destination_service_name: 'vllm-canary' },
    { ...ISTIO, destination_service_name: 'vllm' },
    { response_code: '200' },
    { response_code: '503' },
  ],
  [
    'istio/left',
    'istio_requests_total',
    { ...ISTIO, destination_service_name: 'vllm-canary' },
    { ...ISTIO, destination_service_name: 'vllm' },
    { response_code: '200', response_flags: '-' },
    { response_code: '0', response_flags: 'DC' },
  ],
  [
    'traefik/errors',
    'traefik_service_requests_total',
    { service: 'llm-route-0-svc-llm-vllm-canary-8000@kubernetesgateway' },
    { service: 'llm-vllm-8000@kubernetes' },
    { code: '200', method: 'POST' },
    { code: '502', method: 'POST' },
  ],
  [
    'contour/errors',
    'envoy_cluster_upstream_rq',
    { envoy_cluster_name: 'llm_vllm-canary_8000' },
    { envoy_cluster_name: 'llm_vllm_8000' },
    { envoy_response_code: '200' },
    { envoy_response_code: '500' },
  ],
  [
    'nginx/errors',
    'nginx_ingress_controller_requests',
    { namespace: 'llm', service: 'vllm', canary: 'llm-vllm-canary-8000' },
    { namespace: 'llm', service: 'vllm', canary: '' },
    { status: '200' },
    { status: '500' },
  ],
  [
    'nginx/left',
    'nginx_ingress_controller_requests',
    { namespace: 'llm', service: 'vllm', canary: 'llm-vllm-canary-8000' },
    { namespace: 'llm', service: 'vllm' },
    { status: '200' },
    { status: '499' },
  ],
];

describe.each(ROWS)('%s', (use, metric, canary, stable, good, bad) => {
  const analysis = analysisOf(use);
  const one = (side: object, more: object, value: Grown) => series(metric, { ...side, ...more }, value);
  test('counts each version by its Service, and what is bad of it', () => {
    const result = [
      one(canary, good, each(90)),
      one(canary, bad, each(10)),
      one(stable, good, each(300)),
      // Of other Services, and of nobody.
      series(metric, { ...good, destination_service_name: 'other', service: 'other' }, each(5)),
    ];
    expect(said(analysis, result)).toMatchObject({
      kind: 'judged',
      answer: 'failed',
      cautions: ['byService'],
      verdict: { canary: { n: 100 * WINDOWS, x: 10 * WINDOWS }, stable: { n: 300 * WINDOWS, x: 0 } },
    });
  });
  test('waits where neither is bad', () => {
    expect(said(analysis, [one(canary, good, each(100)), one(stable, good, each(300))])).toMatchObject({
      kind: 'judged',
      verdict: { canary: { n: 100 * WINDOWS, x: 0 } },
    });
  });
  test('is not apart where one has all requests', () => {
    expect(said(analysis, [one(stable, good, each(300)), one(stable, bad, each(3))])).toMatchObject({
      kind: 'SidesNotApart',
      found: 'one',
      sides: ['vllm-canary', 'vllm'],
    });
  });
});

const EPP = { sides: { 'vllm-canary': { job: 'b' }, 'vllm-lws': { job: 'a' } } };

describe('sides of the file', () => {
  const analysis = analysisOf('epp/errors', EPP.sides);
  const epp = (job: string, value: Grown, what = '') =>
    series(`inference_objective_request${what}_total`, { job, model_name: 'm' }, value);
  test('name series by Service or by workload', () => {
    const result = [epp('b', each(100)), epp('b', each(20), '_error'), epp('a', each(300))];
    expect(said(analysis, result)).toMatchObject({ answer: 'failed', verdict: { canary: { n: 2000, x: 400 } } });
  });
  test('count before the labels that a gateway is known by', () => {
    const istio = analysisOf('istio/errors', { 'vllm-canary': { job: 'b' }, vllm: { job: 'a' } });
    const one = (job: string) => series('istio_requests_total', { job, reporter: 'source' }, each(9));
    expect(said(istio, [one('a'), one('b')])).toMatchObject({ verdict: { canary: { n: 9 * WINDOWS } } });
  });
  test('that are both true of a series are not apart', () => {
    const same = analysisOf('epp/errors', { 'vllm-canary': { job: 'a' }, vllm: { job: 'a' } });
    expect(said(same, [epp('a', each(100))])).toMatchObject({ kind: 'SidesNotApart', found: 'both' });
  });
  test('that name one version alone leave nothing of the other', () => {
    const half = analysisOf('epp/errors', { vllm: { job: 'a' } });
    expect(said(half, [epp('a', each(100))])).toMatchObject({ kind: 'SidesNotApart', found: 'one' });
  });
});

describe('processes of a gateway', () => {
  const analysis = analysisOf('contour/errors');
  const rq = (side: 'vllm' | 'vllm-canary', instance: string, value: Grown, code = '200') =>
    series(
      'envoy_cluster_upstream_rq',
      { envoy_cluster_name: `llm_${side}_80`, envoy_response_code: code, instance },
      value,
    );
  test('add up, and one that is replaced makes one window void', () => {
    const until: Grown = (at) => (at <= 10 ? at * 100 : undefined);
    const since: Grown = (at) => (at > 10 ? at * 50 : undefined);
    const result = [
      ...(['gw-a', 'gw-b'] as const).map((one) => rq('vllm', one, each(100))),
      rq('vllm-canary', 'gw-a', until),
      rq('vllm-canary', 'gw-b', each(100)),
      rq('vllm-canary', 'gw-c', since),
    ];
    const judged = said(analysis, result);
    expect(judged).toMatchObject({ kind: 'judged', voided: 1, verdict: { windows: WINDOWS - 1 } });
    expect(judged).toMatchObject({ verdict: { canary: { n: 10 * 200 + 9 * 150 } } });
  });
  test('whose first error comes late counted none before; of one that was not seen nobody knows', () => {
    const late: Grown = (at) => (at >= 5 ? 7 : undefined);
    const seen = [rq('vllm', 'gw-a', each(100)), rq('vllm-canary', 'gw-a', each(100))];
    expect(said(analysis, [...seen, rq('vllm-canary', 'gw-a', late, '503')])).toMatchObject({
      voided: 0,
      verdict: { canary: { n: 100 * WINDOWS + 7, x: 7 } },
    });
    expect(said(analysis, [...seen, rq('vllm-canary', 'gw-z', late, '503')])).toMatchObject({ voided: 1 });
  });
  test('that two scrapers write are there twice', () => {
    const twice = ['1', '2'].map((replica) => ({
      ...rq('vllm', 'gw-a', each(100)),
      metric: { ...rq('vllm', 'gw-a', each(1)).metric, replica },
    }));
    expect(said(analysis, [...twice, rq('vllm-canary', 'gw-a', each(9))])).toMatchObject({
      kind: 'SeriesTwice',
      labels: ['replica'],
    });
  });
  test('that nobody has scraped are missing', () => {
    expect(said(analysis, [])).toMatchObject({ kind: 'SeriesMissing', pod: 'vllm-canary' });
  });
});

test('behind one Service they are never apart; without a share nothing is said', () => {
  const istio = analysisOf('istio/errors');
  expect(said(istio, [], { ...SIDES, services: { kind: 'shared' } })).toMatchObject({ kind: 'SidesNotApart' });
  const { services, ...none } = SIDES;
  expect(services?.kind).toBe('apart');
  expect(said(istio, [], none)).toBeUndefined();
  expect(servicesQuery(istio, none)).toBeUndefined();
  expect(servicesQuery(analysisOf('vllm/errors'), SIDES)).toBeUndefined();
});

test.each([
  [
    'istio/errors',
    undefined,
    '{__name__=~"istio_requests_total",destination_service_name=~"vllm-canary|vllm",destination_service_namespace=~"llm"}',
  ],
  [
    'epp/errors',
    { 'vllm-canary': { job: 'x"} or vector(1) #', port: '9' }, vllm: { job: 'a.b' } },
    '{__name__=~"llm_d_epp_request_total|inference_objective_request_total|inference_model_request_total|llm_d_epp_request_error_total|inference_objective_request_error_total|inference_model_request_error_total",job=~"x\\"\\\\} or vector\\\\(1\\\\) #|a\\\\.b",port=~"9|"}',
  ],
])('%s: one question, of escaped parts, in which a label of one side may be missing', (use, sides, query) => {
  expect(servicesQuery(analysisOf(use, sides), SIDES)).toBe(query);
});

describe('without a verdict', () => {
  const analysis = analysisOf('traefik/errors');
  const one = (service: string, requests: number, code: string) =>
    series('traefik_service_requests_total', { service: `llm-${service}-80@kubernetes`, code }, each(requests));
  const found = (result: readonly object[], isShared: boolean) => {
    const parsed = parseMetricAnswer({ status: 'success', data: { resultType: 'matrix', result } }, GRID);
    if (parsed.kind !== 'series') throw new Error(parsed.kind);
    const at = { services: SIDES.services!, isShared };
    return gatewayChecked(parsed, at, { analysis, metric: analysis.metrics[0]!, grid: GRID });
  };
  const stable = [one('vllm', 300, '200'), one('vllm', 3, '502')];
  const canary = one('vllm-canary', 50, '200');
  const hourly = { n: 12 * 303, x: 36 };
  test('all requests are those of the stable version where the new one has no share', () => {
    expect(found(stable, false)).toMatchObject({ counts: { canary: { n: 0, x: 0 }, stable: hourly } });
    expect(found([canary], false)).toMatchObject({ unusable: { kind: 'SidesNotApart', found: 'one' } });
  });
  test('both have some where both have a share', () => {
    expect(found([...stable, canary], true)).toMatchObject({ counts: { canary: { n: 600, x: 0 }, stable: hourly } });
    expect(found(stable, true)).toMatchObject({ unusable: { kind: 'SidesNotApart', found: 'one' } });
  });
  test('nothing is said of what nobody scrapes, and of samples that have gaps', () => {
    expect(found([], false)).toMatchObject({ unusable: { kind: 'SeriesMissing' } });
    const gaps = series('traefik_service_requests_total', { service: 'llm-vllm-80@kubernetes', code: '200' }, (at) =>
      at % 2 === 0 ? at : undefined,
    );
    expect(found([gaps], false)).toEqual({ name: 'traefik/errors', of: { canary: 'vllm-canary', stable: 'vllm' } });
  });
});

test.each(['shared', 'both', 'one'] as const)('%s: what is said names what was found, and the remedy', (found) => {
  const texts = {
    shared:
      'both versions are behind the same Services, so that m does not tell them apart; take the metric out, or use one of the engine',
    both: 'a series of m is of both a and b; write sides that tell them apart, or use a metric of the engine',
    one: 'm has all requests under one of a and b, though both have a share: the gateway may count the backends of a rule together; check sides, or use a metric of the engine',
  };
  expect(unusableWhy({ kind: 'SidesNotApart', name: 'm', found, sides: ['a', 'b'] })).toBe(texts[found]);
});
