/** The marks that our last commit wrote, where somebody has taken some out of the file or changed what serves since. */

import { at } from '../../api/json.ts';
import { MARK, type Marks, printMarks } from '../../api/marks.ts';
import { sameRelease } from '../../api/release.ts';
import { startedWith } from '../../api/restore.ts';
import { SENTINEL } from '../../api/workload.ts';
import type { Snapshot, WorkloadFile } from '../../rollout/snapshot.ts';
import { isFillingBack } from '../../rollout/state.ts';
import { lastCommitOf, lastWritten } from './last-commit.ts';
import type { Observation } from './observation.ts';
import { promotesNothing, promotesOther } from './promotes-other.ts';
import { isByHand, isUnderWay, leadsToRest, startsOver } from './started-by-hand.ts';
import { isUnsigned } from './unsigned.ts';
import type { Version } from './version.ts';

/**
 * The record tells that something is gone. It may be older than main, so that our last commit there decides what was
 * written: who took the marks out by hand has left none of ours. A disabled Rollout has released for update of the workload.
 */
async function lostMarks(of: Observation, file: WorkloadFile | undefined): Promise<Marks | undefined> {
  const recorded = of.stored?.kind === 'read' ? of.stored.record.marks : undefined;
  const { rollout } = of.entry.reading;
  const { marks: own, partition } = file?.workload ?? {};
  const isUndone = own !== undefined && isFillingBack(own);
  const isDisabled = rollout?.rollout.disabled === true;
  // Steps that no strategy has end nowhere, and keep an abort waiting. Nor do the rungs of an undo ask a Rollout that is disabled.
  if (file === undefined || (isDisabled && (own === undefined || !isUnderWay(own)))) return undefined;
  // Without a record main is asked where the file has marks that may be wrong: in a delivery, below the sentinel, no release or another.
  const odd =
    own === undefined ? hasMarks(of) : isUnderWay(own) || partition !== SENTINEL || own.release.digest !== file.digest;
  const style = own?.step === undefined ? undefined : own.restore?.style;
  if (rollout === undefined && (own === undefined || !isUnderWay(own))) return lostBeneath(of, file);
  // Where its Rollout is gone the mark alone says by which strategy. Another one than a Rollout asks for: it was edited, or the mark and the record were forged alike.
  const isOther = rollout === undefined || (style !== undefined && style !== rollout.rollout.style);
  const isAsRecorded =
    recorded === undefined
      ? !odd
      : !isOther &&
        !lacksMarks(own, recorded) &&
        !namesOther(file, recorded) &&
        !leavesRest(file, recorded) &&
        !startsOver(own, recorded);
  // A settling commit that was reverted is a promotion again: which colour serves then hangs on what main had.
  const isAsked = isUndone || own?.step?.kind === 'promote' || isRollbackOf(own, recorded) || wasGone(of);
  if (isAsRecorded && !isAsked) return undefined;
  const last = await lastWritten(of.git, of.entry);
  const written = last?.marks;
  // What nobody bears out says that something is gone, and not what; and a record may be older than a rollback.
  const marks = written ?? (isUnsigned(of) || isUndone || isRollbackOf(own, recorded) ? undefined : recorded);
  if (isUndone && marks !== undefined && isOtherUndo(own, marks)) return marks;
  if (last !== undefined && promotesNothing(own)) return last.marks;
  if (last !== undefined && (await isByHand(of, file, last)) && !(await had(of, file, last.commit))) return last.marks;
  if (isDisabled) return otherStage(own, last?.marks);
  if (last !== undefined && (await promotesOther(of, own, last.marks))) return last.marks;
  const isAnother = last !== undefined && (namesOther(file, last.marks) || leavesRest(file, last.marks));
  if (isAnother && !(await had(of, file, last.commit))) return last.marks;
  if (own === undefined || marks === undefined || rollout !== undefined)
    return marks !== undefined && lacksMarks(own, marks) ? marks : undefined;
  return otherStage(own, marks);
}

/**
 * Where its Rollout is gone nothing starts: annotations from before the delivery of the template in the file leave its groups and its share
 * where they are, and an abort would find nothing to end.
 */
