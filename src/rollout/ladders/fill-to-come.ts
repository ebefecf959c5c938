/** How many groups the next step of a second workload adds, and how many it has then: what limits of policies ask for. */

import { plannedGroups } from '../batches.ts';
import type { Situation } from '../situation.ts';
import { replicasOf } from './delivery.ts';

type FillToCome = {
  /** From 1; the last step also where its promotion comes next. */
  readonly index: number;
  readonly first: boolean;
  /** So many groups are added. */
  readonly groups: number;
  /** So many there are then beside the user's own. */
  readonly extra: number;
  /** The same of the step of the plan that has most of them, before the first one is written; later that of the next. */
  readonly most: number;
  /** The user's own workload is let go next. */
  readonly promotes: boolean;
};

/** undefined: no second workload is filled, or it is not known how many groups there are. */
export function fillToCome({ snapshot, state, steps, replicas: own, marks: known }: Situation): FillToCome | undefined {
  const { ladder, rollout } = snapshot;
  const green = known?.serves === 'green';
  const replicas = green ? replicasOf(ladder?.second) : own;
  const fills =
    state.kind === 'ladder' || rollout?.rollout.style === 'canary' || rollout?.rollout.style === 'blueGreen';
  if (ladder === undefined || replicas === undefined || !fills) return undefined;
  const now = green ? (own ?? 0) : replicasOf(ladder.second);
  const at = (index: number, first: boolean): FillToCome => {
    const step = steps[index - 1];
    const extra = step === undefined ? now : Math.max(now, plannedGroups(step.replicas, replicas));
    const most = first ? Math.max(extra, ...steps.map(({ replicas: share }) => plannedGroups(share, replicas))) : extra;
    return { index, first, groups: extra - now, extra, most, promotes: false };
  };
  if (state.kind !== 'ladder') return at(1, true);
  const { stage, marks } = state;
  if (stage.kind !== 'step' || marks.at === undefined) return { ...at(steps.length, false), promotes: true };
  const isBegun = marks.at === 'text' || marks.at === 'pods' || marks.at === 'traffic';
  if (!isBegun) return at(stage.index, stage.index === 1);
  return stage.index >= steps.length ? { ...at(steps.length, false), promotes: true } : at(stage.index + 1, false);
}
