/** Extra groups in the rollback: they hold capacity while the others go to stable, for as long as they are of use. */

import type { Marks } from '../../api/marks.ts';
import { putAside, type Surge, withSurge } from '../../api/restore.ts';
import { budgetKept } from '../budget.ts';
import { workloadMove } from '../edits/workload-change.ts';
import { type Decision, moving } from '../move.ts';
import type { Group } from '../observed/groups.ts';
import { wanted } from '../observed/groups-asked.ts';
import { surgeInGit } from '../observed/surge.ts';
import { comesByItself } from '../progress/outlook.ts';
import { type Seen, type Situation, unreadyOf } from '../situation.ts';
import { capital, extraGroups, notReady } from '../texts/sentences.ts';

/**
 * Whether the extra groups are ready, and stand in for one that is not restored. What cannot be seen is not ended; what an
 * autoscaler would take for its own is.
 */
export function standIn(situation: Situation): boolean {
  if (situation.snapshot.live.scaler.kind === 'known') return false;
  if (situation.view === 'unseen') return true;
  const { observed, replicas } = situation;
  const others = wanted(observed, replicas);
  const away = others.some((group) => !group.ready || group.key !== observed.stableKey);
  return away && extraOf(situation).every((group) => group.ready);
}

/**
 * Ends them where one of them has failed: LWS would wait for it before it goes on with those that people want. In its
 * own rollback it is waited for, like any other.
 */
export function failedSurgeReturned(situation: Seen, marks: Marks): Decision | undefined {
  const surge = surgeInGit(situation.workload);
  const failed = unreadyOf(extraOf(situation)).filter((group) => !comesByItself(situation, group));
  if (surge === undefined || failed.length === 0) return undefined;
  const { set, displaced } = budgetKept(situation);
  const floor = marks.restore?.floor ?? situation.partition;
  return moving(
    workloadMove(situation, {
      reason: 'SurgeReturned',
      label: 'rollback',
      marks: { ...marks, restore: withSurge(putAside(marks.restore, { floor, maxUnavailable: displaced }), undefined) },
      maxUnavailable: set,
      replicas: surge.was,
      why: `${capital(notReady(failed))} and holds no capacity any more.${surgeEnds(surge)}`,
    }),
    'StepUpgrade',
  );
}

function extraOf({ observed, replicas, asked }: Seen): readonly Group[] {
  return wanted(observed, asked).filter((group) => group.index >= replicas);
}

/** ` The extra group 4 ends: replicas is 4 again.` */
export function surgeEnds(surge: Surge): string {
  return ` ${capital(extraGroups(surge))} ${surge.set - surge.was === 1 ? 'ends' : 'end'}: replicas is ${surge.was} again.`;
}

/** ` The extra group 4 stays until all others are back.` */
export function surgeStays(surge: Surge): string {
  return ` ${capital(extraGroups(surge))} ${surge.set - surge.was === 1 ? 'stays' : 'stay'} until all others are back.`;
}
