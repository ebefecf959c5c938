/** Parses the pods of a group, and says what one that is not ready waits for. */

import type { Known } from './known.ts';
import type { ContainerFault, LiveLeader, LiveWorker, PodTrouble } from './live.ts';
import { type Fields, fieldsOf } from './live-fields.ts';
import { countFromText, GROUP_INDEX, GROUP_SIZE, REVISION_KEY } from './lws-labels.ts';
import { controllerUid } from './owner.ts';
import { printableLine } from './printable.ts';
import { type Instant, parseInstant } from './time.ts';
import { VERSION } from './version-label.ts';

const CONDITIONS_MAX = 50;
const CONTAINERS_MAX = 100;
/** The scheduler counts every reason of every node; the first of them tell. */
const SCHEDULER_CHARACTERS = 240;
/** Reasons of Kubernetes are CamelCase words. Anything else is somebody's free text and is not shown. */
const REASON = /^[A-Za-z][A-Za-z0-9]{0,63}$/;
/** Every start passes through these: they only count when nothing says more. */
const ORDINARY_REASONS: readonly string[] = ['ContainerCreating', 'PodInitializing', 'ContainersNotReady', 'Completed'];

/** What we read of a leader pod. Ready means phase Running and condition Ready True, as LWS judges it. */
export function parseLeader(object: unknown): Known<LiveLeader> {
  const fields = fieldsOf('pods', object);
  const { ready, conditions, ...trouble } = statusOf(fields);
  const { status: readiness, since } = conditions.find(({ type }) => type === 'Ready') ?? {};
  const version = fields.text(['metadata', 'labels', VERSION], '');
  const sizePath = ['metadata', 'annotations', GROUP_SIZE];
  const size = fields.has(sizePath) ? countFromText(fields.text(sizePath)) : undefined;
  if (fields.has(sizePath) && (size ?? 0) < 1) fields.wrong(sizePath, 'decimal digits, at least 1');
  return fields.end({
    name: fields.text(['metadata', 'name']),
    uid: fields.text(['metadata', 'uid']),
    groupIndex: groupIndexOf(fields),
    revisionKey: fields.text(['metadata', 'labels', REVISION_KEY], ''),
    ...(version === '' ? {} : { version }),
    size,
    deleting: fields.has(['metadata', 'deletionTimestamp']),
    ready,
    createdAt: parseInstant(fields.text(['metadata', 'creationTimestamp'], '')),
    readyAt: ready ? since : undefined,
    ...(readiness === 'False' && since !== undefined ? { unreadyAt: since } : {}),
    ...trouble,
  });
}

/** What we read of a worker pod: only what may keep its group from becoming ready. */
export function parseWorker(object: unknown): Known<LiveWorker> {
  const fields = fieldsOf('pods', object);
  const { ready: _ready, conditions: _conditions, ...trouble } = statusOf(fields);
  return fields.end({
    name: fields.text(['metadata', 'name']),
    groupIndex: groupIndexOf(fields),
    ownerUid: controllerUid(object),
    ...trouble,
  });
}

function groupIndexOf(fields: Fields): number {
  const groupIndex = countFromText(fields.text(['metadata', 'labels', GROUP_INDEX]));
  if (groupIndex === undefined) fields.wrong(['metadata', 'labels', GROUP_INDEX], 'decimal digits');
  return groupIndex ?? 0;
}

type Status = PodTrouble & { readonly ready: boolean; readonly conditions: readonly PodCondition[] };

function statusOf(fields: Fields): Status {
  const phase = fields.text(['status', 'phase'], '');
  const conditions = fields.list(['status', 'conditions'], CONDITIONS_MAX).map(conditionOf);
  const ready = phase === 'Running' && conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  const unplaced = conditions.find(({ type, status }) => type === 'PodScheduled' && status !== 'True');
  const placed = phase !== 'Pending' || conditions.some((one) => one.type === 'PodScheduled' && one.status === 'True');
  const containers = containersOf(fields);
  const reasons = [
    ...(fields.has(['metadata', 'deletionTimestamp']) ? ['Terminating'] : []),
    ...(unplaced === undefined ? [] : [unplaced.reason]),
    ...containers.flatMap((container) => container.reasons),
    fields.text(['status', 'reason'], ''),
    ...conditions.filter(({ type, status }) => type === 'Ready' && status !== 'True').map(({ reason }) => reason),
  ];
  const fault = ready ? undefined : faultOf(containers);
  return {
    ready,
    conditions,
    waitingOn: ready ? '' : tellingReason(reasons, phase),
    ...(fault === undefined ? {} : { fault }),
    unschedulable: unplaced?.reason === 'Unschedulable' ? shortLine(unplaced.message) : '',
    ...(placed ? {} : { unplaced: true }),
    restarts: Math.max(0, ...containers.map((container) => container.restarts)),
  };
}

