/** The way back where routes share out the requests of the workload: they go home before the groups that answer them go. */

import { type Marks } from '../../api/marks.ts';
import { printRelease, sameRelease } from '../../api/release.ts';
import { goBack, noText } from '../events/going-back.ts';
import { stableLost } from '../events/withdrawing.ts';
import { recreated } from '../gates/cluster.ts';
import { abortOf, type GivenUp, remember } from '../given-up.ts';
import { besides } from '../ladders/besides.ts';
import { LIVE } from '../ladders/condition.ts';
import { type Delivering, servingGroups, waiting } from '../ladders/delivering.ts';
import { isHome } from '../ladders/shares.ts';
import { allHome, shareHome } from '../ladders/version-edits.ts';
import { type Decision, holding, MOVES, moving } from '../move.ts';
import type { Situation } from '../situation.ts';
import { workloadMove } from '../workload-change.ts';

type Back = { readonly given: GivenUp; readonly marks: Marks };

/** One commit where no request would be lost by it; else the share goes home first, and nothing restarts. */
export function routedBack(on: Delivering, { given, marks }: Back): Decision {
  const { situation, delivery } = on;
  if (situation.snapshot.stable.kind !== 'known') return holding([noText(situation)], 'StepUpgrade');
  if (isHome(delivery) || isAtOnce(on, given.release) || hasLeft(situation)) return textBack(on, { given, marks });
  const lost = stableLost(on);
  if (lost !== undefined) return holding([lost], 'StepUpgrade');
  const move = workloadMove(situation, {
    reason: given.reason,
    label: `${MOVES[given.reason].label}, home`,
    marks: { ...marks, step: { kind: 'rollback' }, aborted: remember(given, marks) },
    why: `${given.because} Its groups answer a share of the requests: that goes home first, and they restart on the stable version once their last ones are answered.`,
  });
  return besides(on, moving(move, 'StepUpgrade'), { at: 'home', commit: shareHome(delivery) });
}

/** Nothing of the new version serves, or a person does not want to wait for it. */
function isAtOnce(on: Delivering, release: GivenUp['release']): boolean {
  return servingGroups(on, 'canary') === 0 || abortOf(on.situation, release)?.now === true;
}

/** Every group may have left the stable version, which no request could be kept for then; or goes back already. */
function hasLeft(situation: Situation): boolean {
  const { state, snapshot, digest } = situation;
  const isWhole = state.kind === 'step' && (state.row === 'rolling' || state.row === 'armed');
  const isBack = snapshot.stable.kind === 'known' && snapshot.stable.value.release.digest === digest;
  return isWhole || isBack || recreated(situation) !== undefined;
}

function textBack(on: Delivering, { given, marks }: Back): Decision {
  const { situation, delivery } = on;
  const move = goBack(situation, { given, marks });
  if (move === undefined) return holding([noText(situation)], 'StepUpgrade');
  const isAll = recreated(situation) !== undefined || servingGroups(on, 'stable') === 0;
  const commit = isAll ? allHome(delivery) : shareHome(delivery);
  return besides(on, moving(move, 'StepUpgrade'), { at: 'text', commit });
}

/** The share has gone home: the text follows once the last requests are answered. */
export function drainedBack(on: Delivering): Decision {
  const { situation, marks } = on;
  const { release } = marks;
  if (!isAtOnce(on, release) && !hasLeft(situation)) {
    const holds = waiting(on, [LIVE, { kind: 'accepted' }, { kind: 'drained', side: 'canary' }]);
    if (holds.length > 0) return holding(holds, 'StepUpgrade');
  }
  const aborted = marks.aborted.filter((given) => !sameRelease(given, release));
  const because = `Release ${printRelease(release)} was given up, and no request reaches it any more.`;
  return textBack(on, { given: { release, reason: 'Aborted', because }, marks: { ...marks, aborted } });
}
