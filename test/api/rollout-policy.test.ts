/** The RolloutPolicy: what is read, whom it means, which of several is the strictest, and what is refused. */

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/api/json.ts';
import { POLICY_FIELD_NAMES, POLICY_FIELDS } from '../../src/api/policy-fields.ts';
import { NOTICE_EVENTS } from '../../src/api/policy-notify.ts';
import {
  type PolicyFieldName,
  type PolicyRules,
  type Recreate,
  type RolloutPolicy,
  type SizeChange,
} from '../../src/api/policy-rules.ts';
import { together } from '../../src/api/policy-together.ts';
import {
  type PolicySelection,
  type PolicySubject,
  parseRolloutPolicy,
  policyMatches,
} from '../../src/api/rollout-policy.ts';

const policy = (spec: Json, metadata: Json = { name: 'production' }): Json => ({
  apiVersion: 'tranche.dev/v1alpha1',
  kind: 'RolloutPolicy',
  metadata,
  spec,
});

test.each<readonly [Json, object]>([
  [{ surge: 2 }, { policy: { surge: 2 }, selection: {} }],
  [
    { surge: 0, rollouts: ['llm/*'] },
    { policy: { surge: 0 }, selection: { rollouts: ['llm/*'] } },
  ],
  [{ surge: 1000 }, { policy: { surge: 1000 }, selection: {} }],
  [{}, { policy: {}, selection: {} }],
  [{ sizeChange: 'Whole' }, { policy: { sizeChange: 'Whole' }, selection: {} }],
  [{ sizeChange: 'Refuse' }, { policy: { sizeChange: 'Refuse' }, selection: {} }],
  [
    { labels: { tier: 'prod' }, clusters: ['eu-*'], strategies: ['partition', 'canary'] },
    {
      policy: {},
      selection: { labels: { tier: 'prod' }, clusters: ['eu-*'], strategies: ['partition', 'canary'] },
    },
  ],
])('%j is read', (spec, wanted) => {
  expect(parseRolloutPolicy(policy(spec))).toEqual({ name: 'production', faults: [], ...wanted });
});

test.each<readonly [what: string, value: Json, fault: string]>([
  ['a typo', policy({ sruge: 1 }), 'UnknownField spec.sruge is not a field of this object'],
  ['below zero', policy({ surge: -1 }), 'BadNumber spec.surge is -1, wanted a whole number from 0 to 1000'],
  ['too many', policy({ surge: 1001 }), 'BadNumber spec.surge is 1001, wanted a whole number from 0 to 1000'],
  ['a percentage', policy({ surge: '25%' }), 'BadNumber spec.surge is "25%", wanted a whole number from 0 to 1000'],
  ['another word', policy({ sizeChange: 'whole' }), 'BadChoice spec.sizeChange is "whole", wanted Refuse or Whole'],
  ['no word', policy({ sizeChange: true }), 'BadChoice spec.sizeChange is true, wanted Refuse or Whole'],
  ['no name', policy({}, {}), 'Missing metadata.name is missing, wanted text'],
  [
    'a namespace',
    policy({}, { name: 'a', namespace: 'llm' }),
    'UnknownField metadata.namespace is not a field of this object',
  ],
  [
    'no spec',
    { apiVersion: 'tranche.dev/v1alpha1', kind: 'RolloutPolicy', metadata: { name: 'a' } },
    'WrongType spec is missing, wanted a map',
  ],
  [
    'no list',
    policy({ rollouts: 'llm/*' }),
    'BadPattern spec.rollouts wanted a list of 1 to 200 patterns, namespace/name with *, or * for all',
  ],
  [
    'an empty list',
    policy({ rollouts: [] }),
    'BadPattern spec.rollouts wanted a list of 1 to 200 patterns, namespace/name with *, or * for all',
  ],
  [
    'no slash',
    policy({ rollouts: ['llm/*', 'llm*'] }),
    'BadPattern spec.rollouts has "llm*"; wanted a list of 1 to 200 patterns, namespace/name with *, or * for all',
  ],
  [
    'no text',
    policy({ rollouts: [1] }),
    'BadPattern spec.rollouts has 1; wanted a list of 1 to 200 patterns, namespace/name with *, or * for all',
  ],
  [
    'a pattern next to labels',
    policy({ rollouts: ['llm'], labels: { tier: 'prod' } }),
    'BadPattern spec.rollouts has "llm"; wanted a list of 1 to 200 patterns, namespace/name with *, or * for all',
  ],
  ['no labels', policy({ labels: {} }), 'BadPattern spec.labels wanted a map of 1 to 200 labels'],
  [
    'a strategy that is none',
    policy({ strategies: ['bluegreen'] }),
    'BadPattern spec.strategies has "bluegreen"; wanted a list of 1 to 200 of: partition, canary, blueGreen',
  ],
  [
    'a cluster with a slash',
    policy({ clusters: ['eu/1'] }),
    'BadPattern spec.clusters has "eu/1"; wanted a list of 1 to 200 names of clusters, with *',
  ],
])('%s is refused, and means every Rollout', (_, value, fault) => {
  const read = parseRolloutPolicy(value);
  expect(read.policy).toBeUndefined();
  expect(read.selection).toEqual({});
  expect(read.faults.map(({ reason, message }) => `${reason} ${message}`)).toEqual([fault]);
});