/** What the scheduler adds about preemption and device claims: true of nearly every pod, and it pushes out the reason. */
const AFTERTHOUGHT = /\.\s+(?:no new claims|preemption:).*$/;

/** A scheduler may say nothing; that there is no place is known all the same. */
function shortLine(message: string): string {
  const line = printableLine(message).replace(AFTERTHOUGHT, '');
  const short = line.length > SCHEDULER_CHARACTERS ? `${line.slice(0, SCHEDULER_CHARACTERS)}…` : line;
  return short === '' ? 'no node fits' : short.replace(/[.\s]+$/, '');
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

type PodCondition = {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly since: Instant | undefined;
};

function conditionOf(fields: Fields): PodCondition {
  return {
    type: fields.text(['type']),
    status: fields.text(['status']),
    reason: fields.text(['reason'], ''),
    message: freeText(fields.json(['message'])),
    since: parseInstant(fields.text(['lastTransitionTime'], '')),
  };
}

/** Messages have no limit of their own, and a long one makes no object unreadable. */
function freeText(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 4 * SCHEDULER_CHARACTERS) : '';
}

type Container = {
  readonly name: string;
  readonly reasons: readonly string[];
  /** It cannot start, and `message` says why where the kubelet says the same each time. */
  readonly isStuck: boolean;
  readonly message: string;
  readonly exit: ContainerFault['exit'];
  readonly restarts: number;
};

/** Why containers do not run, and how often they were restarted; init containers first: those block the others. */
function containersOf(fields: Fields): readonly Container[] {
  return ['initContainerStatuses', 'containerStatuses'].flatMap((key) =>
    fields.list(['status', key], CONTAINERS_MAX).map((container) => {
      const waiting = container.text(['state', 'waiting', 'reason'], '');
      return {
        name: container.text(['name'], ''),
        reasons: [waiting, container.text(['state', 'terminated', 'reason'], '')],
        isStuck: NO_IMAGE.includes(waiting) || NOT_CREATED.includes(waiting),
        message: NOT_CREATED.includes(waiting) ? freeText(container.json(['state', 'waiting', 'message'])) : '',
        exit: exitOf(container, 'state') ?? exitOf(container, 'lastState'),
        restarts: container.count(['restartCount'], 0),
      };
    }),
  );
}

/** The message of these changes with each try, with ports and times in it: every pass would have another text. */
const NO_IMAGE: readonly string[] = ['ErrImagePull', 'ImagePullBackOff'];
/** The message of these is the kubelet's, and stays: `secret "hf-token" not found`. */
const NOT_CREATED: readonly string[] = [
  'InvalidImageName',
  'ErrImageNeverPull',
  'CreateContainerConfigError',
  'CreateContainerError',
];

/** An end with another code than 0. What is no number, or no word, makes no pod unreadable: nothing is decided by it. */
function exitOf(container: Fields, state: 'state' | 'lastState'): ContainerFault['exit'] {
  const code = container.json([state, 'terminated', 'exitCode']);
  if (typeof code !== 'number' || !Number.isSafeInteger(code) || code === 0) return undefined;
  const reason = container.json([state, 'terminated', 'reason']);
  const word = typeof reason === 'string' && REASON.test(reason) ? reason : '';
  return { code, reason: word, isPrevious: state === 'lastState' };
}

function faultOf(containers: readonly Container[]): ContainerFault | undefined {
  const failed = containers.find(({ isStuck, exit }) => isStuck || exit !== undefined);
  if (failed === undefined || failed.name === '') return undefined;
  const { name, exit, message } = failed;
  return {
    container: printableLine(name),
    ...(exit === undefined ? {} : { exit }),
    message: message === '' ? '' : shortLine(message),
  };
}
