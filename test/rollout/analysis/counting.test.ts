/** What is asked of a server, and what its samples become: counts, void windows, or the reason why nothing is judged. */

import { describe, expect, test } from 'vitest';
import { type Analysis, parseAnalysis } from '../../../src/api/analysis.ts';
import { type MetricSeries, parseMetricAnswer } from '../../../src/api/metric-answer.ts';
import { countsOf } from '../../../src/rollout/analysis/counting.ts';
import { gridOf, selectorOf } from '../../../src/rollout/analysis/metric-query.ts';

const analysisOf = (spec: object): Analysis =>
  parseAnalysis({
    apiVersion: 'tranche.dev/v1alpha1',
    kind: 'Analysis',
    metadata: { name: 'chat' },
    spec: { provider: 'prod', ...spec },
  }).analysis!;
const ERRORS = analysisOf({ metrics: [{ use: 'vllm/errors' }] });
const TTFT = analysisOf({ metrics: [{ use: 'vllm/ttft' }] });
const HTTP = analysisOf({ metrics: [{ use: 'vllm/http' }] });
const OWN = analysisOf({
  metrics: [
    {
      name: 'refusals',
      bad: { metric: 'refused_total', labels: { class: ['a', 'b'] } },
      of: { metric: 'asked_total' },
    },
  ],
});

describe('the question', () => {
  test('is one selector of escaped parts', () => {
    const analysis = { ...TTFT, match: { cluster: 'x"} or vector(1) #', path: 'a\\b' } };
    expect(selectorOf(analysis, { namespace: 'llm', pods: ['vllm-0', 'vllm.7'] })).toBe(
      '{__name__=~"up|vllm:time_to_first_token_seconds_bucket|vllm:time_to_first_token_seconds_count|vllm:request_prompt_tokens_sum|vllm:request_prompt_tokens_count",cluster="x\\"} or vector(1) #",path="a\\\\b",namespace="llm",pod=~"vllm-0|vllm\\\\.7",le=~"|2\\\\.5|2\\\\.50|2\\\\.500"}',
    );
  });
  test.each<readonly [string, number, number, object | undefined]>([
    [
      'starts and ends on the grid, and leaves out what is not closed',
      1_000_100,
      1_002_000,
      { start: 1_000_200, end: 1_001_700, step: 300 },
    ],
    ['is none before a window is closed', 1_000_100, 1_000_650, undefined],
    [
      'has wider windows where there would be too many',
      1_000_000,
      1_000_000 + 300 * 400,
      { start: 1_000_200, end: 1_119_600, step: 600 },
    ],
  ])('%s', (_, from, now, grid) => {
    expect(gridOf(from, { now, analysis: ERRORS })).toEqual(grid);
  });
});

const GRID = { start: 0, end: 900, step: 300 };
type Values = readonly (number | string | undefined)[];
const series = (name: string, pod: string, values: Values, labels = {}) => ({
  metric: { __name__: name, namespace: 'llm', pod, ...labels },
  values: values.flatMap((value, at) => (value === undefined ? [] : [[at * 300, String(value)]])),
});
const read = (result: readonly object[]): readonly MetricSeries[] => {
  const parsed = parseMetricAnswer({ status: 'success', data: { resultType: 'matrix', result } }, GRID);
  if (parsed.kind !== 'series') throw new Error(parsed.kind);
  return parsed.series;
};
const ended = (pod: string, reason: string, values: Values, labels = {}) =>
  series('vllm:request_success_total', pod, values, { finished_reason: reason, ...labels });
const SIDES = { canary: [{ pod: 'c', from: 0 }], stable: [{ pod: 's', from: 0 }] };
const counted = (result: readonly object[], analysis = ERRORS, sides = SIDES) =>
  countsOf(read(result), sides, { analysis, metric: analysis.metrics[0]!, grid: GRID });
const STABLE = [ended('s', 'stop', [0, 100, 200, 300]), ended('s', 'error', [0, 1, 2, 3])];
const canary = (stop: Values, error: Values) => [ended('c', 'stop', stop), ended('c', 'error', error)];

