/** Whether a JSON value has the shape of a record: every field is checked, because decisions read most of them. */

import type { Aside } from '../../api/aside.ts';
import type { ABSENT, ItemMatch } from '../../api/field.ts';
import { isBudget } from '../../api/int-or-percent.ts';
import { isRecord } from '../../api/json.ts';
import { type Marks, parseRung, RUNGS, type StableMark, type StepMark } from '../../api/marks.ts';
import type { InferencePools } from '../../api/policy-pools.ts';
import type {
  AutomaticBacks,
  BuiltRecord,
  Contest,
  HoldRecord,
  Phase,
  RecordCondition,
  Requested,
  RolloutRecord,
  StableCopy,
  StaleMerge,
  StepRecord,
  StepState,
} from '../../api/record.ts';
import type { ReleaseChange, StepApproval } from '../../api/record-change.ts';
import type { Course, Stand } from '../../api/record-course.ts';
import type { GroupRestarts } from '../../api/record-groups.ts';
import type { Displaced, Restore, Surge } from '../../api/restore.ts';
import type { FrozenPlan } from '../../api/rollout-frozen.ts';
import type { StartedRouting } from '../../api/started-routing.ts';
import { expected } from './record-expected-shape.ts';
import { group } from './record-group-shape.ts';
import { measured } from './record-metrics-shape.ts';
import { notices } from './record-notices-shape.ts';
import { commit, instant, proposal, release } from './record-proposal-shape.ts';
import { traffic } from './record-traffic-shape.ts';
import { waitClocks } from './record-waits-shape.ts';
import { count, either, flag, is, list, object, optional, positive, type Shape, text, texts, word } from './shape.ts';

const there = is((value) => value !== undefined);

const atStep = object({
  kind: word({ step: true }),
  index: count,
  of: positive,
} satisfies Shape<Extract<StepMark, { readonly kind: 'step' }>>);
const atNone = object({ kind: word({ promote: true, rollback: true }) } satisfies Shape<
  Exclude<StepMark, { readonly kind: 'step' }>
>);
const stepMark = either(atNone, atStep);

const scalar = is((found) => ['string', 'number', 'boolean'].includes(typeof found));
const absent = object({ kind: word({ absent: true }) } satisfies Shape<typeof ABSENT>);
const fieldValue = either(absent, scalar);
const match = object({ key: text, value: scalar } satisfies Shape<ItemMatch>);
const segment = either(text, match);
const aside = object({ object: text, path: list(segment), was: fieldValue, set: fieldValue } satisfies Shape<Aside>);

const startedRouting = object({
  service: optional(text),
  pools: optional(object({ stable: text, canary: text } satisfies Shape<InferencePools>)),
  routes: list(object({ kind: text, name: text } satisfies Shape<StartedRouting['routes'][number]>)),
} satisfies Shape<StartedRouting>);

const restore = object({
  floor: optional(count),
  maxUnavailable: optional(object({ was: optional(is(isBudget)), set: is(isBudget) } satisfies Shape<Displaced>)),
  replicas: optional(object({ was: count, set: count } satisfies Shape<Surge>)),
  objects: optional(
    is(
      (value) => list(aside)(value) === undefined,
      () => `whole ${list(aside).says()}`,
    ),
  ),
  style: optional(word({ partition: true, canary: true, blueGreen: true })),
  routing: optional(startedRouting),
  plan: optional(text),
  groups: optional(count),
  withdrawn: optional(positive),
  carried: optional(positive),
  least: optional(positive),
  stopped: optional(is((value) => value === true)),
  resumed: optional(positive),
  drainSeconds: optional(positive),
  undone: optional(text),
} satisfies Shape<Restore>);

const marks = object({
  release,
  step: optional(stepMark),
  stable: optional(object({ commit, digest: text } satisfies Shape<StableMark>)),
  restore: optional(restore),
  aborted: list(release),
  at: optional(
    is(
      (found) => typeof found === 'string' && parseRung(found) !== undefined,
      () => RUNGS.join('|'),
    ),
  ),
  serves: optional(word({ green: true })),
} satisfies Shape<Marks>);

const covers = optional(object({ groups: count, of: count }));