async function lostBeneath(of: Observation, { digest, workload }: WorkloadFile): Promise<Marks | undefined> {
  if (workload.marks === undefined || workload.marks.release.digest === digest) return undefined;
  const last = (await lastWritten(of.git, of.entry))?.marks;
  return last?.step !== undefined && last.release.digest === digest ? last : undefined;
}

/** What `before` says of the same release, where no step forward is looked for: by another strategy, way or rung its rollback would not end. */
function otherStage(own: Marks | undefined, before: Marks | undefined): Marks | undefined {
  if (own === undefined || before === undefined || !sameRelease(own.release, before.release)) return undefined;
  return startedOther(own, before) || turned(own, before) ? before : undefined;
}

/** Whether the last pass held steps by what it had found then: an order sees no groups that would tell. */
function wasGone({ stored }: Observation): boolean {
  return stored?.kind === 'read' && stored.record.holds.some(({ reason }) => reason === 'AnnotationsGone');
}

/**
 * blueGreen: whether the file says that a settled release is undone, and `before` not that one: only a commit of ours starts
 * that, from rest and by an order, and each one after it says the same. It counts for another release than `before` has as
 * well: from rest a hand names any release that had settled, and no gate asks what serves.
 */
function isOtherUndo(own: Marks, before: Marks): boolean {
  const isSame = isFillingBack(before) && before.restore?.undone === own.restore?.undone;
  return isFillingBack(own) && !(isSame && sameRelease(own.release, before.release));
}

/**
 * Whether the file names another release than `before`, which is being delivered, and none that a commit of ours could have
 * gone over to: such a one names the template of the file, and gives no second serial to the one that is on its way.
 */
function namesOther({ digest, workload: { marks } }: WorkloadFile, before: Marks): boolean {
  if (marks === undefined || before.step === undefined || sameRelease(marks.release, before.release)) return false;
  return marks.release.digest === before.release.digest || marks.release.digest !== digest;
}

/**
 * Whether the template of the file is the one that `before` has settled, and the marks say that it is asked for after another
 * release, or on its way with routes or a second workload: by them an abort would put back an older template than what serves.
 */
function leavesRest({ digest, workload: { marks } }: WorkloadFile, before: Marks): boolean {
  if (marks === undefined || before.step !== undefined || before.release.digest !== digest) return false;
  const isShared = marks.step !== undefined && marks.restore?.style !== undefined && !leadsToRest(marks, before);
  // A step that was merged late goes back to the template that is in the file already.
  const isMergedLate = marks.step !== undefined && marks.stable?.digest === digest;
  return isShared || (marks.release.digest !== digest && !isMergedLate);
}

/**
 * Whether main's own line had these marks with this template before that commit: somebody has put an older file back. Where it does not tell, as of
 * a line that is longer than is looked at, a release at rest counts as one that it had.
 */
async function had({ git, entry }: Observation, file: WorkloadFile, below: string): Promise<boolean> {
  const { marks } = file.workload;
  const keyOf = (one: Marks | undefined): string => JSON.stringify(one === undefined ? [] : printMarks(one));
  const key = `${file.digest} ${keyOf(marks)}`;
  const keyIn = (version: Version): string =>
    version.kind === 'read' ? `${version.workload.digest} ${keyOf(version.workload.workload.marks)}` : version.kind;
  const walked = await git.line.walk(entry, {
    keyOf: keyIn,
    visit: ({ version }) => (keyIn(version) === key ? true : undefined),
    below,
  });
  return walked.kind === 'found' || (walked.kind === 'cut' && marks !== undefined && !isUnderWay(marks));
}

/** Whether the file lacks what `before`, the last marks that we wrote, says of the same release, or has one as settled that it aborted. */
function lacksMarks(own: Marks | undefined, before: Marks): boolean {
  if (own === undefined) return true;
  if (!sameRelease(own.release, before.release)) return isAbortedAtRest(own);
  const keys = ['step', 'at', 'restore', 'stable', 'serves'] as const;
  const isGone = keys.some((key) => before[key] !== undefined && own[key] === undefined);
  return isGone || servesOther(own, before) || startedOther(own, before) || turned(own, before);
}

