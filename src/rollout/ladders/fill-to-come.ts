/** How many groups the next step of a second workload adds, and how many it has then: what limits of policies ask for. */

import { sameRelease } from '../../api/release.ts';
import { takesTurns, updatesPrimary } from '../../api/styles.ts';
import { plannedGroups } from '../observed/batches.ts';
import { nextRelease, type Situation } from '../situation.ts';
import { followingStep, jumpRefusal, stepAfterEdit } from '../steps.ts';
import { replicasOf } from './delivery.ts';

type FillToCome = {
  /** From 1; the last step also where its promotion comes next. */
  readonly index: number;
  readonly first: boolean;
  /** How many groups are added. */
  readonly groups: number;
  /** This many there are then next to the user's own. */
  readonly extra: number;
  /** The same of the step of the plan that has most of them, before the first one is written; later that of the next. */
  readonly most: number;
  /** Of the side that serves the stable version. */
  readonly primary: number;
  /** The user's own workload is released for update next, or the whole share. */
  readonly promotes: boolean;
};

/** The groups that a step is planned of, and those that the second workload has. */
type Filled = { readonly replicas: number; readonly now: number };

/** Where someone leads a step elsewhere than to the one after it. */
type Led = { readonly index: number; readonly by: 'Jumped' | 'StepsEdited' };

/** By a jump, or by an edit of the plan, which may lead to the step itself; undefined: nobody does. */
export function ledTo(
  { snapshot, steps, marks }: Situation,
  { index, replicas, now }: Filled & { readonly index: number },
): Led | undefined {
  const jump = snapshot.rollout?.intents.jump;
  const isOurs = jump !== undefined && sameRelease(jump.release, marks?.release);
  if (isOurs && jumpRefusal(jump.index, { current: index, steps: steps.length }) === undefined)
    return { index: jump.index, by: 'Jumped' };
  const plan = snapshot.ladder?.plans[index - 1];
  const written = marks?.restore?.plan;
  if (plan === undefined || written === undefined || plan === written) return undefined;
  const sizes = steps.map((step) => step.replicas);
  const done = Math.min(now, plannedGroups('100%', replicas));
  return { index: stepAfterEdit(sizes, { current: index, done, replicas }), by: 'StepsEdited' };
}

/** undefined: no second workload is filled, or it is not known how many groups there are. */
export function fillToCome(situation: Situation): FillToCome | undefined {
  const { state, steps } = situation;
  const filled = filledNow(situation);
  if (filled === undefined) return undefined;
  const { replicas, now } = filled;
  const at = (index: number, first: boolean): FillToCome => {
    const step = steps[index - 1];
    const extra = step === undefined ? now : Math.max(now, plannedGroups(step.replicas, replicas));
    const most = first ? Math.max(extra, ...steps.map(({ replicas: share }) => plannedGroups(share, replicas))) : extra;
    return { index, first, groups: extra - now, extra, most, primary: replicas, promotes: false };
  };
  if (state.kind !== 'ladder') return at(firstOf(situation), true);
  const { stage, marks } = state;
  if (stage.kind !== 'step' || marks.at === undefined) return { ...at(steps.length, false), promotes: true };
  const { index } = stage;
  const isBegun = marks.at === 'template' || marks.at === 'pods' || marks.at === 'traffic';
  const led = ledTo({ ...situation, marks }, { index, ...filled });
  const first = !isBegun && index === 1;
  if (led !== undefined || !isBegun) return at(led?.index ?? index, first);
  return index >= steps.length ? { ...at(steps.length, false), promotes: true } : at(index + 1, false);
}

/** undefined: no second workload is filled, or it is not known how many groups there are. */
export function filledNow({ snapshot, state, replicas: own, marks }: Situation): Filled | undefined {
  const { ladder, rollout } = snapshot;
  const green = marks?.serves === 'green';
  const replicas = green ? replicasOf(ladder?.second) : own;
  const fills = state.kind === 'ladder' || updatesPrimary(rollout?.rollout.style) || takesTurns(rollout?.rollout.style);
  if (ladder === undefined || replicas === undefined || !fills) return undefined;
  return { replicas, now: green ? (own ?? 0) : replicasOf(ladder.second) };
}

/** The step of a request that is written first: the one that a jump names, else the first. */
function firstOf({ snapshot, steps, digest, marks }: Situation): number {
  const jump = snapshot.rollout?.intents.jump;
  const isOurs = jump !== undefined && sameRelease(jump.release, nextRelease(digest, marks));
  return followingStep(isOurs ? jump.index : undefined, { current: 0, steps: steps.length });
}
