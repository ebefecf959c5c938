/**
 * The action of every hold, carried out: orders are typed, fields written, files put back and pods deleted as the hold names
 * them, on a copy of the cluster and the repository. The hold goes, or a row of the table says why it does not.
 *
 * `ACTIONS=all` plays every story, and each deed at each rung where it is met.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HOLDS } from '../../src/rollout/hold.ts';
import { type Met, playActions } from './actions-played.ts';
import { names, root } from './check-stories.ts';

/** Together they meet every deed that any story meets, but for names and numbers. */
const STORIES: readonly string[] = [
  'approved-then-recreated',
  'blue-green-colour-edited-in-a-step',
  'blue-green-edited-all-over-at-rest',
  'blue-green-last-commits-reverted',
  'blue-green-selector-put-back',
  'blue-green-settling-reverted',
  'bot-at-an-open-partition',
  'bot-fights-a-rollback',
  'canary-aborted-at-no-groups',
  'canary-documents-taken-out',
  'canary-group-released-before-its-start',
  'canary-group-released-by-a-hand',
  'canary-locked-by-a-hand-without-nodes',
  'canary-rollout-deleted',
  'canary-withdrawn-by-itself',
  'crash-loop',
  'failed-by-itself',
  'handed-back-at-rest',
  'hook-refuses-one-and-the-status-branch',
  'label-injected-in-a-delivery',
  'limits-of-shares',
  'main-rewritten',
  'namespace-renamed',
  'no-capacity',
  'old-group-fails-with-the-gate-on',
  'one-at-a-time',
  'partition-aborted-at-no-groups',
  'partition-newer-size-with-a-share',
  'partition-raised-by-hand',
  'partition-removed',
  'partition-stable-dies-in-the-rollback',
  'release-annotation-removed',
  'rollout-deleted',
  'rollout-retargeted',
  'rollouts-swapped',
  'rollouts-swapped-with-a-canary',
  'scaled-down-past-a-step',
  'size-change-waits',
  'strategies-changed-with-shares',
  'surge-and-an-autoscaler-that-comes',
];

/** Deeds that leave their hold or cost something, as `reason · strategy · deed`: what came of it, and why that is right. */
const NOT_GONE: Readonly<Record<string, { readonly came: RegExp; readonly why: string }>> = {
  'StableNotServing · partition with routes · abort --now --accept-outage': {
    came: /^harm: 100 % of the requests fail$/,
    why: 'the hold and the order say that every request fails until the stable version serves',
  },
  'MixedRevisions · canary · retry': {
    came: /^refused: .*no release was aborted$/,
    why: 'it comes after the abort that the hold names first: the story gives both',
  },
  'WorkloadRefChanged · partition · abort': {
    came: /^stays$/,
    why: 'the release is taken back, and the Rollout still names the other workload: both are named, for different ends',
  },
};

/** Reasons that no story meets, and the test that does: a forge, a key, a policy or a race that stories do not have. */
const NOT_IN_A_STORY: Partial<Readonly<Record<keyof typeof HOLDS, string>>> = {
  WorkloadDeleting: 'rollout/states/recreating.test.ts',
  WorkloadOwned: 'rollout/states/agent.test.ts',
  ScalerUnreadable: 'rollout/states/surge.test.ts',
  BlockedByFailedGroup: 'rollout/states/stepping.test.ts',
  PrimaryReplaced: 'rollout/states/seen.test.ts',
  // A hand's edit that the admission policy would refuse, and so its way back.
  VersionLabelEdited: 'rollout/states/routed.test.ts: the label edited with a share',
  CanaryDiffers: 'rollout/states/seen.test.ts',
  CanaryNotEmpty: 'rollout/states/seen.test.ts',
  EndpointsElsewhere: 'rollout/states/seen.test.ts',
  RevisionChanged: 'rollout/states/agent.test.ts',
  StepOverdue: 'rollout/states/deadlines.test.ts',
  FolderEmptied: 'rollout/states/recreating.test.ts',
  ReturnedByHand: 'rollout/states/recreating.test.ts',
  GpusOverLimit: 'rollout/states/policies.test.ts',
  PoliciesContradict: 'rollout/states/policies.test.ts',
  ClockSkew: 'rollout/states/policies.test.ts',
  PolicyMissing: 'rollout/states/policies.test.ts',
  BuildDiffers: 'reconcile/built/differs.test.ts',
  GroupsBehind: 'rollout/states/behind.test.ts',
  NewerRequestWaits: 'rollout/states/requests.test.ts',
  ReleasesAlike: 'rollout/states/alike.test.ts',
  ProposalOpen: 'rollout/states/proposals.test.ts',
  ProposalChanged: 'rollout/states/proposals.test.ts',
  ProposalVetoed: 'rollout/states/proposals.test.ts',
  ProposalClosed: 'rollout/states/proposals.test.ts',
  ProposalReverted: 'rollout/states/proposals.test.ts',
  ApprovalUnproven: 'rollout/states/proposals.test.ts',
  ProposalsFull: 'rollout/states/proposals.test.ts',
  NoDirectPush: 'rollout/states/proposals.test.ts',
  BranchTaken: 'rollout/states/proposals.test.ts',
  ForgeRefused: 'rollout/states/proposals.test.ts',
  ForgeUnavailable: 'rollout/states/proposals.test.ts',
  LateMerge: 'rollout/states/merged.test.ts',
  AbortRefused: 'rollout/states/at-rest.test.ts',
  UndoRefused: 'rollout/states/undo.test.ts',
  EarlierTemplate: 'commands/undo.test.ts',
  RetryRefused: 'rollout/states/at-rest.test.ts',
  NewerRecord: 'rollout/states/agent.test.ts',
  StatusKeyMissing: 'rollout/states/keys.test.ts',
};

const isFine = process.env['ACTIONS'] === 'all';

describe('the actions of holds', () => {
  test('each deed that a hold names makes it go, or the table says why not', async () => {
    const met: Met = { played: new Map() };
    for (const name of isFine ? names : STORIES) await playActions(name, met, isFine);
    const left = [...met.played.values()].filter(({ came }) => came !== 'gone');
    const untold = left.filter(({ plain, came }) => NOT_GONE[plain]?.came.test(came) !== true);
    expect(untold).toEqual([]);
    const rows = Object.keys(NOT_GONE).filter((plain) => !left.some((one) => one.plain === plain));
    expect(rows, 'rows that are not needed any more').toEqual([]);
  });

  test('every reason is met by a story, or by the test that the table names', () => {
    const inStories = new Set(
      names.flatMap((name) =>
        [...readFileSync(join(root, name, 'transcript.txt'), 'utf8').matchAll(/waits: (\w+)\./g)].map(([, at]) => at),
      ),
    );
    const others = Object.keys(HOLDS).filter((reason) => !inStories.has(reason));
    expect(others.sort()).toEqual(Object.keys(NOT_IN_A_STORY).sort());
    for (const [reason, told] of Object.entries(NOT_IN_A_STORY)) {
      const [file = '', title = reason] = told.split(': ');
      expect(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'), reason).toContain(title);
    }
  });
});
