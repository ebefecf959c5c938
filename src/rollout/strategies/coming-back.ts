/** The row `rollback` where a second workload was filled: rung by rung, whatever people have paused or disabled. */

import { remainsGivenUp } from '../events/ladder-back.ts';
import { heldOnLadder, overtakenOnLadder } from '../events/ladder-overtaken.ts';
import { withdrawn } from '../events/withdrawing.ts';
import { blocking, hold } from '../hold.ts';
import { ownHome } from '../homeward.ts';
import { type Delivering, waiting } from '../ladders/delivering.ts';
import { fieldsHome } from '../ladders/fleet.ts';
import { nextCommit } from '../ladders/next-commit.ts';
import { climbed, unwritable } from '../ladders/rung-move.ts';
import { type Decision, holding } from '../move.ts';

/** First match: a newer text that is live, a share of what serves nothing, the next rung, what it waits for. */
export function comingBack(on: Delivering): Decision {
  const { situation, marks, delivery } = on;
  const { state, file, digest } = situation;
  const isNewer = digest !== marks.release.digest;
  if (isNewer && state.kind === 'ladder') {
    const answer = remainsGivenUp(on) ?? heldOnLadder(on, state) ?? overtakenOnLadder(on, state);
    if (answer !== undefined) return answer;
  }
  const home = withdrawn(on);
  if (home !== undefined) return home;
  const next = nextCommit(delivery);
  if (next.kind === 'unwritable') return unwritable(on, next);
  const queued = isNewer
    ? [
        hold('RequestQueued', {
          seen: `${file.file}: a newer template (${digest}) waits, inert, until the way back is over`,
          waits: 'tranche',
        }),
      ]
    : [];
  const holds = [...waiting(on, next.waits), ...queued];
  if (blocking(holds).length > 0) return holding(holds, 'StepUpgrade');
  const { stable } = situation.snapshot;
  if (next.at === 'settled') {
    const objects = [...next.objects, ...fieldsHome(on, ownHome(marks, situation.workload))];
    return { ...climbed(on, { ...next, objects }, { reason: 'RolledBack', marks }), holds };
  }
  // The whole share went first: the text comes back with the rung that lets the fleet go.
  const text =
    next.at === 'fleet' && stable.kind === 'known' && stable.value.release.digest !== digest ? stable.value : undefined;
  return { ...climbed(on, next, { reason: text === undefined ? 'BroughtHome' : 'Aborted', marks, text }), holds };
}