test.each<readonly [spec: Json, at: string]>([
  [{ maxStepGroups: null }, 'spec.maxStepGroups'],
  [{ deny: null }, 'spec.deny'],
  [{ rollouts: null }, 'spec.rollouts'],
  [{ approvals: [{ people: 2, team: null }] }, 'spec.approvals[0].team'],
])('an empty field is refused, for it would be lost as a limit: %j', (spec, at) => {
  const read = parseRolloutPolicy(policy(spec));
  expect(read.policy).toBeUndefined();
  expect(read.faults.map(({ reason, message }) => `${reason} ${message}`)).toEqual([
    `Missing ${at} is empty, wanted a value`,
  ]);
});

test('a fault elsewhere leaves the list of Rollouts as it is', () => {
  expect(parseRolloutPolicy(policy({ rollouts: ['llm/*'], surge: 'two' })).selection).toEqual({
    rollouts: ['llm/*'],
  });
});

test('the nearest field is named', () => {
  const [fault] = parseRolloutPolicy(policy({ sruge: 1 })).faults;
  expect(fault?.hint).toContain('Did you mean surge?');
});

test.each<readonly [what: string, wrong: Json, hint: string, right: Json]>([
  ['no target', { notify: [] }, 'Write a target, or leave the field out.', {}],
  ['the same, with one', { notify: [] }, 'Write a target', { notify: [{ to: 'prod', as: 'slack' }] }],
  [
    'an address',
    { notify: [{ to: 'https://hooks.example/x', as: 'slack' }] },
    'Name it as the environment of the runner does: prod for TRANCHE_NOTIFY_PROD.',
    { notify: [{ to: 'prod', as: 'slack' }] },
  ],
])('BadTarget: %s; what the hint says is taken', (_, wrong, hint, right) => {
  expect(parseRolloutPolicy(policy(wrong)).faults).toMatchObject([
    { reason: 'BadTarget', hint: expect.stringContaining(hint) },
  ]);
  expect(parseRolloutPolicy(policy(right)).faults).toEqual([]);
});

