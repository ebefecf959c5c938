/** Why an abort is refused as it is worded: requests would be lost, or a newer template cannot stay. */

import { updatesPrimary } from '../../api/styles.ts';
import { styleInUse } from '../ladders/ladder-files.ts';
import type { Snapshot } from '../snapshot.ts';
import { command } from '../texts/command-text.ts';
import { type Refused, refused } from './ordered.ts';

/** Refuses an order at once where, by what the last pass has seen, all requests would go to a side of which no group serves, while the other one serves them. */
export function requestsLost({ record, key }: Snapshot): Refused | undefined {
  const { shown, reached } = record?.traffic ?? {};
  const [stable, canary] = (['stable', 'canary'] as const).map((of) => shown?.sides.find(({ side }) => side === of));
  const isShared = reached?.of === 'canary' || (shown?.share !== undefined && shown.share.wanted !== '–');
  if (stable?.serving !== 0 || (canary?.serving ?? 0) === 0 || !isShared) return undefined;
  return refused(
    `no group of ${stable.name} served when tranche last looked, and ${canary?.name} did: with --now every request would fail. Without it the stable template goes back at once, and requests follow once ${stable.name} serves: ${command('abort', key)}. To fail them all the same: ${command('abort', key, '--now --accept-outage')}`,
  );
}

/**
 * Refuses to keep a newer template where all groups of the user's own are on the release: to go back, they need the stable one
 * in its place. While they are on their way the newer one is taken from its first step instead, and two colours go back
 * without it.
 */
export function keepRefused({ workload, lostMarks, ladder, rollout, key }: Snapshot): Refused | undefined {
  const { step, at } = lostMarks ?? workload?.workload.marks ?? {};
  const style = styleInUse({ ladder, rollout });
  if (!updatesPrimary(style) || step?.kind !== 'promote' || at === undefined || at === 'primary') return undefined;
  return refused(
    `every group is on the release, and to go back the stable template has to take the place of the newer one. Abort both, and write the newer one again once that is over: ${command('abort', key)}`,
  );
}
