/** The row `step k, partial`: finish the step that Git names, then write the next. */

import type { StepIntent } from '../../api/intents.ts';
import { accepted } from '../accepting.ts';
import { nextStep, type StepWay } from '../events/next-step.ts';
import { partitionEdited } from '../events/partition-edited.ts';
import { raisedForLeftovers } from '../events/raising.ts';
import { acceptRecreated } from '../events/recreated.ts';
import { before } from '../gates/before.ts';
import { recreated } from '../gates/cluster.ts';
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

/** The groups are all that a step has. */
const GROUPS_ONLY: StepWay = { waits: [], rung: undefined, again: false, next: nextStep };

/** The file has the release's template: the caller has looked. */
export function partial(situation: Situation, step: InDelivery, way: StepWay = GROUPS_ONLY): Decision {
  const { marks, index } = step;
  const { release } = marks;
  const at = { index, release };
  const edited = partitionEdited(situation, step);
  if (edited !== undefined && edited.move !== undefined) return edited;
  const fresh = recreated(situation);
  if (fresh !== undefined)
    return accepted(situation, 'Recreated') ? acceptRecreated(situation, step) : holding([fresh], 'StepUpgrade');
  const raised = edited === undefined && situation.view === 'seen' ? raisedForLeftovers(situation, step) : undefined;
  if (raised !== undefined) return raised;
  const groups = unique([...waitingOnGroups(situation), ...way.waits]);
  // Another partition than the step's explains what lies on its wrong side, accepted or not.
  const moved = partitionFacts(situation);
  const gone = moved === undefined ? scaledAway(situation, at) : undefined;
  // Nothing soaks while there are no groups.
  const done = groups.length === 0 && situation.replicas !== 0 && gone === undefined;
  const whole = wholeNext(situation, index);
  const again = way.again ? index : undefined;
  const plan = whole ?? (situation.view === 'seen' ? editedPlan(situation, at) : undefined) ?? again;
  const found = situation.view === 'seen' ? outOfPlace(situation, { ...at, moved: moved !== undefined, plan }) : [];
  if (way.rung !== undefined) {
    const rest = [...(edited?.holds ?? []), ...groups, ...holdsOf(before.finish, situation), gone, ...found];
    const held = unique(rest.filter((one) => one !== undefined));
    if (situation.view === 'seen' && blocking(held).length === 0) return way.rung(situation);
    return holding(held, stateOfStep(situation, index, { groups, holds: held }));
  }
  // An edit never ends a pause: wherever it leads, what the step in Git had to serve comes first.
  const isDue = whole === undefined && (again === undefined || plan !== again);
  const pause = done && isDue ? [waitingOnPause(situation, at), soaking(situation)] : [];
  const holds = [
    ...(edited?.holds ?? []),
    ...groups,
    ...holdsOf(before.next, situation),
    ...[gone, ...found, ...pause, refusedJump(situation, index)].filter((one) => one !== undefined),
  ];
  if (situation.view === 'unseen' || blocking(holds).length > 0)
    return holding(unique(holds), stateOfStep(situation, index, { groups, holds }), done);
  return way.next(situation, { marks, index, plan });
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
