/** Gates of limits: how many groups a step may release, how many may be down, how many must serve, how many GPUs it takes. */

import { gpusOfGroup } from '../../api/gpus.ts';
import type { PolicyFieldName } from '../../api/policy-rules.ts';
import { updatesPrimary } from '../../api/styles.ts';
import { peoplesBudget } from '../budget.ts';
import { sizeIn } from '../edits/size-change.ts';
import { type Hold, hold } from '../hold.ts';
import { fillToCome } from '../ladders/fill-to-come.ts';
import { plannedGroups } from '../observed/batches.ts';
import { wanted } from '../observed/groups-asked.ts';
import { surgeInGit } from '../observed/surge.ts';
import { type Situation, unavailableBudget, unreadyOf } from '../situation.ts';
import { type StepToCome, stepToCome } from '../step-to-come.ts';
import { groupCount, policySaying } from '../texts/sentences.ts';
import { surgeToCome } from './surge.ts';

/** How many groups a limit counts, and how many it allows. */
type Over = { readonly field: PolicyFieldName; readonly seen: string; readonly most: number };

/** Before the first step the whole plan is held to the limits, so that no delivery gets stuck half-way. */
export function stepTooLarge(situation: Situation): Hold | undefined {
  const over = batchesToCome(situation).flatMap((batch) => overBatch(situation, batch));
  return overHold(situation, 'StepTooLarge', over, 'Make the steps smaller');
}

/** The document goes out of its file: that takes all groups at once. */
export function removalTooLarge(situation: Situation): Hold | undefined {
  const { replicas = 0 } = situation;
  const over = overBatch(situation, { groups: replicas, first: true, what: 'deleting it' });
  return overHold(situation, 'StepTooLarge', over, 'Only a wider limit lets it be re-created');
}

type Batch = { readonly groups: number; readonly first: boolean; readonly what: string };

function batchesToCome(situation: Situation): readonly Batch[] {
  const { steps } = situation;
  const replicas = primaryGroups(situation);
  const step = stepToCome(situation);
  if (step === undefined || replicas === undefined) return [];
  const next: Batch = { ...step, what: `step ${step.index}` };
  if (!step.first && step.index > 0) return [next];
  const sizes = steps.map(({ replicas: share }) => plannedGroups(share, replicas));
  const later = sizes.flatMap((size, at): readonly Batch[] => {
    const first = step.index === 0 && at === 0;
    if (at < step.index) return [];
    return [{ groups: Math.max(0, size - (sizes[at - 1] ?? 0)), first, what: `step ${at + 1}` }];
  });
  return [next, ...later];
}

/** Groups of the side that serves the stable version: shares are of these. */
function primaryGroups(situation: Situation): number | undefined {
  return fillToCome(situation)?.primary ?? situation.replicas;
}

function overBatch(situation: Situation, { groups, first, what }: Batch): readonly Over[] {
  const replicas = primaryGroups(situation) ?? 0;
  const { maxStepGroups, maxStepPercent, maxFirstStepGroups } = situation.snapshot.policy;
  const seen = `${what} releases ${groupCount(groups)} at once`;
  const limits: readonly (readonly [PolicyFieldName, number | undefined])[] = [
    ['maxStepGroups', maxStepGroups],
    [
      'maxStepPercent',
      maxStepPercent === undefined ? undefined : Math.max(1, Math.floor((maxStepPercent * replicas) / 100)),
    ],
    ['maxFirstStepGroups', first ? maxFirstStepGroups : undefined],
  ];
  return limits.flatMap(([field, most]) => (most === undefined || groups <= most ? [] : [{ field, seen, most }]));
}

/** More groups may restart at a time than a policy allows; what a rollback has raised does not count. */
export function budgetTooLarge(situation: Situation): Hold | undefined {
  const { snapshot, replicas } = situation;
  const most = snapshot.policy.maxUnavailableGroups;
  if (most === undefined || replicas === undefined) return undefined;
  const budget = unavailableBudget(peoplesBudget(situation), replicas);
  const seen = `maxUnavailable lets ${groupCount(budget)} be down at once`;
  const over = budget > most ? [{ field: 'maxUnavailableGroups', seen, most } as const] : [];
  return overHold(situation, 'BudgetTooLarge', over, `Set maxUnavailable to ${most}`);
}

/** LWS restarts as many of the step at a time as the budget lets be down: this many fewer serve. */
export function capacityTooLow(situation: Situation): Hold | undefined {
  const filled = fillToCome(situation);
  const restarts = filled?.promotes === true && updatesPrimary(situation.snapshot.rollout?.rollout.style);
  if (filled !== undefined) return restarts ? tooFewServe(situation, primaryDown(situation, filled.extra)) : undefined;
  const step = stepToCome(situation);
  return step === undefined ? undefined : tooFewServe(situation, groupsDown(situation, step));
}