/** A release that was aborted is settled under a serial of its own alone: a hand has put that annotation back without the others. */
function isAbortedAtRest({ step, release, aborted }: Marks): boolean {
  return step === undefined && aborted.some((one) => sameRelease(one, release));
}

/**
 * Whether the file says that the release goes back, and `before` that it does not: only a commit of ours starts a rollback,
 * and it remembers what was aborted. By the file alone the delivery would end, and an abort find nothing to end.
 */
function isRollbackOf(own: Marks | undefined, before: Marks | undefined): boolean {
  if (own?.step?.kind !== 'rollback') return false;
  return before === undefined || (before.step !== undefined && before.step.kind !== 'rollback');
}

/**
 * Whether one of both says that the release goes back, and the other that it is delivered: an abort of that would go back further.
 * Or whether both go back, and stand on different rungs: by an earlier one groups go before their requests do.
 */
function turned(own: Marks, before: Marks): boolean {
  if (own.step?.kind === 'rollback' && before.step?.kind === 'rollback') return own.at !== before.at;
  const isDelivered = own.step !== undefined && own.step.kind !== 'rollback';
  return isRollbackOf(own, before) || (before.step?.kind === 'rollback' && isDelivered);
}

/**
 * Which colour serves is written by the commit that settles, together with the end of its step: another value in the
 * middle of a delivery is no commit of ours, and neither is the promotion of a release that has settled by colours.
 */
function servesOther(own: Marks, before: Marks): boolean {
  if (own.step === undefined) return false;
  if (before.step !== undefined) return own.serves !== before.serves;
  return own.step.kind === 'promote' && (own.serves ?? before.serves) !== undefined;
}

/**
 * A delivery ends by the strategy and with the documents that it was started with: others in its middle are no commit of ours. Nor
 * does a rollback that empties a colour become one that fills it.
 */
function startedOther(own: Marks, before: Marks): boolean {
  const [now, then] = [own.restore, before.restore];
  const isSame = startedWith(now) === startedWith(then) && now?.undone === then?.undone;
  return own.step !== undefined && before.step !== undefined && !isSame;
}

function hasMarks({ entry }: Observation): boolean {
  return Object.values(MARK).some((key) => at(entry.workload?.value, ['metadata', 'annotations', key]) !== undefined);
}

/**
 * The marks of the release that settled last, where the file says that an older one is settled: somebody has put it back. A
 * record that is of the newer one tells to look, or the groups, which are on its template, or no record; main says which it was.
 */
async function settledSince(
  { git, entry, stored }: Observation,
  file: WorkloadFile | undefined,
): Promise<Marks | undefined> {
  const own = file?.workload.marks;
  const { marks, holds = [] } = stored?.kind === 'read' ? stored.record : {};
  if (own === undefined || own.step !== undefined || own.release.digest !== file?.digest) return undefined;
  const isOlder = marks === undefined || own.release.serial < marks.release.serial;
  if (!isOlder && !holds.some(({ reason }) => reason === 'GroupsElsewhere')) return undefined;
  const commit = await lastCommitOf(git, entry);
  const there = commit === undefined ? undefined : await git.textAt(commit.oid, entry);
  const last = there?.kind === 'known' ? there.value.manifest.workload.marks : undefined;
  const isNewer = last !== undefined && last.step === undefined && own.release.serial < last.release.serial;
  return isNewer && last.release.digest !== own.release.digest ? last : undefined;
}

/** What is gone or older, and the file as it would be with it: what is read next to it hangs on what is being delivered. */
export async function withLostMarks(
  of: Observation,
  file: WorkloadFile | undefined,
): Promise<{
  readonly gone: Pick<Snapshot, 'lostMarks' | 'settledSince'>;
  readonly seen: WorkloadFile | undefined;
}> {
  const lost = await lostMarks(of, file);
  if (file !== undefined && lost !== undefined)
    return { gone: { lostMarks: lost }, seen: { ...file, workload: { ...file.workload, marks: lost } } };
  const since = await settledSince(of, file);
  return { gone: since === undefined ? {} : { settledSince: since }, seen: file };
}
