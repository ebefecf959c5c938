/** The status of an LWS: counters, conditions, and whether the rollout is done. */

import type { Json, JsonObject } from '../../api/json.ts';
import { printInstant } from '../../api/time.ts';
import { isSince09 } from '../modes.ts';
import { GROUP_INDEX, LWS_NAME, WORKER_INDEX } from '../objects/labels.ts';
import { count, type KubeObject, labelsOf, objects, statusOf, text } from '../objects/objects.ts';
import { PODS } from '../objects/resource-table.ts';
import type { World } from '../world.ts';
import { judgedGroup } from './group-state.ts';
import type { LwsView } from './lws-view.ts';

type LwsStatus = {
  readonly status: JsonObject;
  /** Everything is on the newest revision and nothing is held back: old revisions may go. */
  readonly done: boolean;
  /** The condition that led, where one changed: the reason and text of the event. */
  readonly changed: ConditionType | undefined;
  readonly readyReplicas: number;
};

type ConditionType = 'Available' | 'Progressing' | 'UpdateInProgress';

export const conditionTexts = {
  Available: { reason: 'AllGroupsReady', message: 'All replicas are ready' },
  Progressing: { reason: 'GroupsProgressing', message: 'Replicas are progressing' },
  UpdateInProgress: { reason: 'GroupsUpdating', message: 'Rolling Upgrade is in progress' },
} as const satisfies Record<ConditionType, { reason: string; message: string }>;

/** LC:420-573. Surge groups count in the counters and not in the conditions. */
export function lwsStatus(world: World, lws: LwsView, from: { sts: KubeObject; key: string }): LwsStatus {
  const counts = countGroups(world, lws, from.key);
  const wanted = wantedConditions(lws, counts);
  const conditions = setConditions(world, lws, wanted);
  const modern = isSince09(world.modes().lws);
  const status = {
    ...(conditions.list.length === 0 ? {} : { conditions: conditions.list }),
    hpaPodSelector: `${LWS_NAME}=${lws.name},${WORKER_INDEX}=0`,
    ...(modern ? { observedGeneration: lws.generation } : {}),
    ...nonZero('readyReplicas', counts.ready),
    ...nonZero('replicas', count(statusOf(from.sts)['replicas'], 0)),
    ...nonZero('updatedReplicas', counts.updated),
  };
  return {
    status,
    done: lws.partition === 0 && counts.updatedAndReady === lws.replicas,
    changed: conditions.changed ? wanted[0] : undefined,
    readyReplicas: counts.ready,
  };
}

type Counts = {
  readonly ready: number;
  readonly updated: number;
  readonly readyBelowN: number;
  /** Groups in [P, N), those of them that are updated, and those that are also ready. */
  readonly inPart: number;
  readonly updatedInPart: number;
  readonly updatedAndReady: number;
};

function countGroups(world: World, lws: LwsView, key: string): Counts {
  const counts = { ready: 0, updated: 0, readyBelowN: 0, inPart: 0, updatedInPart: 0, updatedAndReady: 0 };
  for (const leader of world.objects.unordered(PODS, lws.namespace)) {
    const labels = labelsOf(leader);
    if (labels[LWS_NAME] !== lws.name || labels[WORKER_INDEX] !== '0') continue;
    const group = judgedGroup(world, lws, { leader, key });
    if (group === undefined) continue;
    const index = Number(labels[GROUP_INDEX]);
    if (group.ready) counts.ready += 1;
    if (group.updated) counts.updated += 1;
    if (index >= lws.replicas) continue;
    if (group.ready) counts.readyBelowN += 1;
    if (index < lws.partition) continue;
    counts.inPart += 1;
    if (group.updated) counts.updatedInPart += 1;
    if (group.updated && group.ready) counts.updatedAndReady += 1;
  }
  return counts;
}

function wantedConditions(lws: LwsView, counts: Counts): readonly ConditionType[] {
  if (counts.updatedInPart < counts.inPart) return ['UpdateInProgress', 'Progressing'];
  if (counts.readyBelowN === lws.replicas && counts.updatedAndReady === counts.inPart) return ['Available'];
  return ['Progressing'];
}

/** LC:895-971: conditions are only ever set True; they become False because another one excludes them. */
function setConditions(
  world: World,
  lws: LwsView,
  wanted: readonly ConditionType[],
): { readonly list: readonly Json[]; readonly changed: boolean } {
  const modern = isSince09(world.modes().lws);
  const observed = modern ? { observedGeneration: lws.generation } : {};
  const now = printInstant(world.objects.nowSeconds);
  let list: readonly JsonObject[] = objects(lws.status['conditions']);
  let changed = false;
  for (const type of wanted) {
    // The first change ends the evaluation: the next condition is set by the next reconcile.
    if (changed) break;
    const fresh = { lastTransitionTime: now, ...conditionTexts[type], ...observed, status: 'True', type };
    const at = list.findIndex((condition) => condition['type'] === type);
    if (at < 0) {
      list = [...list, fresh];
      changed = true;
    }
    list = list.map((condition) => {
      const isTrue = condition['status'] === 'True';
      if (condition === fresh) return condition;
      if (condition['type'] === type) {
        const renewed = modern && count(condition['observedGeneration'], 0) !== lws.generation;
        if (isTrue && !renewed) return condition;
        changed = true;
        return fresh;
      }
      if (!isTrue || !excludes(type, text(condition['type']))) return condition;
      changed = true;
      return { ...condition, status: 'False', lastTransitionTime: now };
    });
  }
  if (modern) list = list.map((condition) => ({ ...condition, ...observed }));
  return { list, changed };
}

/** Available stands against both others; Progressing and UpdateInProgress may both be True. */
function excludes(type: ConditionType, other: string): boolean {
  return (type === 'Available') !== (other === 'Available');
}

function nonZero(key: string, value: number): JsonObject {
  return value === 0 ? {} : { [key]: value };
}
