/** Rollbacks that no person has ordered, as the commits on main tell them: for a Rollout whose record is lost. */

import type { AutomaticBacks } from '../../api/record.ts';
import type { Instant } from '../../api/time.ts';
import { trailersIn } from '../../rollout/commits/trailers.ts';
import type { MoveReason } from '../../rollout/move.ts';
import type { Snapshot, WorkloadFile } from '../../rollout/snapshot.ts';
import { printKey } from '../../rollout/texts/key-text.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import type { Ancestry } from './ancestry.ts';
import type { GitReader } from './git-reader.ts';
import type { Observation } from './observation.ts';
import { isUnsigned } from './unsigned.ts';

const FAILED: MoveReason = 'Failed';
const SETTLED: MoveReason = 'Settled';

/** Commits of which the text is looked at: who has gone back so often holds anyway. */
const LOOKED_AT_MOST = 10;

/**
 * The newest of them, and how many since a release was settled; undefined: none on the first-parent line of main, as far as
 * that is followed. How long ago they were is asked where it is known whether the clock is right. Throws PortError where Git
 * fails.
 */
export async function backsInHistory(
  { line, workloadAt }: Pick<Ancestry, 'line'> & Pick<GitReader, 'workloadAt'>,
  { entry, now }: { readonly entry: DesiredRollout; readonly now: Instant },
): Promise<AutomaticBacks | undefined> {
  const own = printKey(entry.key);
  const steps = (await line()).flatMap((commit) => {
    const { message, oid, author } = commit;
    const reasons = message.includes(own)
      ? trailersIn(message).flatMap(({ rollout, reason }) => (rollout === own ? [reason] : []))
      : [];
    return reasons.length === 0 ? [] : [{ reasons, oid, at: Math.min(author.atSeconds, now) }];
  });
  const settled = steps.findIndex(({ reasons }) => reasons.includes(SETTLED));
  const failed = steps.flatMap(({ reasons, ...commit }, place) =>
    reasons.includes(FAILED) ? [{ ...commit, isInARow: settled < 0 || place < settled }] : [],
  );
  const last = await Promise.all(
    failed.slice(0, LOOKED_AT_MOST).map(async (commit) => ({ commit, file: await workloadAt(commit.oid, entry) })),
  );
  const given = last.flatMap(({ commit: { at, isInARow }, file }) => {
    // The release that was aborted last stands first.
    const release = file?.workload.marks?.aborted[0];
    return release === undefined ? [] : [{ release, at, isInARow }];
  });
  if (given.length === 0) return undefined;
  return {
    inARow: given.filter(({ isInARow }) => isInARow).length,
    last: given.reverse().map(({ release, at }) => ({ release, at })),
  };
}

/** Without a record that is borne out main tells how often it has gone back by itself; who has aborted no text has not. */
export async function backsOf(of: Observation, file?: WorkloadFile): Promise<Pick<Snapshot, 'backsInHistory'>> {
  if ((of.stored?.kind === 'read' && !isUnsigned(of)) || (file?.workload.marks?.aborted ?? []).length === 0) return {};
  const backs = await of.git.automaticBacks(of.entry, of.now);
  return backs === undefined ? {} : { backsInHistory: backs };
}
