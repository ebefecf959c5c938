/** The row `unmanaged`: taking a workload over. */

import { deliveredAt, type Marks } from '../../api/marks.ts';
import { SENTINEL } from '../../api/workload.ts';
import { workloadMove } from '../edits/workload-change.ts';
import { goneHold } from '../events/marks-gone.ts';
import { before } from '../gates/before.ts';
import { ask } from '../gates/gate.ts';
import type { Hold } from '../hold.ts';
import { type Decision, holding, MOVES, moving } from '../move.ts';
import { firstSerial } from '../observed/adopted.ts';
import type { Situation } from '../situation.ts';
import { allGroupsAre } from '../texts/sentences.ts';

/**
 * Adoption writes partition and marks, and only at rest: locked while groups are still moving, one that is
 * recreated would come back on another version (trace 29d).
 */
export function unmanaged(situation: Situation): Decision {
  const { snapshot, digest, partition } = situation;
  const gone = annotationsGone(situation);
  // Nobody asks for it to be managed.
  if (gone === undefined && snapshot.rollout === undefined && snapshot.issues.length === 0)
    return holding([], 'Completed');
  if (gone !== undefined) return holding([gone], 'Completed');
  const answer = ask(before.adopt, situation);
  if (answer.kind === 'shut') return holding(answer.holds, 'Completed');
  const release = { digest, serial: firstSerial(snapshot, digest) };
  const marks: Marks = deliveredAt({ release, step: undefined, restore: undefined, aborted: [] }, snapshot.main);
  return moving(
    workloadMove(situation, {
      reason: 'Adopted',
      label: MOVES.Adopted.label,
      marks,
      partition: partition === SENTINEL ? undefined : SENTINEL,
      why: `${allGroupsAre(answer.seen.replicas)} ready on what Git says, so nothing restarts. From now on an edit of the template is a request, delivered in the steps of ${snapshot.rollout?.file ?? 'the Rollout'}.`,
    }),
    'Completed',
  );
}

/** Marks that the record knows and the file has lost: written by us, removed by somebody. */
function annotationsGone({ snapshot, file }: Situation): Hold | undefined {
  const recorded = snapshot.record?.marks;
  if (recorded === undefined || snapshot.rollout?.rollout.disabled === true) return undefined;
  return goneHold({ snapshot, file }, recorded);
}