test.each<readonly [spec: Json, hint: string]>([
  [{ maxStepGroup: 2 }, 'Did you mean maxStepGroups? Remove it, or use a field of its reference.'],
  [{ soakseconds: 60 }, 'Did you mean soakSeconds? Remove it'],
  [{ maxSurge: 1 }, 'Did you mean surge? Remove it'],
  [{ maxUnavailable: 1 }, 'Did you mean maxUnavailableGroups? Remove it'],
  [{ readyDeadline: 600 }, 'Did you mean readyDeadlineSeconds? Remove it'],
  [{ leaveatleast: 600 }, 'Did you mean leaveAtLeastSeconds? Remove it'],
  [{ maxStepTraffic: 20 }, 'Did you mean maxStepTrafficPercent? Remove it'],
  [{ maxFirstTraficPercent: 20 }, 'Did you mean maxFirstTrafficPercent? Remove it'],
  [{ maxStepTrafficPercent: '20%' }, 'Did you mean 20? Write a plain number'],
  [{ pullRequestLabel: ['a'] }, 'Did you mean pullRequestLabels? Remove it'],
  [{ pullRequestLabels: ['a,b'] }, 'Correct it, or leave the field out.'],
  [{ approvals: [{ bots: ['@a'] }] }, 'Correct it, or leave the field out.'],
  [{ notify: [{ to: 'prod', as: 'slack', events: ['finish'] }] }, 'Correct it, or leave the field out to mean all.'],
  [{ deadline: 60 }, 'Remove it, or use a field of its reference.'],
  [{ promotion: 'pull-request' }, 'Did you mean pullRequest?'],
  [{ onFailure: 'rolback' }, 'Did you mean rollback?'],
  [{ onFailure: ['rollback'] }, 'Correct it.'],
  [{ sizeChange: 'whole' }, 'Did you mean Whole?'],
  [{ recreate: 'no' }, 'Correct it.'],
  [{ strategies: ['bluegreen'] }, 'Did you mean blueGreen? Correct it'],
  [{ maxStepGroups: '2' }, 'Did you mean 2? Write a plain number'],
  [{ maxStepPercent: '50%' }, 'Did you mean 50? Write a plain number'],
  [{ maxStepGroups: '50%' }, 'Write a plain number'],
  [{ soakSeconds: '10m' }, 'Did you mean 600? Write a plain number'],
  [{ maxGpus: '10m' }, 'Write a plain number'],
  [{ maxRestarts: true }, 'Correct it.'],
  [{ notify: [{ to: 'prod', as: 'slak' }] }, 'Did you mean slack?'],
  [{ notify: [{ to: 'prod', as: 'slack', events: ['fail'] }] }, 'Did you mean failed? Correct it'],
  [
    { notify: [{ to: 'prod', as: 'slack', event: ['failed'] }] },
    'Did you mean events? Remove it, or use one of: to, as',
  ],
  [{ approvals: [{ teams: 'example/sre' }] }, 'Did you mean team? Remove it, or use one of: people'],
  [{ allow: [{ cron: '0 9 * * *', minutes: 60, timezone: 'UTC' }] }, 'Did you mean timeZone? Remove it'],
])('%j is wrong, and the nearest that is right is named', (spec, hint) => {
  const [fault] = parseRolloutPolicy(policy(spec)).faults;
  expect(fault?.hint.slice(0, hint.length)).toBe(hint);
});

const subject: PolicySubject = {
  cluster: 'prod-eu',
  namespace: 'llm',
  name: 'vllm',
  labels: { tier: 'prod', team: 'serving' },
  strategy: 'partition',
};

test.each<readonly [selection: PolicySelection, matches: boolean]>([
  [{}, true],
  [{ rollouts: ['x/y', 'llm/vllm'] }, true],
  [{ labels: { tier: 'prod' } }, true],
  [{ labels: { tier: 'prod', team: 'training' } }, false],
  [{ labels: { constructor: 'x' } }, false],
  [{ clusters: ['prod-*'] }, true],
  [{ clusters: ['dev', 'stage-*'] }, false],
  [{ strategies: ['partition'] }, true],
  [{ strategies: ['blueGreen'] }, false],
  [{ rollouts: ['llm/*'], labels: { tier: 'prod' }, clusters: ['prod-eu'], strategies: ['partition'] }, true],
  [{ rollouts: ['llm/*'], clusters: ['dev'] }, false],
])('%j means it: %j', (selection, matches) => {
  expect(policyMatches(selection, subject)).toBe(matches);
});

test('a Rollout that is too wrong to tell its strategy is meant', () => {
  expect(policyMatches({ strategies: ['blueGreen'] }, { ...subject, strategy: undefined })).toBe(true);
});

