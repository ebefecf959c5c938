/** What main's own line had before a template came into the file, and what since: the groups say which of these they are on. */

import { absent, type Known, unknown } from '../../api/known.ts';
import type { Marks } from '../../api/marks.ts';
import { printRelease } from '../../api/release.ts';
import type { Instant } from '../../api/time.ts';
import type { Oid } from '../../ports/git.ts';
import type { Stable } from '../../rollout/snapshot.ts';
import type { Observation } from './observation.ts';
import type { Past } from './own-line.ts';
import { isDelivering, isThrough } from './own-move.ts';
import type { ReleaseBefore } from './releases-before.ts';
import type { Version } from './version.ts';

export type Since = {
  /** The annotations of the newest version in which the template was on its way. Not there: in none. */
  readonly own?: Marks | undefined;
  /** What had settled right before the template was in the file first; absent: nothing had; unknown: main is not known so far back. */
  readonly before: Known<Stable>;
  /** Another template was on its way since, or asked for after it had settled. */
  readonly isPutBack: boolean;
  /** What had settled, or had let every group go to it, before the template was last on its way, or in the file first; newest first. */
  readonly earlier: readonly ReleaseBefore[];
  /** What settled or was on its way after that, newest first. */
  readonly later: readonly ReleaseBefore[];
  /** What was asked for after it had settled, newest first, whether or not a step has ever let a group go to it. */
  readonly asked: readonly ReleaseBefore[];
  /** What was there last before the template of now, where it had settled, and after that was on its way. */
  readonly last?: ReleaseBefore | undefined;
  /** When the template was last on its way, or came into the file: a group that is older has never left what was before. Not there: nothing was. */
  readonly begunAt?: Instant | undefined;
  /** Main is known as far back as it goes. */
  readonly isWhole: boolean;
};

/**
 * By what the file said alone, whatever messages say. A file that was put back had its template before: what came in between is not
 * before it. Throws PortError where Git fails for now.
 */
export async function lineSince(
  { git, entry, now }: Pick<Observation, 'git' | 'entry' | 'now'>,
  digest: string,
): Promise<Since> {
  const seen = new Line(digest, now);
  const asked = { keyOf, visit: (past: Past) => seen.add(past) };
  // Each commit first: who repeats annotations of long ago may not have what is in between stepped over.
  const near = await git.line.walk<never>(entry, { ...asked, isEach: true });
  const walked =
    near.kind === 'cut' && seen.at !== undefined
      ? await git.line.walk<never>(entry, { ...asked, below: seen.at })
      : near;
  const { own, isPutBack, isBegun, settled } = seen;
  const told = { ...seen.found(), own, isPutBack, isWhole: walked.kind === 'ended' };
  // As far as the limits go it may have been there earlier still.
  const isKnown = walked.kind === 'ended' || isBegun;
  if (isKnown && settled !== undefined) return { ...told, before: await git.releaseOf(settled, entry) };
  if (walked.kind === 'ended' && isPutBack) return { ...told, before: absent };
  const why = walked.kind === 'cut' ? walked.why : 'main has no version of it that was settled before';
  return { ...told, before: unknown(`main's own line does not tell what was delivered before: ${why}`) };
}

/** The versions of a line, newest first, about one template. */
class Line {
  own: Marks | undefined;
  isPutBack = false;
  isBegun = false;
  settled: ReleaseBefore | undefined;
  /** The commit that was looked at last. */
  at: Oid | undefined;
  private key: string | undefined;
  private begunAt: Instant | undefined;
  private last: ReleaseBefore | 'none' | undefined;
  private earlier: ReleaseBefore[] = [];
  private readonly later: ReleaseBefore[] = [];
  private readonly asked: ReleaseBefore[] = [];
  /** What no step had let every group go to. */
  private open: ReleaseBefore[] = [];
  private readonly digest: string;
  private readonly now: Instant;
  /** The date of the last commit that can be, newest first. */
  private until: Instant;

  constructor(digest: string, now: Instant) {
    this.digest = digest;
    this.now = now;
    this.until = now;
  }

  found(): Pick<Since, 'earlier' | 'later' | 'asked' | 'last' | 'begunAt'> {
    const { earlier, later, asked, begunAt } = this;
    return { earlier, later, asked, begunAt, last: this.last === 'none' ? undefined : this.last };
  }

  add(past: Past): undefined {
    const { version, commit, untilAt } = past;
    this.at = commit;
    if (untilAt !== undefined && untilAt <= this.now) this.until = untilAt;
    this.date(past);
    const key = keyOf(version);
    if (key === this.key) return;
    this.key = key;
    if (version.kind !== 'read') return;
    const { digest: there, workload } = version.workload;
    const { marks } = workload;
    const isOpen = isDelivering(marks);
    const found = { commit, digest: there, document: version.document };
    if (there === this.digest) this.addOwn(marks, isOpen);
    else if (marks?.release.digest === there) this.addOther(marks, found);
    if (this.own !== undefined) return;
    const isAsked = this.isAskedAfter(marks, there);
    if (isAsked) this.asked.push(found);
    if (isOpen && marks?.release.digest === this.digest) this.own = marks;
    else if (isOpen || isAsked) this.isPutBack = true;
  }

  /**
   * The commit that brought what there is of it in one piece, or its last delivery, and each one before that, of whatever file: anyone who
   * dates one back dates few others back as well. One that is dated ahead came no later than the next one that is not.
   */
  private date({ version, untilAt }: Past): void {
    const file = version.kind === 'read' ? version.workload : undefined;
    const isSame = file?.digest === this.digest;
    if (isSame && this.own === undefined) this.begunAt = undefined;
    else if (untilAt !== undefined && !(isSame && this.begunAt === undefined && isDelivering(file.workload.marks)))
      this.begunAt = Math.max(this.begunAt ?? this.until, this.until);
  }

  private isAskedAfter(marks: Marks | undefined, there: string): boolean {
    return (
      marks !== undefined && marks.step === undefined && marks.release.digest === this.digest && there !== this.digest
    );
  }

  private addOwn(marks: Marks | undefined, isOpen: boolean): void {
    this.settled = undefined;
    this.isBegun ||= isOpen || (marks !== undefined && marks.release.digest !== this.digest);
    // What came in between two versions that have it came after it; before its last delivery, another time before it.
    if (this.own !== undefined) return;
    this.later.push(...this.earlier, ...this.open);
    [this.earlier, this.open] = [[], []];
  }

  private addOther(marks: Marks, found: ReleaseBefore): void {
    const isSettled = marks.step === undefined;
    if (isSettled) this.settled ??= found;
    if (this.own === undefined) this.last ??= isSettled ? found : 'none';
    (isSettled || (isDelivering(marks) && isThrough(marks)) ? this.earlier : this.open).push(found);
  }
}

function keyOf(version: Version): string {
  const marks = version.kind === 'read' ? version.workload.workload.marks : undefined;
  if (version.kind !== 'read' || marks === undefined) return version.kind;
  return [printRelease(marks.release), marks.step?.kind ?? '', version.workload.digest].join(' ');
}
