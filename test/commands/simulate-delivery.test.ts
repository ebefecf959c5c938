/** `tranche simulate` with a Rollout: golden ladders, what it takes, and what is said where files are missing or wrong. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { printStep } from '../../src/api/marks.ts';
import { runProgram } from '../../src/commands/program.ts';
import { climbBack } from '../../src/reconcile/ladder/climb.ts';
import { partitionIn } from '../../src/rollout/ladders/delivery.ts';
import { climbed, ladderFiles, ladderRollout, partsIn } from '../support/ladder.ts';
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
  'rollouts/shared.yaml': ladderRollout('partition', [
    'replicas: 1, traffic: 5%',
    'replicas: 2',
    'replicas: 3, traffic: 50%',
    'replicas: 100%',
  ]),
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
  ['partition.txt', `rollouts/shared.yaml ${APPS}`],
  ['partition.json', `rollouts/shared.yaml ${APPS} --output json`],
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
  [`rollouts/partition.yaml ${APPS}`, 2, /\(NoTraffic\)/],
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

describe('two versions of one workload go by the rungs that passes take', () => {
  const texts = ladderFiles(
    ladderRollout('partition', ['replicas: 1, traffic: 5%', 'replicas: 2, traffic: 50%', 'replicas: 100%']),
  );
  const parts = partsIn(texts);
  const all = climbed(texts, parts);
  const placed = ({ commit, before }: (typeof all)[number]): string =>
    `${printStep(commit.stage)} ${commit.at} ${partitionIn(before.own) === 0 ? 'locked' : ''}`.trim();

  /** The commits of a story whose passes read a simulated cluster. */
  function playedIn(story: string): readonly string[] {
    const text = readFileSync(join(import.meta.dirname, `../../fixtures/scenarios/${story}/transcript.txt`), 'utf8');
    return (text.match(/(?<=^ {4}c\d+ tranche: rollout\(llm\/vllm\): )(step|roll|settled).*/gm) ?? []).reverse();
  }

  test('forward', () => {
    expect(all.map(placed)).toEqual([
      '1/3 template',
      '1/3 pods',
      '1/3 traffic',
      '2/3 pods',
      '2/3 traffic',
      '3/3 route-restored',
      '3/3 pods',
      '3/3 pods locked',
      '3/3 settled',
    ]);
    expect(playedIn('partition-with-httproute')).toEqual([
      'step 1/3, template',
      'step 1/3, pods, partition 1000000 → 3',
      'step 1/3, traffic: – → 5%',
      'step 2/3, partition 3 → 2',
      'step 2/3, traffic: 5% → 50%',
      'step 3/3, route-restored',
      'step 3/3, pods, partition 2 → 0',
      'step 3/3, locked, partition 0 → 1000000',
      'settled',
    ]);
  });

  test('back from a share', () => {
    const back = climbBack(all[4]!, parts).commits.map(({ commit }) => `${printStep(commit.stage)} ${commit.at}`);
    expect(back).toEqual(['rollback back', 'rollback back', 'rollback back', 'rollback template', 'rollback settled']);
    expect(playedIn('partition-aborted-with-a-share').slice(-5)).toEqual([
      'rollback, partition 2 → 4',
      'rollback, partition 4 → 3',
      'rollback, traffic: 33% → –',
      'rollback, partition 3 → 2',
      'rolled back, partition 2 → 1000000',
    ]);
  });
});
