/** Whether a request has the template of a release that had settled before: an order to undo brings that back without steps. */

import { undoRules } from '../../api/undo-limits.ts';
import type { Snapshot, WorkloadFile } from '../../rollout/snapshot.ts';
import type { Observation } from './observation.ts';
import { settledBefore } from './settled-before.ts';

/**
 * The release of that template, within what policies let an order undo now. Read from main's own line, and only where a pass
 * before this one has seen the request stand still: one that starts at once needs no advice. Throws PortError.
 */
export async function earlierFacts(
  of: Observation,
  file: WorkloadFile | undefined,
): Promise<Pick<Snapshot, 'earlier'>> {
  const { entry, stored, git, now } = of;
  const marks = file?.workload.marks;
  const { rollout } = entry.reading;
  if (file === undefined || marks === undefined || rollout === undefined) return {};
  const isRequest = marks.step === undefined && file.digest !== marks.release.digest;
  if (!isRequest || marks.aborted.some(({ digest }) => digest === file.digest)) return {};
  if (rollout.intents.undo !== undefined) return {};
  const waited = stored?.kind === 'read' ? stored.record.requested?.digest : undefined;
  const { undo, undoWithinSeconds } = undoRules(entry.policy.rules);
  if (waited !== file.digest || undo === 0) return {};
  const found = await settledBefore(git, entry, { release: marks.release, most: undo });
  if (found.kind !== 'known' || now - found.value.settledAt > undoWithinSeconds) return {};
  const { before, undone } = found.value;
  const index = before.findIndex(({ release }) => release.digest === file.digest);
  const earlier = before[index]?.release;
  return earlier === undefined || index + 1 + undone > undo ? {} : { earlier };
}
