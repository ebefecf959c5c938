/** The order to deliver an aborted release from its first step again. */

import { printRetry } from '../../api/intents.ts';
import { printRelease, releasesMeant, shortDigest, shortRelease } from '../../api/release.ts';
import { REQUESTED, requestedRelease } from '../approvable.ts';
import { highestSerial } from '../situation.ts';
import type { Snapshot } from '../snapshot.ts';
import { command } from '../texts/command-text.ts';
import { refused } from './ordered.ts';
import { annotate, type Said } from './said.ts';

/** Of the release that `wish` means, as people write it: several that it could mean are none. */
export function retry(wish: string | undefined, snapshot: Snapshot): Said {
  const { workload } = snapshot;
  const marks = workload?.workload.marks;
  const aborted = marks?.aborted ?? [];
  const meant = wish === undefined ? [] : releasesMeant(wish, aborted);
  if (meant === undefined) return refused(`${wish} is no release, wanted one as 9c41d2e0.7`);
  if (meant.length > 1)
    return refused(`${wish} is more than one release: ${meant.map(printRelease).join(', ')}. Order it with all digits`);
  const inFile = aborted.find((release) => release.digest === workload?.digest);
  const release = wish === undefined ? (inFile ?? aborted[0]) : meant[0];
  if (release === undefined)
    return refused(
      wish === undefined
        ? 'no release was aborted'
        : `${wish} is not among the aborted releases: ${aborted.map(shortRelease).join(', ') || 'none'}`,
    );
  const waiting = requestedRelease(snapshot);
  if (waiting !== undefined && waiting.digest !== release.digest)
    return refused(
      `the file asks for another template (${shortDigest(waiting.digest)}), which comes first and would make this order void. Order it again once that is settled, or give that up first: ${command('abort', snapshot.key)}`,
    );
  const order = { release, after: highestSerial(marks) };
  return {
    ...annotate('retry', printRetry(order), `retry ${shortRelease(release)}`),
    at: { release, step: REQUESTED },
  };
}
