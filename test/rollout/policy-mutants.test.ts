/**
 * Planted bugs in the gates of policies: each is one patch of the source, and the answers must tell it. A test run plants
 * one; `POLICY_BUGS=all` every one, as `.ci/run` does.
 */

import { afterAll, expect, test } from 'vitest';
import { type Bug, fits, newPlanting, patchesOf, planted } from '../support/planted-bugs.ts';
import { wrongAnswers } from './policy-answers.ts';

const LIMITS = 'gates/limits.ts';
const TURNS = 'gates/turns.ts';
const BEFORE = 'gates/before.ts';

const bugs: readonly Bug[] = [
  ['no step is too large', BEFORE, '[\n  stepTooLarge,', '['],
  ['no budget is too large', BEFORE, 'stepTooLarge, budgetTooLarge,', 'stepTooLarge,'],
  ['no capacity is too low', BEFORE, 'capacityTooLow, gpusOverLimit, shareTooLarge', 'gpusOverLimit, shareTooLarge'],
  ['no window is asked', BEFORE, 'shareTooLarge, windowClosed, clockSkewed', 'shareTooLarge, clockSkewed'],
  ['a wrong clock is not asked', BEFORE, 'clockSkewed, ];', '];'],
  [
    'no turn is asked before a removal',
    BEFORE,
    'removalTooDeep, policiesContradict, notItsTurn,',
    'removalTooDeep, policiesContradict,',
  ],
  ['a removal is no step', BEFORE, 'folderEmptied, removalTooLarge,', 'folderEmptied,'],
  [
    'a removal takes nobody down',
    BEFORE,
    'removalTooLarge, removalTooDeep, policiesContradict',
    'removalTooLarge, policiesContradict',
  ],
  ['a required policy may be missing', BEFORE, '  policyMissing, // who is to say no is not there\n', ''],
  ['the limit itself is too much', LIMITS, 'groups <= most ?', 'groups < most ?'],
  ['a share is rounded up', LIMITS, 'Math.max(1, Math.floor((maxStepPercent', 'Math.max(1, Math.ceil((maxStepPercent'],
  [
    'a share may be no group',
    LIMITS,
    'Math.max(1, Math.floor((maxStepPercent',
    'Math.max(0, Math.floor((maxStepPercent',
  ],
  ['every step is the first', LIMITS, 'first ? maxFirstStepGroups : undefined', 'maxFirstStepGroups'],
  ['the plan is not looked at', LIMITS, 'return [next, ...later];', 'return [next];'],
  ['a step in progress asks the whole plan', LIMITS, 'if (!step.first && step.index > 0) return [next];', ''],
  ['the budget itself is too much', LIMITS, 'budget > most ?', 'budget >= most ?'],
  ['groups that are down count as up', LIMITS, 'Math.min(unready + groups,', 'Math.min(groups,'],
  [
    'the budget bounds nothing',
    LIMITS,
    'Math.min(unready + groups, unavailableBudget(maxUnavailable, all))',
    'unready + groups',
  ],
  ['extra groups to come do not serve', LIMITS, 'const all = asked + surgeToCome(situation);', 'const all = asked;'],
  ['what is left is rounded down', LIMITS, 'Math.ceil((minReadyPercent', 'Math.floor((minReadyPercent'],
  ['just enough is too few', LIMITS, 'seen.serving >= need', 'seen.serving > need'],
  ['extra groups cost nothing', LIMITS, '{ gpus: (own + extra) * each,', '{ gpus: own * each,'],
  ['extra groups in place cost nothing', LIMITS, ': made.set - made.was);', ': 0);'],
  ['one more may be in progress', TURNS, 'underWay.length >= most', 'underWay.length > most'],
  ['who has asked before elsewhere starts later', TURNS, 'keepsPlaces(snapshot) ?', 'false ?'],
  ['a place is kept for ever', TURNS, 'now - Math.max(since, requestedAt ?? since) < KEPT_SECONDS', 'true'],
  ['two places are kept for one', TURNS, 'underWay.length + before.length >= most', 'before.length > 0'],
  ['as many GPUs as allowed are too many', LIMITS, 'gpus <= most', 'gpus < most'],
  [
    'just enough time is too little',
    'gates/windows.ts',
    'until - now >= Math.max(least, takes)',
    'until - now > Math.max(least, takes)',
  ],
  [
    'the exception of another release counts',
    'gates/windows.ts',
    'find((one) => one.release === release)',
    'find((one) => one.release !== release)',
  ],
  ['every exception counts', 'gates/windows.ts', 'find((one) => one.release === release)', 'find(() => true)'],
  [
    'no exception counts in a delivery',
    'situation.ts',
    'return begun ? state.marks.release : nextRelease(digest, marks);',
    'return nextRelease(digest, marks);',
  ],
  ['a soak as long as the deadline is too long', 'gates/contradiction.ts', 'most >= least', 'most > least'],
  [
    'what cannot be met starts',
    BEFORE,
    'surgeRefused, ...limits, policiesContradict, notItsTurn',
    'surgeRefused, ...limits, notItsTurn',
  ],
  [
    'a lost record forgets rollbacks',
    'progress/automatic-rollbacks.ts',
    'record?.automaticBacks ?? backsInHistory ??',
    'record?.automaticBacks ??',
  ],
  [
    'a hold that has to pass by itself is too long',
    'record/notices.ts',
    "'waits' in held && held.waits === 'time'",
    'false',
  ],
  ['what was told is told again', 'record/notices.ts', 'to.length > 0 && !known.includes(key)', 'to.length > 0'],
  ['a window that is shut is open', 'gates/windows.ts', 'if (!open) {', 'if (open) {'],
  [
    'the soak of the end is that of each step',
    'gates/soak.ts',
    "state.row !== 'partial' && state.index === state.of && ",
    '',
  ],
  ['the shorter soak counts in the end', 'gates/soak.ts', ' && finalSoakSeconds >= soakSeconds', ''],
  ['a soak that is over lasts', 'gates/soak.ts', 'if (left <= 0) return', 'if (left < 0) return'],
  ['how long groups load does not count', 'gates/windows.ts', 'Math.max(least, takes)) return', 'least) return'],
  [
    'a step starts by a wrong clock',
    'gates/windows.ts',
    'windows === undefined ? undefined : clockIsOff',
    'windows !== undefined ? undefined : clockIsOff',
  ],
  [
    'a deadline is over by a wrong clock',
    'deadlines.ts',
    'if (snapshot.clockOffSeconds !== undefined) return false;',
    '',
  ],
  [
    'time in which no pass ran counts',
    'deadlines.ts',
    'Math.min(Math.max(0, snapshot.now - running.at), most)',
    'Math.max(0, snapshot.now - running.at)',
  ],
  ['one pass is enough', 'deadlines.ts', 'since === undefined || since >= now ||', 'since === undefined ||'],
  ['a deadline is over though nobody waits', 'deadlines.ts', ' || !waits.includes(clock)) return []', ') return []'],
  [
    'people who hold a step do not stop the time',
    'deadlines.ts',
    'return people.every((gate) => gate(situation) === undefined);',
    'return true;',
  ],
  ['a group without a node loads', 'deadlines.ts', 'late.filter((group) => !group.placed)', 'late.filter(() => false)'],
  ['as often as allowed is too often', 'progress/step-failures.ts', 'timesOf(group) > most', 'timesOf(group) >= most'],
  [
    'what failed goes back whatever is stated',
    'gates/failure.ts',
    'const isOurs = situation.snapshot.policy.onFailure === way;',
    'const isOurs = true;',
  ],
  [
    'groups are released for update from the sentinel',
    'step-to-come.ts',
    'const free = begun ? Math.min(partition, replicas) : replicas;',
    'const free = replicas;',
  ],
];

test('without a bug every answer is as wanted', () => {
  expect([...wrongAnswers()]).toEqual([]);
  expect(bugs.length).toBeGreaterThanOrEqual(20);
});

const patches = patchesOf(bugs);
const tried = planted(patches);
const { wrongUnder, end } = newPlanting('policy-answers.ts', tried);
afterAll(end);

test.each(patches)('$name: it can be planted', (patch) => expect(fits(patch)).toBe(true));

test.each(tried)('$name is told', async (patch) => {
  expect(await wrongUnder(patch)).toBeDefined();
});
