/** The RolloutPolicy: what is read, whom it means, which of several is the strictest, and what is refused. */

import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/api/json.ts';
import {
  parseRolloutPolicy,
  policyMatches,
  type Recreate,
  type SizeChange,
  strictest,
} from '../../src/api/rollout-policy.ts';

const policy = (spec: Json, metadata: Json = { name: 'production' }): Json => ({
  apiVersion: 'tranche.dev/v1alpha1',
  kind: 'RolloutPolicy',
  metadata,
  spec,
});

test.each<readonly [Json, object]>([
  [{ surge: 2 }, { policy: { surge: 2 }, rollouts: undefined }],
  [
    { surge: 0, rollouts: ['llm/*'] },
    { policy: { surge: 0 }, rollouts: ['llm/*'] },
  ],
  [{ surge: 1000 }, { policy: { surge: 1000 } }],
  [{}, { policy: { surge: undefined, sizeChange: undefined, recreate: undefined } }],
  [{ sizeChange: 'Whole' }, { policy: { sizeChange: 'Whole' } }],
  [{ sizeChange: 'Refuse' }, { policy: { sizeChange: 'Refuse' } }],
])('%j is read', (spec, wanted) => {
  const read = parseRolloutPolicy(policy(spec));
  expect(read.faults).toEqual([]);
  expect(read).toMatchObject(wanted);
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
    'BadPattern spec.rollouts wanted a list of 1 to 200 patterns, namespace/name with *',
  ],
  [
    'an empty list',
    policy({ rollouts: [] }),
    'BadPattern spec.rollouts wanted a list of 1 to 200 patterns, namespace/name with *',
  ],
  [
    'no slash',
    policy({ rollouts: ['llm/*', '*'] }),
    'BadPattern spec.rollouts has "*"; wanted a list of 1 to 200 patterns, namespace/name with *',
  ],
  [
    'no text',
    policy({ rollouts: [1] }),
    'BadPattern spec.rollouts has 1; wanted a list of 1 to 200 patterns, namespace/name with *',
  ],
])('%s is refused, and means every Rollout', (_, value, fault) => {
  const read = parseRolloutPolicy(value);
  expect(read.policy).toBeUndefined();
  expect(read.rollouts).toBeUndefined();
  expect(read.faults.map(({ reason, message }) => `${reason} ${message}`)).toEqual([fault]);
});

test('a fault elsewhere leaves the list of Rollouts as it is', () => {
  expect(parseRolloutPolicy(policy({ rollouts: ['llm/*'], surge: 'two' })).rollouts).toEqual(['llm/*']);
});

describe('patterns', () => {
  test.each<readonly [pattern: string, name: string, matches: boolean]>([
    ['llm/vllm', 'llm/vllm', true],
    ['llm/vllm', 'llm/vllm2', false],
    ['llm/*', 'llm/vllm', true],
    ['llm/*', 'llm2/vllm', false],
    ['*/vllm', 'llm/vllm', true],
    ['*/*', 'llm/vllm', true],
    ['prod-*/v*m', 'prod-eu/vllm', true],
    ['prod-*/v*m', 'prod-eu/vm', true],
    ['prod-*/v*m', 'prod-eu/v', false],
    ['llm/v*l*m', 'llm/vllm', true],
    ['llm/a*a', 'llm/a', false],
    ['llm/*a*b*', 'llm/xbxa', false],
    [`llm/${'*a'.repeat(100)}b`, `llm/${'a'.repeat(250)}`, false],
  ])('%s means %s: %j', (pattern, rollout, matches) => {
    const [namespace = '', name = ''] = rollout.split('/');
    expect(policyMatches([pattern], { namespace, name })).toBe(matches);
  });

  test('no list means every Rollout', () => {
    expect(policyMatches(undefined, { namespace: 'a', name: 'b' })).toBe(true);
    expect(policyMatches(['x/y', 'a/b'], { namespace: 'a', name: 'b' })).toBe(true);
  });
});

test.each<readonly [surges: readonly (number | undefined)[], wanted: number]>([
  [[], 0],
  [[undefined], 0],
  [[2], 2],
  [[2, undefined, 1], 1],
  [[3, 0], 0],
])('of the surges %j the strictest is %i', (surges, wanted) => {
  expect(strictest(surges.map((surge) => ({ surge, sizeChange: undefined, recreate: undefined }))).surge).toBe(wanted);
});

test.each<readonly [choices: readonly (SizeChange | undefined)[], wanted: SizeChange]>([
  [[], 'Refuse'],
  [[undefined], 'Refuse'],
  [['Whole'], 'Whole'],
  [['Whole', undefined], 'Whole'],
  [['Whole', 'Refuse'], 'Refuse'],
  [['Refuse'], 'Refuse'],
])('of the size changes %j the strictest is %s', (choices, wanted) => {
  expect(
    strictest(choices.map((sizeChange) => ({ surge: undefined, sizeChange, recreate: undefined }))).sizeChange,
  ).toBe(wanted);
});

test.each<readonly [choices: readonly (Recreate | undefined)[], wanted: Recreate]>([
  [[undefined], 'Refuse'],
  [['Allow', undefined], 'Allow'],
  [['Allow', 'Refuse'], 'Refuse'],
])('of the recreations %j the strictest is %s', (choices, wanted) => {
  const policies = choices.map((recreate) => ({ surge: undefined, sizeChange: undefined, recreate }));
  expect(strictest(policies).recreate).toBe(wanted);
});
