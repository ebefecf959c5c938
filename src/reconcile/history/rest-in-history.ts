/** Whether a workload whose groups are on another template than its file has settled: else they would be taken on to what somebody aborts. */

import { type Known, unknown } from '../../api/known.ts';
import { type Marks, printMarks } from '../../api/marks.ts';
import { type Release, sameRelease, shortDigest, shortRelease } from '../../api/release.ts';
import type { Instant } from '../../api/time.ts';
import { lowersPartition, workloadIn } from '../../rollout/edits/change.ts';
import { isOlderElsewhere, runningElsewhere } from '../../rollout/gates/elsewhere.ts';
import { stableRendered } from '../../rollout/observed/rendered.ts';
import { abortOf } from '../../rollout/orders/aborted-release.ts';
import type { Plan } from '../../rollout/plan.ts';
import type { Behind, Snapshot, Stable, WorkloadFile } from '../../rollout/snapshot.ts';
import { isFillingBack, isTemplateBack } from '../../rollout/state.ts';
import { withFactDigests } from '../documents/digests.ts';
import { lastWritten } from './last-commit.ts';
import { lineSince, type Since } from './line-since.ts';
import type { Observation } from './observation.ts';
import { isThrough } from './own-move.ts';
import { putBackFrom } from './put-back.ts';
import type { ReleaseBefore } from './releases-before.ts';
import { hasStayed } from './rollback-left.ts';
import { orderedText } from './stable-in-history.ts';

/**
 * The snapshot with the annotations of the delivery that the file says has settled, where main's own line shows that it is on its way, or
 * with what groups are behind; undefined: it has, or no group is elsewhere. Without a record nothing else tells. Throws PortError
 * where Git fails.
 */
export async function restProven(of: Observation, snapshot: Snapshot, plan: Plan): Promise<Snapshot | undefined> {
  const { workload, lostMarks } = snapshot;
  const marks = workload?.workload.marks;
  const isElsewhere = plan.holds.some(({ reason }) => reason === 'GroupsElsewhere');
  if (!isElsewhere && !takesBack(plan) && !endsElsewhere(snapshot, plan)) return undefined;
  if (lostMarks !== undefined || workload === undefined || marks?.release.digest !== workload.digest) return undefined;
  if (marks.step !== undefined && marks.step.kind !== 'rollback') return undefined;
  const last = (await lastWritten(of.git, of.entry))?.marks;
  // Where its Rollout is gone or disabled nothing else goes on with a rollback.
  const isStill = marks.step === undefined && (snapshot.rollout?.rollout.disabled ?? true);
  const isLeft = isStill && last?.step?.kind === 'rollback' && (await hasStayed(of, workload.digest));
  const isGoing = last?.step !== undefined && (isLeft || last.step.kind !== 'rollback');
  const isOpen = isGoing && sameRelease(last.release, marks.release);
  if (isOpen) return { ...snapshot, lostMarks: last };
  return (await whereBehind(of, snapshot, { file: workload, marks })) ?? wherePutBack(of, snapshot, last);
}

/** What is aborted was on its way when the file was put back: no pass need have seen that before. undefined: nothing of the kind is ordered. */
async function wherePutBack(
  { entry }: Observation,
  snapshot: Snapshot,
  last: Marks | undefined,
): Promise<Snapshot | undefined> {
  const putBack = await putBackFrom(entry, snapshot.workload, async () => last);
  return putBack === undefined || abortOf({ snapshot }, putBack) === undefined ? undefined : { ...snapshot, putBack };
}

/** Whether a plan takes groups to the template of the file that no step has taken there. */
function takesBack({ commit }: Plan): boolean {
  if (commit === undefined || workloadIn(commit.changes)?.content.source !== undefined) return false;
  return commit.reason === 'Reverted' || (commit.reason === 'RollbackWidened' && lowersPartition(commit.changes));
}

/**
 * Whether a rollback is about to be over by a template that not all groups run: nobody who reads that looks at the groups. Where its abort is
 * ordered, the next pass goes back from there.
 */
function endsElsewhere(snapshot: Snapshot, { commit }: Plan): boolean {
  const { workload } = snapshot;
  const marks = workload?.workload.marks;
  if (commit?.reason !== 'RolledBack' || workload === undefined || marks === undefined) return false;
  const { release } = marks;
  // Of an undo the colour that is emptied keeps the template that goes.
  if (isFillingBack(marks) || abortOf({ snapshot }, release) !== undefined) return false;
  const behind: Behind = { stable: snapshot.stable, release };
  return isOlderElsewhere({ ...snapshot, behind }, workload, Number.POSITIVE_INFINITY);
}

