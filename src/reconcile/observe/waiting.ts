/** In which order Rollouts are decided: who has waited for longest is asked first, where several want one place. */

import type { Instant } from '../../api/time.ts';
import { printKey } from '../../rollout/key-text.ts';
import type { StoredRecord } from '../status/record-store.ts';
import type { DesiredRollout } from './desired.ts';

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

function requestedSince(stored: StoredRecord | undefined): Instant | undefined {
  return stored?.kind === 'read' ? stored.record.requested?.since : undefined;
}
