/** Where a delivery has stood, commit by commit: for the picture on the status branch. No decision reads it. */

import { type Marks, printStep } from '../../api/marks.ts';
import type { RolloutRecord } from '../../api/record.ts';
import type { Course, Stand } from '../../api/record-course.ts';
import { sameRelease } from '../../api/release.ts';
import type { Instant } from '../../api/time.ts';

/** Stands of one delivery: the first, and the newest ones. */
const STANDS_MOST = 100;

type Seen = {
  readonly marks: Marks | undefined;
  readonly covers: RolloutRecord['covers'];
  readonly share: string | undefined;
  /** When Git came to stand there, as far as it is known. */
  readonly at: Instant;
};

/** The course with where Git stands now: it is longer only where that is another place, so that it changes with commits alone. */
export function courseAfter(before: Course | undefined, seen: Seen): Course | undefined {
  const { marks } = seen;
  if (marks === undefined) return before;
  const last = before?.stands.at(-1);
  const step = marks.step === undefined ? 'settled' : placeOf(marks);
  if (marks.step === undefined && (last === undefined || last.step === step)) return before;
  const isOther = before === undefined || (marks.step?.kind === 'step' && !sameRelease(before.release, marks.release));
  if (isOther) return { release: marks.release, stands: [standOf(step, seen)] };
  const isSame = last?.step === step;
  const stand = isSame ? { ...last, ...standOf(step, { ...seen, at: last.at }) } : standOf(step, seen, last);
  const [first, ...others] = isSame ? before.stands.slice(0, -1) : before.stands;
  const kept = first === undefined ? [] : [first, ...others.slice(2 - STANDS_MOST)];
  return { release: before.release, stands: [...kept, stand] };
}

function placeOf({ step, at }: Marks): string {
  return [...(step === undefined ? [] : [printStep(step)]), ...(at === undefined ? [] : [at])].join(' ');
}

/** What was not read is left out: what was known of the same place stays. Clocks of two machines never turn time around. */
function standOf(step: string, { covers, share, at }: Seen, last?: Stand): Stand {
  return {
    at: Math.max(at, last?.at ?? 0),
    step,
    ...(covers === undefined ? {} : { covers }),
    ...(share === undefined ? {} : { share }),
  };
}
