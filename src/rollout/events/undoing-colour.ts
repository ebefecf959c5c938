/** A settled release of blueGreen is undone by order: the first commit, after which the other colour is filled. */

import type { Marks } from '../../api/marks.ts';
import { printRelease } from '../../api/release.ts';
import { withAside } from '../../api/restore.ts';
import { changeRefused, idleScaled, scalerRefused } from '../gates/second.ts';
import type { Hold } from '../hold.ts';
import { delivering, documentMissing, documentsLost, routesChanged, takenBySomebody } from '../ladders/delivering.ts';
import type { Delivering } from '../ladders/delivering-facts.ts';
import { undoing } from '../ladders/next-commit.ts';
import { climbed, unwritable } from '../ladders/rung-move.ts';
import { type Decision, holding, MOVES } from '../move.ts';
import { type Aborted, remember } from '../orders/aborted-release.ts';
import type { Situation } from '../situation.ts';
import { noText } from './going-back.ts';

/**
 * The template of before comes back into the file, and restarts nothing; the release counts as aborted. `situation` has what
 * had settled before as the stable version. Nothing starts that the colour could not carry to its end.
 */
export function undoByColour(
  situation: Situation,
  { given, marks }: { readonly given: Aborted; readonly marks: Marks },
): Decision {
  const { stable } = situation.snapshot;
  if (stable.kind !== 'known') return holding([noText(situation)], 'Completed');
  const { release } = stable.value;
  const on = delivering(situation, { ...marks, restore: undefined }, release);
  if (on === undefined) return holding([documentMissing(situation)], 'Completed');
  const holds = notCarried(on);
  if (holds.length > 0) return holding(holds, 'Completed');
  const next = undoing(on.delivery);
  if (next.kind === 'unwritable') return unwritable(on, next);
  return climbed(on, next, {
    reason: given.reason,
    label: MOVES[given.reason].label,
    marks: {
      ...marks,
      release,
      aborted: remember(given, marks),
      restore: withAside(undefined, { undone: printRelease(given.release) }),
    },
    text: situation.digest === release.digest ? undefined : stable.value,
    because: given.because,
  });
}

/** What keeps a colour from being filled: none of it is for people, for policies or for time. */
function notCarried(on: Delivering): readonly Hold[] {
  const { situation } = on;
  const found = [
    takenBySomebody(on),
    documentsLost(on),
    routesChanged(on),
    idleScaled(situation),
    scalerRefused(situation),
    changeRefused(situation),
  ];
  return found.filter((held) => held !== undefined);
}
