/**
 * Planted bugs in what policies hold while a second workload is filled. A test run plants one; `POLICY_BUGS=all`
 * every one, as `.ci/run` does.
 */

import { afterAll, expect, test } from 'vitest';
import { type Bug, fits, newPlanting, patchesOf, planted } from '../support/planted-bugs.ts';
import { wrongAnswers } from './filled-answers.ts';

const LIMITS = 'gates/limits.ts';
const FILL = 'ladders/fill-to-come.ts';
const SHARES = 'gates/shares.ts';
const WINDOWS = 'gates/windows.ts';

const bugs: readonly Bug[] = [
  ['a jump is the next step', FILL, 'if (led !== undefined || !isBegun)', 'if (!isBegun)'],
  ['a jump before step 1 is step 1', FILL, 'return at(firstOf(situation), true);', 'return at(1, true);'],
  ['a jump ends a soak', 'strategies/climbing.ts', ', soaking(situation)]', ']'],
  ['an edit of a step leads to the next', FILL, 'return { index: stepAfterEdit(', 'return { index: 1 + stepAfterEdit('],
  ['a promotion loads nothing', WINDOWS, 'filled?.promotes === true ? filled.primary : undefined', 'undefined'],
  [
    'groups that are down count next to the primary',
    LIMITS,
    'Math.max(unready, unavailableBudget(maxUnavailable, asked))',
    'unavailableBudget(maxUnavailable, asked)',
  ],
  [
    'shares are of the colour that is filled',
    LIMITS,
    'fillToCome(situation)?.primary ?? situation.replicas',
    'situation.replicas',
  ],
  ['a share is asked of nobody', 'gates/before.ts', 'shareTooLarge, windowClosed', 'windowClosed'],
  ['a share as large as allowed is too large', SHARES, 'to - from > (most', 'to - from >= (most'],
  ['a share counts from nothing', SHARES, 'to - from > (most', 'to > (most'],
  ['every share is the first', SHARES, 'from === 0 && to >', 'to >'],
  [
    'the share of a jump counts from the step before it',
    SHARES,
    'index <= Math.max(1, step.index) ? now',
    'index <= 1 ? now',
  ],
  ['the promotion of blueGreen sends nothing', SHARES, 'takesTurns(snapshot', '!takesTurns(snapshot'],
  ['the colour that serves costs nothing', LIMITS, 'filled?.primary ?? replicas;', 'replicas;'],
  [
    'a newer template that waits is an edit by hand',
    'ladders/edited-by-hand.ts',
    'situation.digest !== marks.release.digest;',
    'situation.digest === undefined;',
  ],
  [
    'the budget of a rollback stays',
    'strategies/coming-back.ts',
    'restoredFields(on, restoreOwn(marks, situation.workload))',
    'restoredFields(on, [])',
  ],
];
const patches = patchesOf(bugs);
const tried = planted(patches);
const { wrongUnder, end } = newPlanting('filled-answers.ts', tried);
afterAll(end);

test('without a bug every answer is as wanted', () => expect([...wrongAnswers()]).toEqual([]));

test.each(patches)('$name: it can be planted', (patch) => expect(fits(patch)).toBe(true));

test.each(tried)('$name is told', async (patch) => {
  expect(await wrongUnder(patch)).toBeDefined();
});
