/** The end of a surge: once every group that people want is on the release and ready, the extra ones go. What was raised for them goes before. */

import type { Marks } from '../../api/marks.ts';
import { printRelease } from '../../api/release.ts';
import { DEFAULT_MAX_UNAVAILABLE } from '../../api/workload.ts';
import { wanted } from '../gates/cluster.ts';
import type { Group } from '../groups.ts';
import { type Decision, type Move, moving, UNSET } from '../move.ts';
import { allGroupsAre, extraGroups } from '../sentences.ts';
import { type Observed, type Situation, unreadyOf } from '../situation.ts';
import { surgeInGit } from '../surge.ts';

/**
 * Gives `replicas` back as soon as nobody needs the extra groups, before any pause is served and whatever people have
 * paused or disabled: they cost money, and only ever stood in for groups that were restarting.
 */
export function surgeReturned(
  situation: Situation,
  at: { readonly index: number; readonly of: number; readonly marks: Marks; readonly queued: boolean },
): Decision | undefined {
  const { observed, replicas, workload, notApplied } = situation;
  const surge = surgeInGit(workload);
  if (surge === undefined || observed === undefined || replicas === undefined || replicas === 0) return undefined;
  if (!at.queued && notApplied !== undefined) return undefined;
  const groups = wanted(observed, replicas);
  if (onRelease(observed, { groups, queued: at.queued }).length < groups.length || unreadyOf(groups).length > 0)
    return undefined;
  const { restore } = at.marks;
  return moving(
    {
      reason: 'SurgeReturned',
      label: `step ${at.index}/${at.of}`,
      marks: {
        ...at.marks,
        restore: restore === undefined ? undefined : { floor: restore.floor, maxUnavailable: restore.maxUnavailable },
      },
      partition: undefined,
      maxUnavailable: undefined,
      replicas: surge.was,
      text: undefined,
      why: `${allGroupsAre(groups.length)} on ${printRelease(at.marks.release)} and ready, so capacity holds without ${extraGroups(surge)}. With this commit replicas is ${surge.was} again.`,
    },
    'StepUpgrade',
  );
}

/**
 * The budget that was raised to get past a broken group, once every group is ready again: with it, more groups could
 * restart at once than the extra ones stand in for. undefined: nothing to give back.
 */
export function budgetReturned(
  { observed, asked, workload }: Situation,
  { restore }: Marks,
): { readonly value: Move['maxUnavailable']; readonly why: string } | undefined {
  const raised = restore?.maxUnavailable;
  if (raised === undefined || raised.set !== workload.maxUnavailable || surgeInGit(workload) === undefined)
    return undefined;
  if (observed === undefined || asked === undefined || unreadyOf(wanted(observed, asked)).length > 0) return undefined;
  const was = raised.was ?? DEFAULT_MAX_UNAVAILABLE;
  return { value: raised.was ?? UNSET, why: ` Every group is ready, so maxUnavailable is ${was} again.` };
}

/** The groups that are on the release, by its own revision where a newer text is in the file. */
export function onRelease(
  { stableKey }: Observed,
  { groups, queued }: { readonly groups: readonly Group[]; readonly queued: boolean },
): readonly Group[] {
  const key = groups[0]?.key;
  return groups.filter((group) =>
    queued ? group.key !== undefined && group.key === key && key !== stableKey : group.version === 'release',
  );
}
