/** The row `step k, whole` at partition 0: every group may go, and as soon as all have, it is locked. */

import { shortRelease } from '../../api/release.ts';
import { SENTINEL } from '../../api/workload.ts';
import { accepted } from '../accepting.ts';
import { budgetNote, withBudgetAfter } from '../budget.ts';
import { workloadMove } from '../edits/workload-change.ts';
import { raisedForLeftovers } from '../events/raising.ts';
import { recreated, revisionChanged, scaledToZero } from '../gates/cluster.ts';
import { blockedByStatefulSetGate, troublesOf } from '../gates/trouble.ts';
import { type Hold, hold } from '../hold.ts';
import { type Decision, holding, moving } from '../move.ts';
import type { Group } from '../observed/groups.ts';
import { wanted } from '../observed/groups-asked.ts';
import { flipped, type Situation, unreadyOf } from '../situation.ts';
import type { InDelivery } from '../state.ts';
import { advice, commandLine } from '../texts/advice.ts';
import { allGroupsAre, groupsAre, leadersAhead, notReady, whyUnready } from '../texts/sentences.ts';

/**
 * Partition 0: waits until every group is on the release and the StatefulSet has flipped, then locks — always the
 * next commit, even when paused or disabled: an edit of the template at partition 0 takes the primary (trace 34f), and
 * locked too early a group that is recreated comes back old (trace 29d).
 */
export function rolling(situation: Situation, step: InDelivery): Decision {
  const fresh = recreated(situation);
  if (fresh !== undefined && !accepted(situation, 'Recreated')) return holding([fresh], 'StepUpgrade');
  if (situation.view === 'unseen') return holding([situation.hold], 'StepUpgrade');
  const unsure = situation.notApplied ?? scaledToZero(situation);
  if (unsure !== undefined) return holding([unsure], 'StepUpgrade');
  const { observed, asked } = situation;
  const raised = raisedForLeftovers(situation, step);
  if (raised !== undefined) return raised;
  const groups = wanted(observed, asked);
  const missing = groups.filter((group) => group.version !== 'release');
  const troubles = troublesOf(situation, unreadyOf(groups)).holds;
  if (missing.length > 0) {
    const gate = blockedByStatefulSetGate(situation, missing);
    const others = [gate, revisionChanged(situation)].filter((found) => found !== undefined);
    const holds = [...troubles, notUpdated(situation, { missing, groups }), ...others];
    return holding(holds, 'StepUpgrade');
  }
  if (!flipped(observed.leaderSet)) {
    const unready = unreadyOf(groups);
    const who = unready.length === 0 ? 'the StatefulSet controller is still at it' : notReady(unready);
    return holding(
      [
        ...troubles,
        hold('StatefulSetNotFlipped', {
          seen: `${allGroupsAre(groups.length)} on the release, but ${who}`,
          action: advice`The workload is locked once the StatefulSet has taken all leaders over; if that takes long: ${commandLine('abort', situation.snapshot.key)}`,
        }),
      ],
      'StepUpgrade',
    );
  }
  const move = workloadMove(situation, {
    reason: 'Locked',
    label: `step ${step.index}/${step.of}, locked`,
    ...withBudgetAfter(situation, { marks: step.marks, floor: step.marks.restore?.floor ?? 0 }),
    partition: SENTINEL,
    why: `${allGroupsAre(groups.length)} on ${shortRelease(step.marks.release)}, and the StatefulSet has taken all leaders over, so a group that is recreated stays on it. Locked again: the next edit of the template is a request, not a restart.${budgetNote(situation)}`,
  });
  return moving(move, 'StepUpgrade');
}

function notUpdated(
  { snapshot }: Situation,
  at: { readonly missing: readonly Group[]; readonly groups: readonly Group[] },
): Hold {
  const unready = unreadyOf(at.groups.filter((group) => group.version === 'release'));
  const ahead = leadersAhead(at.missing);
  const seen = `${groupsAre(at.missing.map((group) => group.index))} not on the release yet${ahead}`;
  if (unready.length === 0 && ahead === '') return hold('GroupsNotUpdated', { seen, waits: 'groups' });
  return hold('GroupsNotUpdated', {
    seen:
      unready.length === 0
        ? seen
        : `${seen}; ${groupsAre(unready.map((group) => group.index))} on it and not ready${whyUnready(unready)}`,
    action: advice`If it stays so: ${commandLine('abort', snapshot.key)}`,
  });
}
