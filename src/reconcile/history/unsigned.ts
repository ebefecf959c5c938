/** What main says in place of a record that nobody bears out: no key has signed it, and this process has not written it. */

import { type Marks, printMarks, printStep } from '../../api/marks.ts';
import type { RolloutRecord, StepRecord } from '../../api/record.ts';
import { sameRelease } from '../../api/release.ts';
import type { Instant } from '../../api/time.ts';
import type { Snapshot, WorkloadFile } from '../../rollout/snapshot.ts';
import { arrivedAt } from './arrival.ts';
import type { Observation } from './observation.ts';
import { stepBrought } from './step-commits.ts';

/** Whether there is a record that anyone who can push to the status branch may have written. */
export function isUnsigned({ stored, proof }: Pick<Observation, 'stored' | 'proof'>): boolean {
  return stored?.kind === 'read' && proof === 'unproven';
}

/** The dates of main's own line that count in place of those of the record. Throws PortError where Git fails. */
export async function unsignedFacts(
  of: Observation,
  file: WorkloadFile | undefined,
): Promise<Pick<Snapshot, 'unsigned'>> {
  const marks = file?.workload.marks;
  if (!isUnsigned(of)) return {};
  if (file === undefined || marks === undefined) return { unsigned: {} };
  const rungAt = marks.step === undefined ? undefined : await rungTime(of, marks);
  return { unsigned: rungAt === undefined ? {} : { rungAt } };
}

/**
 * Since when a request waits that gives way to others, where its record is not borne out, or is gone: anyone who writes `now` there,
 * or takes it away, before each pass must not keep it waiting. Asked for only where another one is before it. Throws PortError
 * where Git fails.
 */
export async function requestFacts(
  of: Observation,
  file: WorkloadFile | undefined,
): Promise<Pick<Snapshot, 'requestedAt'>> {
  const marks = file?.workload.marks;
  if (file === undefined || marks === undefined || (of.earlier ?? []).length === 0) return {};
  const isWaiting = marks.step === undefined && marks.release.digest !== file.digest;
  const isProven = of.stored?.kind === 'read' && !isUnsigned(of);
  if (!isWaiting || isProven) return {};
  // Where the clone ends before the request does, that is older than all of it.
  return { requestedAt: (await of.git.requestedAt(of.entry, file.digest, of.now)) ?? 0 };
}

/**
 * When main got the rung of a rollback that the record is not of: a newer tranche keeps the record, no key signs it, or the
 * status branch refused it, or it is gone: anyone who takes it away before each pass must not keep the rollback waiting. Throws
 * PortError where Git fails.
 */
export async function rollbackFacts(
  of: Observation,
  file: WorkloadFile | undefined,
): Promise<Pick<Snapshot, 'rollbackAt'>> {
  const marks = file?.workload.marks;
  if (marks?.step?.kind !== 'rollback') return {};
  const { stored } = of;
  const recorded = stored?.kind === 'read' ? stored.record.marks : undefined;
  const isOfNow = recorded !== undefined && printed(recorded) === printed(marks);
  if (isOfNow) return {};
  const rollbackAt = await rungTime(of, marks);
  return rollbackAt === undefined ? {} : { rollbackAt };
}

/**
 * When main got the step, or the promotion, that it has now, whatever else of its marks was changed since; undefined: nobody knows.
 * Throws PortError where Git fails.
 */
export async function stepTime({ git, entry, now }: Observation, marks: Marks): Promise<Instant | undefined> {
  const { release, step } = marks;
  if (step === undefined) return undefined;
  const found = await git.arrival(
    entry,
    (there) =>
      sameRelease(there?.release, release) && there?.step !== undefined && printStep(there.step) === printStep(step),
  );
  return found && arrivedAt(found, now);
}

async function rungTime({ git, entry, now }: Observation, marks: Marks): Promise<Instant | undefined> {
  const wanted = printed(marks);
  const found = await git.arrival(entry, (there) => there !== undefined && printed(there) === wanted);
  return found && arrivedAt(found, now);
}

function printed(marks: Marks): string {
  return JSON.stringify(printMarks(marks));
}

/** The record with what main says of the step in Git: its plan, and when it was written. What a record alone knows stays. */
export async function withStepOfMain(of: Observation, record: RolloutRecord, marks: Marks): Promise<RolloutRecord> {
  const { step } = record;
  const brought = step === undefined ? undefined : await stepBrought(of, marks);
  if (step === undefined || brought === undefined) return record;
  const { planned, frozen, replicas, partition, writtenAt, policies = step.policies } = brought;
  return {
    ...record,
    step: { ...step, planned, frozen, replicas, partition, writtenAt, policies } satisfies StepRecord,
  };
}
