/**
 * A real Prometheus, asked through the adapter: it answers as the provider in memory does, which the other tests judge by.
 * PROMETHEUS names the program, which `.ci/real` installs.
 */

import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openMetrics } from '../../../src/adapters/metrics/open-metrics.ts';
import { type Analysis, parseAnalysis } from '../../../src/api/analysis.ts';
import { parseMetricAnswer } from '../../../src/api/metric-answer.ts';
import type { Metrics, RangeQuestion } from '../../../src/ports/metrics.ts';
import { firingIn } from '../../../src/rollout/analysis/alerts.ts';
import { countsOf } from '../../../src/rollout/analysis/counting.ts';
import { alertsSelectorOf, selectorOf } from '../../../src/rollout/analysis/metric-query.ts';
import { startPrometheus, stopPrometheus } from '../../support/prometheus.ts';
import { SimulatedMetrics } from '../../support/simulated-metrics.ts';

const program = process.env['PROMETHEUS'] ?? '';
const READY_MS = 20_000;
const PODS = ['vllm-0', 'vllm-1', 'vllm-7'];
/** The one whose samples end before those of the others. */
const SILENT = 'vllm-7';
const MINUTE = 60;

const analysisOf = (more: object): Analysis =>
  parseAnalysis({
    apiVersion: 'tranche.dev/v1alpha1',
    kind: 'Analysis',
    metadata: { name: 'chat' },
    spec: { provider: 'prod', metrics: [{ use: 'vllm/errors' }], ...more },
  }).analysis!;

/** Fifty minutes of one sample a minute, the last a while ago. A server that is new takes an hour of the past at most. */
const last = Math.floor(Date.now() / 600_000) * 600;
const first = last - 40 * MINUTE;
const memory = new SimulatedMetrics();
memory.bad = (pod) => (pod === 'vllm-0' ? 50 : 10);
// A server gives a sample for five minutes more, where the process is still scraped.
memory.silentFrom = first + 12 * MINUTE;
memory.silentPods = [SILENT];

const question = (analysis: Analysis, step: number, pods = PODS): RangeQuestion => ({
  provider: 'prod',
  query: selectorOf(analysis, { namespace: 'llm', pods }),
  start: first,
  end: last,
  step,
});

/** Series of an answer in one order, without what scraping adds to each. */
async function answered(metrics: Metrics, asked: RangeQuestion) {
  const answer = await metrics.round().range(asked);
  if (answer.kind !== 'answered') return answer;
  const parsed = parseMetricAnswer(answer.body, asked);
  if (parsed.kind !== 'series') return parsed;
  return parsed.series
    .map(({ name, labels: { job: _job, instance: _instance, ...labels }, samples }) => ({ name, labels, samples }))
    .sort((a, b) => keyOf(a.labels).localeCompare(keyOf(b.labels)));
}
const keyOf = ({ pod, finished_reason }: Readonly<Record<string, string>>): string => `${pod} ${finished_reason}`;

/** What an engine shows, of all minutes at once: samples with their own times need nobody to wait for them. */
async function exposition(pod: string): Promise<string> {
  const series = await answered(memory.port(), question(analysisOf({}), MINUTE, [pod]));
  if (!Array.isArray(series)) return '';
  const lines = series.flatMap(({ name, labels, samples }) =>
    [...samples].map(
      ([at, value]) =>
        `${name}{finished_reason="${labels['finished_reason']}",engine="${labels['engine']}"} ${value} ${at}000`,
    ),
  );
  return ['# TYPE vllm:request_success_total counter', ...lines, ''].join('\n');
}

const ODD = 'odd (a|b) "c"';
/** One that fires once, one that fires twice, one that would in an hour, and one that does not. */
const RULES = {
  groups: [
    {
      name: 'vllm',
      rules: [
        { alert: 'VllmDown', expr: 'vector(1)', labels: { severity: 'page' } },
        { alert: ODD, expr: 'label_replace(vector(1), "at", "b", "", "") or vector(1)' },
        { alert: 'VllmSlow', expr: 'vector(1)', for: '1h' },
        { alert: 'VllmFull', expr: 'vector(1) > 2' },
      ],
    },
  ],
};
const configuration = (scrapes: readonly object[]): object => ({
  global: { evaluation_interval: '1s' },
  rule_files: ['rules.yml'],
  scrape_configs: scrapes,
});

