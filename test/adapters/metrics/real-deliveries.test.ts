/**
 * Whole deliveries behind a real Prometheus, of two versions of vLLM and of SGLang. Each is played with a provider in memory first;
 * what would have been scraped then is written into blocks, and it is played again with a server that has these, and has to go
 * the same way, to the last count in its commits. PROMETHEUS names the program, next to which is promtool; `.ci/real` installs both.
 */

import { type ChildProcess, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openMetrics } from '../../../src/adapters/metrics/open-metrics.ts';
import type { Metrics } from '../../../src/ports/metrics.ts';
import { ANALYSIS_FILE, sharedFiles, started } from '../../support/measured.ts';
import { startPrometheus, stopPrometheus } from '../../support/prometheus.ts';
import { type Engine, ScrapedEngines } from '../../support/scraped-engines.ts';
import { seriesStore } from '../../support/series-store.ts';

const program = process.env['PROMETHEUS'] ?? '';
const FILES = sharedFiles('vllm-without-requests', 'vllm-service', 'vllm-routed', 'canary-steps');
const DEAD: Metrics = { round: () => ({ range: async () => ({ kind: 'failed', why: 'it is dead' }) }) };

const analysisOf = (run: string, engine: Engine): string => `apiVersion: tranche.dev/v1alpha1
kind: Analysis
metadata: {name: chat}
spec:
  provider: prod
  match: {run: ${run}}
  metrics:
    - {use: ${engine}/errors, bound: {fail: 3, pass: 2}}
`;

/** A provider that dies and returns. */
type Server = { readonly metrics: Metrics; readonly die: () => Promise<void>; readonly return: () => Promise<void> };

type Run = {
  readonly run: string;
  readonly engine: Engine;
  /** Of a thousand requests of the new version. */
  readonly bad: number;
  readonly play: (delivery: Delivery) => Promise<void>;
  readonly ends: RegExp;
};

/** A delivery in progress, with what each pass has said. */
type Delivery = Awaited<ReturnType<typeof begin>>;

async function begin({ run, engine, bad }: Run, serverOf: (engines: ScrapedEngines) => Server) {
  const box: { server: Server | undefined } = { server: undefined };
  const provider: Metrics = { round: () => (box.server?.metrics ?? DEAD).round() };
  const more = '  onAnalysisFailure: rollback\n';
  const of = await started(more, { files: FILES, provider, analysis: analysisOf(run, engine) });
  const engines = new ScrapedEngines(of.world, { engine, badOfNew: bad, run });
  const server = serverOf(engines);
  box.server = server;
  const said: string[] = [];
  const pass = async (seconds = 60): Promise<string> => {
    of.world.sync();
    // In minutes, as a server scrapes them.
    for (let left = seconds; left > 0; left -= 60) {
      of.world.tick(60);
      engines.look();
    }
    const one = await of.look();
    said.push(one);
    return one;
  };
  const until = async (wanted: RegExp, seconds = 600): Promise<void> => {
    for (let round = 0; round < 60; round += 1) if (wanted.test(await pass(seconds))) return;
    throw new Error(`no pass said ${wanted.source}: ${said.slice(-5).join(' | ')}`);
  };
  engines.look();
  return { world: of.world, engines, server, said, pass, until };
}

const leader = (name: string, group: number) => ({ namespace: 'llm', name, group, pods: 'leader' }) as const;

/** A stable leader is restarted in place, another is made again, and the server dies for an hour and returns. */
async function withAccidents({ world, engines, server, pass, until }: Delivery): Promise<void> {
  await until(/Analysing/, 60);
  world.cluster.setPods(leader('vllm', 1), { kind: 'unready' });
  world.tick(30);
  world.cluster.setPods(leader('vllm', 1), { kind: 'ready' });
  world.tick(30);
  engines.look();
  world.cluster.kill(leader('vllm', 2));
  await pass(60);
  await server.die();
  for (let round = 0; round < 3; round += 1) expect(await pass(1200)).toMatch(/^hold .*MetricsUnreadable/);
  await server.return();
  await until(/^settled/);
}

