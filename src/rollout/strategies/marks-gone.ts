/** Somebody has taken our annotations out of the file, all or some: nothing is written, but an abort works all the same. */

import { MARK, type Marks, printMarks } from '../../api/marks.ts';
import { printRelease, sameRelease } from '../../api/release.ts';
import { type Hold, hold } from '../hold.ts';
import { type Decision, holding } from '../move.ts';
import type { Situation } from '../situation.ts';
import { goBack } from './going-back.ts';

/** Stalls with what has to be put back; an abort goes by what our last commit wrote. `marks`: with what is gone. */
export function marksGone(situation: Situation, marks: Marks): Decision {
  const { snapshot, digest } = situation;
  const { release, step } = marks;
  const order = snapshot.rollout?.intents.abort;
  if (step?.kind !== 'step' || !sameRelease(order?.release, release))
    return holding([goneHold(situation, marks)], 'StepUpgrade');
  const newer = order?.newer === digest ? digest : undefined;
  const both = newer === undefined ? '' : `, and with it the newer text ${newer} that stood in the file`;
  const because = `Release ${printRelease(release)} was aborted${both}; its annotations had been removed by hand.`;
  return goBack(situation, { release, newer, reason: 'Aborted', because });
}

/** The annotations that are missing, ready to be pasted, and the ways out. */
export function goneHold({ snapshot, file }: Pick<Situation, 'snapshot' | 'file'>, marks: Marks): Hold {
  const { name } = snapshot.key;
  const abort = marks.step?.kind === 'step' ? `; to go back: tranche abort ${name}` : '';
  return hold(
    'AnnotationsGone',
    `${file.file}: tranche.dev annotations of ${file.object.name} are gone. To go on, put them back under metadata.annotations: ${missing(marks, file.workload.marks)}${abort}; to hand the workload back: tranche eject ${name}`,
  );
}

/** Every annotation that the file lacks, as it was written. */
function missing(marks: Marks, own: Marks | undefined): string {
  const [values, there] = [printMarks(marks), own === undefined ? undefined : printMarks(own)];
  const keys: readonly (keyof typeof MARK)[] = ['release', 'step', 'stable', 'restore', 'aborted'];
  return keys
    .filter((key) => values[key] !== undefined && there?.[key] === undefined)
    .map((key) => `${MARK[key]}: '${values[key]}'`)
    .join(', ');
}