describe('patterns', () => {
  test.each<readonly [pattern: string, name: string, matches: boolean]>([
    ['llm/vllm', 'llm/vllm', true],
    ['llm/vllm', 'llm/vllm2', false],
    ['llm/*', 'llm/vllm', true],
    ['llm/*', 'llm2/vllm', false],
    ['*/vllm', 'llm/vllm', true],
    ['*/*', 'llm/vllm', true],
    ['*', 'llm/vllm', true],
    ['prod-*/v*m', 'prod-eu/vllm', true],
    ['prod-*/v*m', 'prod-eu/vm', true],
    ['prod-*/v*m', 'prod-eu/v', false],
    ['llm/v*l*m', 'llm/vllm', true],
    ['llm/a*a', 'llm/a', false],
    ['llm/*a*b*', 'llm/xbxa', false],
    [`llm/${'*a'.repeat(100)}b`, `llm/${'a'.repeat(250)}`, false],
  ])('%s means %s: %j', (pattern, rollout, matches) => {
    const [namespace = '', name = ''] = rollout.split('/');
    expect(policyMatches({ rollouts: [pattern] }, { ...subject, namespace, name })).toBe(matches);
  });
});

test.each<readonly [surges: readonly (number | undefined)[], wanted: number]>([
  [[], 0],
  [[undefined], 0],
  [[2], 2],
  [[2, undefined, 1], 1],
  [[3, 0], 0],
])('of the surges %j the strictest is %i', (surges, wanted) => {
  expect(together(surges.map((surge) => (surge === undefined ? {} : { surge }))).surge).toBe(wanted);
});

test.each<readonly [choices: readonly (SizeChange | undefined)[], wanted: SizeChange]>([
  [[], 'Refuse'],
  [[undefined], 'Refuse'],
  [['Whole'], 'Whole'],
  [['Whole', undefined], 'Whole'],
  [['Whole', 'Refuse'], 'Refuse'],
  [['Refuse'], 'Refuse'],
])('of the size changes %j the strictest is %s', (choices, wanted) => {
  const policies = choices.map((sizeChange) => (sizeChange === undefined ? {} : { sizeChange }));
  expect(together(policies).sizeChange).toBe(wanted);
});

test.each<readonly [choices: readonly (Recreate | undefined)[], wanted: Recreate]>([
  [[undefined], 'Refuse'],
  [['Allow', undefined], 'Allow'],
  [['Allow', 'Refuse'], 'Refuse'],
])('of the recreations %j the strictest is %s', (choices, wanted) => {
  const policies = choices.map((recreate) => (recreate === undefined ? {} : { recreate }));
  expect(together(policies).recreate).toBe(wanted);
});

const anyWindows = fc.array(
  fc.nat(3).map((from) => ({ from, to: from + 1 })),
  { minLength: 1, maxLength: 3 },
);

