/** What the laws except, next to what is all but the same and is not excepted. */

import { expect, test } from 'vitest';
import { FakeRepository } from '../support/fake-git.ts';
import { isTakenOutByHand } from './excuses.ts';
import { isForRepair, isScaledAway } from './finish.ts';
import { isLowestAstray, isReleasedAgain } from './ladder-laws.ts';
import { fieldsOf, isLockedAgain } from './our-commit.ts';
import { isOfHand } from './part-laws.ts';
import { isHeld } from './policy-laws.ts';
import { refilledFrom } from './traffic-laws.ts';
import type { Truth } from './truth.ts';
import { keepsNewer } from './watch.ts';

const groupsOf = (replicas: number): string => `spec:\n  replicas: ${replicas}\n`;

test.each([
  ['nothing of stable serves, and people ask for no group', 'StableNotServing', 0, true],
  ['nothing of stable serves, and people ask for one', 'StableNotServing', 1, false],
  ['another reason, and no group', 'NotServing', 0, false],
] as const)('rest for people: %s', (_, reason, replicas, held) =>
  expect(isScaledAway(reason, groupsOf(replicas))).toBe(held),
);

/** Versions of groups, from 0. */
function truth(...versions: readonly number[]): Truth {
  return { groups: versions.map((leaderVersion, index) => ({ leaderVersion, index })) } as unknown as Truth;
}

test.each([
  ['that of the lowest group on another version', 4, truth(0, 0, 0, 0, 2, 2), true],
  ['one lower: a group of the stable version is with them', 3, truth(0, 0, 0, 0, 2, 2), false],
  ['one higher: a group astray stays', 5, truth(0, 0, 0, 0, 2, 2), false],
  ['no group is astray', 4, truth(0, 0, 0, 0, 0, 0), false],
])('a request that goes back, partition: %s', (_, partition, seen, isAllowed) =>
  expect(isLowestAstray(partition, { since: [seen], after: { ...fieldsOf(''), version: 0 } })).toBe(isAllowed),
);

const BACK = { at: 'route-restored' } as NonNullable<ReturnType<typeof fieldsOf>['marks']>;
const kept = { reason: 'Aborted', version: 1, before: { version: 2 }, after: { version: 2, marks: BACK } };

test.each([
  ['a newer request stays in the file', kept, true],
  ['the file had the template of the release', { ...kept, version: 2 }, false],
  ['another template is written', { ...kept, after: { version: 0, marks: BACK } }, false],
  ['nobody has aborted', { ...kept, reason: 'StepReady' }, false],
  ['on another rung', { ...kept, after: { version: 2, marks: { ...BACK, at: 'template' } } }, false],
] as const)('a release that its file does not name: %s', (_, of, isKept) => expect(keepsNewer(of)).toBe(isKept));

test.each([
  ['the same by the commit of a hand alone', 'S1: 2 of 3 serve', 'S1: 2 of 3 serve', true],
  ['another fault by that', 'S1: 2 of 3 serve', 'S1: 1 of 3 serves', false],
  ['nothing by that, or it is a commit of ours', 'S1: 2 of 3 serve', undefined, false],
  ['nothing is wrong', undefined, undefined, false],
])('a commit that is applied in part: %s', (_, wrong, byHand, isTheirs) =>
  expect(isOfHand(wrong, () => byHand)).toBe(isTheirs),
);

const LAST = { step: 'promote', at: 'route-restored' } as NonNullable<ReturnType<typeof fieldsOf>['marks']>;
const again = { reason: 'PartitionRestored', releaseVersion: 1, after: { ...fieldsOf(''), version: 1, marks: LAST } };

test.each([
  ['what it was stopped for is gone', again, true],
  ['a newer template is in the file', { ...again, after: { ...again.after, version: 2 } }, false],
  ['in a step', { ...again, after: { ...again.after, marks: { ...LAST, step: '1/2' } } }, false],
  ['another commit', { ...again, reason: 'RungReady' }, false],
] as const)('a primary that is released for update again on stable: %s', (_, of, isAllowed) =>
  expect(isReleasedAgain(of)).toBe(isAllowed),
);

