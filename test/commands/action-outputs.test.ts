/** The outputs of a job of several passes: what was written by all, where things stand by the last that looked. */

import { expect, test } from 'vitest';
import { outputsOf } from '../../src/commands/action-outputs.ts';
import type { Outcome } from '../../src/reconcile/outcome.ts';
import type { PassResult } from '../../src/reconcile/pass.ts';

const url = 'https://github.example/team/gitops/pull/7';
const none = { outcomes: [], quiet: false, status: undefined };

function outcome(written: string | undefined, proposal: unknown): Outcome {
  const plan = { holds: [{ reason: 'ProposalOpen' }], commit: undefined, record: { phase: 'Progressing', proposal } };
  return {
    key: { cluster: 'c', namespace: 'llm', name: 'vllm' },
    plan,
    written,
    error: undefined,
  } as unknown as Outcome;
}

function outputs(...results: readonly unknown[]): Readonly<Record<string, string>> {
  return outputsOf(results as readonly PassResult[], { failed: false, writes: true });
}

test.each([
  ['open', { state: 'open', url }, url],
  ['vetoed', { state: 'vetoed', url }, ''],
  ['not there yet', { state: 'open' }, ''],
  ['none', undefined, ''],
  ['no address', { state: 'open', url: `${url}>\n<img src=x>` }, ''],
])('a pull request that is %s', (_what, proposal, expected) => {
  const result = outputs({ ...none, outcomes: [outcome(undefined, proposal)] });
  expect(result['pull-requests']).toBe(expected);
  expect(JSON.parse(result['rollouts'] ?? '')).toMatchObject([
    { name: 'vllm', holds: ['ProposalOpen'], failed: false },
  ]);
});

test('several passes', () => {
  const first = { ...none, status: 's1', outcomes: [outcome('c1', { state: 'open', url })] };
  const second = { ...none, status: 's2', outcomes: [outcome('c2', undefined)] };
  expect(outputs(first, second, { ...none, quiet: true })).toMatchObject({
    commits: 'c1\nc2',
    'pull-requests': '',
    'status-commit': 's2',
    summary: '1 Rollout looked at, 2 commits written, 1 waiting, 0 failed',
  });
  expect(outputs()).toMatchObject({ commits: '', rollouts: '[]', summary: 'nothing has moved, all settled' });
});

test('a step that waits for someone is no change of a job that writes, and is one of a job that plans', () => {
  const waits = outcome(undefined, { state: 'open', url });
  const planned = { ...waits, plan: { ...waits.plan, commit: { progress: {} } } } as unknown as Outcome;
  const changed = (writes: boolean, of: Outcome): string | undefined =>
    outputsOf([{ ...none, outcomes: [of] } as unknown as PassResult], { failed: false, writes })['changed'];
  expect([changed(true, planned), changed(false, planned)]).toEqual(['false', 'true']);
  expect([changed(true, outcome('c1', undefined)), changed(false, waits)]).toEqual(['true', 'false']);
});
