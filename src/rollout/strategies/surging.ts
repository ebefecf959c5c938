/** The row `step 0`: extra groups are started on the release above all others, so that capacity does not dip afterwards. */

import type { Marks } from '../../api/marks.ts';
import { shortRelease } from '../../api/release.ts';
import { putAside, withSurge } from '../../api/restore.ts';
import { accepted } from '../accepting.ts';
import { withBudgetAfter } from '../budget.ts';
import { decisionOf, workloadMove } from '../edits/workload-change.ts';
import { nextStep } from '../events/next-step.ts';
import { partitionEdited } from '../events/partition-edited.ts';
import { raisedForLeftovers } from '../events/raising.ts';
import { acceptRecreated } from '../events/recreated.ts';
import { before } from '../gates/before.ts';
import { cameUpWhole, recreated } from '../gates/cluster.ts';
import { holdsOf } from '../gates/gate.ts';
import { overshoot } from '../gates/out-of-place.ts';
import { waitingOnGroups } from '../gates/step-groups.ts';
import { surgeToCome } from '../gates/surge.ts';
import { crashLooping } from '../gates/trouble.ts';
import { type Hold, hold, unique } from '../hold.ts';
import { type Decision, holding, moving } from '../move.ts';
import { statesOf } from '../progress/step-state.ts';
import type { Seen, Situation } from '../situation.ts';
import type { InDelivery } from '../state.ts';
import { wholeNext } from '../step-to-come.ts';
import { capital, extraGroups, moreGroups } from '../texts/sentences.ts';

/**
 * First the extra groups, once the partition that lets only them onto the release is live; then, with all of them on
 * it and ready, step 1 or the target of a jump. It waits for nobody: there is no pause to approve.
 */
export function surging(situation: Situation, step: InDelivery): Decision {
  const { marks, of } = step;
  const first = { index: 1, release: marks.release };
  const edited = partitionEdited(situation, step);
  if (edited?.move !== undefined) return edited;
  const fresh = recreated(situation);
  if (fresh !== undefined && !accepted(situation, 'Recreated')) return holding([fresh], 'StepUpgrade');
  if (fresh !== undefined && cameUpWhole(situation)) return acceptRecreated(situation, { index: 1, of, marks });
  const raised = edited === undefined && situation.view === 'seen' ? raisedForLeftovers(situation, step) : undefined;
  if (raised !== undefined) return raised;
  const extra = surgeToCome(situation);
  const groups = waitingOnGroups(situation);
  const waits = [...groups, ...(extra === 0 ? [] : notOnLeaderSet(situation))];
  const found = situation.view === 'seen' ? [overshoot(situation, first), crashLooping(situation)] : [];
  const holds = unique([
    ...(edited?.holds ?? []),
    ...waits,
    ...holdsOf(before.surge, situation),
    ...found.filter((one) => one !== undefined),
  ]);
  if (situation.view === 'unseen' || holds.length > 0)
    return holding(holds, waits.length === 0 ? (statesOf(holds)[0] ?? 'StepUpgrade') : 'StepUpgrade');
  if (extra === 0)
    return decisionOf(situation, nextStep(situation, { marks, index: 0, plan: wholeNext(situation, 0) }));
  return followDown(situation, { marks, of }) ?? surge(situation, { marks, of, extra });
}

/**
 * Scaled down since the partition was written, so that an extra group would come up below it, on the old version, and
 * stay there. At N it still lets nobody go.
 */
function followDown(situation: Seen, at: { readonly marks: Marks; readonly of: number }): Decision | undefined {
  const { partition, replicas } = situation;
  if (partition <= replicas) return undefined;
  const { marks, of } = at;
  const floor = Math.min(replicas, marks.restore?.floor ?? replicas);
  return moving(
    workloadMove(situation, {
      reason: 'SurgePrepared',
      label: `step 0/${of}`,
      ...withBudgetAfter(situation, { marks, floor }),
      partition: replicas,
      why: `The workload was scaled down to ${replicas}, and below partition ${partition} an extra group would start on the old version. Partition ${replicas} lets none of the ${replicas} groups restart.`,
    }),
    'StepUpgrade',
  );
}

/** LWS writes the partition onto the leader StatefulSet: only there does it decide what an appended group becomes. */
function notOnLeaderSet({ observed, partition, notApplied }: Situation): readonly Hold[] {
  const there = observed?.leaderSet.partition ?? 0;
  if (notApplied !== undefined || there <= partition) return [];
  return [
    hold('NotObserved', {
      seen: `LWS has put partition ${there} on its leader StatefulSet so far, not ${partition}`,
      waits: 'controllers',
    }),
  ];
}

function surge(situation: Seen, at: { readonly marks: Marks; readonly of: number; readonly extra: number }): Decision {
  const { replicas, workload, partition } = situation;
  const { marks, of, extra } = at;
  const { restore } = marks;
  const made = { was: replicas, set: replicas + extra };
  const aside = putAside(restore, { floor: restore?.floor ?? partition, maxUnavailable: restore?.maxUnavailable });
  return moving(
    workloadMove(situation, {
      reason: 'Surged',
      label: `step 0/${of}`,
      marks: { ...marks, restore: withSurge(aside, made) },
      replicas: made.set,
      why: `Partition ${partition} is live, so ${extraGroups(made)} ${extra === 1 ? 'starts' : 'start'} on ${shortRelease(marks.release)}, and no other restarts. ${capital(moreGroups(extra, workload.size))} ${extra === 1 ? 'runs' : 'run'} until every group is on the release and ready, so that ${replicas} serve while others restart.`,
    }),
    'StepUpgrade',
  );
}