/** Values of each field that a policy may have. */
const values: { readonly [K in PolicyFieldName]: fc.Arbitrary<NonNullable<PolicyRules[K]>> } = {
  surge: fc.nat(5),
  sizeChange: fc.constantFrom('Refuse', 'Whole'),
  recreate: fc.constantFrom('Refuse', 'Allow'),
  withoutDirectPush: fc.constantFrom('Refuse', 'Accept'),
  maxStepGroups: fc.nat(5),
  maxStepPercent: fc.nat(5),
  maxFirstStepGroups: fc.nat(5),
  maxUnavailableGroups: fc.nat(5),
  minReadyGroups: fc.nat(5),
  minReadyPercent: fc.nat(5),
  maxGpus: fc.nat(5),
  maxExtraGpus: fc.nat(5),
  maxStepTrafficPercent: fc.nat(5),
  maxFirstTrafficPercent: fc.nat(5),
  maxDeliveriesPerNamespace: fc.nat(5),
  maxDeliveriesPerCluster: fc.nat(5),
  maxDeliveriesPerPolicy: fc.nat(5),
  allow: anyWindows,
  deny: anyWindows,
  exceptions: fc.array(
    fc.nat(3).map((until) => ({ release: '9c41d2e09c41d2e09c41d2e09c41d2e0.7', approver: 'ana', until })),
    { minLength: 1, maxLength: 3 },
  ),
  leaveAtLeastSeconds: fc.nat(5),
  soakSeconds: fc.nat(5),
  finalSoakSeconds: fc.nat(5),
  drainSeconds: fc.nat(5),
  bakeSeconds: fc.nat(5),
  promotion: fc.constantFrom('commit', 'pullRequest'),
  pullRequestLabels: fc.subarray(['rollout', 'gpu', 'llm'], { minLength: 1 }),
  pullRequestReviewers: fc.subarray(['ada', 'bob', 'example/sre'], { minLength: 1 }),
  approvals: fc.subarray([1, 2, 3].map((people) => ({ people, bots: [], notAuthor: false }))),
  applyDeadlineSeconds: fc.nat(5),
  scheduleDeadlineSeconds: fc.nat(5),
  readyDeadlineSeconds: fc.nat(5),
  deliveryApplyDeadlineSeconds: fc.nat(5),
  deliveryScheduleDeadlineSeconds: fc.nat(5),
  deliveryReadyDeadlineSeconds: fc.nat(5),
  maxRestarts: fc.nat(5),
  onFailure: fc.constantFrom('hold', 'withdraw', 'rollback'),
  analyses: fc.subarray(['chat', 'code'], { minLength: 1 }),
  onAnalysisFailure: fc.constantFrom('hold', 'withdraw', 'rollback'),
  analysisAccept: fc.constantFrom('Refuse', 'Allow'),
  withoutRequests: fc.constantFrom('Hold', 'Pass'),
  notify: fc.subarray([...NOTICE_EVENTS]).map((events) => [{ to: 'prod', as: 'slack' as const, events }]),
  notifyHoldSeconds: fc.nat(5),
  undo: fc.nat(5),
  undoWithinSeconds: fc.nat(5),
  inferencePools: fc.constantFrom({ stable: 'a', canary: 'b' }, { stable: 'c', canary: 'd' }),
};
const anyPolicy: fc.Arbitrary<RolloutPolicy> = fc.record(values, { requiredKeys: [] });

test('several policies are one whatever their order, and however often each is there', () => {
  fc.assert(
    fc.property(fc.array(anyPolicy, { maxLength: 5 }), fc.nat(4), (policies, turn) => {
      const all = together(policies);
      expect(together([...policies.slice(turn), ...policies.slice(0, turn)])).toEqual(all);
      expect(together([...policies, ...policies])).toEqual(all);
      expect(together([...policies, {}])).toEqual(all);
    }),
  );
});

test('what policies grant that count for nothing only tightens', () => {
  const bold = { Refuse: 0, Whole: 1, Allow: 1 } as const;
  fc.assert(
    fc.property(fc.array(anyPolicy, { maxLength: 3 }), fc.array(anyPolicy, { maxLength: 3 }), (inside, outside) => {
      const [all, alone] = [together(inside, outside), together(inside)];
      expect(all.surge).toBeLessThanOrEqual(alone.surge);
      expect(bold[all.sizeChange]).toBeLessThanOrEqual(bold[alone.sizeChange]);
      expect(bold[all.recreate]).toBeLessThanOrEqual(bold[alone.recreate]);
      const other = together([...inside, ...outside]);
      for (const name of POLICY_FIELD_NAMES)
        if (POLICY_FIELDS[name].composition !== 'grant') expect(all[name]).toEqual(other[name]);
    }),
  );
});

test.each<readonly [exception: Json, fault: string]>([
  [{}, 'Missing spec.exceptions[0].release is missing, wanted text'],
  [
    { release: '9c41d2e09c41d2e09c41d2e09c41d2e0', approver: 'ana', until: '2026-12-20T00:00:00Z' },
    'BadException spec.exceptions[0].release is "9c41d2e09c41d2e09c41d2e09c41d2e0", wanted a release: the 32 digits of its digest, and its serial',
  ],
  [
    { release: '9c41d2e09c41d2e09c41d2e09c41d2e0.7', approver: 'a\nb', until: '2026-12-20T00:00:00Z' },
    'BadException spec.exceptions[0].approver is "a\\nb", wanted a name of at most 100 letters and digits',
  ],
  [
    { release: '9c41d2e09c41d2e09c41d2e09c41d2e0.7', approver: 'ana', until: 'tomorrow' },
    'BadException spec.exceptions[0].until is "tomorrow", wanted a time in UTC',
  ],
  [
    { release: '9c41d2e09c41d2e09c41d2e09c41d2e0.7', approver: 'ana', untill: '2026-12-20T00:00:00Z' },
    'UnknownField spec.exceptions[0].untill is not a field of this object',
  ],
])('an exception that is not right: %j', (exception, fault) => {
  const { policy: said, faults } = parseRolloutPolicy(policy({ exceptions: [exception] }));
  expect([said, `${faults[0]?.reason} ${faults[0]?.message}`]).toEqual([undefined, fault]);
});