describe.skipIf(program === '')('Prometheus', () => {
  let folder: string;
  let engine: Server;
  let prometheus: ChildProcess;
  let metrics: Metrics;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'prometheus-'));
    engine = createServer((request, response) => {
      void exposition((request.url ?? '').slice(1)).then((text) => response.end(text));
    });
    await new Promise<void>((done) => engine.listen(0, '127.0.0.1', done));
    const scrapes = PODS.map((pod) => ({
      job_name: pod,
      scrape_interval: '1s',
      metrics_path: `/${pod}`,
      static_configs: [
        { targets: [`127.0.0.1:${(engine.address() as AddressInfo).port}`], labels: { namespace: 'llm', pod } },
      ],
    }));
    writeFileSync(path.join(folder, 'prometheus.yml'), JSON.stringify(configuration(scrapes)));
    writeFileSync(path.join(folder, 'rules.yml'), JSON.stringify(RULES));
    const { server, url } = await startPrometheus(program, folder);
    prometheus = server;
    metrics = openMetrics({
      env: { TRANCHE_METRICS_ALLOW_PRIVATE: 'true', TRANCHE_METRICS_PROD: url },
      authorities: async () => undefined,
    });
    await vi.waitFor(async () => expect(await answered(metrics, question(analysisOf({}), MINUTE))).toHaveLength(6), {
      timeout: READY_MS,
      interval: 200,
    });
  }, 2 * READY_MS);

  afterAll(async () => {
    await stopPrometheus(prometheus);
    engine.closeAllConnections();
    engine.close();
    rmSync(folder, { recursive: true });
  });

  test.each([600, 1200])(
    'answers as the provider in memory, also where samples of a leader end (%i s)',
    async (step) => {
      const asked = question(analysisOf({}), step);
      const real = await answered(metrics, asked);
      expect(real).toEqual(await answered(memory.port(), asked));
      expect(real).toMatchObject([{}, {}, {}, {}, { labels: { pod: SILENT } }, { labels: { pod: SILENT } }]);
    },
  );

  test('gives the counts that are judged', async () => {
    const of = analysisOf({});
    const grid = { start: first, end: last, step: 600 };
    const asked = question(of, grid.step);
    const sides = {
      canary: [{ pod: 'vllm-0', from: 0 }],
      stable: ['vllm-1', SILENT].map((pod) => ({ pod, from: 0 })),
    };
    const counts = async (from: Metrics) => {
      const answer = await from.round().range(asked);
      const parsed = parseMetricAnswer(answer.kind === 'answered' ? answer.body : undefined, asked);
      if (parsed.kind !== 'series') return parsed;
      return countsOf(parsed.series, sides, { analysis: of, metric: of.metrics[0]!, grid });
    };
    const real = await counts(metrics);
    expect(real).toEqual(await counts(memory.port()));
    const errors = { canary: [{ pod: 'vllm-0', n: 6000, x: 300 }] };
    expect(real).toMatchObject({ kind: 'counted', windows: [errors, errors, errors, errors], voided: 3 });
  });

  test('takes texts of files as values alone', async () => {
    for (const text of ['x"} or vector(1) #', 'a\\', "it's", '.*', 'ü', '$1'])
      expect(await answered(metrics, question(analysisOf({}), 600, [text])), text).toEqual([]);
    expect(await answered(metrics, question(analysisOf({ match: { pod: 'vllm-0' } }), 600))).toHaveLength(2);
    expect(await answered(metrics, question(analysisOf({ match: { cluster: 'eu' } }), 600))).toEqual([]);
  });

  test('names the alerts that fire, and none that waits or is not asked for', async () => {
    const asked = async (alerts: readonly string[], match = {}) => {
      const now = Math.floor(Date.now() / 1000);
      const range = { start: now - 5, end: now, step: 1 };
      const query = alertsSelectorOf({ alerts, match });
      const answer = await metrics.round().range({ provider: 'prod', query, ...range });
      const parsed = parseMetricAnswer(answer.kind === 'answered' ? answer.body : undefined, range);
      return parsed.kind === 'series' ? firingIn(parsed.series, alerts) : parsed;
    };
    const firing = [
      { name: 'VllmDown', times: 1 },
      { name: ODD, times: 2 },
    ];
    const all = ['VllmDown', ODD, 'VllmSlow', 'VllmFull'];
    await vi.waitFor(async () => expect(await asked(all)).toEqual({ kind: 'alerts', firing }), {
      timeout: READY_MS,
      interval: 200,
    });
    expect(await asked(['VllmSlow', 'VllmFull', 'Vllm.*'])).toEqual({ kind: 'alerts', firing: [] });
    expect(await asked(all, { severity: 'page' })).toEqual({ kind: 'alerts', firing: firing.slice(0, 1) });
  });

  test.each<readonly [string, Partial<RangeQuestion>, string]>([
    ['no question', { query: '{' }, 'it answered 400'],
    ['more points than it gives', { step: 1, start: last - 20_000 }, 'it answered 400'],
  ])('refuses what is %s, and nothing of that is used', async (_, more, why) => {
    expect(await answered(metrics, { ...question(analysisOf({}), 600), ...more })).toEqual({ kind: 'failed', why });
  });

  test('gives no answer once it is stopped', async () => {
    await stopPrometheus(prometheus);
    expect(await answered(metrics, question(analysisOf({}), 600))).toMatchObject({ kind: 'failed', isUnreached: true });
  });
});
