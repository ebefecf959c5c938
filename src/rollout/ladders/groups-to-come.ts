/** How many groups a delivery with a second workload still brings up, and the most that it takes next to the primary. */

import type { StepMark } from '../../api/marks.ts';
import type { RolloutStep } from '../../api/rollout-steps.ts';
import { updatesPrimary } from '../../api/styles.ts';
import { plannedGroups } from '../observed/batches.ts';
import type { Group } from '../observed/groups.ts';
import { wanted } from '../observed/groups-asked.ts';
import type { Seen } from '../situation.ts';
import { filledNow } from './fill-to-come.ts';
import { styleInUse } from './ladder-files.ts';
import { groupsOn } from './traffic-view.ts';

export type GroupsToCome = {
  /** Of this step, side by side; of the primary while that goes to the release. */
  readonly step: number;
  /** The same of each step after it. */
  readonly later: readonly number[];
  /** Of the primary, which go to the release after all steps, as maxUnavailable lets them. */
  readonly primary: number;
  /** The most groups next to the primary at one time. */
  readonly most: number;
};

/** At this step, or before the first; undefined: there is no second workload, or it is in its rollback. */
export function groupsToCome(situation: Seen, step: StepMark | undefined): GroupsToCome | undefined {
  const filled = step?.kind === 'rollback' ? undefined : filledNow(situation);
  if (filled === undefined) return undefined;
  const { steps, marks, snapshot, state } = situation;
  const style = styleInUse(snapshot);
  const counts = steps.map(({ replicas }) => plannedGroups(replicas, filled.replicas));
  const most = Math.max(filled.now, mostOf(steps, filled.replicas));
  const isPrimary = updatesPrimary(style);
  if (step?.kind === 'promote')
    return { step: isPrimary ? notYet(ownGroups(situation)) : 0, later: [], primary: 0, most };
  const index = step?.kind === 'step' ? step.index : 1;
  const isGreen = marks?.serves === 'green';
  const there = state.kind === 'ladder' ? (isGreen ? ownGroups(situation) : secondGroups(situation)) : [];
  const ready = there.length - notYet(there);
  const [now = 0, ...later] = growing(counts.slice(index - 1), ready);
  return { step: now, later, primary: isPrimary ? filled.replicas : 0, most };
}

/** Groups that each of these steps adds: what is there stays. */
function growing(counts: readonly number[], ready: number): readonly number[] {
  return counts.map((count, at) => Math.max(0, count - Math.max(ready, ...counts.slice(0, at))));
}

const notYet = (groups: readonly Group[]): number =>
  groups.filter(({ ready, version }) => !(ready && version === 'release')).length;

const ownGroups = ({ observed, asked }: Seen): readonly Group[] => wanted(observed, asked);

function secondGroups({ snapshot }: Seen): readonly Group[] {
  const live = snapshot.traffic?.second;
  if (live === undefined) return [];
  const found = groupsOn({ name: '', document: undefined, live, isOwn: false, queued: false, versions: 'all' });
  return found.kind === 'known' ? found.value.groups : [];
}

/** What a step of this plan takes next to the primary at most. */
export function mostOf(steps: readonly Pick<RolloutStep, 'replicas'>[], primary: number): number {
  return Math.max(0, ...steps.map(({ replicas }) => plannedGroups(replicas, primary)));
}
