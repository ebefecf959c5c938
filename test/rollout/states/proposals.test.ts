/** Where someone approves every step: which commits wait for one, and which word ends that. */

import { describe, expect, test } from 'vitest';
import { type ApproveIntent, parseIntents, printApprove } from '../../../src/api/intents.ts';
import { absent } from '../../../src/api/known.ts';
import { NO_RULES } from '../../../src/api/policy-rules.ts';
import type { ProposalRecord } from '../../../src/api/proposal-record.ts';
import { changesDigest } from '../../../src/reconcile/documents/digests.ts';
import type { Reconciled } from '../../../src/reconcile/outcome.ts';
import { branchTaken, full, heldBy, noDirectPush } from '../../../src/reconcile/proposals/case.ts';
import { type Hold, hold } from '../../../src/rollout/hold.ts';
import { MOVES, type MoveReason } from '../../../src/rollout/move.ts';
import { isDelivered, plan, planWaiting } from '../../../src/rollout/plan.ts';
import { unproven } from '../../../src/rollout/proposals/evidence.ts';
import { approvalFor, isApproved } from '../../../src/rollout/proposals/promotion.ts';
import { notesOf, pausedForApproval, standing } from '../../../src/rollout/proposals/standing.ts';
import type { Snapshot } from '../../../src/rollout/snapshot.ts';
import { ladderFiles, ladderRollout } from '../../support/ladder.ts';
import { passed, settledOn } from '../../support/ladder-pass.ts';
import { asked } from '../../support/ladder-stands.ts';
import { releaseOf } from '../../support/marks-notation.ts';
import { type World, world } from '../../support/snapshot.ts';
import { NEW, OLD } from '../../support/vllm.ts';

const rules = { promotion: 'pullRequest' } as const;
const at = { text: 'B', groups: '0:A+ 1:A+ 2:A+ 3:A+' };
const requested: World = { ...at, rules };
const one: World = {
  ...at,
  rules,
  marks: 'B.2 1/3 floor=3',
  p: 3,
  groups: '0:A+ 1:A+ 2:A+ 3:B+',
  record: { doneAgo: 30 },
};
const two: World = { ...one, marks: 'B.2 2/3 floor=2', p: 2, groups: '0:A+ 1:A+ 2:B+ 3:B+' };
const whole: World = { ...one, marks: 'B.2 3/3 floor=0', p: 0, groups: '0:B+ 1:B+ 2:B+ 3:B+' };
const locked: World = { ...whole, p: 1000000 };

/** `StepReady proposal`. */
function delivered(of: World): string {
  const { commit, holds } = plan(world(of));
  return commit === undefined ? holds.map(({ reason }) => reason).join(' ') : `${commit.reason} ${commit.delivery}`;
}

test.each<readonly [what: string, of: World, then: string]>([
  ['adoption', { marks: 'none', p: 0, rules }, 'Adopted proposal'],
  ['the first step', requested, 'StepReady proposal'],
  ['a step', one, 'StepReady proposal'],
  ['extra groups', { ...requested, surge: 1, rules: { ...rules, surge: 1 } }, 'SurgePrepared proposal'],
  ['a jump', { ...one, intents: { jump: '3@B.2' } }, 'Jumped proposal'],
  ['what follows a manual pause', two, 'StepReady proposal'],
  ['stopping a roll', { ...one, text: 'C', groups: '0:A+ 1:A+ 2:A+ 3:B~' }, 'Superseded commit'],
  ['arming', { ...whole, steps: '25% 100%!', marks: 'B.2 2/2 floor=0' }, 'Locked commit'],
  ['an abort', { ...one, intents: { abort: 'B.2' } }, 'Aborted commit'],
  ['settling', locked, 'Settled commit'],
  ['settling after a manual pause', { ...locked, steps: '25% 50% 100%!' }, 'Settled proposal'],
  [
    'the same, approved by commit',
    { ...locked, steps: '25% 50% 100%!', intents: { approve: '3@B.2#1000000' } },
    'Settled commit',
  ],
  ['a closed gate', { ...one, rollout: { paused: true } }, 'Paused'],
  ['a timed pause', { ...one, steps: '25%/600 50% 100%' }, 'PauseDuration'],
])('%s', (_, of, then) => expect(delivered(of)).toBe(then));

test('where nobody asks for it, all is committed, and a manual pause holds', () => {
  expect(delivered({ ...one, rules: {} })).toBe('StepReady commit');
  expect(delivered({ ...two, rules: {} })).toBe('PausedForApproval');
});

