/**
 * Which releases had settled before the present one, as main's own line tells it: what `tranche undo` may bring back. A
 * version counts as settled where its file names no step and has the template of its release; what a message says does not count.
 */

import { absent, type Known, known, unknown } from '../../api/known.ts';
import type { Marks } from '../../api/marks.ts';
import { parseRelease, printRelease, type Release, sameRelease, shortRelease } from '../../api/release.ts';
import type { Instant } from '../../api/time.ts';
import { UNDO_LIMIT } from '../../api/undo-limits.ts';
import type { Oid } from '../../ports/git.ts';
import { undoOrdered } from '../../rollout/gates/undo.ts';
import type { SettledReleases } from '../../rollout/orders/undo.ts';
import type { Snapshot, Stable, WorkloadFile } from '../../rollout/snapshot.ts';
import { isFillingBack } from '../../rollout/state.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import type { GitReader } from './git-reader.ts';
import type { Observation } from './observation.ts';
import type { OwnLine, Walked } from './own-line.ts';
import { releasesBefore } from './releases-before.ts';
import { undoUnstarted } from './undo-start.ts';
import type { Version } from './version.ts';

/**
 * Those before `release`, up to `until`, `most` of them or the limit. unknown: main's own line does not tell of its delivery,
 * as where it was adopted and never delivered. Throws PortError where Git fails for now.
 */
export async function settledBefore(
  { line, releaseOf }: Pick<GitReader, 'line' | 'releaseOf'>,
  entry: DesiredRollout,
  asked: { readonly release: Release; readonly until?: Release | undefined; readonly most?: number },
): Promise<Known<SettledReleases>> {
  const { release, until, most = UNDO_LIMIT } = asked;
  const before: Stable[] = [];
  let settledAt: Instant | undefined;
  let undone = 0;
  let [at, below]: [Release, Oid | undefined] = [release, undefined];
  while (before.length < most) {
    const begun = await lastStepOf(line, entry, { release: at, below });
    if (begun.kind !== 'found') {
      if (settledAt === undefined) return unknown(untold(release, begun));
      break;
    }
    const { commit, marks } = begun.value;
    if (settledAt === undefined) undone = await undoneSince(line, entry, { release, until, since: commit });
    settledAt ??= begun.value.settledAt;
    const { releases, walked } = await releasesBefore(line, entry, { marks, below: commit });
    const last = walked.kind === 'found' ? releases.find(({ wasAtRest }) => wasAtRest) : undefined;
    const stable = last === undefined ? absent : await releaseOf(last, entry);
    if (stable.kind !== 'known') break;
    before.push(stable.value);
    if (sameRelease(stable.value.release, until)) break;
    [at, below] = [stable.value.release, stable.value.commit];
  }
  return settledAt === undefined ? absent : known({ settledAt, before, undone });
}

/**
 * What a pass has to know where an order to undo stands for it, or where its marks say that one is carried out by filling the
 * other colour: nothing is read for any other. Throws PortError.
 */
export async function undoFacts(of: Observation, file: WorkloadFile | undefined): Promise<Pick<Snapshot, 'undo'>> {
  const marks = file?.workload.marks;
  if (file === undefined || marks === undefined) return {};
  const order = orderedIn(of, { digest: file.digest, marks });
  if (order === undefined) return {};
  const told = await settledBefore(of.git, of.entry, { release: order.release, until: order.to });
  if (told.kind !== 'known') return { undo: told };
  const { before, settledAt, undone } = told.value;
  const index = before.findIndex(({ release }) => sameRelease(release, order.to));
  const target = before[index];
  const back = index + 1 + undone;
  const isUnderWay = isFillingBack(marks) && target !== undefined;
  const unstarted = isUnderWay
    ? await undoUnstarted(of, { undone: order.release, release: order.to }, { back, settledAt })
    : undefined;
  if (unstarted !== undefined) return { undo: unknown(unstarted) };
  const why = `${shortRelease(order.to)} is not among the ${before.length} releases that had settled before it`;
  return { undo: target === undefined ? unknown(why) : known({ target, back, settledAt }) };
}

/** From which release it goes to which; undefined: no order stands, and none is carried out. */
function orderedIn(
  of: Observation,
  { digest, marks }: { readonly digest: string; readonly marks: Marks },
): { readonly release: Release; readonly to: Release } | undefined {
  const undone = isFillingBack(marks) ? parseRelease(marks.restore?.undone ?? '') : undefined;
  if (undone !== undefined) return { release: undone, to: marks.release };
  const order = of.entry.reading.rollout?.intents.undo;
  return order !== undefined && undoOrdered({ digest, marks }, order) ? order : undefined;
}

type LastStep = { readonly commit: Oid; readonly marks: Marks; readonly settledAt: Instant };

/** The newest commit in which the release was on one of its steps, and when the next one ended that. */
async function lastStepOf(
  line: OwnLine,
  entry: DesiredRollout,
  { release, below }: { readonly release: Release; readonly below: Oid | undefined },
): Promise<Walked<LastStep>> {
  return line.walk<LastStep>(entry, {
    below,
    keyOf,
    visit: ({ version, commit, untilAt }) => {
      const marks = version.kind === 'read' ? version.workload.workload.marks : undefined;
      if (marks === undefined || untilAt === undefined || !isDelivering(marks, release)) return undefined;
      return { commit, marks, settledAt: untilAt };
    },
  });
}

/**
 * How many releases have settled after the last step of `release`, though that is what stands: each was undone. Without
 * them one undo after the other would go back as far as anybody likes. What the limits of a walk cut off is not counted.
 */
async function undoneSince(
  line: OwnLine,
  entry: DesiredRollout,
  { release, until, since }: { readonly release: Release; readonly until: Release | undefined; readonly since: Oid },
): Promise<number> {
  const settled = new Set<string>();
  await line.walk<true>(entry, {
    keyOf,
    visit: ({ version, commit }) => {
      const file = version.kind === 'read' ? version.workload : undefined;
      const marks = file?.workload.marks;
      if (commit === since || marks === undefined) return true;
      if (isDelivering(marks, release)) return true;
      if (marks.step === undefined && file?.digest === marks.release.digest) settled.add(printRelease(marks.release));
      return undefined;
    },
  });
  // What comes back looks settled as well where a hand has taken the step of its rollback out of the file.
  for (const own of until === undefined ? [release] : [release, until]) settled.delete(printRelease(own));
  return settled.size;
}

/**
 * Versions that say the same of releases are one. Which they are is all that a walk looks for between two of them: a key that
 * comes again further back, as whether a release is being delivered, would have it skip what is in between.
 */
function keyOf(version: Version): string {
  const file = version.kind === 'read' ? version.workload : undefined;
  const marks = file?.workload.marks;
  if (file === undefined || marks === undefined) return version.kind;
  const { release, step, aborted } = marks;
  const isOwn = file.digest === release.digest;
  return [printRelease(release), step?.kind ?? '', String(isOwn), ...aborted.map(printRelease)].join(' ');
}

function isDelivering({ release, step }: Marks, wanted: Release): boolean {
  return step !== undefined && step.kind !== 'rollback' && sameRelease(release, wanted);
}

function untold(release: Release, walked: Walked<unknown>): string {
  const why = walked.kind === 'cut' ? walked.why : 'no commit of it has a step of this release';
  return `main's own line does not tell how ${shortRelease(release)} was delivered: ${why}`;
}
