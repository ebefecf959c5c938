/** A settled release is taken back by order: the rollback of an abort, to an earlier release that main's own line names. */

import { known } from '../../api/known.ts';
import { shortRelease } from '../../api/release.ts';
import { undoOrder, undoRefused } from '../gates/undo.ts';
import type { Aborted } from '../orders/aborted-release.ts';
import { type Situation, situationOf } from '../situation.ts';

/** What is aborted, in the situation in which the earlier release is the stable one. */
type Undone = { readonly given: Aborted; readonly situation: Situation };

/**
 * The rollback that an order to undo asks for now; undefined: none stands, or `undoRefused` says why not. It asks for no
 * window, pause, approval and turn, as no rollback does.
 */
export function undone(situation: Situation): Undone | undefined {
  const { snapshot, file } = situation;
  const order = undoOrder(situation);
  if (order === undefined || snapshot.undo?.kind !== 'known' || snapshot.lostMarks !== undefined) return undefined;
  if (undoRefused(situation) !== undefined) return undefined;
  const { target } = snapshot.undo.value;
  const because = `It was ordered to undo release ${shortRelease(order.release)}, which had settled: the template of ${shortRelease(target.release)} comes back, as ${target.commit.slice(0, 12)} has it.`;
  const given = { release: order.release, reason: 'Undone', because } as const;
  return { given, situation: situationOf({ ...snapshot, stable: known(target) }, file) };
}
