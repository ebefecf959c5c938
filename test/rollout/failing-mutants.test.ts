/**
 * Planted bugs in what fails while a second workload is filled. A test run plants one; `POLICY_BUGS=all` every one,
 * as `.ci/run` does.
 */

import { afterAll, expect, test } from 'vitest';
import { type Bug, fits, newPlanting, patchesOf, planted } from '../support/planted-bugs.ts';
import { wrongAnswers } from './failing-answers.ts';

const JUDGED = 'ladders/judged.ts';
const FAILING = 'events/ladder-failing.ts';

const bugs: readonly Bug[] = [
  [
    'the primary fails by groups of the canary',
    JUDGED,
    '? ofPrimary(situation) : ofFilled(on, undefined);',
    '? ofFilled(on, undefined) : ofFilled(on, undefined);',
  ],
  ['groups of the stable version count', JUDGED, "told && leader.version === 'release'", 'told'],
  ['a newer template is overwritten', 'events/failing.ts', 'digest !== release.digest || ', ''],
  ['a share is withdrawn to too few', FAILING, 'groups: quorumLeft(on) }]);', 'groups: 0 }]);'],
  ['of one workload all groups must serve', FAILING, 'if (!isOneWorkload(delivery.plan.style)) return', 'return'],
  ['of one workload nothing is withdrawn', 'strategies/routed.ts', '({ on }) => withdrawnAsFailed(on),', ''],
  [
    'what is not live of a Service is not waited for',
    'deadlines.ts',
    "if (!queued && state.row === 'partial' && isRouted(state.marks)) return unliveOnLadder(situation);",
    '',
  ],
  ['what rolls is withdrawn from', FAILING, ' || takesPrimary(on)', ''],
  [
    'what is to be withdrawn is held',
    FAILING,
    'given === undefined ? withdrawnAsFailed(on) : { ...goBackOnLadder(on, given), brakes: [failed(on)] }',
    'given === undefined ? undefined : { ...goBackOnLadder(on, given), brakes: [failed(on)] }',
  ],
  [
    'a promotion goes on with the count of the last step',
    'progress/restarts.ts',
    '(recorded.promotes === true) !== isPromotion',
    'false',
  ],
  [
    'rungs forget restarts',
    'progress/restarts.ts',
    "if (situation.state.kind === 'ladder') return judgedOnLadder(situation)?.all;",
    "if (situation.state.kind === 'ladder') return [];",
  ],
];
const patches = patchesOf(bugs);
const tried = planted(patches);
const { wrongUnder, end } = newPlanting('failing-answers.ts', tried);
afterAll(end);

test('without a bug every answer is as wanted', () => expect([...wrongAnswers()]).toEqual([]));

test.each(patches)('$name: it can be planted', (patch) => expect(fits(patch)).toBe(true));

test.each(tried)('$name is told', async (patch) => {
  expect(await wrongUnder(patch)).toBeDefined();
});