describe('errors of vLLM', () => {
  test('are subtracted by window, over all ends of all ranks', () => {
    const ranks = [
      ended('c', 'stop', [0, 5, 9, 9], { engine: '1' }),
      ended('c', 'stop', [0, 5, 9, 9], { engine: '0' }),
    ];
    const said = counted([...ranks, ended('c', 'error', [0, 1, 1, 3], { engine: '0' }), ...STABLE]);
    expect(said).toMatchObject({ kind: 'counted', voided: 0 });
    expect(said.kind === 'counted' && said.windows.map(({ canary: [one] }) => [one!.n, one!.x])).toEqual([
      [11, 1],
      [8, 0],
      [2, 2],
    ]);
  });
  test.each<readonly [string, Values, number, number]>([
    ['a counter that fell', [0, 10, 3, 8], 2, 1],
    // Without its sample the sum of both ends would fall, and rise by all that was counted before.
    ['a sample that is missing', [0, 10, undefined, 30], 1, 2],
    ['NaN', [0, 10, 'NaN', 30], 1, 2],
    ['+Inf', [0, '+Inf', 20, 30], 1, 2],
    ['a fraction', [0, 10, 20.5, 30], 1, 2],
    ['a negative number', [-1, 10, 20, 30], 2, 1],
    ['a number beyond all counters', [0, 10, 20, '1e300'], 2, 1],
  ])('%s makes windows void', (_, stop, left, voided) => {
    const said = counted([...canary(stop, [0, 0, 0, 0]), ...STABLE]);
    expect(said).toMatchObject({ kind: 'counted', voided });
    expect(said.kind === 'counted' && said.windows).toHaveLength(left);
  });
  test('of a target that was down at both ends are void; up at one of them is not', () => {
    const up = series('up', 'c', [0, 0, 1, 1]);
    expect(counted([...canary([0, 1, 2, 3], [0, 0, 0, 0]), up, ...STABLE])).toMatchObject({ voided: 1 });
  });
  test('count from the warm-up on', () => {
    const late = { canary: [{ pod: 'c', from: 301 }], stable: SIDES.stable };
    const said = counted([...canary([0, 1, 2, 3], [0, 0, 0, 0]), ...STABLE], ERRORS, late);
    expect(said.kind === 'counted' && said.windows.map(({ end }) => end)).toEqual([900]);
  });
  test('of a leader made again, whose counter is above that of the one before: no window has both in it', () => {
    const again = { canary: [{ pod: 'c', from: 600 }], stable: SIDES.stable };
    const old = [0, 10, undefined, undefined];
    const young = [undefined, undefined, 5000, 5007];
    const both = [
      ended('c', 'stop', old, { instance: 'a' }),
      ended('c', 'stop', young, { instance: 'b' }),
      ended('c', 'error', [0, 0, 0, 0]),
    ];
    const said = counted([...both, ...STABLE], ERRORS, again);
    expect(said.kind === 'counted' && said.windows.map(({ end, canary: [one] }) => [end, one!.n])).toEqual([[900, 7]]);
  });
  test('of a leader that has only just come are asked for nothing yet', () => {
    const young = { canary: [...SIDES.canary, { pod: 'c2', from: 601 }], stable: SIDES.stable };
    expect(counted([...canary([0, 1, 2, 3], [0, 0, 0, 0]), ...STABLE], ERRORS, young)).toMatchObject({
      kind: 'counted',
    });
  });
  test('that are nowhere are not zero', () => {
    expect(counted(STABLE)).toEqual({ kind: 'SeriesMissing', pod: 'c', name: 'vllm:request_success_total' });
  });
  test('of a leader made again under its old name are two series, one after the other', () => {
    const twice = [
      ended('c', 'stop', [0, 10, undefined, undefined], { instance: 'a' }),
      ended('c', 'stop', [undefined, undefined, 0, 7], { instance: 'b' }),
    ];
    const errors = [ended('c', 'error', [0, 0, 0, 0])];
    const said = counted([...twice, ...errors, ...STABLE]);
    expect(said.kind === 'counted' && said.windows.map(({ end }) => end)).toEqual([300, 900]);
  });
  test('of two scrapers are refused, and so is a label that nobody has named', () => {
    const two = ['a', 'b'].map((replica) => ended('c', 'stop', [0, 1, 2, 3], { replica }));
    expect(counted([...two, ...STABLE])).toEqual({
      kind: 'SeriesTwice',
      pod: 'c',
      name: 'vllm:request_success_total',
      labels: ['replica'],
    });
  });
});

test('absent is zero where series are made with the first event, and the process is seen', () => {
  const asked = (pod: string) =>
    series('http_requests_total', pod, [0, 50, 100, 150], {
      handler: '/v1/chat/completions',
      method: 'POST',
      status: '2xx',
    });
  const late = series('http_requests_total', 'c', [undefined, undefined, 4, 4], {
    handler: '/v1/chat/completions',
    method: 'POST',
    status: '5xx',
  });
  const seen = ['c', 's'].map((pod) => series('vllm:num_requests_running', pod, [1, 1, 1, 1]));
  const said = counted([asked('c'), asked('s'), late, ...seen], HTTP);
  expect(said.kind === 'counted' && said.windows.map(({ canary: [one] }) => [one!.n, one!.x])).toEqual([
    [50, 0],
    [54, 4],
    [50, 0],
  ]);
  expect(counted([asked('c'), asked('s'), seen[1]!], HTTP)).toMatchObject({ kind: 'SeriesMissing', pod: 'c' });
  const gone = series('vllm:num_requests_running', 'c', [1, undefined, 1, 1]);
  expect(counted([asked('c'), asked('s'), gone, seen[1]!], HTTP)).toMatchObject({ voided: 2 });
});

