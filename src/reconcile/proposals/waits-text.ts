/** What a pull request waits for, as people say it. */

import type { MergeWait } from '../../ports/forge.ts';

const WORDS: { readonly [R in MergeWait['reason']]: string } = {
  ReviewsMissing: 'reviews',
  ChangesRequested: 'a reviewer who wants changes',
  CheckFailing: 'checks that fail',
  CheckPending: 'checks that run',
  CheckNeverReported: 'checks that nothing has ever reported',
  Behind: 'its branch to be brought up to date',
  Conflict: 'a conflict to be solved',
  Draft: 'it to be no draft any more',
  InMergeQueue: 'the merge queue',
  NotKnown: 'something that the forge does not name',
};

/** `reviews and checks that fail (ci/build)`; of one that can be merged `somebody to merge it`. */
export function waitsText(on: readonly MergeWait[]): string {
  if (on.length === 0) return 'somebody to merge it';
  return on
    .map(({ reason, names }) => `${WORDS[reason]}${names.length === 0 ? '' : ` (${names.join(', ')})`}`)
    .join(' and ');
}
