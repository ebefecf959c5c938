/** A file that was put back from Git under groups of a newer template: they go back, once someone says so. */

import type { Marks } from '../../api/marks.ts';
import { isOrderedBack } from '../gates/elsewhere.ts';
import { type Decision, moving } from '../move.ts';
import type { Seen, Situation } from '../situation.ts';
import { goBack } from './going-back.ts';

/** The rollback to the template of the file, from the lowest group that is on another one; undefined: nobody has ordered it. */
export function broughtBack(situation: Situation, marks: Marks): Decision | undefined {
  if (!isOrderedBack(situation)) return undefined;
  const because = 'The file was put back while groups were on a newer template, and it was ordered that they follow.';
  const move = goBack(onOwnTemplate(situation, marks), { given: { reason: 'Reverted', because }, marks });
  return move === undefined ? undefined : moving(move, 'StepUpgrade');
}

/** What is in the file is the stable version: it is live, so that its revision is the one of the StatefulSet. */
function onOwnTemplate(situation: Seen, marks: Marks): Seen {
  const { file, snapshot, observed, workload } = situation;
  const stable = { commit: snapshot.main, release: marks.release, content: workload.content, text: file.text };
  return {
    ...situation,
    snapshot: { ...snapshot, stable: { kind: 'known', value: stable } },
    observed: { ...observed, stableKey: observed.releaseKey },
  };
}