const slow = (pod: string, { le = '2.5', tokens = 100, requests = 100 } = {}) => {
  const asked = [0, requests, 2 * requests, 3 * requests];
  return [
    series('vllm:time_to_first_token_seconds_bucket', pod, [0, requests - 10, 2 * requests - 20, 3 * requests - 30], {
      le,
    }),
    series('vllm:time_to_first_token_seconds_count', pod, asked),
    series(
      'vllm:request_prompt_tokens_sum',
      pod,
      asked.map((count) => count * tokens),
    ),
    series('vllm:request_prompt_tokens_count', pod, asked),
  ];
};

describe('latency', () => {
  test.each(['2.5', '2.50'])('is what is above the bucket %s', (le) => {
    const said = counted([...slow('c', { le }), ...slow('s')], TTFT);
    expect(said.kind === 'counted' && said.windows.map(({ canary: [one] }) => one!.x)).toEqual([10, 10, 10]);
  });
  test('counts only where prompts are alike', () => {
    expect(counted([...slow('c', { tokens: 200 }), ...slow('s')], TTFT)).toMatchObject({ windows: [], unlike: 3 });
    expect(counted([...slow('c', { tokens: 120 }), ...slow('s')], TTFT)).toMatchObject({ unlike: 0 });
  });
  test.each([
    [49, 3],
    [50, 0],
    [200, 0],
    [201, 3],
  ])('counts only where the load of a leader is alike: %i requests a window against 100', (requests, unlike) => {
    // Prompts are the same on both sides.
    expect(counted([...slow('c', { requests }), ...slow('s')], TTFT)).toMatchObject({ unlike });
  });
  test('compares what one leader is asked, not what all of them are', () => {
    const five = ['c', 'c2', 'c3', 'c4', 'c5'];
    const sides = { canary: five.map((pod) => ({ pod, from: 0 })), stable: SIDES.stable };
    const each = five.flatMap((pod) => slow(pod));
    expect(counted([...each, ...slow('s')], TTFT, sides)).toMatchObject({ unlike: 0 });
    expect(counted([...five.flatMap((pod) => slow(pod, { requests: 20 })), ...slow('s')], TTFT, sides)).toMatchObject({
      unlike: 3,
    });
  });
  test('without its bucket says which', () => {
    expect(counted([...slow('c', { le: '5.0' }), ...slow('s')], TTFT)).toEqual({
      kind: 'SeriesUnusable',
      pod: 'c',
      name: 'vllm:time_to_first_token_seconds_bucket',
      le: '2.5',
    });
  });
  test('without its bucket, as only that is asked for', () => {
    const others = slow('c').filter(({ metric }) => !Object.keys(metric).includes('le'));
    expect(counted([...others, ...slow('s')], TTFT)).toMatchObject({ kind: 'SeriesUnusable', pod: 'c', le: '2.5' });
    expect(counted(slow('s'), TTFT)).toMatchObject({ kind: 'SeriesMissing', pod: 'c' });
  });
});

test('counters of users count the values that they name', () => {
  const of = (pod: string) => series('asked_total', pod, [0, 10, 20, 30]);
  const bad = (pod: string, name: string) => series('refused_total', pod, [0, 1, 2, 3], { class: name });
  const said = counted([of('c'), of('s'), bad('c', 'a'), bad('c', 'b'), bad('c', 'z'), bad('s', 'a')], OWN);
  expect(said.kind === 'counted' && said.windows.map(({ canary: [one] }) => one!.x)).toEqual([2, 2, 2]);
});

