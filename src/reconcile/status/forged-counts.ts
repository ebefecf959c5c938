/** Which counts on the status branch no key of main has signed. */

import type { Signatures } from '../../ports/signatures.ts';
import { ownEvidence } from './evidence-files.ts';
import { EVIDENCE_FILE } from './evidence-owner.ts';
import type { Numbers } from './numbers.ts';
import type { StatusBranch } from './record-store.ts';
import { type By, signatureFault } from './signed.ts';

/**
 * Files of this cluster with what metrics counted that no key has signed. `numbers`: the records that the signature over all is of,
 * and their counts with them. It says nothing of a Rollout that has no record yet.
 */
export function forgedCounts(
  { texts }: StatusBranch,
  {
    by,
    signatures,
    say,
    numbers,
  }: {
    readonly by: By;
    readonly signatures: Pick<Signatures, 'isSigned'>;
    readonly say: (path: string, why: string) => void;
    readonly numbers: Numbers;
  },
): ReadonlySet<string> {
  const forged = new Set<string>();
  for (const [path, text] of texts) {
    const [, key = ''] = EVIDENCE_FILE.exec(path) ?? [];
    if (!key.startsWith(`${by.place.cluster}/`) || numbers[`rollouts/${key}.json`] !== undefined) continue;
    const read = ownEvidence(path, text);
    const fault = read === undefined ? 'tranche has not written it' : signatureFault(signatures, { ...read, path }, by);
    if (fault === undefined) continue;
    forged.add(path);
    say(path, fault);
  }
  return forged;
}