test.each<readonly [approval: Json, fault: string]>([
  [{ team: 'sre' }, 'BadApproval spec.approvals[0].team is "sre", wanted a team as org/name'],
  [{ team: 'example/SRE Team' }, 'BadApproval spec.approvals[0].team is "example/SRE Team", wanted a team as org/name'],
  [
    { team: 'example/sre', bots: ['deploy[bot]'] },
    'BadApproval spec.approvals[0].bots names machines next to a team, and machines are in no team',
  ],
  [{ distinct: 'yes' }, 'WrongType spec.approvals[0].distinct is "yes", wanted true or false'],
  [{ person: 2 }, 'UnknownField spec.approvals[0].person is not a field of this object'],
  [{ people: 0 }, 'BadNumber spec.approvals[0].people is 0, wanted a whole number from 1 to 10'],
])('an approval that is not right: %j', (approval, fault) => {
  const { policy: said, faults } = parseRolloutPolicy(policy({ approvals: [approval] }));
  expect([said, `${faults[0]?.reason} ${faults[0]?.message}`]).toEqual([undefined, fault]);
});

test('an approval is read whole', () => {
  const approvals = [{ people: 2, team: 'example/sre', notAuthor: true, distinct: true }];
  expect(parseRolloutPolicy(policy({ approvals })).policy?.approvals).toEqual([{ ...approvals[0], bots: [] }]);
});

test.each<readonly [window: Json, fault: string]>([
  [
    { cron: '0 9 * *', minutes: 1, timeZone: 'UTC' },
    'cron is "0 9 * *": wanted five fields with one space between, has 4',
  ],
  [
    { cron: '60 9 * * *', minutes: 1, timeZone: 'UTC' },
    'cron is "60 9 * * *": the minute is wrong, wanted numbers from 0 to 59, in steps up to 60',
  ],
  [
    { cron: '0 9 * * MON', minutes: 1, timeZone: 'UTC' },
    'cron is "0 9 * * MON": the day of the week is wrong, wanted numbers from 0 to 7, in steps up to 7',
  ],
  [
    { cron: '0 9-8 * * *', minutes: 1, timeZone: 'UTC' },
    'cron is "0 9-8 * * *": the hour is wrong, wanted numbers from 0 to 23, in steps up to 24',
  ],
  [
    { cron: '0 9/2 * * *', minutes: 1, timeZone: 'UTC' },
    'cron is "0 9/2 * * *": the hour is wrong, wanted numbers from 0 to 23, in steps up to 24',
  ],
  [
    { cron: '@daily', minutes: 1, timeZone: 'UTC' },
    'cron is "@daily": wanted five fields with one space between, has 1',
  ],
  [{ cron: '0 9 * * *', minutes: 1, timeZone: '+01:00' }, 'timeZone is "+01:00", wanted the name of a time zone'],
  [{ cron: '0 9 * * *', minutes: 10_081, timeZone: 'UTC' }, 'minutes is 10081, wanted a whole number from 1 to 10080'],
  [{ from: '2026-12-20', to: '2027-01-04T00:00:00Z' }, 'from is "2026-12-20", wanted a time in UTC'],
  [{ from: '2026-12-20T00:00:00Z', to: '2026-12-20T00:00:00Z' }, 'to is not after from'],
])('a window %j is refused', (window, fault) => {
  const { faults } = parseRolloutPolicy(policy({ deny: [window] }));
  expect(faults.map(({ message }) => message)).toEqual([`spec.deny[0].${fault}`]);
});