describe('what an engine does not know, and what it knows by another name', () => {
  test('a reason that this vLLM has not is named, with its label', () => {
    const repeated = analysisOf({ metrics: [{ use: 'vllm/repetition' }] });
    expect(counted([...canary([0, 9, 18, 27], [0, 0, 0, 0]), ...STABLE], repeated)).toEqual({
      kind: 'SeriesMissing',
      pod: 'c',
      name: 'vllm:request_success_total{finished_reason="repetition"}',
    });
  });
  test('responses of SGLang by several methods add up', () => {
    const both = (pod: string) =>
      ['GET', 'POST'].map((method) =>
        series('sglang:http_responses_total', pod, [0, 10, 20, 30], {
          endpoint: '/generate',
          status_code: '200',
          method,
        }),
      );
    const active = ['c', 's'].map((pod) => series('sglang:http_requests_active', pod, [0, 0, 0, 0]));
    const said = counted([...both('c'), ...both('s'), ...active], analysisOf({ metrics: [{ use: 'sglang/errors' }] }));
    expect(said.kind === 'counted' && said.windows.map(({ canary: [one] }) => one!.n)).toEqual([20, 20, 20]);
  });
});

describe('what only informs', () => {
  const INFORMS = (use: string): Analysis => analysisOf({ metrics: [{ use }] });
  const both = (name: string, values: Values, labels = {}) =>
    ['c', 's'].map((pod) => series(name, pod, values, labels)).flat();
  const counts = (result: readonly object[], use: string) => {
    const said = counted(result, INFORMS(use));
    return said.kind === 'counted' ? said.windows.map(({ canary: [one] }) => [one!.n, one!.x]) : said;
  };
  test.each(['vllm:prefix_cache', 'vllm:gpu_prefix_cache'])('%s: tokens that were not there', (name) => {
    const tokens = [
      ...both(`${name}_queries_total`, [0, 100, 200, 300]),
      ...both(`${name}_hits_total`, [0, 40, 140, 140]),
    ];
    expect(counts(tokens, 'vllm/prefix')).toEqual([
      [100, 60],
      [100, 0],
      [100, 100],
    ]);
  });
  test('a request that is preempted twice is no more than all', () => {
    const stop = both('vllm:request_success_total', [0, 10, 20, 30], { finished_reason: 'stop' });
    expect(counts([...stop, ...both('vllm:num_preemptions_total', [0, 2, 30, 30])], 'vllm/preempted')).toEqual([
      [10, 2],
      [10, 10],
      [10, 0],
    ]);
  });
  test('a cache that is full at the end of a window, of each rank; a gauge has fractions', () => {
    const ranks = [
      ...both('vllm:gpu_cache_usage_perc', [0.1, 0.96, '9.7e-01', 'NaN'], { engine: '0' }),
      ...both('vllm:gpu_cache_usage_perc', [0, '5e-05', 1, 0.95], { engine: '1' }),
    ];
    expect(counts(ranks, 'vllm/kv')).toEqual([
      [2, 1],
      [2, 2],
      [1, 0],
    ]);
    expect(counts([], 'vllm/kv')).toMatchObject({ kind: 'SeriesMissing' });
  });
});

const good = { status: 'success', data: { resultType: 'matrix', result: [] as readonly object[] } };
const withResult = (...result: readonly object[]) => ({ ...good, data: { ...good.data, result } });

test.each<readonly [string, unknown, string]>([
  ['HTML', '<html>', 'it is no JSON object'],
  ['an error', { status: 'error' }, 'its status is not success'],
  ['warnings', { ...good, warnings: ['a store is down'] }, 'it has warnings, so it may lack data'],
  ['a part', { ...good, isPartial: true }, 'it says isPartial, so it lacks data'],
  ['a vector', { status: 'success', data: { resultType: 'vector', result: [] } }, 'it has no matrix of series'],
  [
    '10,000 series',
    withResult(...Array.from({ length: 10_000 }, () => ({}))),
    'it has 10000 series, at most 2000 are read',
  ],
  [
    'a control character',
    withResult(series('up', 'c\u001b[2J', [1])),
    'a value of the label pod is not printable, or too long',
  ],
  [
    'a long label',
    withResult(series('up', 'c'.repeat(201), [1])),
    'a value of the label pod is not printable, or too long',
  ],
  ['a future sample', withResult({ metric: {}, values: [[1200, '1']] }), 'a sample has a time that was not asked for'],
  [
    'a sample off the grid',
    withResult({ metric: {}, values: [[10, '1']] }),
    'a sample has a time that was not asked for',
  ],
  ['a number as value', withResult({ metric: {}, values: [[300, 1]] }), 'a sample is not a pair of time and text'],
])('nothing of an answer with %s is used', (_, body, why) => {
  expect(parseMetricAnswer(body, GRID)).toEqual({ kind: 'unreadable', why });
});

test('a native histogram is named', () => {
  const body = withResult({ metric: { __name__: 'vllm:x' }, histograms: [[300, {}]] });
  expect(parseMetricAnswer(body, GRID)).toEqual({ kind: 'native', name: 'vllm:x' });
});
