/** What an abort at once says of requests that would be lost, and why a newer template cannot stay. */

import { updatesPrimary } from '../../api/styles.ts';
import { styleInUse } from '../ladders/ladder-files.ts';
import type { Snapshot } from '../snapshot.ts';
import { command } from '../texts/command-text.ts';
import { type Refused, refused } from './ordered.ts';

/**
 * What to order after an abort at once, where by what the last pass has seen all requests would go to a side of which no group serves: the
 * passes see to it that they wait. undefined: they go, or nobody knows.
 */
export function requestsWait({ record, key }: Snapshot): string | undefined {
  const { shown, reached } = record?.traffic ?? {};
  const [stable, canary] = (['stable', 'canary'] as const).map((of) => shown?.sides.find(({ side }) => side === of));
  const isShared = reached?.of === 'canary' || (shown?.share !== undefined && shown.share.wanted !== '–');
  if (stable?.serving !== 0 || (canary?.serving ?? 0) === 0 || !isShared) return undefined;
  return `No group of ${stable.name} served when tranche last looked, and ${canary?.name} did: requests wait until one of ${stable.name} serves. To have them all fail instead: ${command('abort', key, '--now --accept-outage')}`;
}

/**
 * Refuses to keep a newer template from a canary's promotion on: groups of the user's own are on the release, or on their way, and
 * would go on serving what is aborted. To go back, they need the stable template in the place of the newer one. Two colours go
 * back without it, and before the promotion no request stays with the release.
 */
export function keepRefused({ workload, lostMarks, ladder, rollout, key }: Snapshot): Refused | undefined {
  const { step } = lostMarks ?? workload?.workload.marks ?? {};
  if (!updatesPrimary(styleInUse({ ladder, rollout })) || step?.kind !== 'promote') return undefined;
  return refused(
    `the groups of ${workload?.object.name ?? key.name} are on the release, or on their way to it: to go back, they need the stable template in the place of the newer one. Abort both, and write the newer one again once that is over: ${command('abort', key)}`,
  );
}
