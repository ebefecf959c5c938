/** A newer template in the file that restarts nothing and waits: what is in progress ends first. */

import { shortDigest } from '../../api/release.ts';
import { newerRequestWaits } from '../gates/failure.ts';
import { type Hold, hold } from '../hold.ts';
import type { Situation } from '../situation.ts';

/** Says that the template of the file waits until then; none where the file has the template of the release in progress. */
export function queuedHold(situation: Situation, until: string): readonly Hold[] {
  const { digest, file, marks } = situation;
  // A release that has failed next to it says the same, and what to do.
  if (digest === marks?.release.digest || newerRequestWaits(situation) !== undefined) return [];
  return [
    hold('RequestQueued', {
      seen: `${file.file}: a newer template (${shortDigest(digest)}) waits, inert, until ${until}`,
      waits: 'tranche',
    }),
  ];
}
