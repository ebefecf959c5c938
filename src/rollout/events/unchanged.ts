/** An edit of the template that LWS sees no difference in: nothing will restart, and it counts as delivered. */

import { emptiesDiffer } from '../../api/content-match.ts';
import { deliveredAt, type Marks } from '../../api/marks.ts';
import { workloadMove } from '../edits/workload-change.ts';
import { before } from '../gates/before.ts';
import { holdsOf } from '../gates/gate.ts';
import { type Decision, MOVES, moving } from '../move.ts';
import { nextRelease, type Situation } from '../situation.ts';

/** The request as delivered; undefined: it restarts groups, or nobody can tell yet. */
export function settledUnchanged(situation: Situation, marks: Marks): Decision | undefined {
  if (!invisible(situation)) return undefined;
  const move = workloadMove(situation, {
    reason: 'NoNewRevision',
    label: MOVES.NoNewRevision.label,
    marks: deliveredAt({ ...marks, release: nextRelease(situation.digest, marks) }, situation.snapshot.main),
    why: 'LWS has applied the edited template and sees no difference to the one before, so no group will restart.',
  });
  return moving(move, 'Completed');
}

/**
 * LWS took the template and made no new revision (traces 31d–31f): nothing will ever restart. Where only an empty map came
 * or went, the cluster cannot show that it has taken it: stepped, the partition shows it, and nothing restarts either.
 */
function invisible(situation: Situation): boolean {
  const { observed, workload, snapshot } = situation;
  if (snapshot.stable.kind !== 'known' || emptiesDiffer(workload.content, snapshot.stable.value.content)) return false;
  const same = observed?.releaseKey !== undefined && observed.releaseKey === observed.stableKey;
  return same && holdsOf(before.settleUnchanged, situation).length === 0;
}
