/** Gates of a surge: whether extra groups would hold capacity, before they are started and while they are there. */

import { peoplesBudget } from '../budget.ts';
import { wholeChange } from '../edits/size-change.ts';
import { type Hold, hold } from '../hold.ts';
import { surgeInGit } from '../observed/surge.ts';
import { type Situation, unavailableBudget } from '../situation.ts';
import { type Advice, advice, budgetSet, commandLine } from '../texts/advice.ts';
import { policySaying } from '../texts/sentences.ts';

/**
 * Extra groups that the policies ask for and that the delivery is still to get; 0: none. Only before its first groups
 * have moved: later the partition lets more go than the extra ones. Not over a budget that a rollback has raised.
 */
export function surgeToCome({ marks, replicas, partition, snapshot }: Situation): number {
  const { restore, step } = marks ?? {};
  if (restore?.replicas !== undefined || restore?.maxUnavailable !== undefined) return 0;
  const begun = step?.kind === 'step' && step.index === 0;
  return begun || (replicas !== undefined && partition >= replicas) ? snapshot.policy.surge : 0;
}

/** A delivery that is to have extra groups does not start where they would be taken away, or be too few. */
export function surgeRefused(situation: Situation): Hold | undefined {
  const extra = surgeToCome(situation);
  const { scaler } = situation.snapshot.live;
  if (extra > 0 && scaler.kind === 'unknown')
    return hold('ScalerUnreadable', {
      seen: `whether an autoscaler would undo a surge is not known: ${scaler.why}`,
      waits: 'reading',
    });
  if (extra === 0) return undefined;
  if (wholeChange(situation) !== undefined)
    return hold('SurgeRefused', {
      seen: 'the size of groups changes. All groups take it in one step; extra groups (surge) would run the new size next to the old one',
      action: 'Set surge to 0 in a RolloutPolicy for this Rollout until the change is through',
    });
  return contradiction(situation, {
    extra,
    said: `${policySaying(situation.snapshot, 'surge')} asks for a surge of ${extra}`,
    unowned: 'Take the autoscaler off for the delivery, or the surge out of the policy',
    enough: 'or surge in the RolloutPolicy to as many',
  });
}

/** Nor does it go on where that has become so; going back does. What the policy says by now changes nothing in Git. */
export function surgeEndangered(situation: Situation): Hold | undefined {
  const surge = surgeInGit(situation.workload);
  if (surge === undefined) return undefined;
  const extra = surge.set - surge.was;
  const back = advice`or go back: ${commandLine('abort', situation.snapshot.key)}`;
  return contradiction(situation, {
    extra,
    said: `the surge of this delivery is ${extra}`,
    unowned: advice`Take the autoscaler off until it is settled, ${back}`,
    enough: back,
  });
}

/** What is said of a surge that would not hold: where it comes from, and how to get out. */
type Said = {
  readonly extra: number;
  readonly said: string;
  readonly unowned: string | Advice;
  readonly enough: string | Advice;
};

function contradiction(situation: Situation, { extra, said, unowned, enough }: Said): Hold | undefined {
  const { snapshot, replicas } = situation;
  const { scaler } = snapshot.live;
  if (scaler.kind === 'known')
    return hold('SurgeRefused', {
      seen: `${said}, and replicas is written by ${scaler.value}, which would take the extra groups for its own`,
      action: unowned,
    });
  const budget = replicas === undefined ? 0 : unavailableBudget(peoplesBudget(situation), replicas);
  if (extra >= budget) return undefined;
  return hold('SurgeRefused', {
    seen: `${said}, less than maxUnavailable ${budget}: that many groups may restart at once, and capacity would fall below ${replicas ?? 0}`,
    action: advice`Set ${budgetSet(`maxUnavailable to ${extra}`, situation.file, extra)}, ${enough}`,
  });
}
