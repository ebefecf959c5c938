/** A change of the number of pods of a group: whether LWS can take it in steps, and what is said of it where not. */

import { at, type JsonObject } from '../../api/json.ts';
import { type LwsVersion, rebuildsGroupsWhole } from '../../api/lws-version.ts';
import type { Marks } from '../../api/marks.ts';
import { type Hold, hold } from '../hold.ts';
import { coversAll } from '../observed/batches.ts';
import { type Situation, unavailableBudget } from '../situation.ts';
import { isLadder } from '../state.ts';
import { ofGroups } from '../texts/sentences.ts';

/** Pods of a group, before and after. */
export type Sizes = { readonly from: number; readonly to: number };

/** LWS's own default: the leader alone. */
const DEFAULT_SIZE = 1;

/** The sizes of two release contents where they differ. */
export function changedSizes(before: JsonObject, after: JsonObject): Sizes | undefined {
  const [from, to] = [sizeIn(before), sizeIn(after)];
  return from === to ? undefined : { from, to };
}

/** Pods of a group of this content. */
export function sizeIn(content: JsonObject): number {
  const size = at(content, ['leaderWorkerTemplate', 'size']);
  return typeof size === 'number' ? size : DEFAULT_SIZE;
}

/**
 * The sizes of a change that must not stand half-way: an old group that has to be made again would get the new number
 * of workers with its old template (trace 17). undefined: nothing of the kind.
 */
export function mixedSizes(change: {
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly lwsVersion: LwsVersion | undefined;
}): Sizes | undefined {
  return rebuildsGroupsWhole(change.lwsVersion) ? undefined : changedSizes(change.before, change.after);
}

/** Whether a step of ours has released every group for this template: then there is nothing left to refuse. No step that fills a second workload does. */
export function wholeStepWritten(marks: Marks | undefined, digest: string): boolean {
  if (marks?.step?.kind !== 'step' || isLadder(marks)) return false;
  return marks.restore?.floor === 0 && marks.release.digest === digest;
}

/** The sizes of a change that is allowed, but only as one step of all groups. */
export function wholeChange({ snapshot, workload }: Pick<Situation, 'snapshot' | 'workload'>): Sizes | undefined {
  const { stable, policy, lwsVersion } = snapshot;
  if (stable.kind !== 'known' || policy.sizeChange !== 'Whole') return undefined;
  return mixedSizes({ before: stable.value.content, after: workload.content, lwsVersion });
}

/** The last step is the whole one: without one that covers all groups there is no safe place to stand. */
export function noWholeStep(situation: Situation): Hold | undefined {
  const { steps, replicas } = situation;
  const last = steps.at(-1);
  if (wholeChange(situation) === undefined || last === undefined || replicas === undefined) return undefined;
  if (coversAll(last.replicas, replicas)) return undefined;
  return hold('FullStepMissing', {
    seen: `a change of the size of groups goes to all of them in one step, and the last step of the Rollout does not cover all ${replicas}`,
    action: 'Add a step of 100%',
  });
}

/** What the commit says of the one step: what changes, why at once, which steps are passed over, and at which price. */
export function wholeReason(
  situation: Pick<Situation, 'replicas' | 'maxUnavailable' | 'steps'>,
  of: { readonly sizes: Sizes; readonly after: number },
): string {
  const { replicas = 0, maxUnavailable, steps } = situation;
  const { sizes, after } = of;
  const down = Math.min(replicas, unavailableBudget(maxUnavailable, replicas));
  const skipped = skippedSteps(after + 1, steps.length - 1);
  return `A group goes from ${podsOf(sizes.from)} to ${sizes.to}, and LWS up to 0.10 cannot stand half-way: an old group that dies gets the new number of workers with its old template${skipped}. So all groups go in one step, as the RolloutPolicy allows (sizeChange: Whole): ${ofGroups(down, replicas)} down at a time, and one that dies before its turn may not serve again before it.`;
}

function skippedSteps(first: number, last: number): string {
  if (last < first) return '';
  const steps = first + 1 === last ? `steps ${first} and ${last}` : `steps ${first} to ${last}`;
  return `; ${first === last ? `step ${first} is` : `${steps} are`} passed over`;
}

function podsOf(size: number): string {
  return size === 1 ? 'one pod' : `${size} pods`;
}