const rung = (at: string): Parameters<typeof isHeld>[0]['after'] => ({
  ...fieldsOf(''),
  marks: { step: '4/4', at } as NonNullable<ReturnType<typeof fieldsOf>['marks']>,
});
const PLAIN = {} as Parameters<typeof isHeld>[0]['workload'];
const filling = { fills: { style: 'canary' } } as Parameters<typeof isHeld>[0]['workload'];
const jumped = { reason: 'Jumped', before: fieldsOf(''), after: rung('empty'), workload: filling };

test.each([
  ['a jump empties the canary of another release', jumped, false],
  ['so does an edit of the plan', { ...jumped, reason: 'StepsEdited' }, false],
  ['a jump that gives it the template', { ...jumped, after: rung('template') }, true],
  ['a jump that gives it groups', { ...jumped, after: rung('pods') }, true],
  ['the first rung after it', { ...jumped, reason: 'StepReady', after: rung('template') }, true],
  ['a jump where no second workload is filled', { ...jumped, workload: PLAIN }, true],
] as const)('what a policy holds: %s', (_, of, held) => expect(isHeld(of)).toBe(held));

const marked = (release: string, step?: string): ReturnType<typeof fieldsOf> => ({
  ...fieldsOf(''),
  version: 0,
  marks: { release, step } as NonNullable<ReturnType<typeof fieldsOf>['marks']>,
});
const undone = { before: marked('a.1', 'rollback'), after: marked('a.1'), last: marked('a.1') };

test.each([
  ['the commit that ended it is undone', undone, true],
  ['tranche wrote last that it goes back', { ...undone, last: marked('a.1', 'rollback') }, false],
  ['tranche has written nothing', { ...undone, last: undefined }, false],
  ['another release had settled', { ...undone, last: marked('b.2') }, false],
  ['the template changes', { ...undone, before: { ...marked('a.1', 'rollback'), version: 1 } }, false],
  ['from a step', { ...undone, before: marked('a.1', '1/3') }, false],
])('a rollback that ends by a lock: %s', (_, of, isAllowed) => expect(isLockedAgain(of)).toBe(isAllowed));

const GONE = [{ reason: 'AnnotationsGone' }] as const;

test.each([
  ['all marks are out of the file, and it says so', GONE, { isMixed: false, isTakenOut: true }, true],
  ['some are, by a file that was put back', GONE, { isMixed: true, isTakenOut: false }, true],
  ['no hand has taken any out, and it says so', GONE, { isMixed: false, isTakenOut: false }, false],
  ['they are out of the file, and nothing says so', [], { isMixed: false, isTakenOut: true }, false],
] as const)('marks for people to repair: %s', (_, holds, of, isLeft) => expect(isForRepair(holds, of)).toBe(isLeft));

const empty = { version: 2, groups: 0 };

test.each([
  ['another template, and groups', empty, { version: 1, groups: 3 }, 2],
  ['groups alone', empty, { version: 2, groups: 3 }, undefined],
  ['another template alone', empty, { version: 1, groups: 0 }, undefined],
  ['another template where groups are', { version: 2, groups: 1 }, { version: 1, groups: 3 }, undefined],
] as const)('a second workload by hand: %s', (_, before, after, from) =>
  expect(refilledFrom(before, after)).toBe(from),
);

const OURS =
  'rollout(llm/vllm): canary emptied\n\nRollout: llm/vllm\nRollout-Step: 1/1\nRollout-Release: 0123456789abcdef0123456789abcdef.1\nRollout-Reason: CanaryEmptied\nPlanned-From: 0123456789abcdef0123456789abcdef01234567\n';

test.each([
  ['reverted by a hand', 'Revert "rollout(llm/vllm): step 1/2"', true],
  ['taken out by a commit of ours', OURS, false],
] as const)('a Service without endpoints: %s', (_, message, excused) => {
  const path = 'apps/vllm/service.yaml';
  const text = 'kind: Service\nmetadata:\n  name: vllm-svc\n';
  const repository = FakeRepository.withFiles({ [path]: `${text}---\n${text.replace('svc', 'svc-canary')}` });
  const of = { name: 'vllm', service: 'vllm-svc-canary' };
  expect(isTakenOutByHand({ repository }, of)).toBe(false);
  repository.commit('main', { writes: [{ path, text }], message });
  // What comes after it tells nothing.
  repository.commit('main', { writes: [{ path: 'README.md', text: 'x' }], message: excused ? OURS : 'README' });
  expect(isTakenOutByHand({ repository }, of)).toBe(excused);
});
