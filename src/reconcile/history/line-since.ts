/** What main's own line had right before a template came into the file first, and whether others were on their way since. */

import { absent, type Known, unknown } from '../../api/known.ts';
import type { Marks } from '../../api/marks.ts';
import { printRelease } from '../../api/release.ts';
import type { Stable } from '../../rollout/snapshot.ts';
import type { Observation } from './observation.ts';
import type { ReleaseBefore } from './releases-before.ts';
import type { Version } from './version.ts';

type Since = {
  /** The annotations of the newest version in which the template was on its way. Not there: in none. */
  readonly own?: Marks | undefined;
  /** What had settled right before the template was in the file first; absent: nothing had; unknown: main is not known so far back. */
  readonly before: Known<Stable>;
  /** Another template was on its way since, or asked for after it had settled. */
  readonly isPutBack: boolean;
};

/**
 * By what the file said alone, whatever messages say. A file that was put back had its template before: what came in between is not
 * before it. Throws PortError where Git fails for now.
 */
export async function lineSince({ git, entry }: Pick<Observation, 'git' | 'entry'>, digest: string): Promise<Since> {
  let [own, isPutBack, isBegun]: [Marks | undefined, boolean, boolean] = [undefined, false, false];
  let settled: ReleaseBefore | undefined;
  const walked = await git.line.walk<never>(entry, {
    keyOf,
    visit: ({ version, commit }) => {
      if (version.kind !== 'read') return undefined;
      const { digest: there, workload } = version.workload;
      const { marks } = workload;
      const isOpen = marks?.step !== undefined && marks.step.kind !== 'rollback';
      if (there === digest) {
        settled = undefined;
        isBegun ||= isOpen || (marks !== undefined && marks.release.digest !== digest);
      } else if (marks?.step === undefined && marks?.release.digest === there) {
        settled ??= { commit, digest: there, document: version.document };
      }
      if (isOpen && own === undefined && marks.release.digest === digest) own = marks;
      else if (own === undefined && (isOpen || isAskedAfter(marks, { there, digest }))) isPutBack = true;
      return undefined;
    },
  });
  // As far as the limits go it may have been there earlier still.
  const isKnown = walked.kind === 'ended' || isBegun;
  if (isKnown && settled !== undefined) return { own, isPutBack, before: await git.releaseOf(settled, entry) };
  if (walked.kind === 'ended' && isPutBack) return { own, isPutBack, before: absent };
  const why = walked.kind === 'cut' ? walked.why : 'main has no version of it that was settled before';
  return { own, isPutBack, before: unknown(`main's own line does not tell what was delivered before: ${why}`) };
}

function isAskedAfter(
  marks: Marks | undefined,
  { there, digest }: { readonly there: string; readonly digest: string },
): boolean {
  return marks !== undefined && marks.step === undefined && marks.release.digest === digest && there !== digest;
}

function keyOf(version: Version): string {
  const marks = version.kind === 'read' ? version.workload.workload.marks : undefined;
  if (version.kind !== 'read' || marks === undefined) return version.kind;
  return [printRelease(marks.release), marks.step?.kind ?? '', version.workload.digest].join(' ');
}
