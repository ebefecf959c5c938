/** Whether someone has accepted what holds a delivery: these very facts, of this very release, and no others. */

import type { AcceptableReason } from '../api/intents.ts';
import { type Release, sameRelease } from '../api/release.ts';
import type { Hold } from './hold.ts';
import { nextRelease, type Situation } from './situation.ts';

/** The release that an acceptance is for: the one in delivery, or the one that the request in the file becomes. */
export function releaseToAccept({ marks, digest }: Pick<Situation, 'marks' | 'digest'>): Release {
  const { step } = marks ?? {};
  const isOurs = step?.kind === 'step' || step?.kind === 'promote';
  return marks !== undefined && isOurs ? marks.release : nextRelease(digest, marks);
}

/** Whether someone has accepted this hold for what is seen now. Anything else that is seen, and the hold is back. */
export function accepted(situation: Situation, reason: AcceptableReason): boolean {
  const { snapshot } = situation;
  const release = releaseToAccept(situation);
  const seen = snapshot.facts[reason];
  return (snapshot.rollout?.intents.accept ?? []).some(
    (given) => given.reason === reason && given.facts === seen && sameRelease(given.release, release),
  );
}

/** The hold, unless someone has accepted it. */
export function unlessAccepted(
  situation: Situation,
  reason: AcceptableReason,
  held: Hold | undefined,
): Hold | undefined {
  return held === undefined || accepted(situation, reason) ? undefined : held;
}