const step = object({
  release,
  index: count,
  planned: list(count),
  replicas: count,
  partition: count,
  writtenAt: optional(instant),
  doneSince: optional(instant),
  frozen: optional(
    object({ workloadRef: there, trafficRoutings: there, style: there, steps: there } satisfies Shape<FrozenPlan>),
  ),
  restarts: optional(
    list(object({ index: count, uid: text, count, since: optional(instant) } satisfies Shape<GroupRestarts>)),
  ),
  policies: optional(list(text)),
  waited: optional(waitClocks),
  promotes: optional(is((value) => value === true)),
  stale: optional(object({ partition: count, because: list(text) } satisfies Shape<StaleMerge>)),
} satisfies Shape<StepRecord>);

const condition = object({
  type: word<RecordCondition['type']>({ Progressing: true, Succeeded: true, Stalled: true }),
  status: word<RecordCondition['status']>({ True: true, False: true }),
  reason: text,
  message: text,
  since: instant,
} satisfies Shape<RecordCondition>);

const record = object({
  version: positive,
  cluster: text,
  namespace: text,
  name: text,
  main: commit,
  blobs: texts,
  settled: flag,
  auditedAt: instant,
  phase: word<Phase>({
    Initial: true,
    Healthy: true,
    Progressing: true,
    Terminating: true,
    Disabled: true,
    Disabling: true,
  }),
  currentStepState: word<StepState>({
    BeforeStepUpgrade: true,
    StepUpgrade: true,
    StepTrafficRouting: true,
    StepMetricsAnalysis: true,
    StepPaused: true,
    StepReady: true,
    Completed: true,
  }),
  currentStepIndex: count,
  // Kruise's -1: there is none.
  nextStepIndex: is((value) => value === -1 || count(value) === undefined),
  message: text,
  conditions: list(condition),
  holds: list(
    object({
      reason: text,
      message: text,
      until: optional(instant),
      facts: optional(is(isRecord)),
      lines: optional(list(text)),
    } satisfies Shape<HoldRecord>),
  ),
  rolloutHash: text,
  observedRolloutID: text,
  marks: optional(marks),
  step: optional(step),
  change: optional(
    object({
      of: text,
      from: optional(list(text)),
      to: list(text),
      fields: optional(list(text)),
    } satisfies Shape<ReleaseChange>),
  ),
  approved: optional(object({ release: text, step: text, by: optional(text), at: text } satisfies Shape<StepApproval>)),
  groups: list(group),
  unseen: optional(
    object({ why: word({ absent: true, unread: true }), since: instant } satisfies Shape<
      NonNullable<RolloutRecord['unseen']>
    >),
  ),
  covers,
  loads: optional(list(positive)),
  expected: optional(expected),
  uids: optional(
    object({ lws: text, leaderSet: text, name: optional(text) } satisfies Shape<NonNullable<RolloutRecord['uids']>>),
  ),
  appliedSince: optional(instant),
  notAppliedSince: optional(instant),
  contest: optional(
    object({
      path: text,
      count: positive,
      since: instant,
      last: instant,
      writers: list(text),
    } satisfies Shape<Contest>),
  ),
  retargeted: optional(text),
  traffic: optional(traffic),
  revision: optional(object({ digest: text, key: text } satisfies Shape<NonNullable<RolloutRecord['revision']>>)),
  requested: optional(object({ digest: text, since: instant, gaveWay: optional(instant) } satisfies Shape<Requested>)),
  stable: optional(object({ commit, release, text } satisfies Shape<StableCopy>)),
  automaticBacks: optional(
    object({
      inARow: count,
      last: list(object({ release, at: instant } satisfies Shape<AutomaticBacks['last'][number]>)),
    } satisfies Shape<AutomaticBacks>),
  ),
  notices: optional(notices),
  course: optional(
    object({
      release,
      stands: list(object({ at: instant, step: text, covers, share: optional(text) } satisfies Shape<Stand>)),
    } satisfies Shape<Course>),
  ),
  proposal: optional(proposal),
  measured: optional(measured),
  built: optional(
    object({
      key: text,
      text,
      objects: list(object({ name: text, isKept: flag, digest: text } satisfies Shape<BuiltRecord['objects'][number]>)),
      isAlone: flag,
    } satisfies Shape<BuiltRecord>),
  ),
} satisfies Shape<RolloutRecord>);

/** Every field of a record and what it takes, as text: another text is another `RECORD_VERSION`. */
export const recordShape = record.says;

/** Tells a record from anything else. */
export function isRolloutRecord(value: unknown): value is RolloutRecord {
  return record(value) === undefined;
}

/** The path of the first field that is not what a record has there; empty: there is none, or it is none at all. */
export function faultyField(value: unknown): string {
  return record(value) ?? '';
}
