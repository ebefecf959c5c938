/** The JSON Schema of a RolloutPolicy: shipped as the code prints it, and of one mind with the parser. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import type { Json } from '../../src/api/json.ts';
import { POLICY_FIELD_NAMES } from '../../src/api/policy-fields.ts';
import { policySchema } from '../../src/api/policy-schema.ts';
import { jsonText } from '../../src/api/printable.ts';
import { parseRolloutPolicy, SELECTION_FIELDS } from '../../src/api/rollout-policy.ts';

const SHIPPED = new URL('../../policies/rollout-policy.schema.json', import.meta.url);

test('is shipped as it is', () => {
  if (process.env['UPDATE_GOLDEN'] !== undefined) writeFileSync(SHIPPED, jsonText(policySchema()));
  expect(existsSync(SHIPPED) ? readFileSync(SHIPPED, 'utf8') : '').toBe(jsonText(policySchema()));
});

const valid = new Ajv2020({ strict: true, strictTuples: false }).compile(policySchema());
const policy = (spec: Json): Json => ({
  apiVersion: 'tranche.dev/v1alpha1',
  kind: 'RolloutPolicy',
  metadata: { name: 'production' },
  spec,
});

/** Of each field a value that is right, and some that are not. */
const rows: readonly (readonly [field: string, right: Json, wrong: readonly Json[]])[] = [
  ['rollouts', ['llm/*', '*'], ['llm/*', [], ['llm'], [1], Array<Json>(201).fill('llm/*')]],
  ['labels', { tier: 'prod' }, [{}, { tier: 1 }, ['tier']]],
  ['clusters', ['prod-*'], [['prod/eu'], []]],
  ['strategies', ['partition', 'canary'], [['Partition'], ['partitions']]],
  ['surge', 1, [-1, 1001, 1.5, '1']],
  ['sizeChange', 'Whole', ['whole', true]],
  ['recreate', 'Allow', ['Yes']],
  ['withoutDirectPush', 'Accept', ['accept', 'Allow', true]],
  ['maxStepGroups', 1, [0, '1', '10%']],
  ['maxStepPercent', 25, [0, 101, '25%']],
  ['maxFirstStepGroups', 1, [0]],
  ['maxUnavailableGroups', 1, [0]],
  ['minReadyGroups', 3, [0]],
  ['minReadyPercent', 100, [0, 101]],
  ['maxGpus', 0, [-1]],
  ['maxExtraGpus', 16, [-1]],
  ['maxStepTrafficPercent', 25, [0, 101, '25%']],
  ['maxFirstTrafficPercent', 5, [0, 101]],
  ['maxDeliveriesPerNamespace', 1, [0]],
  ['maxDeliveriesPerCluster', 1, [0]],
  ['maxDeliveriesPerPolicy', 1, [0]],
  [
    'allow',
    [
      { cron: '0 9 * * 1-5', minutes: 480, timeZone: 'Europe/Berlin' },
      { from: '2026-12-20T00:00:00Z', to: '2027-01-04T00:00:00Z' },
    ],
    [[], {}, [{}], [{ cron: '0 9 * * *', minutes: 60 }], [{ cron: '0 9 * * *', minutes: 0, timeZone: 'UTC' }]],
  ],
  [
    'deny',
    [{ cron: '*/15 0-6,22 1 1,7 *', minutes: 10, timeZone: 'UTC' }],
    [[{ from: '2026-12-20T00:00:00Z' }], [{ cron: '0 9 * * *', minutes: 60, timeZone: 'UTC', to: 'x' }]],
  ],
  [
    'exceptions',
    [{ release: '9c41d2e09c41d2e09c41d2e09c41d2e0.7', approver: 'Ana Müller', until: '2026-12-20T00:00:00Z' }],
    [
      [],
      [{}],
      [{ release: '9c41d2e09c41d2e09c41d2e09c41d2e0', approver: 'ana', until: '2026-12-20T00:00:00Z' }],
      [{ release: '9c41d2e09c41d2e09c41d2e09c41d2e0.7', approver: '', until: '2026-12-20T00:00:00Z' }],
      [{ release: '9c41d2e09c41d2e09c41d2e09c41d2e0.7', approver: 'ana', until: '2026-12-20T00:00:00Z', why: 'x' }],
    ],
  ],
  ['leaveAtLeastSeconds', 900, [0]],
  ['soakSeconds', 600, [0]],
  ['finalSoakSeconds', 3600, [0]],
  ['drainSeconds', 480, [0]],
  ['bakeSeconds', 1200, [0]],
  ['promotion', 'pullRequest', ['PullRequest', 'merge', true]],
  ['pullRequestLabels', ['rollout', 'area: llm'], [[], 'rollout', [''], ['a,b'], [' a'], ['x'.repeat(51)]]],
  ['pullRequestReviewers', ['ada', 'example/sre'], [[], 'ada', ['@ada'], ['a b'], ['a/B'], ['a/b/c']]],
  [
    'approvals',
    [{ people: 2, notAuthor: true }, { bots: ['renovate[bot]'] }],
    [[], {}, [{ people: 0 }], [{ bots: [] }], [{ bots: ['@ada'] }], [{ team: 'x' }]],
  ],
  ['applyDeadlineSeconds', 600, [0]],
  ['scheduleDeadlineSeconds', 600, [0]],
  ['readyDeadlineSeconds', 1800, [0, '30m']],
  ['deliveryApplyDeadlineSeconds', 600, [0]],
  ['deliveryScheduleDeadlineSeconds', 600, [0]],
  ['deliveryReadyDeadlineSeconds', 7200, [0]],
  ['maxRestarts', 0, [-1, 1001]],
  ['onFailure', 'rollback', ['Rollback', 'abort', true]],
  ['analyses', ['chat', 'code-2'], [[], 'chat', ['Chat'], ['a', 'b', 'c', 'd', 'e', 'f'], ['chat@0'], [1]]],
  ['onAnalysisFailure', 'withdraw', ['Hold', true]],
  ['analysisAccept', 'Refuse', ['refuse', false]],
  ['withoutRequests', 'Pass', ['pass', true]],
  [
    'notify',
    [{ to: 'prod', as: 'slack', events: ['started', 'done'] }],
    [
      [],
      [{ to: 'prod' }],
      [{ to: 'https://example.com', as: 'slack' }],
      [{ to: 'prod-token', as: 'slack' }],
      [{ to: 'prod', as: 'mail' }],
      [{ to: 'prod', as: 'slack', events: [] }],
      [{ to: 'prod', as: 'slack', events: ['begun'] }],
    ],
  ],
  ['notifyHoldSeconds', 3600, [0]],
  ['undo', 0, [-1, 11, '1']],
  ['undoWithinSeconds', 0, [-1, 2_592_001, '1d']],
  [
    'inferencePools',
    { stable: 'vllm-pool', canary: 'vllm-pool-next' },
    [{}, { stable: 'vllm-pool' }, { stable: 'A', canary: 'b' }, { stable: 'a', canary: 'b', green: 'c' }, 'vllm-pool'],
  ],
];

test('has a row for every field', () => {
  expect(rows.map(([field]) => field)).toEqual([...Object.keys(SELECTION_FIELDS), ...POLICY_FIELD_NAMES]);
});

test.each(rows)('%s: what the parser takes, and nothing else', (field, right, wrong) => {
  for (const [value, wanted] of [[right, true] as const, ...wrong.map((one) => [one, false] as const)]) {
    const of = policy({ [field]: value });
    expect(parseRolloutPolicy(of).faults.length === 0, JSON.stringify(value)).toBe(wanted);
    expect(valid(of), JSON.stringify(value)).toBe(wanted);
  }
});

test.each<Json>([{ sruge: 1 }, null])('no policy says %j', (spec) => {
  expect(valid(policy(spec))).toBe(false);
  expect(parseRolloutPolicy(policy(spec)).faults).not.toEqual([]);
});
