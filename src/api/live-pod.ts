/** Parses the leader pod of a group, and says what a leader that is not ready waits for. */

import { at } from './json.ts';
import type { Known } from './known.ts';
import type { LiveLeader } from './live.ts';
import { type Fields, fieldsOf } from './live-fields.ts';
import { countFromText, GROUP_INDEX, REVISION_KEY, WORKER_INDEX } from './lws-labels.ts';

const CONDITIONS_MAX = 50;
const CONTAINERS_MAX = 100;
/** Reasons of Kubernetes are CamelCase words. Anything else is somebody's free text and is not shown. */
const REASON = /^[A-Za-z][A-Za-z0-9]{0,63}$/;
/** Every start passes through these: they only count when nothing says more. */
const ORDINARY_REASONS: readonly string[] = ['ContainerCreating', 'PodInitializing', 'ContainersNotReady', 'Completed'];

/** True for the pod that LWS made the leader of its group: worker index 0. */
export function isLeader(object: unknown): boolean {
  return at(object, ['metadata', 'labels', WORKER_INDEX]) === '0';
}

/** What we read of a leader pod. Ready means phase Running and condition Ready True, as LWS judges it. */
export function parseLeader(object: unknown): Known<LiveLeader> {
  const fields = fieldsOf('pods', object);
  const groupIndex = countFromText(fields.text(['metadata', 'labels', GROUP_INDEX]));
  if (groupIndex === undefined) fields.wrong(['metadata', 'labels', GROUP_INDEX], 'decimal digits');
  const phase = fields.text(['status', 'phase'], '');
  const conditions = fields.list(['status', 'conditions'], CONDITIONS_MAX).map(conditionOf);
  const deleting = fields.has(['metadata', 'deletionTimestamp']);
  const ready = phase === 'Running' && conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  const reasons = [
    ...(deleting ? ['Terminating'] : []),
    ...conditions
      .filter(({ type, status }) => type === 'PodScheduled' && status !== 'True')
      .map(({ reason }) => reason),
    ...containerReasons(fields),
    fields.text(['status', 'reason'], ''),
    ...conditions.filter(({ type, status }) => type === 'Ready' && status !== 'True').map(({ reason }) => reason),
  ];
  return fields.end({
    name: fields.text(['metadata', 'name']),
    uid: fields.text(['metadata', 'uid']),
    groupIndex: groupIndex ?? 0,
    revisionKey: fields.text(['metadata', 'labels', REVISION_KEY], ''),
    deleting,
    ready,
    waitingOn: ready ? '' : tellingReason(reasons, phase),
  });
}

/** The first reason that says more than that the pod is starting; else the phase; else an ordinary one. */
function tellingReason(reasons: readonly string[], phase: string): string {
  const words = reasons.filter((reason) => REASON.test(reason));
  const telling = words.find((reason) => !ORDINARY_REASONS.includes(reason));
  if (telling !== undefined) return telling;
  const ordinary = words[0];
  if (ordinary !== undefined) return ordinary;
  return phase !== 'Running' && REASON.test(phase) ? phase : '';
}

type Condition = { readonly type: string; readonly status: string; readonly reason: string };

function conditionOf(fields: Fields): Condition {
  return { type: fields.text(['type']), status: fields.text(['status']), reason: fields.text(['reason'], '') };
}

/** Why containers do not run, init containers first: those block the others. */
function containerReasons(fields: Fields): readonly string[] {
  return ['initContainerStatuses', 'containerStatuses'].flatMap((key) =>
    fields
      .list(['status', key], CONTAINERS_MAX)
      .flatMap((container) => [
        container.text(['state', 'waiting', 'reason'], ''),
        container.text(['state', 'terminated', 'reason'], ''),
      ]),
  );
}