test('nothing that brakes, goes back or locks is ever proposed', () => {
  const reasons = Object.keys(MOVES) as MoveReason[];
  const proposed = reasons.filter((reason) => 'proposed' in MOVES[reason]);
  expect(proposed).toEqual([
    'Adopted',
    'SurgePrepared',
    'StepReady',
    'Jumped',
    'SizeChanged',
    'StepsEdited',
    'Superseded',
    'RecreateRemoved',
    'Promoted',
  ]);
  // The way of the one that both brakes and starts is asked of each move.
  for (const reason of proposed)
    expect([reason, MOVES[reason].way !== 'forward']).toEqual([reason, reason === 'Superseded']);
});

describe('the word for a commit', () => {
  const snapshot = world(one);
  const { commit } = plan(snapshot);
  if (commit === undefined) throw new Error('no commit');
  const digest = changesDigest(commit.changes);
  const wanted = approvalFor(snapshot, { commit, digest });
  if (wanted === undefined) throw new Error('no approval');
  const given = (text: string): ApproveIntent | undefined =>
    parseIntents({ 'tranche.dev/approve': text }).intents.approve;
  const saying = (text: string): Snapshot => {
    if (snapshot.rollout === undefined) throw new Error('no Rollout');
    const { intents } = parseIntents({ 'tranche.dev/approve': text });
    return { ...snapshot, rollout: { ...snapshot.rollout, intents } };
  };

  test('names the step in Git, the release, the partition and what changes', () => {
    expect(wanted).toEqual({ index: 1, release: releaseOf('B.2'), partition: 3, digest });
    expect(given(printApprove(wanted))).toEqual(wanted);
  });

  test.each<readonly [what: string, text: string, counts: boolean]>([
    ['its own', printApprove(wanted), true],
    ['of another commit', printApprove({ ...wanted, digest: '00000000000000000000000000000000' }), false],
    ['of someone, without a commit', '1@bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.2#3', true],
    ['of someone, without a partition', '1@bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.2', true],
    ['of someone who saw fewer groups go', '1@bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.2#4', false],
    ['of another step', '2@bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.2#3', false],
    ['of another serial', '1@bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.3#3', false],
    ['of another release', '1@cccccccccccccccccccccccccccccccc.2#3', false],
  ])('%s', (_, text, counts) => expect(isApproved(saying(text), wanted)).toBe(counts));

  test('where policies want to see who approved, no other word than that of a pull request counts', () => {
    const policy = { ...snapshot.policy, approvals: [{ people: 1, bots: [], notAuthor: false }] };
    expect(isApproved({ ...saying('1@bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.2#3'), policy }, wanted)).toBe(false);
    expect(isApproved({ ...saying(printApprove(wanted)), policy }, wanted)).toBe(true);
  });

  test('it does not change with main, nor with the hour', () => {
    const later = { ...snapshot, main: 'f'.repeat(40), now: snapshot.now + 999 };
    const again = plan(later).commit;
    expect(changesDigest(again?.changes ?? [])).toBe(digest);
  });

  test('without it the plan shows the commit, and nothing is written', () => {
    const waiting = planWaiting(plan(snapshot), snapshot, hold('PausedForApproval', { seen: 'x', action: 'y' }));
    expect(isDelivered(waiting)).toBe(false);
    expect(waiting.commit?.reason).toBe('StepReady');
    expect(waiting.record.currentStepState).toBe('StepPaused');
    expect(waiting.record.marks).toEqual(snapshot.workload?.workload.marks);
  });

  test('a plan that was edited is another commit', () => {
    const edited = plan(world({ ...one, steps: '25% 75% 100%' })).commit;
    expect(changesDigest(edited?.changes ?? [])).not.toBe(digest);
  });
});

const known: ProposalRecord = {
  branch: 'tranche/default/llm/vllm/bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.2-1-5be07c115be07c115be07c115be07c11',
  head: 'a'.repeat(40),
  index: 1,
  release: releaseOf('B.2'),
  digest: '5be07c115be07c115be07c115be07c11',
  number: 12,
  url: 'https://forge.example/12',
  openedAt: 0,
  state: 'open',
  by: 'ada',
  vetoes: [],
};
const of = { label: 'step 2/3', key: world(one).key, proposal: known, waits: 'reviews', asks: [], notes: [] };
const waiting: Reconciled = {
  key: world(one).key,
  snapshot: world(one),
  plan: plan(world(one)),
  diff: '',
  writes: [],
  texts: {},
  written: undefined,
  error: undefined,
};
const refused = { kind: 'refused', said: 'no', advice: 'Change the setting.' } as const;

