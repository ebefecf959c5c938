/** The least number of groups that an autoscaler leaves: raised while requests go elsewhere, and put back when they are restored. */

import { samePath } from '../../api/field.ts';
import { at } from '../../api/json.ts';
import type { Scaler } from '../../api/live.ts';
import { MARK } from '../../api/marks.ts';
import { parseRestore } from '../../api/restore.ts';
import { scalerFields } from '../../api/scaler.ts';
import { updatesPrimary } from '../../api/styles.ts';
import type { Edit, ObjectEdits, ObjectRef } from '../edits/edit.ts';
import type { Displaced, RouteDocument } from '../traffic/provider.ts';
import { type Commit, edited, withObjects } from './commit.ts';
import { annotationsOf, type Delivery } from './delivery.ts';

/** Without a field the API server, or KEDA, takes a number of its own. */
export function floorIn({ object: { kind }, value }: Pick<RouteDocument, 'object' | 'value'>): number {
  const fields = scalerFields(kind);
  const written = fields === undefined ? undefined : at(value, fields.floor);
  return typeof written === 'number' ? written : (fields?.missing ?? 0);
}

/** What this delivery wants it to be at least; undefined: it has raised none. */
export function floorWanted({ own }: Pick<Delivery, 'own'>): number | undefined {
  return parseRestore(annotationsOf(own)[MARK.restore] ?? '')?.least;
}

/** Whether it goes below its floor where nothing is asked of the workload: then no floor keeps the groups. */
export function hasIdle({ object: { kind }, value }: Pick<RouteDocument, 'object' | 'value'>): boolean {
  const idle = scalerFields(kind)?.idle;
  return idle !== undefined && at(value, idle) !== undefined;
}

/** The commit with the floor raised to N as read; an autoscaler that may have fewer at most keeps its own most. */
export function withFloor(delivery: Delivery, commit: Commit): Commit {
  const { scaler } = delivery;
  const least = floorOf(delivery);
  const fields = scaler === undefined ? undefined : scalerFields(scaler.object.kind);
  if (scaler === undefined || fields === undefined || least === undefined || commit.kind === 'unwritable')
    return commit;
  if (floorIn(scaler) >= least) return commit;
  const path = [...fields.floor];
  const before = asideOf(delivery, path);
  const now = at(scaler.value, path);
  // What people have written since is theirs.
  const isOurs = before !== undefined && before.set === now;
  const was = isOurs ? before.was : typeof now === 'number' ? now : undefined;
  const raised = withObjects(commit, edited(scaler, [{ kind: 'set', path, value: least }]));
  if (raised.kind === 'unwritable') return raised;
  const others = raised.displaced.filter((one) => one !== before);
  return { ...raised, displaced: [...others, { object: scaler.object, path, was, set: least }] };
}

/** N as it is read, and no more than it may have; undefined: there is no autoscaler to hold. */
export function floorOf({ scaler, plan, liveReplicas }: Delivery): number | undefined {
  if (scaler === undefined || !updatesPrimary(plan.style)) return undefined;
  const fields = scalerFields(scaler.object.kind);
  const most = fields === undefined ? undefined : at(scaler.value, fields.most);
  return typeof most === 'number' ? Math.min(most, liveReplicas) : liveReplicas;
}

/** The floor as it was before this delivery, where it still is what we have set. */
export function floorBack(delivery: Delivery): readonly ObjectEdits[] {
  const { scaler } = delivery;
  const path = scaler === undefined ? undefined : scalerFields(scaler.object.kind)?.floor;
  if (scaler === undefined || path === undefined) return [];
  const aside = asideOf(delivery, path);
  if (aside === undefined || at(scaler.value, path) !== aside.set) return [];
  const edit: Edit =
    aside.was === undefined ? { kind: 'remove', path: [...path] } : { kind: 'set', path: [...path], value: aside.was };
  return edited(scaler, [edit]);
}

function asideOf({ displaced, scaler }: Delivery, path: readonly string[]): Displaced | undefined {
  return displaced.find(({ object, path: own }) => isSame(object, scaler?.object) && samePath(own, path));
}

function isSame(left: ObjectRef, right: ObjectRef | undefined): boolean {
  return left.kind === right?.kind && left.name === right.name;
}

/** Whether what is put aside is the floor of an autoscaler. */
export function isFloor({ object }: Pick<Displaced, 'object'>): boolean {
  return scalerFields(object.kind) !== undefined;
}

/**
 * Whether an autoscaler of the cluster is this document's: itself, or of a ScaledObject the HPA that KEDA makes of it, by the name that
 * KEDA gives it (keda.sh, `horizontalPodAutoscalerConfig`). Others for the same workload are somebody else's.
 */
export function isItsScaler({ object, value }: RouteDocument, live: Pick<Scaler, 'kind' | 'name'>): boolean {
  if (live.kind === object.kind) return live.name === object.name;
  if (object.kind !== 'ScaledObject') return false;
  const named = at(value, ['spec', 'advanced', 'horizontalPodAutoscalerConfig', 'name']);
  return live.name === (typeof named === 'string' && named !== '' ? named : `keda-hpa-${object.name}`);
}
