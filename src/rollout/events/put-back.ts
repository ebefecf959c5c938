/** A file that was put back from Git under groups of a newer template: they go back, once someone says so. */

import type { Marks } from '../../api/marks.ts';
import { shortDigest, shortRelease } from '../../api/release.ts';
import { SENTINEL } from '../../api/workload.ts';
import { workloadMove } from '../edits/workload-change.ts';
import { elsewhereFacts, isOrderedBack } from '../gates/elsewhere.ts';
import { type Decision, MOVES, moving } from '../move.ts';
import type { Seen, Situation } from '../situation.ts';
import { goBack } from './going-back.ts';

/** The rollback to the template of the file, from the lowest group that is on another one; undefined: nobody has ordered it. */
export function broughtBack(situation: Situation, marks: Marks): Decision | undefined {
  if (!isOrderedBack(situation)) return undefined;
  const because =
    situation.snapshot.behind === undefined
      ? 'The file was put back while groups were on a newer template, and it was ordered that they follow.'
      : 'Groups were on another template than the file, and it was accepted that they follow it.';
  const own = onOwnTemplate(situation, marks);
  const fields = goBack(own, { given: { reason: 'Reverted', because }, marks });
  return fields === undefined ? undefined : moving(workloadMove(own, fields), 'StepUpgrade');
}

/**
 * The file was put back after the newer release had settled: that one is what serves, so that the older template is a request
 * like any other, with its steps. What the last commit of tranche wrote comes back into the annotations, and moves nothing.
 */
export function requestedByFile(situation: Situation): Decision | undefined {
  const { snapshot, partition, digest } = situation;
  const since = snapshot.settledSince;
  const marks = since?.serves === undefined ? since : withoutColour(situation, since);
  if (marks === undefined || partition !== SENTINEL) return undefined;
  if (situation.view !== 'seen' || elsewhereFacts(situation) === undefined) return undefined;
  const { label } = MOVES.AnnotationsRestored;
  const move = workloadMove(situation, {
    reason: 'AnnotationsRestored',
    label,
    marks,
    why: `The file was put back, and release ${shortRelease(marks.release)} had settled since: its annotations return, so that the template ${shortDigest(digest)} of the file is delivered from its first step.`,
  });
  return moving(move, 'BeforeStepUpgrade');
}

/**
 * The second colour served, and went out of the files with what was put back: its release is on the groups of the user's own,
 * which its Service selects again. undefined: that colour is there, and what serves is not known by the files.
 */
function withoutColour({ snapshot }: Situation, marks: Marks): Marks | undefined {
  if (snapshot.ladder === undefined || snapshot.ladder.second !== undefined) return undefined;
  const { serves: _, ...own } = marks;
  return own;
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
