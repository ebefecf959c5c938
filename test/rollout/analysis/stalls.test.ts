/** Leaders that are asked and answer nothing: which windows are stalls, and which only look so. */

import { expect, test } from 'vitest';
import { type Analysis, parseAnalysis } from '../../../src/api/analysis.ts';
import { parseMetricAnswer } from '../../../src/api/metric-answer.ts';
import { judge } from '../../../src/rollout/analysis/judge.ts';

const ANALYSIS: Analysis = parseAnalysis({
  apiVersion: 'tranche.dev/v1alpha1',
  kind: 'Analysis',
  metadata: { name: 'chat' },
  spec: { provider: 'prod', waitAtMostSeconds: 1500, metrics: [{ use: 'vllm/stalled' }] },
}).analysis!;

type Values = readonly (number | undefined)[];
/** Tokens made, answers given, requests running and waiting, at the ends of windows. */
type Leader = {
  readonly tokens: Values;
  readonly answers?: Values;
  readonly running?: Values;
  readonly waiting?: Values;
};

const ENDS = 6;
const none: Values = Array.from({ length: ENDS }, () => 0);
const WELL: Leader = { tokens: [0, 10, 20, 30, 40, 50], running: [1, 2, 3, 1, 2, 1] };
const IDLE: Leader = { tokens: none };

function seriesOf([pod, { tokens, answers = none, running = none, waiting = none }]: readonly [string, Leader]) {
  const one = (name: string, values: Values) => ({
    metric: { __name__: name, namespace: 'llm', pod, engine: '0' },
    values: values.flatMap((value, at) => (value === undefined ? [] : [[at * 300, String(value)]])),
  });
  return [
    one('vllm:generation_tokens_total', tokens),
    one('vllm:request_success_total', answers),
    one('vllm:num_requests_running', running),
    one('vllm:num_requests_waiting', waiting),
  ];
}

function judged(leaders: Readonly<Record<string, Leader>>, from = 0) {
  const grid = { start: 0, end: (ENDS - 1) * 300, step: 300 };
  const result = Object.entries(leaders).flatMap(seriesOf);
  const parsed = parseMetricAnswer({ status: 'success', data: { resultType: 'matrix', result } }, grid);
  if (parsed.kind !== 'series') throw new Error(parsed.kind);
  const side = (letter: string, since: number) =>
    Object.keys(leaders).flatMap((pod) => (pod.startsWith(letter) ? [{ pod, from: since }] : []));
  const sides = { canary: side('c', from), stable: side('s', 0) };
  const past = { dispersion: 1, spread: 0.1, cautions: [] };
  const [metric] = judge({ grid, series: parsed.series }, [past], { analysis: ANALYSIS, sides, steps: 3 });
  return metric!.said;
}

function said(leaders: Readonly<Record<string, Leader>>, from = 0) {
  const answer = judged(leaders, from);
  return answer.kind === 'judged'
    ? `${answer.answer}${answer.excuse === undefined ? '' : ` ${answer.excuse.kind}`} ${answer.verdict.canary.x}`
    : answer.kind;
}

const STUCK: Values = [0, 10, 10, 10, 10, 10];

test.each<readonly [what: string, leader: Leader, said: string]>([
  ['answers', WELL, 'passed 0'],
  ['is asked by nobody', IDLE, 'inconclusive 0'],
  ['makes nothing while what waits grows', { tokens: STUCK, waiting: [0, 1, 2, 3, 4, 5] }, 'failed 3'],
  ['makes nothing, and keeps what came', { tokens: STUCK, running: [0, 1, 3, 3, 3, 3] }, 'failed 1'],
  ['answers without a token', { tokens: none, answers: [0, 1, 2, 3, 4, 5], waiting: [0, 1, 2, 3, 4, 5] }, 'passed 0'],
  // vllm#22545: a gauge that was not taken back.
  ['makes nothing beside a gauge that only stands', { tokens: STUCK, running: [3, 3, 3, 3, 3, 3] }, 'inconclusive 0'],
  ['got its first request just now', { tokens: none, running: [0, 0, 0, 0, 0, 1] }, 'inconclusive 0'],
  ['was left by those who had come', { tokens: none, running: [0, 0, 0, 4, 0, 0] }, 'inconclusive 0'],
  ['made nothing for one window alone', { tokens: [0, 10, 10, 20, 30, 40], waiting: [0, 1, 5, 0, 0, 0] }, 'passed 0'],
  ['answered, and stalls then', { tokens: [0, 10, 20, 30, 30, 30], waiting: [0, 0, 0, 0, 2, 4] }, 'failed 1'],
  [
    'is not seen in between',
    { tokens: [0, 10, undefined, 10, undefined, 10], waiting: [0, 1, 2, 3, 4, 5] },
    'inconclusive 0',
  ],
])('a leader that %s', (_, leader, then) => {
  expect(said({ c: leader, s1: WELL, s2: WELL, s3: WELL })).toBe(then);
});

const STALLED: Leader = { tokens: STUCK, waiting: [0, 1, 2, 3, 4, 5] };

test.each<readonly [what: string, leaders: Readonly<Record<string, Leader>>, said: string]>([
  ['one of two is an outlier', { c1: STALLED, c2: WELL, s1: WELL }, 'failed GroupOutlier 3'],
  ['both are none', { c1: STALLED, c2: STALLED, s1: WELL }, 'failed 6'],
  ['a stable one stalls as well', { c: STALLED, s1: STALLED, s2: WELL }, 'failed BothSidesBad 3'],
  ['alone', { c: STALLED }, 'failed 3'],
  ['nobody asks either version', { c: IDLE, s1: IDLE }, 'noRequests 0'],
])('%s', (_, leaders, then) => {
  expect(said(leaders)).toBe(then);
});

test('what came before the warm-up was over is no part of a stall', () => {
  expect(said({ c: { tokens: none, waiting: [0, 4, 4, 4, 4, 4] }, s: WELL }, 300)).toBe('waiting 0');
});

test.each<readonly [what: string, leaders: Readonly<Record<string, Leader>>, isWeak: boolean]>([
  ['beside three stable groups that answer', { c: STALLED, s1: WELL, s2: WELL, s3: WELL }, false],
  ['beside two', { c: STALLED, s1: WELL, s2: WELL }, true],
  ['beside three of which one was asked nothing', { c: STALLED, s1: WELL, s2: WELL, s3: IDLE }, true],
  ['alone, where there is nothing to compare it with', { c: STALLED }, true],
])('a leader that stalls %s', (_, leaders, isWeak) => {
  const answer = judged(leaders);
  expect(answer.kind === 'judged' && [answer.answer, answer.cautions.length > 0]).toEqual(['failed', isWeak]);
});
