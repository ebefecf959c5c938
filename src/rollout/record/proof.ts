/** How far what the status branch says of a Rollout is borne out: anyone who may push there could have written it. */

import type { Snapshot } from '../snapshot.ts';

/** Whether the record of this snapshot is tranche's own word. Without it only what main and the cluster show may move anything. */
export function isVerified({ record, recordProof }: Pick<Snapshot, 'record' | 'recordProof'>): boolean {
  return record !== undefined && (recordProof === 'signed' || recordProof === 'seen');
}
