/** When a Rollout is at rest: settled in Git and in the record, for files that have not changed since. */

import type { RolloutRecord } from '../../api/record.ts';
import type { Instant } from '../../api/time.ts';
import { SENTINEL } from '../../api/workload.ts';
import type { WorkloadFile } from '../../rollout/snapshot.ts';

/** `rest`: the cluster is not asked. `audit`: at rest, and to be compared with the cluster. */
export type Resting = 'rest' | 'audit' | 'work';

/** Settled in Git and in the record, for these blobs, and lately audited: the cluster is not asked. */
export function isResting(at: {
  readonly file: WorkloadFile | undefined;
  readonly record: RolloutRecord | undefined;
  readonly blobs: Readonly<Record<string, string>>;
  readonly now: Instant;
  readonly auditSeconds: number;
}): Resting {
  const { file, record, blobs } = at;
  if (file === undefined || record === undefined || !record.settled) return 'work';
  const same = Object.keys(blobs).every((path) => record.blobs[path] === blobs[path]);
  const { marks, partition } = file.workload;
  if (!same || marks === undefined || partition !== SENTINEL) return 'work';
  // Whatever the record says: something is asked for, or in progress.
  if (marks.step !== undefined || marks.release.digest !== file.digest) return 'work';
  return isAuditDue(record, at) ? 'audit' : 'rest';
}

/** Whether a record at rest is to be compared with the cluster. One that is dated ahead was so by a clock that ran ahead. */
export function isAuditDue(
  { auditedAt }: RolloutRecord,
  { now, auditSeconds }: { readonly now: Instant; readonly auditSeconds: number },
): boolean {
  return auditedAt > now || now - auditedAt >= auditSeconds;
}
