/** `tranche lint` of a second workload: what no commit of its delivery could write, on the line of the user's file. */

import { expect, test } from 'vitest';
import type { Issue } from '../../src/api/issue.ts';
import { ladderRollout } from '../support/ladder.ts';
import { linted } from '../support/linted.ts';
import type { Files } from '../support/patch.ts';
import { TRAFFIC_FILES } from '../support/traffic-files.ts';
import { LWS_FILE, LWS_TEXT, OLD, ROLLOUT_FILE } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const STEPS = ['replicas: 1', 'replicas: 100%'];
const ALONE: Files = { [LWS_FILE]: LWS_TEXT, [ROLLOUT_FILE]: ladderRollout('canary', STEPS, false) };

async function found(files: Files): Promise<readonly string[]> {
  const { out } = await linted(new World({ files }), { output: 'json' });
  const { issues } = JSON.parse(out) as { readonly issues: readonly Issue[] };
  return issues
    .filter(({ reason }) => reason !== 'NotSupportedYet')
    .map(({ file, line, reason, message }) => `${file}:${line} ${reason}: ${message}`);
}

const OPEN = LWS_TEXT.replace(/image: [^\n]*\n$/, `image: >-\n              ${OLD}`);
const OTHERS = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n---\n'.repeat(63);

const GPUS = LWS_TEXT.replace(OLD, `${OLD}\n            resources: {limits: {nvidia.com/gpu: 16}}`);
const BLUE_GREEN: Files = { ...TRAFFIC_FILES, [LWS_FILE]: GPUS, [ROLLOUT_FILE]: ladderRollout('blueGreen', STEPS) };
const budget = (gpus: number): Files => ({
  'policies/gpus.yaml': `apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata:\n  name: gpus\nspec:\n  maxGpus: ${gpus}\n`,
});

const SHARED_STEPS = ['replicas: 1, traffic: 5%', 'replicas: 100%'];
const SHARED: Files = { ...TRAFFIC_FILES, [ROLLOUT_FILE]: ladderRollout('partition', SHARED_STEPS) };
/** The leaders have the labels of the workload itself, by an alias: no label of ours can go to one of them alone. */
const ALIASED = (TRAFFIC_FILES[LWS_FILE] ?? '')
  .replace('metadata:\n  name: vllm\n', 'metadata:\n  name: vllm\n  labels: &labels {app: vllm}\n')
  .replace(/labels: \{app[^}]*\}/, 'labels: *labels');

const rows: readonly (readonly [what: string, files: Files, told: readonly RegExp[]])[] = [
  ['files that are right', ALONE, []],
  ['files that are right, with routes', { ...TRAFFIC_FILES, [ROLLOUT_FILE]: ladderRollout('blueGreen', STEPS) }, []],
  ['files that are right, with routes to two versions of one workload', SHARED, []],
  [
    'labels that are not only those of the leaders',
    { ...SHARED, [LWS_FILE]: ALIASED },
    [/^apps\/vllm\/lws.yaml:20 AliasInField: .*"tranche.dev\/version"/],
  ],
  ['a budget that two colours fit into', { ...BLUE_GREEN, ...budget(128) }, []],
  [
    'a budget that the last step of two colours does not fit into',
    { ...BLUE_GREEN, ...budget(127) },
    [
      /^policies\/gpus.yaml:6 GpusOverLimit: RolloutPolicy gpus: llm\/vllm would never start: 8 groups of 16 GPUs take 128; /,
    ],
  ],
  [
    'a workload in JSON has no room for a second document',
    {
      [ROLLOUT_FILE]: ladderRollout('canary', STEPS, false),
      'apps/lws.json': JSON.stringify({
        apiVersion: 'leaderworkerset.x-k8s.io/v1',
        kind: 'LeaderWorkerSet',
        metadata: { name: 'vllm', namespace: 'llm' },
        spec: { replicas: 2, leaderWorkerTemplate: { size: 1, workerTemplate: { spec: { containers: [] } } } },
      }),
    },
    [/^apps\/lws.json:1 UnsupportedEdit: LeaderWorkerSet vllm-canary: .*a JSON file is one document/],
  ],
  [
    'text at the end of a file that a copy behind it would change',
    { ...ALONE, [LWS_FILE]: OPEN },
    [/^apps\/vllm\/lws.yaml:2 UnsupportedEdit: .*block text at the end of a file/],
  ],
  [
    'a file that is full',
    { ...ALONE, [LWS_FILE]: `${OTHERS}${LWS_TEXT}` },
    [/^apps\/vllm\/lws.yaml:\d+ TooManyDocuments: .*64 are the limit/],
  ],
];

test.each(rows)('%s', async (_, files, told) => {
  const issues = await found(files);
  expect(issues).toHaveLength(told.length);
  told.forEach((one, at) => expect(issues[at]).toMatch(one));
});
