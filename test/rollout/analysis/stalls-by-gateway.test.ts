/** Requests that a gateway counted as bad of a version whose engine answered nothing: which of them make a stall, and of whom. */

import { expect, test } from 'vitest';
import { type Analysis, parseAnalysis } from '../../../src/api/analysis.ts';
import { parseMetricAnswer } from '../../../src/api/metric-answer.ts';
import type { Sides } from '../../../src/rollout/analysis/counting.ts';
import { judge } from '../../../src/rollout/analysis/judge.ts';

const ANALYSIS: Analysis = parseAnalysis({
  apiVersion: 'tranche.dev/v1alpha1',
  kind: 'Analysis',
  metadata: { name: 'chat' },
  spec: {
    provider: 'prod',
    waitAtMostSeconds: 1500,
    metrics: [{ use: 'vllm/stalled' }, { use: 'istio/errors' }, { use: 'istio/left' }],
  },
}).analysis!;

type Values = readonly (number | undefined)[];
const ENDS = 6;
const NONE: Values = Array.from({ length: ENDS }, () => 0);
const GROWS: Values = Array.from({ length: ENDS }, (_, at) => at * 10);
/** Requests of a version at a gateway: by code, with the flags of Envoy. */
type Asked = { readonly good?: Values; readonly refused?: Values; readonly left?: Values };
const SOME: Values = [0, 1, 2, 3, 4, 5];

function one(labels: Readonly<Record<string, string>>, values: Values) {
  return {
    metric: labels,
    values: values.flatMap((value, at) => (value === undefined ? [] : [[at * 300, String(value)]])),
  };
}

/** Tokens by leader; what waits never grows. */
function engine(pod: string, tokens: Values) {
  const own = { namespace: 'llm', pod, engine: '0' };
  return [
    one({ ...own, __name__: 'vllm:generation_tokens_total' }, tokens),
    ...['vllm:request_success_total', 'vllm:num_requests_running', 'vllm:num_requests_waiting'].map((name) =>
      one({ ...own, __name__: name }, NONE),
    ),
  ];
}

function gateway(service: string, { good = NONE, refused = NONE, left = NONE }: Asked) {
  const own = {
    __name__: 'istio_requests_total',
    instance: 'gw',
    reporter: 'source',
    destination_service_namespace: 'llm',
    destination_service_name: service,
  };
  return [
    one({ ...own, response_code: '200', response_flags: '-' }, good),
    one({ ...own, response_code: '504', response_flags: 'UT' }, refused),
    one({ ...own, response_code: '200', response_flags: 'DC' }, left),
  ];
}

type Story = {
  readonly leaders: Readonly<Record<string, Values>>;
  readonly canary: Asked;
  readonly stable?: Asked;
  /** Of a leader whose warm-up ends later than that of the others. */
  readonly late?: string;
  readonly services?: Sides['services'];
};

const name = (service: string) => ({ service, workload: service });
const APART: NonNullable<Sides['services']> = {
  kind: 'apart',
  namespace: 'llm',
  canary: [name('vllm-canary')],
  stable: [name('vllm')],
};
const WELL = { s1: GROWS, s2: GROWS, s3: GROWS };

function said({ leaders, canary, stable = { good: GROWS }, late, services = APART }: Story) {
  const grid = { start: 0, end: (ENDS - 1) * 300, step: 300 };
  const result = [
    ...Object.entries(leaders).flatMap(([pod, tokens]) => engine(pod, tokens)),
    ...gateway('vllm-canary', canary),
    ...gateway('vllm', stable),
  ];
  const parsed = parseMetricAnswer({ status: 'success', data: { resultType: 'matrix', result } }, grid);
  if (parsed.kind !== 'series') throw new Error(parsed.kind);
  const side = (letter: string) =>
    Object.keys(leaders).flatMap((pod) => (pod.startsWith(letter) ? [{ pod, from: pod === late ? 900 : 0 }] : []));
  const sides = { canary: side('c'), stable: side('s'), services };
  const past = { dispersion: 1, spread: 0.1, cautions: [] };
  const [metric] = judge({ grid, series: parsed.series }, [past], { analysis: ANALYSIS, sides, steps: 3 });
  const answer = metric!.said;
  if (answer.kind !== 'judged') return answer.kind;
  const excuse = answer.excuse === undefined ? '' : ` ${answer.excuse.kind}`;
  return `${answer.answer}${excuse}${answer.cautions.map((caution) => ` ${caution}`).join('')} ${answer.verdict.canary.x}`;
}

test.each<readonly [what: string, story: Story, said: string]>([
  [
    'it answers with errors alone',
    { leaders: { c: NONE, ...WELL }, canary: { good: [0, 1, 1, 1, 1, 1], refused: SOME } },
    'failed byService 4',
  ],
  ['its clients leave', { leaders: { c: NONE, ...WELL }, canary: { left: SOME } }, 'failed byService 4'],
  // vLLM answers a list of models, and the gateway counts that as well.
  ['what it is asked is answered well', { leaders: { c: NONE, ...WELL }, canary: { good: SOME } }, 'inconclusive 0'],
  ['nobody asks it', { leaders: { c: NONE, ...WELL }, canary: {} }, 'inconclusive 0'],
  [
    'it made errors in one window alone',
    { leaders: { c: NONE, ...WELL }, canary: { good: SOME, refused: [0, 0, 3, 3, 3, 3] } },
    'inconclusive 0',
  ],
  [
    'its errors are two windows apart',
    { leaders: { c: NONE, ...WELL }, canary: { good: SOME, refused: [0, 1, 1, 2, 2, 3] } },
    'inconclusive 0',
  ],
  ['it answers others', { leaders: { c: GROWS, ...WELL }, canary: { good: SOME, refused: SOME } }, 'passed 0'],
  [
    'one of its leaders answers',
    { leaders: { c1: NONE, c2: GROWS, ...WELL }, canary: { good: SOME, refused: SOME } },
    'passed 0',
  ],
  [
    'neither of its leaders answers',
    { leaders: { c1: NONE, c2: NONE, ...WELL }, canary: { refused: SOME } },
    'failed byService 8',
  ],
  [
    'one of its leaders warms up: the errors may be those of that one',
    { leaders: { c1: NONE, c2: NONE, ...WELL }, late: 'c2', canary: { refused: [0, 1, 2, 3, 3, 3] } },
    'waiting 0',
  ],
  [
    'a window is not seen',
    { leaders: { c: [0, 0, undefined, 0, undefined, 0], ...WELL }, canary: { refused: SOME } },
    'inconclusive 0',
  ],
  [
    'the stable version does not either',
    { leaders: { c: NONE, s1: NONE, s2: NONE, s3: NONE }, canary: { refused: SOME }, stable: { refused: SOME } },
    'failed BothSidesBad fewStableGroups byService 4',
  ],
  [
    'the Services of both are the same',
    { leaders: { c: NONE, ...WELL }, canary: { refused: SOME }, services: { kind: 'shared' } },
    'inconclusive 0',
  ],
])('the engine answers nothing at a gateway where %s', (_, story, then) => {
  expect(said(story)).toBe(then);
});