/** While it is deleted and re-created, none serves. */
export function removalTooDeep(situation: Situation): Hold | undefined {
  return tooFewServe(situation, { serving: 0, why: 'while it is deleted and re-created' });
}

/** The primary restarts while the second workload serves next to it. */
function primaryDown({ asked, observed, maxUnavailable }: Situation, extra: number): ReturnType<typeof groupsDown> {
  if (asked === undefined) return undefined;
  const unready = observed === undefined ? 0 : unreadyOf(wanted(observed, asked)).length;
  const down = Math.max(unready, unavailableBudget(maxUnavailable, asked));
  return { serving: asked - down + extra, why: `with ${down} of ${asked} down at a time, and ${extra} next to them,` };
}

function groupsDown(
  situation: Situation,
  step: StepToCome,
): { readonly serving: number; readonly why: string } | undefined {
  const { asked, observed, replicas = 0, maxUnavailable } = situation;
  if (asked === undefined) return undefined;
  const all = asked + surgeToCome(situation);
  // Not seen, they count as ready: without a look at them no step is written anyway.
  const unready = observed === undefined ? 0 : unreadyOf(wanted(observed, asked)).length;
  const groups = step.index === 0 ? replicas : step.groups;
  const down = Math.max(unready, Math.min(unready + groups, unavailableBudget(maxUnavailable, all)));
  return groups === 0 ? undefined : { serving: all - down, why: `with ${down} of ${all} down at a time` };
}

function tooFewServe(
  situation: Situation,
  seen: { readonly serving: number; readonly why: string } | undefined,
): Hold | undefined {
  const { snapshot, replicas } = situation;
  const { minReadyGroups, minReadyPercent } = snapshot.policy;
  if (seen === undefined || replicas === undefined) return undefined;
  const least: readonly (readonly [PolicyFieldName, number | undefined])[] = [
    ['minReadyGroups', minReadyGroups],
    ['minReadyPercent', minReadyPercent === undefined ? undefined : Math.ceil((minReadyPercent * replicas) / 100)],
  ];
  const under = least.flatMap(([field, need]) =>
    need === undefined || seen.serving >= need
      ? []
      : [`${policySaying(snapshot, field)} wants ${need} at least (${field})`],
  );
  if (under.length === 0) return undefined;
  return hold('CapacityTooLow', {
    seen: `${seen.why} only ${groupCount(seen.serving)} would serve, and ${under.join('; ')}`,
    action:
      'Wait for groups that are not ready, add surge to a RolloutPolicy, lower maxUnavailable, or change the policy',
  });
}

/**
 * Of all groups, with the extra ones that it gets or has; before the first step with those of the whole plan. Groups of the stable
 * version may take more: they count where that is more than they take anyway.
 */
export function gpusOverLimit(situation: Situation): Hold | undefined {
  const { snapshot, workload, replicas } = situation;
  if (replicas === undefined) return undefined;
  const filled = fillToCome(situation);
  const made = surgeInGit(workload);
  const extra = filled?.most ?? (made === undefined ? surgeToCome(situation) : made.set - made.was);
  const own = filled?.primary ?? replicas;
  const each = gpusOfGroup(workload.content, workload.size);
  const was = gpusBefore(situation) ?? each;
  const isMixed = was > each && extra > 0;
  const inAll = isMixed
    ? { gpus: own * was + extra * each, of: `${groupCount(own)} of ${was} GPUs and ${groupCount(extra)} of ${each}` }
    : { gpus: (own + extra) * each, of: `${groupCount(own + extra)} of ${each} GPUs` };
  const { maxGpus, maxExtraGpus } = snapshot.policy;
  const counts = [
    { field: 'maxGpus', most: maxGpus, ...inAll },
    { field: 'maxExtraGpus', most: maxExtraGpus, gpus: extra * each, of: `${groupCount(extra)} of ${each} GPUs` },
  ] as const;
  const over = counts.flatMap(({ field, most, gpus, of }) =>
    most === undefined || gpus <= most ? [] : [{ field, most, seen: `${of} take ${gpus}` }],
  );
  return overHold(situation, 'GpusOverLimit', over, 'Ask for fewer groups, or fewer extra ones (surge)');
}

/** Of one group of the stable version. */
function gpusBefore({ snapshot }: Situation): number | undefined {
  const { stable } = snapshot;
  return stable.kind === 'known' ? gpusOfGroup(stable.value.content, sizeIn(stable.value.content)) : undefined;
}

function overHold(
  { snapshot }: Situation,
  reason: 'StepTooLarge' | 'BudgetTooLarge' | 'GpusOverLimit',
  over: readonly Over[],
  action: string,
): Hold | undefined {
  if (over.length === 0) return undefined;
  const told = over.map(
    ({ field, seen, most }) => `${seen}; ${policySaying(snapshot, field)} allows ${most} (${field})`,
  );
  return hold(reason, { seen: told.join(', and '), action: `${action}, or change the policy` });
}
