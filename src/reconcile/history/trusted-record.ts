/** The record that a decision goes by: the stored one, or one that is made from main. */

import type { RolloutRecord } from '../../api/record.ts';
import { sameRelease } from '../../api/release.ts';
import type { RecordProof } from '../../rollout/record/trust.ts';
import type { MergedStep, Snapshot, WorkloadFile } from '../../rollout/snapshot.ts';
import { beforeMerge, stepMerged, stepUnplanned } from './merged-step.ts';
import type { Observation } from './observation.ts';
import { rebuiltRecord } from './rebuild-record.ts';
import { stepBrought } from './step-commits.ts';
import { isUnsigned, withStepOfMain } from './unsigned.ts';

type Trusted = { readonly record: RolloutRecord | undefined; readonly merged?: MergedStep };

/** What the snapshot says of the record: what bears it out, and what is wrong with it. */
export function recordFacts(
  of: Observation,
  { record, merged }: Trusted,
): Pick<Snapshot, 'record' | 'recordFault' | 'recordProof' | 'keyMissing' | 'newerRecord' | 'merged'> {
  const { stored, keyMissing } = of;
  const trust = {
    ...(record === undefined ? {} : { recordProof: proofOf(of) }),
    ...(keyMissing === undefined ? {} : { keyMissing }),
  };
  if (stored?.kind === 'newer') return { record, recordFault: '', ...trust, newerRecord: stored.version };
  if (merged === undefined) return { record, recordFault: recordFaultOf(of, record), ...trust };
  return { record, recordFault: '', ...trust, merged };
}

/** What is made from main alone has nothing of the branch in it. */
function proofOf({ stored, proof = 'unproven' }: Observation): RecordProof {
  return stored?.kind === 'read' ? proof : 'seen';
}

/** The stored record; one that is lost or not to be trusted is rebuilt from main, which costs a soak, never a step. */
export async function trustedRecord(of: Observation, file: WorkloadFile | undefined): Promise<Trusted> {
  const stored = of.stored?.kind === 'read' ? of.stored.record : undefined;
  const marks = file?.workload.marks;
  if (marks?.step?.kind !== 'step') return { record: stored };
  const { release, step } = marks;
  const fits =
    stored?.step !== undefined && stored.step.index === step.index && sameRelease(stored.step.release, release);
  if (fits) return { record: isUnsigned(of) ? await withStepOfMain(of, stored, marks) : stored };
  const brought = await stepBrought(of, marks);
  const merged = beforeMerge(stored);
  const found = brought ?? (merged === undefined ? undefined : stepUnplanned(marks, file));
  if (found === undefined || merged === undefined) return { record: rebuiltRecord(of, { stored, step: found, marks }) };
  return { record: rebuiltRecord(of, { stored, step: stepMerged(found, merged, of.now), marks }), merged };
}

/** What main says of the step may stand in place of what a record says that nobody bears out: it is that step still. */
function isSameStep(record: RolloutRecord | undefined, stored: RolloutRecord): boolean {
  const [made, read] = [record?.step, stored.step];
  if (made === undefined || read === undefined) return false;
  return made.index === read.index && sameRelease(made.release, read.release);
}

/** Why the record is not the stored one; empty: it is, or there is nothing to have one of. */
function recordFaultOf({ stored }: Observation, record: RolloutRecord | undefined): string {
  if (stored?.kind === 'untrusted') return stored.why;
  if (stored?.kind !== 'read') return record === undefined ? '' : 'there was none';
  return record === stored.record || isSameStep(record, stored.record) ? '' : 'it spoke of another step';
}
