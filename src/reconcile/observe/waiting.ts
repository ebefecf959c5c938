/** In which order Rollouts are decided: who has waited for longest is asked first, where several want one place. */

import type { Instant } from '../../api/time.ts';
import type { HoldReason } from '../../rollout/hold.ts';
import { printKey } from '../../rollout/key-text.ts';
import type { StoredRecord } from '../status/record-store.ts';
import type { DesiredRollout } from './desired.ts';
import { type Delivery, turnsOf } from './turns.ts';

/**
 * Those whose request is known to wait come first, the oldest of them before the others, of the same age by name; the
 * others as they are. A record that is lost makes a request as young as the pass that sees it first.
 */
export function oldestFirst(
  rollouts: readonly DesiredRollout[],
  records: ReadonlyMap<string, StoredRecord>,
): readonly DesiredRollout[] {
  const waiting = rollouts.flatMap((entry) => {
    const since = requestedSince(records.get(printKey(entry.key)));
    return since === undefined ? [] : [{ entry, since }];
  });
  if (waiting.length === 0) return rollouts;
  const first = waiting.sort((a, b) => a.since - b.since).map(({ entry }) => entry);
  const known = new Set(first);
  return [...first, ...rollouts.filter((entry) => !known.has(entry))];
}

/** A Rollout of another process that waits for its turn alone. */
type Waiting = { readonly entry: DesiredRollout; readonly since: Instant };

/** Those, by what their processes have recorded. */
export function waitingElsewhere(
  rollouts: readonly DesiredRollout[],
  others: ReadonlyMap<string, StoredRecord>,
): readonly Waiting[] {
  if (others.size === 0) return [];
  return rollouts.flatMap((entry): readonly Waiting[] => {
    const stored = others.get(printKey(entry.key));
    const since = requestedSince(stored);
    if (stored?.kind !== 'read' || since === undefined) return [];
    const { holds } = stored.record;
    return holds.length > 0 && holds.every(({ reason }) => reason === TURN) ? [{ entry, since }] : [];
  });
}

/** Those that have asked before this one, of the same age by name, and that a place is free for: theirs to take. */
export function eldersOf(
  { key }: DesiredRollout,
  stored: StoredRecord | undefined,
  { waiting, deliveries }: { readonly waiting: readonly Waiting[]; readonly deliveries: readonly Delivery[] },
): readonly Delivery[] {
  const own = requestedSince(stored);
  const name = printKey(key);
  const isElder = ({ entry, since }: Waiting): boolean =>
    own === undefined || since < own || (since === own && printKey(entry.key) < name);
  const isFree = ({ entry }: Waiting): boolean =>
    turnsOf(entry, deliveries).every(({ underWay, most }) => underWay.length < most);
  return waiting
    .filter((one) => isElder(one) && isFree(one))
    .map(({ entry }) => ({ key: entry.key, policy: entry.policy, step: 'requested' }));
}

const TURN: HoldReason = 'NotItsTurn';

function requestedSince(stored: StoredRecord | undefined): Instant | undefined {
  return stored?.kind === 'read' ? stored.record.requested?.since : undefined;
}
