/** The end of a surge: once every group that people want is on the release and ready, the extra ones go. */

import type { Marks } from '../../api/marks.ts';
import { shortRelease } from '../../api/release.ts';
import { putAside, withSurge } from '../../api/restore.ts';
import { budgetAfter, budgetNote } from '../budget.ts';
import { workloadMove } from '../edits/workload-change.ts';
import { type Decision, moving } from '../move.ts';
import { onRelease, wanted } from '../observed/groups-asked.ts';
import { surgeInGit } from '../observed/surge.ts';
import { type Seen, unreadyOf } from '../situation.ts';
import { allGroupsAre, extraGroups } from '../texts/sentences.ts';

/**
 * Gives `replicas` back as soon as nobody needs the extra groups, before any pause is served and whatever people have
 * paused or disabled: they cost money, and only ever stood in for groups that were restarting.
 */
export function surgeReturned(
  situation: Seen,
  at: { readonly index: number; readonly of: number; readonly marks: Marks; readonly queued: boolean },
): Decision | undefined {
  const { observed, replicas, workload, notApplied } = situation;
  const surge = surgeInGit(workload);
  if (surge === undefined || replicas === 0) return undefined;
  if (!at.queued && notApplied !== undefined) return undefined;
  const groups = wanted(observed, replicas);
  if (onRelease(observed, { groups, queued: at.queued }).length < groups.length || unreadyOf(groups).length > 0)
    return undefined;
  const { restore } = at.marks;
  const budget = budgetAfter(situation);
  return moving(
    workloadMove(situation, {
      reason: 'SurgeReturned',
      label: `step ${at.index}/${at.of}`,
      marks: {
        ...at.marks,
        restore:
          restore === undefined
            ? undefined
            : withSurge(putAside(restore, { floor: restore.floor, maxUnavailable: budget.displaced }), undefined),
      },
      maxUnavailable: budget.set,
      replicas: surge.was,
      why: `${allGroupsAre(groups.length)} on ${shortRelease(at.marks.release)} and ready, so capacity holds without ${extraGroups(surge)}. With this commit replicas is ${surge.was} again.${budgetNote(situation)}`,
    }),
    'StepUpgrade',
  );
}