type AtRest = { readonly file: WorkloadFile; readonly marks: Marks };

/**
 * Whatever commits say of themselves: groups that run what main had before the template of the file are not taken on to that, and neither
 * are any where nobody can tell. An order counts for the release as main has it on its way, with its annotations, or as the file has it.
 */
async function whereBehind(of: Observation, snapshot: Snapshot, at: AtRest): Promise<Snapshot | undefined> {
  const { file, marks } = at;
  const since = await lineSince(of, file.digest);
  const managed = { ...snapshot, workload: file };
  const run = await runBefore(of, since, { ...managed, marks });
  const before = run?.stable ?? (await toldBefore(of, since, managed));
  // One that settled after its last delivery: that is over.
  const own = run?.isLast === true ? undefined : since.own;
  const about = (own ?? marks).release;
  const order = abortOf({ snapshot }, about);
  const isAsked = before.kind !== 'known' && order?.from !== undefined;
  const ordered = isAsked ? await orderedText(of.git, of.entry, order.from) : undefined;
  const stable = stableRendered(otherThan(ordered ?? before, file), managed);
  const isBehind =
    run !== undefined ||
    ordered !== undefined ||
    (stable.kind === 'unknown'
      ? !isRollback(marks)
      : isRendered(stable) && (!since.isPutBack || hasNeverLeft(since, managed, about)));
  if (!isBehind) return undefined;
  if (own !== undefined && order !== undefined && stable.kind === 'known') return { ...snapshot, lostMarks: own };
  return withFactDigests({ ...snapshot, behind: { stable, release: about } });
}

/** Whether a group elsewhere is older than the last delivery of the template: of what is rendered nothing else tells what that runs. */
function hasNeverLeft({ begunAt, before }: Since, snapshot: Managed, release: Release): boolean {
  const behind: Behind = { stable: before, release };
  return begunAt !== undefined && isOlderElsewhere({ ...snapshot, behind }, snapshot.workload, begunAt);
}

/** What a rollback names goes on where nobody can tell more. */
function isRollback(marks: Marks): boolean {
  return marks.step !== undefined && isTemplateBack(marks) && (marks.stable ?? marks.aborted[0]) !== undefined;
}

type Run = { readonly stable: Known<Stable>; readonly isLast: boolean };

/**
 * The newest release before the template of the file that groups run. A rollback takes back what came once more after that template, and
 * settled, was on its way or was only asked for: from those groups alone that are no older, which nobody's history changes. undefined: no group runs
 * any.
 */
export async function runBefore(
  of: Observation,
  since: Since,
  snapshot: Managed & { readonly marks: Marks },
): Promise<Run | undefined> {
  const { earlier, later, asked, last, begunAt = 0 } = since;
  const after = isRollback(snapshot.marks) ? [...later, ...asked, ...(last === undefined ? [] : [last])] : [];
  const olderThan = ({ digest }: ReleaseBefore): Instant | undefined =>
    after.some((one) => one.digest === digest) ? begunAt : undefined;
  const found = await firstRun(of, last === undefined ? earlier : [last, ...earlier], { snapshot, olderThan });
  return found === undefined ? undefined : { stable: found.stable, isLast: found.release === last };
}

type Managed = Snapshot & { readonly workload: WorkloadFile };

type Asked = {
  readonly snapshot: Managed;
  /** Groups of that release count that are older. undefined: all. */
  readonly olderThan: (release: ReleaseBefore) => Instant | undefined;
};

/**
 * The first of these that a group elsewhere runs, which nobody knows where others run another of them: all of those would be taken to it.
 * undefined: none does, or no file has the templates.
 */
async function firstRun(
  { git, entry }: Observation,
  releases: readonly ReleaseBefore[],
  { snapshot, olderThan }: Asked,
): Promise<{ readonly release: ReleaseBefore; readonly stable: Known<Stable> } | undefined> {
  let found:
    | { readonly release: ReleaseBefore; readonly stable: Known<Stable> & { readonly kind: 'known' } }
    | undefined;
  for (const release of releases) {
    if (release.digest === found?.release.digest) continue;
    const stable = await git.releaseOf(release, entry);
    if (stable.kind !== 'known' || stable.value.rendered !== undefined) continue;
    // Of a rollback too: that may take them on.
    const behind: Behind = { stable, release: stable.value.release };
    const running = runningElsewhere({ ...snapshot, stable, behind }, snapshot.workload, olderThan(release));
    if (running === 'none') continue;
    if (found !== undefined) return { ...found, stable: unknown(bothText(found.stable.value, stable.value)) };
    found = { release, stable };
    if (running === 'all') break;
  }
  return found;
}

