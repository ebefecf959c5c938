/** The row `step k, partial`: finish the step that Git names, then write the next. */

import type { Marks } from '../../api/marks.ts';
import { printRelease, sameRelease } from '../../api/release.ts';
import { accepted } from '../accepting.ts';
import { nextPartition, partitionOf, plannedGroups } from '../batches.ts';
import { budgetNote, withBudgetAfter } from '../budget.ts';
import { fieldContested } from '../contest.ts';
import {
  blockedByUnreadyGroup,
  recreated,
  replicasUnknown,
  revisionChanged,
  scaledToZero,
  wanted,
} from '../gates/cluster.ts';
import { frozenChanged, stepCountChanged } from '../gates/frozen.ts';
import { type Gate, holdsOf } from '../gates/gate.ts';
import { historyRewritten, noWayBack } from '../gates/git.ts';
import { disabled, paused, rolloutAbsent, stalled } from '../gates/people.ts';
import { surgeEndangered } from '../gates/surge.ts';
import { blocking, type Hold, hold, unique } from '../hold.ts';
import { type Decision, holding, type Move, moving } from '../move.ts';
import { capital, groupsAre, notReady } from '../sentences.ts';
import { type Situation, unreadyOf } from '../situation.ts';
import { wholeChange, wholeReason } from '../size-change.ts';
import { soakingSince } from '../soak.ts';
import { describeStep, followingStep, isJump, jumpRefusal, stepAfterEdit } from '../steps.ts';
import { astray, overshoot, overshooting, scaledAway } from './out-of-place.ts';
import { partitionEdited, partitionFacts } from './partition-edited.ts';
import { restlessGroups, stateOfStep, waitingOnGroups, waitingOnPause } from './progress.ts';
import { raisedForLeftovers } from './raising.ts';
import { acceptRecreated } from './recreated.ts';

/** Asked before every step after the first. */
export const forwardGates: readonly Gate[] = [
  stalled, // wrong files
  historyRewritten, // main was force-pushed
  rolloutAbsent, // nobody asks for steps
  disabled, // a person said stop
  paused, // a person said wait
  stepCountChanged, // Kruise freezes it in mid-rollout
  frozenChanged, // and these
  noWayBack, // never go on without a way back
  replicasUnknown, // N is not ours and not readable
  fieldContested, // somebody else writes our fields
  scaledToZero, // everything would come up on the new text
  revisionChanged, // somebody else restarts groups
  blockedBelow, // LWS would not move
  surgeEndangered, // extra groups do not hold any more
];

/** A group that this step restarts blocks nothing. */
function blockedBelow(situation: Situation): Hold | undefined {
  return blockedByUnreadyGroup(situation, situation.partition);
}

/** `marks.step` is a step and the file has the release's text: the caller has looked. */
export function stepping(situation: Situation, step: { readonly index: number; readonly marks: Marks }): Decision {
  const { marks, index } = step;
  const { release } = marks;
  const at = { index, release };
  const edited = partitionEdited(situation, marks);
  if (edited !== undefined && edited.move !== undefined) return edited;
  const anew = recreated(situation);
  if (anew !== undefined)
    return accepted(situation, 'Recreated') ? acceptRecreated(situation, marks) : holding([anew], 'StepUpgrade');
  const raised = edited === undefined ? raisedForLeftovers(situation, marks) : undefined;
  if (raised !== undefined) return raised;
  const groups = waitingOnGroups(situation, Math.min(situation.partition, situation.replicas ?? 0));
  // Another partition than the step's explains what lies on its wrong side, accepted or not.
  const moved = partitionFacts(situation);
  const gone = moved === undefined ? scaledAway(situation, at) : undefined;
  // Nothing soaks while there are no groups.
  const done = groups.length === 0 && situation.replicas !== 0 && gone === undefined;
  const whole = wholeNext(situation, index);
  const plan = whole ?? editedPlan(situation, at);
  // Under an edited plan it is the step to come that must have room for what is done.
  const toCome = { ...at, index: plan ?? index };
  const over = overshoot(situation, toCome);
  // Who accepts that there are too many has seen which they are.
  const counted = overshooting(situation, toCome) ?? moved ?? plan;
  const odd = counted === undefined ? astray(situation) : undefined;
  const unsteady = restlessGroups(situation);
  // An edit never ends a pause: wherever it leads, what the step in Git had to serve comes first.
  const pause = done && whole === undefined ? waitingOnPause(situation, at) : undefined;
  const holds = [
    ...(edited?.holds ?? []),
    ...groups,
    ...holdsOf(forwardGates, situation),
    ...[gone, over, odd, unsteady, pause, refusedJump(situation, index)].filter((found) => found !== undefined),
  ];
  if (blocking(holds).length > 0) return holding(unique(holds), stateOfStep(situation, index, { groups, holds }), done);
  return nextStep(situation, { marks, index, plan });
}

/** A newer text with another size has come in mid-delivery: nothing soaks half-way, the whole step is next. */
export function wholeNext(situation: Situation, index: number): number | undefined {
  const { steps } = situation;
  return wholeChange(situation) === undefined || index >= steps.length ? undefined : steps.length;
}

