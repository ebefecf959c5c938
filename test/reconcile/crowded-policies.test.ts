/** Thousands of policies in one folder: what a pass says, records and writes of each Rollout does not grow with them, and rollbacks go. */

import { expect, test } from 'vitest';
import { DEFAULT_CONFIG } from '../../src/api/config.ts';
import { desiredOf } from '../../src/reconcile/desired/desired.ts';
import { blobsOf } from '../../src/reconcile/observe/blobs.ts';
import { policyFacts } from '../../src/reconcile/policies/read-policy.ts';
import { Forgery, reasonsOf } from '../support/forgery.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';

const policy = (at: number, more: string): string => `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: p${at}}
spec:
${more}`;

function desiredWith(texts: readonly string[], config = DEFAULT_CONFIG) {
  const files = [...Object.values(VLLM_FILES), ...texts].map((text, at) => ({
    path: `apps/${at}.yaml`,
    oid: String(at),
    mode: '100644' as const,
    content: { kind: 'text' as const, text },
  }));
  return desiredOf({ commit: 'c', folders: [], skipped: () => [], files }, config, new Map());
}

const many = (count: number, textOf: (at: number) => string): readonly string[] => [...Array(count).keys()].map(textOf);

test('policies that are wrong: of each Rollout the first are said, and how many more there are', () => {
  const rollouts = many(50, (at) => ROLLOUT_TEXT.replace('name: vllm\n', `name: of${at}\n`));
  const wrong = many(300, (at) => policy(at, '  soakSecond: 60\n'));
  const desired = desiredWith([...rollouts, ...wrong]);
  expect(desired.rollouts).toHaveLength(51);
  for (const { policy: scope, issues } of desired.rollouts) {
    expect(scope.issues).toHaveLength(21);
    expect(scope.issues.at(-1)?.message).toMatch(/^280 more like these, this one first: RolloutPolicy p20: /);
    expect(issues.length).toBeLessThan(30);
  }
  const fields = policy(0, many(300, (at) => `  wrong${at}: 1\n`).join(''));
  expect(desiredWith([fields]).rollouts[0]?.policy.issues).toHaveLength(21);
});

test('policies that mean one Rollout: its record and its commits name no more than a thousand, and it is held', () => {
  const all = many(1500, (at) => policy(at, `  soakSeconds: ${at + 1}\n  drainSeconds: ${1 + (at % 599)}\n`));
  const desired = desiredWith(all);
  const [entry] = desired.rollouts;
  if (entry === undefined) throw new Error('there is none');
  expect(entry.issues.map(({ reason }) => reason)).toEqual(['TooManyPolicies']);
  expect(Object.keys(blobsOf(desired, entry))).toHaveLength(2 + 1000);
  const { governing, policySources = {} } = policyFacts(entry.policy, desired.blobs);
  expect(governing).toHaveLength(1000);
  for (const places of Object.values(policySources)) expect(places.length).toBeLessThanOrEqual(1000);
  // What counts for a rollback does so whoever came before it.
  expect(entry.policy.rules).toMatchObject({ soakSeconds: 1500, drainSeconds: 599 });
  const allowed = desiredWith(all.slice(0, 1000)).rollouts[0];
  expect(allowed?.issues).toEqual([]);
});

test('as many as that, in the middle of a delivery: no step goes forward, and a rollback goes', async () => {
  const at = await new Forgery().stepped();
  const texts = many(1001, (number) => policy(number, '  soakSeconds: 1\n'));
  for (let from = 0; from < texts.length; from += 60)
    at.write(`policies/${from}.yaml`, texts.slice(from, from + 60).join('---\n'));
  const before = at.line().length;
  for (let round = 0; round < 3; round += 1) expect(reasonsOf(await at.round())).toContain('TooManyPolicies');
  expect(at.line()).toHaveLength(before);
  at.edit(LWS_FILE, new RegExp(NEW, 'g'), OLD);
  await at.until('rollback', 3);
});

test('a required policy that many Rollouts lack, and one that is out of reach of many, name the first of them', () => {
  const rollouts = many(40, (at) => ROLLOUT_TEXT.replace('name: vllm\n', `name: of${at}\n`));
  const config = { ...DEFAULT_CONFIG, requiredPolicies: ['nobody'], policyPaths: ['policies'], paths: [''] };
  const outside = { path: 'teams/a/p.yaml', text: policy(0, '  soakSeconds: 60\n') };
  const files = [...Object.values(VLLM_FILES), ...rollouts].map((text, at) => ({ path: `apps/${at}.yaml`, text }));
  const all = [...files, outside].map(({ path, text }) => ({
    path,
    oid: path,
    mode: '100644' as const,
    content: { kind: 'text' as const, text },
  }));
  const { issues, warnings } = desiredOf(
    { commit: 'c', folders: [], skipped: () => [], files: all },
    config,
    new Map(),
  );
  const said = [...issues, ...warnings].flatMap(({ message }) => (/41|36 more/.test(message) ? [message] : []));
  expect(said).toEqual([
    expect.stringMatching(
      /^requiredPolicies names nobody, which does not govern (llm\/\S+, ){4}llm\/\S+ and 36 more: /,
    ),
    expect.stringMatching(/^RolloutPolicy p0: it does not count for (llm\/\S+, ){4}llm\/\S+ and 36 more: /),
  ]);
});
