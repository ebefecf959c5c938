/** Whether policies want the forge to show who approved a step. */

import type { Snapshot } from '../snapshot.ts';

/** Whether policies want to see on the forge who approved; a word that somebody wrote into the file is none then. */
export function wantsEvidence({ policy }: Pick<Snapshot, 'policy'>): boolean {
  return (policy.approvals ?? []).length > 0;
}