test.each<readonly [what: string, held: Hold | undefined, reason: string, message: RegExp]>([
  [
    'it is open',
    standing({ kind: 'waits' }, of),
    'ProposalOpen',
    /^Step 2\/3 is proposed: .*\/12, which waits for reviews/,
  ],
  [
    'it is open, and the forge must show who approves it',
    standing({ kind: 'waits' }, { ...of, asks: ['approval 1 of 1: someone'] }),
    'ProposalOpen',
    /\. To go on, merge it\. To say no, close it$/,
  ],
  [
    'it is open, and no commit of ours comes through',
    standing({ kind: 'waits' }, { ...of, proposal: { ...known, form: 'WithoutPush' } }),
    'ProposalOpen',
    /can lock it .*\. To go on, merge it\. To say no, close it$/,
  ],
  [
    'it was merged a moment ago',
    standing({ kind: 'merging' }, of),
    'ProposalOpen',
    /was merged by ada, and main as it/,
  ],
  ['others push to it', standing({ kind: 'foreign' }, of), 'ProposalChanged', /commits that are not of tranche\. Take/],
  ['someone closes it', standing({ kind: 'vetoed' }, of), 'ProposalVetoed', /closed by ada\. To go on, open it again/],
  ['a bot closes it', standing({ kind: 'closed' }, of), 'ProposalClosed', /was closed by ada, and not by someone/],
  [
    'its merge is reverted',
    standing({ kind: 'reverted' }, of),
    'ProposalReverted',
    /groups that were updated stay updated.*abort vllm$/,
  ],
  [
    'nobody is shown to have approved it',
    unproven(
      {
        ...world({ ...one, rules: { ...rules, approvals: [{ people: 1, bots: [], notAuthor: false }] } }),
        approval: absent,
      },
      'step 2/3',
    ),
    'ApprovalUnproven',
    /who approved step 2\/3, and no merged pull request/,
  ],
  [
    'pushes of ours are refused',
    noDirectPush(waiting, { branch: 'main', form: 'NoDirectPush' }),
    'NoDirectPush',
    /^The rules of main refuse commits/,
  ],
  ['too many are open', full(waiting), 'ProposalsFull', /^As many .* maxProposals .*, so step 2\/3 is not proposed/],
  [
    'its branch is taken',
    branchTaken(waiting, 'x'),
    'BranchTaken',
    /-1-[0-9a-f]{32} holds something else.*Delete that/,
  ],
  [
    'the forge says no',
    heldBy(waiting, { ...refused, refusal: 'NoAccess' }).plan?.holds[0],
    'ForgeRefused',
    /step 2\/3: no\. Change the setting\. Until then: tranche approve vllm$/,
  ],
  [
    'the forge does not answer',
    heldBy(waiting, { kind: 'unavailable', why: 'it hung up' }).plan?.holds[0],
    'ForgeUnavailable',
    /step 2\/3 is not proposed yet: it hung up\. To go on without it: tranche approve vllm$/,
  ],
  [
    'it was open a moment ago',
    standing({ kind: 'early', seconds: 90 }, of),
    'PausedForApproval',
    /open a moment ago\. To/,
  ],
])('pull request: %s', (_, held, reason, message) => {
  expect(held?.reason).toBe(reason);
  expect(held?.message).toMatch(message);
});

test('a second workload is filled: one proposal a step and one for the promotion, whatever its pauses are', () => {
  for (const pause of ['{duration: 60}', '{}']) {
    for (const style of ['canary', 'blueGreen'] as const) {
      const steps = [`replicas: 1, traffic: 5%, pause: ${pause}`, `replicas: 100%, traffic: 50%, pause: ${pause}`];
      const found = { snapshot: { policy: { ...NO_RULES, ...rules } } };
      let stand = asked(passed(settledOn(ladderFiles(ladderRollout(style, steps)))).stand, OLD, NEW);
      const proposed: string[] = [];
      for (let count = 0; count < 20; count += 1) {
        const now = passed(stand, found);
        stand = now.stand;
        if (now.plan.commit?.delivery === 'proposal') proposed.push(now.plan.commit.reason);
      }
      expect(proposed).toEqual(['StepReady', 'StepReady', 'Promoted']);
    }
  }
});

test('what a policy accepts is reported wherever the step waits, with a forge and without', () => {
  const accepted = notesOf(world({ ...one, rules: { ...rules, withoutDirectPush: 'Accept' } }));
  expect(accepted).toEqual([
    expect.stringMatching(/^RolloutPolicy production .* accepts that commits of tranche do not reach/),
  ]);
  expect(notesOf(world(one))).toEqual([]);
  for (const held of [
    standing({ kind: 'waits' }, { ...of, notes: accepted }),
    pausedForApproval({ ...of, notes: accepted }),
  ]) {
    expect(held?.lines).toEqual(accepted);
    expect(held?.message).toContain('tranche approve vllm');
  }
});
