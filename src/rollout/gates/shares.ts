/** The gate of shares: how much more of the requests a step may send to the new version than the one before it. */

import { takesTurns } from '../../api/styles.ts';
import { type Hold, hold } from '../hold.ts';
import { delivering } from '../ladders/delivering.ts';
import { fillToCome } from '../ladders/fill-to-come.ts';
import { inPercent, percentIn, shareOf } from '../ladders/shares.ts';
import { wantedOf } from '../ladders/version-step.ts';
import type { Situation } from '../situation.ts';
import { type StepToCome, stepToCome } from '../step-to-come.ts';
import { policySaying } from '../texts/sentences.ts';

/** All requests, as where blueGreen goes over to the new colour. */
const WHOLE = 100;

/** In percent of all requests: this many now, and this many with what comes. */
type Raise = { readonly what: string; readonly from: number; readonly to: number };

/**
 * Before the first step the whole plan is held to it. A step with `matches` names its requests, and is not counted; nor is
 * where no route shares out any: there they follow the groups, for which others ask.
 */
export function shareTooLarge(situation: Situation): Hold | undefined {
  return raisedTooFar(situation, () => raisesToCome(situation));
}

/** The same of the share that a step has after its groups: anyone who edited it meanwhile has asked no gate of the step. */
export function stepShareTooLarge(situation: Situation, index: number): Hold | undefined {
  const to = shareAt(situation, index);
  if (to === undefined) return undefined;
  return raisedTooFar(situation, () => [{ what: `step ${index}`, from: shareNow(situation), to }]);
}

/** No step of a delivery is done. */
function isFirstOf(state: Situation['state']): boolean {
  return state.kind !== 'step' && state.kind !== 'ladder';
}

function raisedTooFar({ snapshot, state }: Situation, raisesOf: () => readonly Raise[]): Hold | undefined {
  const { maxStepTrafficPercent: most, maxFirstTrafficPercent: atFirst } = snapshot.policy;
  if (most === undefined && atFirst === undefined) return undefined;
  const raises = raisesOf();
  const limits = [
    { field: 'maxStepTrafficPercent', limit: most, over: raises.filter(({ from, to }) => to - from > (most ?? WHOLE)) },
    {
      field: 'maxFirstTrafficPercent',
      limit: atFirst,
      over: raises.filter(({ from, to }) => from === 0 && to > (atFirst ?? WHOLE)),
    },
  ] as const;
  const told = limits.flatMap(({ field, limit, over }) => {
    const seen = over.map(
      ({ what, from, to }) =>
        `${what} sends ${inPercent(to)} % of the requests to the new version, after ${inPercent(from)} %`,
    );
    return over.length === 0
      ? []
      : [`${seen.join(', and ')}; ${policySaying(snapshot, field)} allows ${limit} more (${field})`];
  });
  if (told.length === 0) return undefined;
  return hold('ShareTooLarge', {
    seen: told.join(', and '),
    // In mid-delivery the number of steps is fixed (StepCountChanged).
    action: isFirstOf(state)
      ? 'Write smaller shares, or steps between them, or change the policy'
      : 'Write smaller shares, or change the policy',
  });
}

function raisesToCome(situation: Situation): readonly Raise[] {
  const { snapshot, steps } = situation;
  const step = stepToCome(situation);
  const routing = snapshot.rollout?.rollout.routing;
  if (routing === undefined || step === undefined) return [];
  const filled = fillToCome(situation);
  const now = shareNow(situation);
  const whole: readonly Raise[] = takesTurns(snapshot.rollout?.rollout.style)
    ? [{ what: 'the promotion', from: now, to: WHOLE }]
    : [];
  if (filled?.promotes === true) return whole;
  if (routing.routes.length === 0) return isFirst(step) ? whole : [];
  const last = step.first || step.index === 0 ? steps.length : step.index;
  const to = steps.map((_, at) => shareAt(situation, at + 1));
  const planned = to.flatMap((share, at): readonly Raise[] => {
    const index = at + 1;
    if (index < Math.max(1, step.index) || index > last) return [];
    const before = index <= Math.max(1, step.index) ? now : (to[at - 1] ?? 0);
    return share === undefined ? [] : [{ what: `step ${index}`, from: before, to: share }];
  });
  return [
    ...planned,
    ...(last === steps.length && isFirst(step) ? whole.map((one) => ({ ...one, from: to.at(-1) ?? 0 })) : []),
  ];
}

function isFirst({ first, index }: StepToCome): boolean {
  return first || index === 0;
}

/** What a step of the plan sends; undefined: its rules say which, or the requests follow its groups. */
function shareAt(situation: Situation, index: number): number | undefined {
  const { steps, replicas = 0, partition } = situation;
  const step = steps[index - 1];
  if (step === undefined) return undefined;
  const isOne = fillToCome(situation) === undefined;
  const share = isOne ? wantedOf(step, { replicas, partition }).share : shareOf(step);
  return share.kind === 'matches' ? undefined : share.kind === 'weight' ? share.percent : 0;
}

/** What routes send to the new version as Git has them; nothing before the first step, and none of it to a newer template. */
function shareNow(situation: Situation): number {
  const { state, digest } = situation;
  if (state.kind !== 'step' && state.kind !== 'ladder') return 0;
  const { marks } = state;
  const on = digest === marks.release.digest ? delivering(situation, marks, marks.release) : undefined;
  return on === undefined ? 0 : percentIn(on.delivery);
}
