/** How long a drain main's own line bears out: the annotation keeps the longest that a policy asked for, and may say anything. */

import type { Marks } from '../../api/marks.ts';
import { type Release, sameRelease } from '../../api/release.ts';
import type { Oid } from '../../ports/git.ts';
import type { Hold } from '../../rollout/hold.ts';
import type { Snapshot } from '../../rollout/snapshot.ts';
import type { Observation } from './observation.ts';
import { rulesAt } from './rules-at.ts';
import type { Forged } from './stable-in-history.ts';
import type { Version } from './version.ts';

/** Whether requests are waited for that no policy of now asks to wait for: then the annotation may be what makes it long. */
export function drainsByMark(
  { restore }: Marks,
  holds: readonly Hold[],
  { policy }: Pick<Snapshot, 'policy'>,
): boolean {
  return (restore?.drainSeconds ?? 0) > (policy.drainSeconds ?? 0) && holds.some(({ reason }) => reason === 'Draining');
}

/**
 * The longest drain that the policies of main asked for where a commit of this delivery wrote another one into the mark; a
 * policy that is gone since shortens nothing. undefined: the mark counts, as they did ask for it, or history does not go
 * back to the beginning of the delivery. Throws PortError.
 */
export async function drainBorneOut(
  of: Observation,
  { restore, release }: Marks,
): Promise<{ readonly most: number; readonly forged: Forged } | undefined> {
  const said = restore?.drainSeconds;
  if (said === undefined) return undefined;
  const commits: Oid[] = [];
  const walked = await of.git.line.walk(of.entry, {
    keyOf: (version) => drainIn(version, release),
    visit: ({ version, commit, until }) => {
      // The policies that a commit was written by are those of the commit before it.
      commits.push(...(until === undefined ? [commit] : [until, commit]));
      return drainIn(version, release) === BEFORE ? true : undefined;
    },
  });
  if (walked.kind === 'cut') return undefined;
  let most = 0;
  for (const commit of new Set(commits)) most = Math.max(most, (await rulesAt(of, commit))?.drainSeconds ?? 0);
  if (most >= said) return undefined;
  const asked = most === 0 ? 'no policy of main asked for one' : `the policies of main asked for ${most} s at most`;
  return {
    most,
    forged: {
      seen: `says that a policy asked for a drain of ${said} s, and ${asked} in this delivery`,
      hint: 'It is not waited for this long. git log -p of the file shows who changed the mark.',
    },
  };
}

const BEFORE = 'another release is settled';

/** Versions of one drain are one. Marks that a hand has taken out and put back have started no other delivery. */
function drainIn(version: Version, release: Release): string {
  if (version.kind !== 'read') return version.kind;
  const { marks } = version.workload.workload;
  const isBefore = marks !== undefined && marks.step === undefined && !sameRelease(marks.release, release);
  return isBefore ? BEFORE : String(marks?.restore?.drainSeconds);
}