/** Step k+1, the target of a jump, or where an edited plan leads. */
export function nextStep(
  situation: Situation,
  from: { readonly marks: Marks; readonly index: number; readonly plan: number | undefined },
): Decision {
  const { steps, replicas, snapshot, partition } = situation;
  const { marks, index, plan } = from;
  const jump = snapshot.rollout?.intents.jump;
  const wish = sameRelease(jump?.release, marks.release) ? jump?.index : undefined;
  const target = plan ?? followingStep(wish, { current: index, steps: steps.length });
  const step = steps[target - 1];
  if (step === undefined || replicas === undefined) return lastStepShort(situation, index);
  const next = nextPartition(Math.min(partition, replicas), partitionOf(step.replicas, replicas));
  const sizes = wholeChange(situation);
  const move: Move = {
    reason:
      sizes !== undefined
        ? 'SizeChanged'
        : plan !== undefined
          ? 'StepsEdited'
          : isJump(target, { current: index, steps: steps.length })
            ? 'Jumped'
            : 'StepReady',
    label: `step ${target}/${steps.length}`,
    ...withBudgetAfter(situation, {
      marks: { ...marks, step: { kind: 'step', index: target, of: steps.length } },
      floor: Math.min(next, marks.restore?.floor ?? next),
    }),
    partition: next === partition ? undefined : next,
    text: undefined,
    why: `${evidence(situation)} Step ${target}: ${describeStep(step, replicas)}; ${nextOnes(situation, next)}.${budgetNote(situation)}${sizes === undefined ? '' : ` ${wholeReason(situation, { sizes, after: index })}`}`,
  };
  // Kruise goes on to the routing at once where a jump needs no further group (rollout_status.go:405-440).
  const there = move.reason === 'Jumped' && next === Math.min(partition, replicas);
  return moving(move, there ? 'StepTrafficRouting' : 'BeforeStepUpgrade');
}

/** What the step in Git has brought: its groups, how long they have been there, and who failed and is tolerated. */
function evidence(situation: Situation): string {
  const { observed, asked, partition, marks, snapshot } = situation;
  if (observed === undefined || asked === undefined || marks === undefined) return '';
  const updated = wanted(observed, asked).filter((group) => group.index >= partition);
  if (updated.length === 0) return 'No group is on the release.';
  const failed = unreadyOf(updated);
  const since = soakingSince(situation);
  const soaked = since === undefined || since === snapshot.now ? '' : ` for ${snapshot.now - since} s`;
  const fine = `${capital(groupsAre(updated.map((group) => group.index)))} on ${printRelease(marks.release)}`;
  if (failed.length === 0) return `${fine} and ready${soaked}.`;
  return `${fine}${soaked}; ${notReady(failed)}, which failureThreshold tolerates.`;
}

/** Who moves at the next partition; groups that are on the release already do not. */
function nextOnes({ observed, replicas }: Situation, next: number): string {
  const groups = observed === undefined || replicas === undefined ? [] : wanted(observed, replicas);
  const moved = groups.filter((group) => group.index >= next && group.version !== 'release');
  return moved.length === 0 ? 'no further group moves' : `${groupsAre(moved.map((group) => group.index))} next`;
}

/** The last step leaves groups on the stable version: Kruise ends there too, with the fleet mixed. */
function lastStepShort({ steps, replicas, snapshot }: Situation, index: number): Decision {
  const last = steps[index - 1];
  const planned = last === undefined || replicas === undefined ? 0 : plannedGroups(last.replicas, replicas);
  return holding(
    [
      hold(
        'PausedForApproval',
        `the last step covers ${planned} of ${replicas ?? 0} groups, so the delivery cannot settle. Add a step of 100% to go on, or go back: tranche abort ${snapshot.key.name}`,
      ),
    ],
    'StepPaused',
    true,
  );
}

/** The step that an edit of the plan leads to, where it is another than the one written; undefined: nothing changed. */
function editedPlan(
  { snapshot, steps, replicas }: Situation,
  at: { readonly index: number; readonly release: Marks['release'] },
): number | undefined {
  const recorded = snapshot.record?.step;
  if (
    recorded === undefined ||
    replicas === undefined ||
    recorded.index !== at.index ||
    !sameRelease(recorded.release, at.release)
  )
    return undefined;
  const now = steps.map((step) => plannedGroups(step.replicas, recorded.replicas));
  if (now.length === recorded.planned.length && now.every((planned, i) => planned === recorded.planned[i]))
    return undefined;
  const done = recorded.planned[at.index - 1] ?? 0;
  const target = stepAfterEdit(
    steps.map((step) => step.replicas),
    { current: at.index, done, replicas },
  );
  const grown = target === at.index && (now[at.index - 1] ?? 0) > done;
  return target > at.index || grown ? target : undefined;
}

/** Why a jump that is ordered for this release is not made; it stops nothing else. */
export function refusedJump({ snapshot, marks, steps }: Situation, index: number): Hold | undefined {
  const jump = snapshot.rollout?.intents.jump;
  if (jump === undefined || !sameRelease(jump.release, marks?.release) || jump.index === index) return undefined;
  const why = jumpRefusal(jump.index, { current: index, steps: steps.length });
  return why === undefined ? undefined : hold('JumpRefused', `jump to step ${jump.index}: ${why}`);
}
