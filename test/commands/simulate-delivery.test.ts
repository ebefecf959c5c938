/** `tranche simulate` with a Rollout: golden ladders, what it takes, and what is said where files are missing or wrong. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runProgram } from '../../src/commands/program.ts';
import { ladderRollout } from '../support/ladder.ts';
import { TRAFFIC_FILES, trafficRollout } from '../support/traffic-files.ts';
import { ROLLOUT_TEXT } from '../support/vllm.ts';

const GOLDEN = join(import.meta.dirname, '../../fixtures/simulate/delivery');

const lws = (TRAFFIC_FILES['apps/vllm/lws.yaml'] ?? '').replace(
  '            ports:\n',
  '            resources: {limits: {nvidia.com/gpu: 8}}\n            ports:\n',
);
const STEPS = ['replicas: 1, traffic: 5%', 'replicas: 50%, traffic: 50%', 'replicas: 100%, traffic: 100%'];

const files: Readonly<Record<string, string>> = {
  ...TRAFFIC_FILES,
  'apps/vllm/lws.yaml': lws,
  'one.yaml': lws.replace('replicas: 4', 'replicas: 1'),
  'open.yaml': lws
    .replace('      labels: {app', '      labels: &a {app')
    .replace(/image: [^\n]*\n$/, 'image: |\n              x'),
  'rollouts/canary.yaml': trafficRollout(),
  'rollouts/green.yaml': ladderRollout('blueGreen', STEPS),
  'rollouts/alone.yaml': ladderRollout('canary', ['replicas: 100%'], false),
  'rollouts/partition.yaml': ROLLOUT_TEXT,
  'rollouts/wrong.yaml': ladderRollout('canary', ['replicas: 0']),
};

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tranche-simulate-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
});

afterAll(() => rmSync(folder, { recursive: true }));

async function run(line: string): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const code = await runProgram(['simulate', ...line.split(' ')], {
    env: {},
    folder,
    out: (text) => (out += text),
    err: (text) => (err += text),
    isTerminal: false,
    signal: new AbortController().signal,
  });
  return { code, out, err };
}

const APPS = 'apps/vllm/lws.yaml apps/vllm/service.yaml apps/vllm/route.yaml';

test.each([
  ['canary.txt', `rollouts/canary.yaml ${APPS}`],
  ['canary.json', `rollouts/canary.yaml ${APPS} --output json`],
  ['canary-one-group.txt', 'rollouts/canary.yaml one.yaml apps/vllm/service.yaml apps/vllm/route.yaml'],
  ['canary-without-routes.txt', 'rollouts/alone.yaml apps/vllm/lws.yaml'],
  ['blueGreen.txt', `rollouts/green.yaml ${APPS}`],
])('%s', async (golden, line) => {
  const { code, out, err } = await run(line);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  await expect(out).toMatchFileSnapshot(join(GOLDEN, golden));
});

test.each([
  // call, exit code, what is said
  ['rollouts/canary.yaml', 2, /no LeaderWorkerSet vllm of its namespace in these files \(WorkloadMissing\)/],
  ['rollouts/canary.yaml apps/vllm/lws.yaml', 2, /rollouts\/canary.yaml:1: .*\(DocumentMissing\)/],
  [`rollouts/partition.yaml ${APPS}`, 2, /\(NoSecondWorkload\)/],
  [`rollouts/wrong.yaml ${APPS}`, 2, /rollouts\/wrong.yaml:\d+: .*\(BadReplicas\)/],
  [`rollouts/canary.yaml rollouts/green.yaml ${APPS}`, 2, /2 Rollouts \(SeveralRollouts\)/],
  [`rollouts/canary.yaml ${APPS} --partition 3`, 2, /leave out --partition/],
  [APPS, 2, /no Rollout in apps/],
  ['rollouts/alone.yaml open.yaml', 1, /open.yaml:\d+: LeaderWorkerSet vllm-canary: .*\(UnsupportedEdit\)/],
])('%s ends with %i', async (line, code, said) => {
  const ran = await run(line);
  expect(ran.code, ran.err).toBe(code);
  expect(ran.err).toMatch(said);
});