/** Two scrapers write each series from some time on, until somebody names one of them. */
async function withTwoScrapers({ world, engines, until }: Delivery): Promise<void> {
  await until(/Analysing/, 60);
  engines.scrapeTwice();
  await until(/SeriesTwice/);
  world.edit(ANALYSIS_FILE, 'match: {', 'match: {replica: a, ');
  await until(/^settled/);
}

/** The Rollout lets the Analysis lead back, and it does. */
async function goesBack({ world, until }: Delivery): Promise<void> {
  await until(/Analysing/, 60);
  const messages = world.repository.log('main').map(({ message }) => message);
  const blob = /chat@[0-9a-f]{12}/.exec(messages.join('\n'))?.[0] ?? '';
  world.edit('rollouts/vllm.yaml', 'metadata:\n', `metadata:\n  annotations: {tranche.dev/analysed: ${blob}}\n`);
  await until(/^rollback/);
  await until(/^rolled back/);
}

const RUNS: readonly Run[] = [
  { run: 'vllm-good', engine: 'vllm', bad: 10, play: withAccidents, ends: /^settled/ },
  { run: 'vllm-bad', engine: 'vllm', bad: 80, play: goesBack, ends: /^rolled back/ },
  { run: 'sglang-good', engine: 'sglang', bad: 10, play: withTwoScrapers, ends: /^settled/ },
  { run: 'sglang-bad', engine: 'sglang', bad: 80, play: goesBack, ends: /^rolled back/ },
];

/** What passes said, and the verdicts in the commits. */
function told({ world, said }: Delivery) {
  const messages = world.repository.log('main').map(({ message }) => message);
  return { said, verdicts: messages.flatMap((message) => message.match(/^Rollout-Analysis: .*$/gm) ?? []) };
}

function inMemory(engines: ScrapedEngines): Server {
  let isDead = false;
  const { metrics } = seriesStore(engines.series);
  return {
    metrics: { round: () => (isDead ? DEAD : metrics).round() },
    die: async () => void (isDead = true),
    return: async () => void (isDead = false),
  };
}

describe.skipIf(program === '')('deliveries behind Prometheus', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'prometheus-'));
  const before = new Map<string, ReturnType<typeof told>>();
  let running: { readonly server: ChildProcess; readonly url: string };

  beforeAll(async () => {
    let samples = '';
    for (const run of RUNS) {
      const delivery = await begin(run, inMemory);
      await run.play(delivery);
      before.set(run.run, told(delivery));
      samples += delivery.engines.samples();
    }
    writeFileSync(path.join(folder, 'samples.txt'), `${samples}# EOF\n`);
    writeFileSync(path.join(folder, 'prometheus.yml'), '{}');
    const promtool = path.join(path.dirname(program), 'promtool');
    // Blocks as long as they may be: each of them has the whole file read again.
    const blocks = ['tsdb', 'create-blocks-from', '--max-block-duration=2000h', 'openmetrics', 'samples.txt', 'data'];
    execFileSync(promtool, blocks, { cwd: folder, stdio: 'pipe' });
    running = await startPrometheus(program, folder);
  }, 300_000);

  afterAll(async () => {
    await stopPrometheus(running.server);
    rmSync(folder, { recursive: true });
  });

  test.each(RUNS)(
    '$run: goes as it does with the provider in memory, count for count',
    async (run) => {
      const behind = (): Server => ({
        metrics: { round: () => asked(running.url).round() },
        die: () => stopPrometheus(running.server),
        return: async () => void (running = await startPrometheus(program, folder)),
      });
      const delivery = await begin(run, behind);
      await run.play(delivery);
      const found = told(delivery);
      expect(found).toEqual(before.get(run.run));
      expect(found.said.at(-1)).toMatch(run.ends);
      expect(found.verdicts.length).toBeGreaterThan(0);
      expect(found.verdicts[0]).toContain(` ${run.bad > 10 ? 'failed' : 'passed'} `);
    },
    300_000,
  );
});

function asked(url: string): Metrics {
  return openMetrics({
    env: { TRANCHE_METRICS_ALLOW_PRIVATE: 'true', TRANCHE_METRICS_PROD: url },
    authorities: async () => undefined,
  });
}
