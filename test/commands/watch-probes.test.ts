/** What others see of a watch: metrics, probes, the file, the heartbeat, and the end after too long without a pass. */

import { lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { exposition } from '../../src/adapters/probes/exposition.ts';
import { systemProbes } from '../../src/adapters/probes/probes.ts';
import { reconcile } from '../../src/commands/reconcile.ts';
import { probeOptions } from '../../src/commands/watch-options.ts';
import { commonOptions, type Io } from '../../src/options.ts';
import type { Git } from '../../src/ports/git.ts';
import type { Message } from '../../src/ports/notifier.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { WatchMetrics } from '../../src/reconcile/status/metrics.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const folder = mkdtempSync(join(tmpdir(), 'tranche-probes-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Round = (seen: { readonly round: number; readonly world: World; readonly address: string }) => Promise<void>;
type Given = Readonly<Record<string, string>>;
type Bent = {
  readonly fails?: (round: number) => boolean;
  readonly sent?: Message[];
  readonly wait?: (round: number) => number;
};

/** Watches; `at` is called in each wait. */
async function watch(given: Given, rounds: number, at: Round, { fails, sent, wait }: Bent = {}) {
  const world = new World({
    files: { ...VLLM_FILES, [ROLLOUT_FILE]: ROLLOUT_TEXT.replace('duration: 0', 'duration: 90') },
  });
  world.sync();
  world.tick(60);
  const stop = new AbortController();
  let out = '';
  const say = (text: string) => void (out += text);
  const io: Io = { env: {}, folder, out: say, err: say, isTerminal: false, signal: stop.signal };
  let round = 0;
  const clock = {
    now: () => world.now,
    sleep: async (seconds: number) => {
      round += 1;
      world.tick(wait?.(round) ?? seconds);
      if (round === 1) world.edit(LWS_FILE, OLD, NEW);
      world.sync();
      await at({ round, world, address: /at (http:\S+)\/metrics/.exec(out)?.[1] ?? '' });
      if (round >= rounds) stop.abort();
    },
  };
  const watching = { ...given, watch: true };
  const real = world.ports({ clock });
  const heads: Git['heads'] = async (branches) => {
    if (fails?.(round) === true)
      throw new PortError('connection refused', { port: 'git', operation: 'heads', retryable: true, hint: '' });
    return real.git.heads(branches);
  };
  const send = async (message: Message) => {
    sent?.push(message);
    return round === 2 ? ({ kind: 'failed', why: 'it answered 500' } as const) : ({ kind: 'sent' } as const);
  };
  const notifier = { targets: ['dead-man'], send };
  const options = {
    ...commonOptions(watching, io),
    watch: true,
    savePass: undefined,
    only: [],
    probes: probeOptions(watching),
  };
  const ports = { ...real, git: { ...real.git, heads }, notifier, log: { ...real.log, error: say, warn: say } };
  const code = await reconcile(options, ports, io);
  return { code, out, world };
}

const get = async (url: string) => {
  const answer = await fetch(url);
  return `${answer.status} ${(await answer.text()).trimEnd()}`;
};

test('metrics of a delivery that waits for its second pause, after one pass that failed', async () => {
  let text = '';
  const { code } = await watch(
    { metricsPort: '0' },
    8,
    async ({ round, address }) => {
      if (round === 8) text = await (await fetch(`${address}/metrics`)).text();
    },
    { fails: (round) => round === 2 },
  );
  expect(code).toBe(0);
  const fixed = text
    .replace(/(pass_duration_seconds\S*) [\d.e-]+$/gm, '$1 0.25')
    .replace('_count 0.25', '_count 8')
    .replace(/(calls_total\S+) \d+$/gm, '$1 50');
  const golden = new URL('../../fixtures/probes/metrics.txt', import.meta.url);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(golden, fixed);
  expect(fixed).toBe(readFileSync(golden, 'utf8'));
});

test('ready after the first successful pass, until it is too long ago; alive until a pass does not come back', async () => {
  const answers: string[] = [];
  await watch(
    { metricsPort: '127.0.0.1:0' },
    6,
    async ({ round, world, address }) => {
      if (round === 6) world.tick(2000);
      answers.push(await get(`${address}/readyz`), await get(`${address}/healthz`));
    },
    { fails: (round) => round < 1 || round >= 3, wait: (round) => (round === 5 ? 400 : 1) },
  );
  expect(answers).toMatchInlineSnapshot(`
    [
      "503 no pass has succeeded yet",
      "200 ok",
      "200 ok",
      "200 ok",
      "200 ok",
      "200 ok",
      "200 ok",
      "200 ok",
      "503 the last successful pass was 402 s ago",
      "200 ok",
      "503 the last successful pass was 2403 s ago",
      "503 a pass was due 1997 s ago and has not ended",
    ]
  `);
});

test('it answers nothing else, and to nobody who wants to write', async () => {
  const seen: string[] = [];
  await watch({ metricsPort: '0' }, 1, async ({ address }) => {
    seen.push(await get(`${address}/`), await get(`${address}/metrics/x`), await get(`${address}/healthz?x=1`));
    seen.push(String((await fetch(`${address}/metrics`, { method: 'POST', body: 'x' })).status));
  });
  expect(seen).toEqual([
    '404 there are /healthz, /readyz and /metrics',
    '404 there are /healthz, /readyz and /metrics',
    '200 ok',
    '405',
  ]);
});

test('the file is written after each successful pass, and after no other', async () => {
  const ages: string[] = [];
  const { world } = await watch(
    { healthFile: 'alive' },
    4,
    async ({ round, world: { now } }) => {
      ages.push(`${round} ${now - Number(readFileSync(join(folder, 'alive'), 'utf8'))}`);
    },
    { fails: (round) => round === 2, wait: () => 30 },
  );
  expect(world.now).toBeGreaterThan(0);
  expect(ages).toEqual(['1 30', '2 30', '3 60', '4 30']);
});

test('a link under the name of the half-written file is not written through', async () => {
  writeFileSync(join(folder, 'theirs'), 'as it was');
  symlinkSync(join(folder, 'theirs'), join(folder, 'looked-at.new'));
  await watch({ healthFile: 'looked-at' }, 1, async () => undefined);
  expect(readFileSync(join(folder, 'theirs'), 'utf8')).toBe('as it was');
  expect(lstatSync(join(folder, 'looked-at')).isFile()).toBe(true);
});

test('a file that cannot be written is said once, and stops no pass', async () => {
  const { code, out } = await watch({ healthFile: 'none/alive' }, 3, async () => undefined);
  expect(code).toBe(0);
  expect(out.match(/--health-file: /g)).toHaveLength(1);
  expect(out).toContain('none/alive cannot be written (ENOENT)');
});

test('a heartbeat after each successful pass; one that does not arrive is said once', async () => {
  const sent: Message[] = [];
  const { out, world } = await watch({ heartbeat: 'dead-man' }, 4, async () => undefined, {
    sent,
    fails: (round) => round === 1,
  });
  const bodies = sent.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  expect(bodies).toHaveLength(3);
  expect(bodies[0]).toEqual({
    version: 1,
    event: 'heartbeat',
    program: '0.1.0',
    main: expect.any(String),
    failed: false,
    at: expect.any(Number),
  });
  expect(new Set(sent.map(({ key }) => key)).size).toBe(3);
  expect(out.match(/--heartbeat: dead-man was not reached: it answered 500/g)).toHaveLength(1);
  expect(world.now).toBeGreaterThan(0);
});

test('the process ends as failed after so long without a successful pass, counted from the last one', async () => {
  let last = 0;
  const round: Round = async ({ round: at, world: { now } }) => {
    if (at === 3) last = now;
  };
  const { code, out, world } = await watch({ exitAfter: '300' }, 50, round, { fails: (at) => at >= 3 });
  expect(code).toBe(1);
  expect(out).toContain('no pass has succeeded for as long as --exit-after allows: the process ends');
  // The last successful pass was one interval before the first that failed.
  expect(world.now - last).toBe(300 - 30);
});

describe('options', () => {
  test.each([
    [
      { metricsPort: '9090', watch: true },
      { host: '127.0.0.1', port: 9090 },
    ],
    [
      { metricsPort: '0.0.0.0:9090', watch: true },
      { host: '0.0.0.0', port: 9090 },
    ],
    [
      { metricsPort: '[::]:9090', watch: true },
      { host: '::', port: 9090 },
    ],
    [{ watch: true }, undefined],
  ])('%j', (given, metrics) => {
    expect(probeOptions(given).metrics).toEqual(metrics);
  });

  test.each([
    [{ metricsPort: '9090' }, '--metrics-port goes with --watch: one pass ends by itself'],
    [{ heartbeat: 'x' }, '--heartbeat goes with --watch'],
    [{ metricsPort: 'localhost:9090', watch: true }, '--metrics-port is localhost:9090, wanted a port as 9090'],
    [{ metricsPort: '99999', watch: true }, '--metrics-port is 99999'],
    [{ watch: true, exitAfter: '5' }, '--exit-after is 5, wanted whole seconds from 60'],
  ])('%j is refused', (given, why) => {
    expect(() => probeOptions(given)).toThrow(why);
  });

  test('a heartbeat to a target that nobody named', async () => {
    await expect(watch({ heartbeat: 'pager' }, 1, async () => undefined)).rejects.toThrow(
      '--heartbeat is pager, wanted the name of a target in the environment (TRANCHE_NOTIFY_…); there is: dead-man',
    );
  });

  test('an address that is taken', async () => {
    const answers = { live: () => undefined, ready: () => undefined, metrics: () => [] };
    const first = await systemProbes.serve({ host: '127.0.0.1', port: 0 }, answers);
    const port = Number(new URL(first.address).port);
    await expect(systemProbes.serve({ host: '127.0.0.1', port }, answers)).rejects.toThrow(
      `127.0.0.1:${port} cannot be listened on (EADDRINUSE)`,
    );
    await first.close();
  });
});

test('labels are escaped, and what has no sample is left out', () => {
  const labels = { reason: 'a"b\\c\nd' };
  const text = exposition([
    { name: 'x', type: 'gauge', help: 'one\ntwo\\', samples: [{ labels, value: 1.5 }] },
    { name: 'y', type: 'gauge', help: '', samples: [] },
  ]);
  expect(text).toBe('# HELP x one\\ntwo\\\\\n# TYPE x gauge\nx{reason="a\\"b\\\\c\\nd"} 1.5\n');
});

test('series are bounded: what is beyond 500 Rollouts is summed, and reasons are those of one list', async () => {
  const world = new World({ files: VLLM_FILES });
  world.sync();
  world.tick(60);
  const result = await world.pass();
  const [outcome] = result.outcomes;
  if (outcome === undefined) throw new Error('nothing was looked at');
  const named = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ ...outcome, key: { ...outcome.key, name: `vllm-${at}` } }));
  const seriesOf = (count: number) => {
    const metrics = new WatchMetrics({ startedAt: 0, version: '1' });
    for (const port of ['git', 'cluster', 'git']) metrics.called(port, false);
    metrics.passed({ result: { ...result, quiet: false, outcomes: named(count) }, at: 60, seconds: 1 });
    return metrics.families().flatMap(({ name, samples }) => samples.map((sample) => ({ name, ...sample })));
  };
  const groups = (count: number) => seriesOf(count).filter(({ name }) => name === 'tranche_groups');
  const each = groups(1).length;
  expect(each).toBeGreaterThan(0);
  expect(groups(500)).toHaveLength(500 * each);
  expect(groups(3000)).toHaveLength(501 * each);
  const [others, first] = ['others', `${outcome.key.namespace}/vllm-0`].map((rollout) =>
    groups(3000).filter(({ labels }) => labels['rollout'] === rollout),
  );
  expect(others?.map(({ value }) => value)).toEqual(first?.map(({ value }) => 2500 * value));
  expect(seriesOf(3000).length - groups(3000).length, 'all others').toBe(seriesOf(1).length - groups(1).length);
});
