/** Our annotations are not what the last commit of tranche wrote: nothing is written but by an abort or a rollback; the hold says what was. */

import { MARK, MARK_NAMES, type Marks, printMarks } from '../../api/marks.ts';
import { workloadMove } from '../edits/workload-change.ts';
import { type Hold, hold } from '../hold.ts';
import { changesOf } from '../ladders/changes.ts';
import type { Delivering } from '../ladders/delivering-facts.ts';
import { deliveryOf } from '../ladders/documents.ts';
import { isRestored } from '../ladders/shares.ts';
import { type Decision, MOVES, moving } from '../move.ts';
import type { Aborted } from '../orders/aborted-release.ts';
import type { Situation } from '../situation.ts';
import { isFillingBack } from '../state.ts';
import { advice, commandLine, fieldsSet } from '../texts/advice.ts';
import { command } from '../texts/command-text.ts';

/** What was written and is gone or another, ready to be pasted, the order that writes it, and the ways out. */
export function goneHold({ snapshot, file }: Pick<Situation, 'snapshot' | 'file'>, marks: Marks): Hold {
  const { key } = snapshot;
  const { put, out, fields } = differences(marks, file.workload.marks);
  const seen = out.length === 0 ? 'are gone' : 'are not those that its last commit wrote';
  const byHand = [
    ...(put.length === 0 ? [] : [`put under metadata.annotations: ${put.join(', ')}`]),
    ...(out.length === 0 ? [] : [`take out ${out.join(', ')}`]),
  ].join(', and ');
  const isRequested = marks.step === undefined && file.digest !== marks.release.digest;
  const abort = marks.step?.kind === 'step' || isRequested ? advice`; to go back: ${commandLine('abort', key)}` : '';
  return hold('AnnotationsGone', {
    seen: `${file.file}: tranche.dev annotations of ${file.object.name} ${seen}`,
    action: advice`To go on: ${commandLine('repair', key)}; by hand, ${fieldsSet(byHand, file, fields)}${abort}; to hand the workload back${isShared({ snapshot, file }, marks) ? `, once that is done: ${command('eject', key, handedBack(marks))}` : advice`: ${commandLine('eject', key, handedBack(marks))}`}`,
  });
}

/** How it is handed back: a delivery that is open has to end, and a second colour that serves stays the one that does. */
function handedBack({ step, serves }: Marks): string {
  if (step !== undefined) return '--abort';
  return serves === undefined ? '' : '--as-is';
}

/** Whether a settled workload has a route in its files that still names what handing back takes away: that is refused. */
function isShared({ snapshot, file }: Pick<Situation, 'snapshot' | 'file'>, marks: Marks): boolean {
  if (marks.step !== undefined) return false;
  const delivery = deliveryOf({ snapshot, file, marks, release: marks.release, replicas: undefined });
  return delivery !== undefined && !isRestored(delivery);
}

/**
 * An abort of a delivery that fills a second workload, by the recorded annotations: the rungs of its rollback are found by
 * them alone, so they come back first, and nothing else changes. Without an abort only someone may put them back.
 */
export function marksBack(on: Delivering, { marks, because }: Pick<Aborted, 'because'> & { readonly marks: Marks }) {
  const { situation, delivery } = on;
  const changes = changesOf(delivery, [], {
    marks: { from: situation.workload.marks, to: marks },
    content: { digest: situation.digest, source: undefined },
  });
  if (changes === undefined) return undefined;
  const { way, label } = MOVES.AnnotationsRestored;
  const why = `${because} What the last commit of tranche wrote is put back; the rollback starts from there.`;
  return moving({ reason: 'AnnotationsRestored', way, label, marks, changes, why }, 'StepUpgrade');
}

/**
 * A rollback that has started goes on, whatever a hand has made of its annotations: what the last commit of tranche wrote comes back,
 * and nothing else changes. undefined: that was no rollback, or the undo of a settled release, whose rungs ask nobody.
 */
export function rollbackAgain(situation: Situation, marks: Marks): Decision | undefined {
  if (marks.step?.kind !== 'rollback' || isFillingBack(marks)) return undefined;
  const { label } = MOVES.AnnotationsRestored;
  const why = `A rollback is in progress, and the annotations of ${situation.file.object.name} are not those that the last commit of tranche wrote. What it wrote is put back; the rollback goes on from there.`;
  return moving(workloadMove(situation, { reason: 'AnnotationsRestored', label, marks, why }), 'StepUpgrade');
}

/** Every annotation that the file lacks or has otherwise, as it was written, and those that it has next to them. */
function differences(
  marks: Marks,
  own: Marks | undefined,
): {
  readonly put: readonly string[];
  readonly out: readonly string[];
  readonly fields: Parameters<typeof fieldsSet>[2];
} {
  const [values, there] = [printMarks(marks), own === undefined ? undefined : printMarks(own)];
  const others = MARK_NAMES.filter((key) => values[key] !== there?.[key]);
  return {
    put: others.filter((key) => values[key] !== undefined).map((key) => `${MARK[key]}: '${values[key]}'`),
    out: others.filter((key) => values[key] === undefined).map((key) => MARK[key]),
    fields: others.map((key) => ({ path: ['metadata', 'annotations', MARK[key]], value: values[key] })),
  };
}

/** What a delivery has put aside is gone from the file, and no record has it: no further share is written that would be the old one. */
export function restoreGone({ snapshot, file, state }: Situation): Hold | undefined {
  if (state.kind !== 'ladder' || state.stage.kind === 'rollback' || state.marks.restore !== undefined) return undefined;
  return hold('AnnotationsGone', {
    seen: `${file.file}: the annotation ${MARK.restore} of ${file.object.name} is gone. It recorded the routes as they were before the delivery`,
    action: advice`To go on: ${commandLine('repair', snapshot.key)}; to go back all the same: ${commandLine('abort', snapshot.key)}, and then look at the weights of the routes`,
  });
}