function bothText(one: Stable, other: Stable): string {
  return `groups run ${shortRelease(one.release)} and ${shortRelease(other.release)}, and main had both before it`;
}

/**
 * What had settled before, where no group runs any of it. Of a line that is not known as far back as it goes, groups that run nothing
 * of what is known may be on what came before: who merges can make it that long.
 */
async function toldBefore(
  of: Observation,
  { before, later, isWhole }: Since,
  snapshot: Managed,
): Promise<Known<Stable>> {
  if (isWhole || before.kind !== 'known' || before.value.rendered !== undefined) return before;
  if ((await firstRun(of, later, { snapshot, olderThan: () => undefined })) !== undefined) return before;
  return unknown("main's own line does not tell what these groups run, as far back as it was followed");
}

/** Of such a one no file has the template: which groups run it is not known by that. */
function isRendered(stable: Known<Stable>): boolean {
  return stable.kind === 'known' && stable.value.rendered !== undefined;
}

function otherThan(stable: Known<Stable>, { digest }: WorkloadFile): Known<Stable> {
  if (stable.kind !== 'known' || stable.value.release.digest !== digest) return stable;
  return unknown(`${stable.value.commit.slice(0, 12)} has the template ${shortDigest(digest)} of the file`);
}

/**
 * The annotations of the delivery that main's own line has as on its way and not through where the file says that it has settled, and no
 * pass has seen it so: an order that hands the workload back sees no groups. undefined: it has settled, as far as anybody knows.
 */
export async function leftOpen(of: Observation, snapshot: Snapshot): Promise<Marks | undefined> {
  const { workload, lostMarks } = snapshot;
  const marks = workload?.workload.marks;
  if (lostMarks !== undefined || marks === undefined || marks.step !== undefined) return undefined;
  const isSeen = snapshot.recordProof !== 'unproven' && isOfRecord(snapshot, marks);
  if (isSeen || marks.release.digest !== workload?.digest) return undefined;
  const { own, isPutBack } = await lineSince(of, marks.release.digest);
  return own === undefined || isPutBack || isThrough(own) ? undefined : own;
}

/**
 * Whether a record that nobody bears out is all that says that a pass has seen the annotations as they are: it may say so by somebody who
 * pushes to the status branch, and leave out what was held. A commit of tranche that settled the release says so as well. Throws PortError.
 */
export async function isSeenUnproven(of: Observation, snapshot: Snapshot): Promise<boolean> {
  const marks = snapshot.workload?.workload.marks;
  if (marks === undefined || snapshot.recordProof !== 'unproven' || !isOfRecord(snapshot, marks)) return false;
  const last = (await lastWritten(of.git, of.entry))?.marks;
  return last === undefined || last.step?.kind !== marks.step?.kind || !sameRelease(last.release, marks.release);
}

function isOfRecord({ record }: Snapshot, marks: Marks): boolean {
  return record?.marks !== undefined && sameMarks(record.marks, marks);
}

function sameMarks(one: Marks, other: Marks): boolean {
  return JSON.stringify(printMarks(one)) === JSON.stringify(printMarks(other));
}

type Requested = { readonly file: WorkloadFile; readonly marks: Marks };

/** What is asked for after a release that has settled by its annotations; undefined: nothing is. */
export function requestedIn({ workload, lostMarks }: Snapshot): Requested | undefined {
  const marks = workload?.workload.marks;
  if (workload === undefined || marks === undefined || lostMarks !== undefined || marks.step !== undefined)
    return undefined;
  return marks.release.digest === workload.digest ? undefined : { file: workload, marks };
}

/** Whether that is another template than the one which the last commit of tranche left as settled. Throws PortError where Git fails for now. */
export async function isSettledByHand(of: Observation, snapshot: Snapshot): Promise<boolean> {
  const asked = requestedIn(snapshot);
  if (asked === undefined) return false;
  const last = (await lastWritten(of.git, of.entry))?.marks;
  return last !== undefined && last.step === undefined && last.release.digest !== asked.marks.release.digest;
}
