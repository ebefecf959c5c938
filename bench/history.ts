/** What `tranche history` costs on a local clone with a long main: time from start to end, and memory. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { intentMessage } from '../src/rollout/commits/messages.ts';
import { printTrailers } from '../src/rollout/commits/trailers.ts';
import { createBareRepository, gitEnvironment } from '../test/support/git-server.ts';
import { inTurn, probed, time } from './measure.ts';
import { atMost, forInformation, type Row } from './rows.ts';
import type { Bench } from './world.ts';

const MILLISECONDS_MOST = 2000;
/** A request, its two steps, an order between them, and the commit that settles it. */
const COMMITS_OF_RELEASE = 5;
const PLANNED = '4f1c'.repeat(10);

/** Makes the history, and tells it: `commits` of them, one release in five. */
export async function historyRows(bench: Bench, commits: number, rounds: number): Promise<readonly Row[]> {
  const path = join(bench.scratch, `history-${commits}.git`);
  await makeHistory(path, commits);
  const program = { command: process.execPath, args: [bench.bundle, 'history', '--output', 'json', '--repo', path] };
  const probe = { probe: join(bench.programs, 'memory-probe.mjs'), report: join(bench.scratch, 'history-memory') };
  const log = { command: 'git', args: ['-C', path, 'log', '--first-parent', '--format=raw', 'main'] };
  await time(program);
  await time(log);
  const spreads = await inTurn(
    [
      { name: 'own', run: () => time(program) },
      { name: 'git', run: () => time(log) },
    ],
    rounds,
  );
  const { median: value } = spreads.get('own') ?? { median: Number.NaN };
  const reference = spreads.get('git')?.median ?? Number.NaN;
  const name = `history of ${commits} commits, ${commits / COMMITS_OF_RELEASE} releases`;
  const { megabytes, cpuMilliseconds } = await probed(program, probe);
  return [
    // Nothing of it waits: what it takes of the processor is what it takes on a machine that has nothing else to do.
    atMost({ name: `${name}, CPU`, unit: 'ms', value: cpuMilliseconds }, MILLISECONDS_MOST),
    forInformation({ name: 'the same, against git log', unit: 'ms', value }, reference),
    forInformation({ name: `memory of it`, unit: 'MB', value: megabytes }),
  ];
}

async function makeHistory(path: string, commits: number): Promise<void> {
  await createBareRepository(path);
  const child = spawn('git', ['-C', path, 'fast-import', '--quiet'], {
    env: gitEnvironment,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const closed = once(child, 'close');
  for (let at = 0; at < commits; at += 1) {
    const message = messageOf(at);
    const head = `commit refs/heads/main\ncommitter A <a@example.com> ${1_700_000_000 + 60 * at} +0000\n`;
    if (!child.stdin.write(`${head}data ${Buffer.byteLength(message)}\n${message}\n`)) await once(child.stdin, 'drain');
  }
  child.stdin.end('\n');
  const [code] = await closed;
  if (code !== 0) throw new Error(`git fast-import ended with ${String(code)}`);
}

function messageOf(at: number): string {
  const serial = 2 + Math.floor(at / COMMITS_OF_RELEASE);
  const release = { digest: String(serial).padStart(32, '0'), serial };
  const stepAt = (step: string, reason: string): string =>
    `rollout(llm/vllm): step\n\nGroups are ready.\n\n${printTrailers({ rollout: 'default/llm/vllm', release: `${release.digest}.${serial}`, step, reason, plannedFrom: PLANNED })}\n`;
  const key = { cluster: 'default', namespace: 'llm', name: 'vllm' };
  const kinds = [
    'vllm: another image\n',
    stepAt('1/2', 'StepReady'),
    intentMessage('approve step 1', { key, main: PLANNED, by: 'Ada', at: { release, step: '1/2' } }),
    stepAt('2/2', 'StepReady'),
    stepAt('settled', 'Settled'),
  ];
  return kinds[at % COMMITS_OF_RELEASE] ?? '';
}
