/** Why requests are not sent at once to a side of which nothing serves. */

import { command } from '../command-text.ts';
import type { Snapshot } from '../snapshot.ts';
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
