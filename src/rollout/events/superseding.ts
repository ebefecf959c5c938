/** A newer request that reaches the cluster in mid-delivery: the roll is stopped and the request taken from step 1. */

import type { Marks } from '../../api/marks.ts';
import { type Release, shortRelease } from '../../api/release.ts';
import { putAside } from '../../api/restore.ts';
import { type Budget, budgetText, overtakingBudget } from '../budget.ts';
import { type Draft, drafting, type WorkloadMove } from '../edits/workload-change.ts';
import { before } from '../gates/before.ts';
import { ask, holdsOf } from '../gates/gate.ts';
import { rolloutAbsent, stalled } from '../gates/people.ts';
import { hold } from '../hold.ts';
import { holding } from '../move.ts';
import { partitionOf } from '../observed/batches.ts';
import { wanted } from '../observed/groups-asked.ts';
import { willNotGetReady } from '../progress/outlook.ts';
import type { Situation } from '../situation.ts';
import { capital, groupsAre, notReady } from '../texts/sentences.ts';
import { firstStep, start } from './first-step.ts';
import { inputsWritten } from './inputs-written.ts';
import { notOnStable, stoppedPartition, stopRoll } from './stopping.ts';

/**
 * Step 1 of the file's text. It is live already, at the present partition, so P only rises, to stop the roll: to the
 * highest that keeps within step 1, with every group that is on the new template, and with every broken one that is not
 * on the stable template. Done also while paused: not doing it lets the whole range follow (traces 14, 34f, 35a, 35h).
 */
export function supersede(situation: Situation, marks: Marks): Draft {
  const { steps, snapshot, replicas } = situation;
  if (replicas === undefined)
    return holding(
      [
        hold('ScalerUnreadable', {
          seen: 'a newer request is live, but the number of groups is not known',
          waits: 'reading',
        }),
      ],
      'StepUpgrade',
    );
  // Without its Rollout there are no steps to take the request through; the roll is stopped all the same.
  if (snapshot.rollout === undefined)
    return stopRoll(situation, { marks, holds: holdsOf([stalled, rolloutAbsent], situation) });
  const partition = stoppedPartition(situation, replicas);
  const budget = overtakingBudget(situation);
  const floor = Math.min(marks.restore?.floor ?? situation.partition, situation.partition);
  const restore = putAside(marks.restore, { floor, maxUnavailable: budget.displaced });
  const next = firstStep(situation, { marks, restore });
  const fields: WorkloadMove = {
    reason: 'Superseded',
    label: `step 1/${Math.max(1, steps.length)}`,
    marks: next,
    partition: partition === situation.partition ? undefined : partition,
    maxUnavailable: budget.set,
    why: explain(situation, { partition, budget, from: marks.release, to: next.release }),
  };
  return drafting(fields, 'StepUpgrade');
}

/** Whether more groups than step 1 allows are rolling onto the newest text: only then there is something to stop. */
export function beyondFirstStep({ steps, partition, replicas }: Situation): boolean {
  const [first] = steps;
  if (first === undefined || replicas === undefined) return true;
  return Math.min(partition, replicas) <= partitionOf(first.replicas, replicas);
}

/**
 * Step 1 of a newer request while nothing is rolling that would have to be stopped. Stable template and floor stay those
 * of the delivery; a broken group of the older release must not spend the budget that the newer one needs.
 */
export function takeOver(situation: Situation, marks: Marks): Draft {
  const written = inputsWritten(situation, situation.marks ?? marks);
  if (written !== undefined) return written;
  const answer = ask(before.takeOver, situation);
  if (answer.kind === 'shut') return holding(answer.holds, 'BeforeStepUpgrade');
  const budget = overtakingBudget(situation);
  const floor = marks.restore?.floor ?? situation.partition;
  const restore = putAside(marks.restore, { floor, maxUnavailable: budget.displaced });
  const overtaken = { release: marks.release, budget: budgetText(situation, budget, 'ready') };
  return start(answer.seen, { marks, restore, maxUnavailable: budget.set, overtaken });
}

function explain(
  situation: Situation,
  at: { readonly partition: number; readonly budget: Budget; readonly from: Release; readonly to: Release },
): string {
  const groups = situation.view === 'seen' ? wanted(situation.observed, situation.asked) : [];
  const onIt = groups.filter((group) => group.version === 'release').map((group) => group.index);
  const started = onIt.length === 0 ? 'No group is on it yet.' : `${capital(groupsAre(onIt))} on it already.`;
  const unready = situation.view === 'seen' ? notOnStable(situation) : [];
  const broken = unready.filter((group) => willNotGetReady(situation, group));
  const loading = unready.filter((group) => !broken.includes(group));
  const waits =
    loading.length === 0
      ? ''
      : ` ${capital(notReady(loading))}: LWS waits for ${loading.length === 1 ? 'it' : 'them'}.`;
  const sick =
    broken.length === 0
      ? ''
      : ` ${capital(notReady(broken))}, and will not get ready by ${broken.length === 1 ? 'itself' : 'themselves'}.`;
  return `The template was edited while ${shortRelease(at.from)} was being delivered. The newer template, ${shortRelease(at.to)}, is taken from step 1; partition ${at.partition} keeps the groups below it where they are. ${started}${waits}${sick}${budgetText(situation, at.budget, 'ready')}`;
}
