/** Whether main's own line bears out that an undo in progress was started from rest, within what policies allowed then. */

import type { Marks } from '../../api/marks.ts';
import { parseRelease, type Release, sameRelease, shortRelease } from '../../api/release.ts';
import type { Instant } from '../../api/time.ts';
import { undoRules } from '../../api/undo-limits.ts';
import type { Oid } from '../../ports/git.ts';
import { isFillingBack } from '../../rollout/state.ts';
import type { Observation } from './observation.ts';
import { rulesAt } from './rules-at.ts';
import type { Version } from './version.ts';

/** What is undone, and what comes back. */
type Undoing = { readonly undone: Release; readonly release: Release };

/** A version right before the undo, and the commit that started that. */
type Start = { readonly marks: Marks; readonly before: Oid; readonly at: Instant | undefined };

/**
 * Why the marks of an undo do not count, whatever the messages of commits say, and whatever its Rollout was called; undefined: what
 * is undone was at rest when it started, and policies allowed that, as far as a clone tells. A policy that came later stops no
 * rollback. Throws PortError.
 */
export async function undoUnstarted(
  of: Observation,
  undoing: Undoing,
  { back, settledAt }: { readonly back: number; readonly settledAt: Instant },
): Promise<string | undefined> {
  const start = await startOf(of, undoing);
  if (start === undefined) return undefined;
  const { marks, before, at } = start;
  const gone = shortRelease(undoing.undone);
  if (marks.step !== undefined || !sameRelease(marks.release, undoing.undone))
    return `${gone} was not at rest in ${before.slice(0, 12)}, before that`;
  const { undo, undoWithinSeconds } = undoRules((await rulesAt(of, before)) ?? of.entry.policy.rules);
  if (undo === 0 || back > undo) return `policies allowed ${undo === 0 ? 'no undo' : `an undo of ${undo}`} then`;
  const isLate = at !== undefined && at - settledAt > undoWithinSeconds;
  return isLate ? `${gone} had settled more than ${undoWithinSeconds} s before (undoWithinSeconds)` : undefined;
}

/**
 * The newest version that is not of this undo. Every commit is looked at first: who repeats the marks of an undo of long ago may
 * not have what is in between stepped over. Marks that a hand took out, or changed within the two releases, have started nothing.
 */
async function startOf(of: Observation, undoing: Undoing): Promise<Start | undefined> {
  const asked = {
    keyOf: (version: Version) => kindOf(version, undoing),
    visit: ({ version, commit, untilAt }: { version: Version; commit: Oid; untilAt: Instant | undefined }) => {
      const marks = version.kind === 'read' ? version.workload.workload.marks : undefined;
      const isOther = marks !== undefined && kindOf(version, undoing) === OTHER;
      return isOther ? { marks, before: commit, at: untilAt } : undefined;
    },
  };
  const near = await of.git.line.walk<Start>(of.entry, { ...asked, isEach: true });
  const found = near.kind === 'cut' ? await of.git.line.walk<Start>(of.entry, asked) : near;
  return found.kind === 'found' ? found.value : undefined;
}

const OTHER = 'other';

function kindOf(version: Version, { undone, release }: Undoing): string {
  const marks = version.kind === 'read' ? version.workload.workload.marks : undefined;
  if (marks === undefined) return version.kind;
  const isThis = isFillingBack(marks) && sameRelease(marks.release, release);
  if (isThis && sameRelease(parseRelease(marks.restore?.undone ?? ''), undone)) return 'undo';
  // Without its step, a hand's doing, it looks settled on what comes back: from there nothing else can come.
  if (sameRelease(marks.release, release)) return 'between';
  return marks.step !== undefined && sameRelease(marks.release, undone) ? 'between' : OTHER;
}
