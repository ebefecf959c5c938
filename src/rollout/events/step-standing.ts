/** How far the step in Git is, and what its next rung or the next step waits for: asked in the same order with routes and without. */

import type { StepIntent } from '../../api/intents.ts';
import { accepted } from '../accepting.ts';
import { analysing } from '../gates/analysis.ts';
import { before } from '../gates/before.ts';
import { cameUpWhole, recreated } from '../gates/cluster.ts';
import { holdsOf } from '../gates/gate.ts';
import { astray, overshoot, overshooting, partitionFacts, scaledAway } from '../gates/out-of-place.ts';
import { refusedJump, waitingOnPause } from '../gates/pause.ts';
import { soaking } from '../gates/soak.ts';
import { waitingOnGroups } from '../gates/step-groups.ts';
import { crashLooping } from '../gates/trouble.ts';
import { blocking, type Hold, unique } from '../hold.ts';
import { type Decision, holding } from '../move.ts';
import { stateOfStep } from '../progress/step-state.ts';
import type { Seen, Situation } from '../situation.ts';
import type { InDelivery } from '../state.ts';
import { editedPlan, wholeNext } from '../step-to-come.ts';
import type { nextStep } from './next-step.ts';
import { partitionEdited } from './partition-edited.ts';
import { raisedForLeftovers } from './raising.ts';
import { acceptRecreated } from './recreated.ts';

/** What routes add to a step of groups: what they wait for, and whether its share in the plan is another than the one written. */
type Routes = { readonly waits: readonly Hold[]; readonly again: boolean };

/** What comes before anything is asked of the groups: a partition that was edited, a workload that was re-created. */
export function beforeGroups(situation: Situation, step: InDelivery): Decision | undefined {
  const edited = partitionEdited(situation, step);
  if (edited !== undefined && edited.move !== undefined) return edited;
  const fresh = recreated(situation);
  if (fresh !== undefined && !accepted(situation, 'Recreated')) return holding([fresh], 'StepUpgrade');
  if (fresh !== undefined && cameUpWhole(situation)) return acceptRecreated(situation, step);
  return edited === undefined && situation.view === 'seen' ? raisedForLeftovers(situation, step) : undefined;
}

/** How far the step in Git is. */
type StepStanding = {
  readonly step: InDelivery;
  /** Of a partition that was edited. */
  readonly edited: readonly Hold[];
  /** Its groups, and its routes. */
  readonly groups: readonly Hold[];
  readonly gone: Hold | undefined;
  readonly found: readonly (Hold | undefined)[];
  /** Another step than the next one. */
  readonly plan: number | undefined;
  /** What its pause and its soak count from. */
  readonly done: boolean;
  /** Whether its pause is served before the next one. */
  readonly isDue: boolean;
};

/** Asked once, for the next rung of this step and for the next step. */
export function standingOf(situation: Situation, step: InDelivery, routes: Routes): StepStanding {
  const { marks, index } = step;
  const at = { index, release: marks.release };
  const groups = unique([...waitingOnGroups(situation), ...routes.waits]);
  // Another partition than the step's explains what lies on its wrong side, accepted or not.
  const moved = partitionFacts(situation);
  const gone = moved === undefined ? scaledAway(situation, at) : undefined;
  // Nothing soaks while there are no groups.
  const done = groups.length === 0 && situation.replicas !== 0 && gone === undefined;
  const whole = wholeNext(situation, index);
  const again = routes.again ? index : undefined;
  const plan = whole ?? (situation.view === 'seen' ? editedPlan(situation, at) : undefined) ?? again;
  const found = situation.view === 'seen' ? outOfPlace(situation, { ...at, moved: moved !== undefined, plan }) : [];
  // An edit never ends a pause: wherever it leads, what the step in Git had to serve comes first.
  const isDue = done && whole === undefined && (again === undefined || plan !== again);
  return { step, edited: partitionEdited(situation, step)?.holds ?? [], groups, gone, found, plan, done, isDue };
}

/** What keeps a rung or a step, or all that it is written by. */
type Answer =
  | { readonly kind: 'shut'; readonly decision: Decision }
  | { readonly kind: 'open'; readonly seen: Seen; readonly from: Parameters<typeof nextStep>[1] };

/** Asked for a later rung of the same step: its pause comes after that. */
export function rungAsked(situation: Situation, at: StepStanding): Answer {
  const { groups, gone, found, edited } = at;
  const rest = [...edited, ...groups, ...holdsOf(before.finish, situation), gone, ...found];
  return answered(situation, at, { holds: unique(rest.filter((one) => one !== undefined)), done: false });
}

/** Asked for the next step. */
export function nextAsked(situation: Situation, at: StepStanding): Answer {
  const { step, groups, gone, found, edited, isDue, done } = at;
  const { index } = step;
  const pause = isDue ? [waitingOnPause(situation, { index, release: step.marks.release }), soaking(situation)] : [];
  // Whatever ends a pause ends no analysis.
  const measured = done ? analysing(situation) : [];
  const rest = [gone, ...found, ...pause, ...measured, refusedJump(situation, index)].filter(
    (one) => one !== undefined,
  );
  return answered(situation, at, { holds: [...edited, ...groups, ...holdsOf(before.next, situation), ...rest], done });
}

function answered(
  situation: Situation,
  { step: { marks, index }, groups, plan }: StepStanding,
  { holds, done }: { readonly holds: readonly Hold[]; readonly done: boolean },
): Answer {
  if (situation.view === 'seen' && blocking(holds).length === 0)
    return { kind: 'open', seen: situation, from: { marks, index, plan } };
  const state = stateOfStep(situation, index, { groups, holds });
  return { kind: 'shut', decision: holding(unique(holds), state, done) };
}

/** Groups that are too many on the release, below the partition, or that do not stay up. */
function outOfPlace(
  situation: Seen,
  at: StepIntent & { readonly moved: boolean; readonly plan: number | undefined },
): readonly (Hold | undefined)[] {
  const { index, release, moved, plan } = at;
  // Under an edited plan it is the step to come that must have room for what is done.
  const toCome = { index: plan ?? index, release };
  // Who accepts that there are too many has seen which they are.
  const counted = overshooting(situation, toCome) !== undefined || moved || plan !== undefined;
  return [overshoot(situation, toCome), counted ? undefined : astray(situation), crashLooping(situation)];
}
