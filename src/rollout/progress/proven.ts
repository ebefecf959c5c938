/** By what main and the cluster say, and no record: which deadlines of a step are over. */

import type { Instant } from '../../api/time.ts';
import { type Expired, expiredAfter } from '../deadlines.ts';
import { ORDINARY_REQUEUE_SECONDS } from '../hold.ts';
import type { JudgedStep } from '../ladders/judged.ts';
import type { Group } from '../observed/groups.ts';
import type { Situation } from '../situation.ts';

/**
 * Those of the deadlines that lead back: counted from the commit of the rung, and from when the API server started to call the
 * leaders unready. Instead of a second pass that sees it, it has been so for as long as passes are apart. None where nothing
 * dates that: a group whose leader is ready, or was recreated since, is waited for by the record alone.
 */
export function expiredByCluster(situation: Situation, { groups, tolerated }: JudgedStep): readonly Expired[] {
  const { now, unsigned } = situation.snapshot;
  const rungAt = unsigned?.rungAt;
  if (rungAt === undefined || rungAt > now) return [];
  const waits = groups.flatMap((group) => unreadySeconds(group, { rungAt, now })).sort((a, b) => b - a);
  const waited = waits[tolerated];
  return waited === undefined ? [] : expiredAfter(situation, waited - ORDINARY_REQUEUE_SECONDS);
}

function unreadySeconds(
  { ready, placed, leader }: Group,
  { rungAt, now }: { readonly rungAt: Instant; readonly now: Instant },
): readonly number[] {
  if (ready || !placed || leader.leaving || leader.unreadyAt === undefined) return [];
  return [now - Math.max(rungAt, leader.unreadyAt)];
}
