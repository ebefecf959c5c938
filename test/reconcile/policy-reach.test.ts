/** What a policy outside of `policyPaths` may say, and of whom: a folder speaks for its own Rollouts alone. */

import { describe, expect, test } from 'vitest';
import { type Config, DEFAULT_CONFIG } from '../../src/api/config.ts';
import type { TreeFile } from '../../src/ports/git.ts';
import { desiredOf } from '../../src/reconcile/desired/desired.ts';
import type { Desired } from '../../src/reconcile/desired/desired-rollout.ts';
import { LWS_TEXT, ROLLOUT_TEXT } from '../support/vllm.ts';

const NO_SHARE = 'teams/a/vllm/rollout.yaml';
const FILES = { 'teams/a/vllm/lws.yaml': LWS_TEXT, [NO_SHARE]: ROLLOUT_TEXT };
const policy = (name: string, ...lines: readonly string[]): string =>
  `apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: ${name}}\nspec:\n${lines.map((line) => `  ${line}\n`).join('')}`;

function desiredWith(files: Readonly<Record<string, string | TreeFile['content']>>, config: Partial<Config>): Desired {
  const listed = Object.entries({ ...FILES, ...files }).map(([path, content]) => ({
    path,
    oid: path,
    mode: '100644' as const,
    content: typeof content === 'string' ? ({ kind: 'text', text: content } as const) : content,
  }));
  const tree = { commit: '1'.repeat(40), folders: [], skipped: () => [], files: listed };
  return desiredOf(tree, { ...DEFAULT_CONFIG, policyPaths: ['policies'], ...config }, new Map());
}

const told = ({ warnings }: Desired): readonly string[] =>
  warnings.map(({ file, line, path, reason }) => `${file}:${line} ${path} ${reason}`);

describe('a policy counts for Rollouts in or below its own folder', () => {
  const deny = policy('freeze', 'maxStepGroups: 1');
  test.each<readonly [place: string, config: Partial<Config>, counts: boolean]>([
    ['policies/freeze.yaml', {}, true],
    ['teams/a/vllm/freeze.yaml', {}, true],
    ['teams/a/freeze.yaml', {}, true],
    ['freeze.yaml', {}, true],
    ['teams/b/freeze.yaml', {}, false],
    ['teams/a/vllm/deep/freeze.yaml', {}, false],
    ['teams/a/vl/freeze.yaml', {}, false],
    ['teams/b/freeze.yaml', { policyPaths: undefined }, true],
    ['teams/b/freeze.yaml', { policyPaths: [''] }, true],
    ['teams/b/freeze.yaml', { owners: { llm: ['teams/b', 'teams/a'] } }, true],
    ['teams/b/freeze.yaml', { owners: { llm: ['teams/a'], 'llm-*': ['teams/b'] } }, false],
    // A stop counts wherever tranche.yaml says that it is.
    ['stops/stop.yaml', { stopFile: 'stops/stop.yaml' }, true],
    ['teams/b/stop.yaml', { stopFile: 'stops/stop.yaml' }, false],
  ])('%s %j: %s', (place, config, counts) => {
    const desired = desiredWith({ [place]: deny }, config);
    const [rollout] = desired.rollouts;
    expect(rollout?.policy.rules.maxStepGroups).toBe(counts ? 1 : undefined);
    expect(rollout?.policy.files).toEqual(counts ? [place] : []);
    expect(told(desired)).toEqual(counts ? [] : [`${place}:4 spec.rollouts OutsidePolicyPaths`]);
  });
});

describe('outside, fields of which one value decides for all, or that tell others, do not count', () => {
  const bold = policy(
    'bold',
    'onFailure: hold',
    'pullRequestLabels: [automerge]',
    'pullRequestReviewers: [mallory]',
    'notify: [{to: prod, as: slack, events: [failed]}]',
    'notifyHoldSeconds: 60',
    'inferencePools: {stable: a, canary: b}',
    'maxStepGroups: 2',
  );
  const inside = { 'policies/own.yaml': policy('own', 'onFailure: rollback', 'notifyHoldSeconds: 90') };

  test('in its own folder, and next to one inside that says another value', () => {
    const desired = desiredWith({ ...inside, 'teams/a/bold.yaml': bold }, {});
    const [rollout] = desired.rollouts;
    expect(rollout?.policy.rules).toEqual({
      surge: 0,
      sizeChange: 'Refuse',
      recreate: 'Refuse',
      onFailure: 'rollback',
      notifyHoldSeconds: 90,
      maxStepGroups: 2,
    });
    expect(rollout?.policy.conflicts).toEqual([]);
    expect(told(desired)).toEqual(
      ['6 spec.pullRequestLabels', '7 spec.pullRequestReviewers', '5 spec.onFailure', '8 spec.notify']
        .concat('9 spec.notifyHoldSeconds', '10 spec.inferencePools')
        .map((field) => `teams/a/bold.yaml:${field} OutsidePolicyPaths`)
        .concat('policies/own.yaml:5 spec.onFailure RollbackUnsigned'),
    );
  });

  test('without policyPaths they count from everywhere', () => {
    const { rules } = desiredWith({ 'teams/b/bold.yaml': bold }, { policyPaths: undefined }).rollouts[0]?.policy ?? {};
    expect(rules).toMatchObject({ onFailure: 'hold', pullRequestLabels: ['automerge'] });
  });
});

test('a required policy is one inside: another of its name in the own folder does not do', () => {
  const files = { 'teams/a/own.yaml': policy('production', 'maxStepGroups: 64') };
  expect(desiredWith(files, { requiredPolicies: ['production'] }).rollouts[0]?.policy.missing).toEqual([
    { name: 'production', why: 'unmatched', place: 'teams/a/own.yaml:4' },
  ]);
  const both = { ...files, 'policies/production.yaml': policy('production', 'maxStepGroups: 1') };
  expect(desiredWith(both, { requiredPolicies: ['production'] }).rollouts[0]?.policy.missing).toEqual([]);
});

describe('a file that may hide a policy concerns whom a policy in it could mean', () => {
  const large = { kind: 'unreadable', cause: 'large', why: 'it is over the limit' } as const;
  const broken = `${policy('freeze', 'maxStepGroups: 1')}---\nkind: RolloutPolicy\n  bad: [\n`;
  test.each<
    readonly [
      place: string,
      content: string | TreeFile['content'],
      policyPaths: readonly string[] | undefined,
      stalls: boolean,
    ]
  >([
    ['teams/b/large.yaml', large, ['policies'], false],
    ['teams/b/broken.yaml', broken, ['policies'], false],
    ['teams/a/large.yaml', large, ['policies'], true],
    ['teams/a/broken.yaml', broken, ['policies'], true],
    ['policies/large.yaml', large, ['policies'], true],
    ['teams/b/large.yaml', large, undefined, true],
    ['teams/b/broken.yaml', broken, undefined, true],
  ])('%s %j %j', (place, content, policyPaths, stalls) => {
    const desired = desiredWith({ [place]: content }, { policyPaths });
    expect((desired.rollouts[0]?.issues.length ?? 0) > 0).toBe(stalls);
    // Of the file itself it is told in any case.
    expect(desired.issues.some(({ file }) => file === place)).toBe(true);
  });
});
