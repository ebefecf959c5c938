/** Whether a JSON value has the shape of a record: what a decision reads of it is checked field by field. */

import { isIntOrPercent } from '../../api/int-or-percent.ts';
import { isRecord } from '../../api/json.ts';
import type { RolloutRecord } from '../../api/record.ts';

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === 'string';
const number: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const flag: Check = (value) => typeof value === 'boolean';
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const list =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const texts: Check = (value) => isRecord(value) && Object.values(value).every(text);
const object =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isRecord(value) && Object.entries(fields).every(([key, check]) => check(value[key]));

const release = object({ digest: text, serial: number });
const displaced = object({ was: optional(isIntOrPercent), set: isIntOrPercent });
const surge = object({ was: number, set: number });
const stepMark: Check = (value) =>
  object({ kind: (kind) => kind === 'rollback' })(value) ||
  object({ kind: (kind) => kind === 'step', index: number, of: number })(value);

const record = object({
  cluster: text,
  namespace: text,
  name: text,
  main: text,
  blobs: texts,
  settled: flag,
  auditedAt: number,
  phase: text,
  currentStepState: text,
  currentStepIndex: number,
  nextStepIndex: number,
  message: text,
  conditions: list(object({ type: text, status: text, reason: text, message: text, since: number })),
  holds: list(object({ reason: text, message: text, until: optional(number), facts: optional(isRecord) })),
  rolloutHash: text,
  observedRolloutID: text,
  marks: optional(
    object({
      release,
      step: optional(stepMark),
      stable: optional(text),
      restore: optional(object({ floor: number, maxUnavailable: optional(displaced), replicas: optional(surge) })),
      aborted: list(release),
    }),
  ),
  step: optional(
    object({
      release,
      index: number,
      planned: list(number),
      replicas: number,
      partition: number,
      writtenAt: optional(number),
      doneSince: optional(number),
      restarts: optional(list(object({ index: number, uid: text, count: number, since: optional(number) }))),
    }),
  ),
  groups: list(
    object({
      index: number,
      uid: text,
      version: text,
      ready: flag,
      since: number,
      loadingSince: optional(number),
      unready: optional(object({ since: number, revision: text })),
    }),
  ),
  unseen: optional(object({ why: text, since: number })),
  covers: optional(object({ groups: number, of: number })),
  loads: optional(list(number)),
  expected: optional(
    object({
      load: optional(object({ seconds: number, least: number, most: number, groups: number })),
      atOnce: number,
      budget: number,
      step: object({ groups: number, seconds: optional(number) }),
      rest: object({ groups: number, seconds: optional(number) }),
      pauses: object({ seconds: number, manual: number }),
      overdue: optional(list(number)),
    }),
  ),
  uids: optional(object({ lws: text, leaderSet: text })),
  appliedSince: optional(number),
  notAppliedSince: optional(number),
  contest: optional(object({ path: text, count: number, since: number, last: number, writers: list(text) })),
  revision: optional(object({ digest: text, key: text })),
  stable: optional(object({ commit: text, release, text })),
});

/** Tells a record from anything else. */
export function isRolloutRecord(value: unknown): value is RolloutRecord {
  return record(value);
}
