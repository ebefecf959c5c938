/** Builds of kustomize folders in records: which of them count, and what a record takes along. */

import type { BuiltRecord, RolloutRecord } from '../api/record.ts';
import type { Instant } from '../api/time.ts';
import { printKey } from '../rollout/texts/key-text.ts';
import { isAuditDue } from './observe/resting.ts';
import type { SignedRecords } from './roots/kept-builds.ts';
import type { StatusBranch } from './status/record-store.ts';
import type { Signing } from './status/signed.ts';

/**
 * Records that a key of main bears out, until they are audited: then kustomize builds again, which may be another one by then.
 * undefined: this process does not sign. Anyone who could write one unsigned could say what a folder builds.
 */
export function signedRecords(
  { records, proofs }: StatusBranch,
  at: { readonly signing: Signing | undefined; readonly now: Instant; readonly auditSeconds: number },
): SignedRecords | undefined {
  if (at.signing === undefined) return undefined;
  return (key) => {
    const stored = records.get(printKey(key));
    if (stored?.kind !== 'read' || proofs?.get(printKey(key)) !== 'signed') return undefined;
    return isAuditDue(stored.record, at) ? undefined : stored.record;
  };
}

/** The record with what its folder builds, while it is at rest: in a delivery every pass builds anyway. */
export function withBuilt(record: RolloutRecord, toKeep: BuiltRecord | undefined): RolloutRecord {
  const { built, ...rest } = record;
  const wanted = record.settled ? toKeep : undefined;
  if (wanted === undefined) return built === undefined ? record : rest;
  return built?.key === wanted.key && built.text === wanted.text ? record : { ...rest, built: wanted };
}
