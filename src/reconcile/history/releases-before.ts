/** Which releases a workload could go back to, as main's own line tells it: what was delivered before the present one started. */

import type { Marks } from '../../api/marks.ts';
import { parseRelease, printRelease, type Release, sameRelease } from '../../api/release.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { CommitHeader, Oid } from '../../ports/git.ts';
import { trailersIn } from '../../rollout/commits/trailers.ts';
import { printKey } from '../../rollout/texts/key-text.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import type { OwnLine, Past, Walked } from './own-line.ts';
import type { Version } from './version.ts';

/** A commit of main's own line in which the document had a release as the one that was delivered. */
export type ReleaseBefore = { readonly commit: Oid; readonly digest: string; readonly document: ManifestDocument };

/** `wasAtRest`: some commit names it as settled. Where a newer template came before that, none of them has its text. */
type Before = ReleaseBefore & { readonly wasAtRest: boolean };

type Since = {
  /** What is being delivered, or asked for, from where the walk starts. */
  readonly marks: Marks;
  /** Not there: from the head on. */
  readonly below?: Oid | undefined;
};

/** So often a delivery is found to have started before what looked like the release before it. */
const RETURNS_MOST = 10;

type Found = { readonly releases: readonly Before[]; readonly walked: Walked<Oid> };

/** `isOther`: what is found is another release than the one that was asked after. */
type Walk = Found & { readonly isOther?: true };

/**
 * The newest release that was settled before this delivery started, and before it those that a delivery had let every group
 * go to: a newer request may have taken one of these over. `found`: the settled one is the last. What was put between two
 * commits of this very delivery came after its beginning, and is none of them. Throws PortError.
 */
export async function releasesBefore(line: OwnLine, entry: DesiredRollout, { marks, below }: Since): Promise<Found> {
  const own = printKey(entry.key);
  const isThis = (version: Version): boolean => isDelivering(version, marks);
  const wanted = (commit: CommitHeader): boolean => isNamed(marks, commit, own);
  let from = below;
  for (let returned = 0; ; returned += 1) {
    const near = await walkFrom(line, entry, { marks, below: from, own });
    // Who repeats annotations of long ago may have what was settled stepped over: then each commit is looked at.
    const isOver = near.isOther === true || (near.walked.kind === 'ended' && isBegun(marks));
    const found = isOver ? await walkFrom(line, entry, { marks, below: from, own, isEach: true }) : near;
    if (found.walked.kind !== 'found' || !isBegun(marks) || returned >= RETURNS_MOST) return found;
    const earlier = await line.earlier(entry, found.walked.value, { wanted, holds: isThis });
    if (earlier === undefined) return found;
    from = earlier;
  }
}

async function walkFrom(
  line: OwnLine,
  entry: DesiredRollout,
  { marks, below, own, isEach = false }: Since & { readonly own: string; readonly isEach?: boolean },
): Promise<Walk> {
  const releases: Before[] = [];
  // What a request is after is in its marks; a hand may have written others over those since.
  let asked: Release | undefined = marks.step === undefined ? marks.release : undefined;
  let last: Before | undefined;
  const resting: Release[] = [];
  let key: string | undefined;
  const walked = await line.walk<Oid>(entry, {
    below,
    keyOf,
    isEach,
    isNamed: (version, commit) => isNamed(marksOf(version), commit, own),
    visit: (past) => {
      const { version, commit } = past;
      if (keyOf(version) === key) return undefined;
      key = keyOf(version);
      const had = marksOf(version);
      // What was asked for says in its marks after which release: a file that was put back in between is not that one.
      if (had !== undefined && had.step === undefined) {
        asked ??= had.release;
        resting.push(had.release);
      }
      const place = placeOf(past, marks);
      if (place === undefined || version.kind !== 'read' || had === undefined) return undefined;
      const wasAtRest = resting.some((one) => sameRelease(one, had.release));
      const found = { commit, digest: version.workload.digest, document: version.document, wasAtRest };
      const isOther = place === 'settled' && asked !== undefined && !sameRelease(asked, had.release);
      if (isOther) last ??= found;
      else releases.push(found);
      return place === 'settled' && !isOther ? commit : undefined;
    },
  });
  // Marks that name a release that main never had say nothing: then what looks settled is it.
  if (walked.kind === 'found' || last === undefined) return { releases, walked };
  return { releases: [...releases, last], walked: { kind: 'found', value: last.commit }, isOther: true };
}

/** Whether their release is one that is on its way: a rollback names it until its template is out of the file. */
function isBegun({ step, release, aborted }: Marks): boolean {
  return step !== undefined && (step.kind !== 'rollback' || aborted.some((given) => sameRelease(given, release)));
}

/** Whether it is a step of what these marks deliver. */
function isDelivering(version: Version, { release }: Marks): boolean {
  const marks = marksOf(version);
  return marks?.step !== undefined && sameRelease(marks.release, release);
}

/** What the text counts as; undefined: it was asked for, aborted, on its way, or its marks name another one. */
function placeOf({ version }: Past, now: Marks): 'settled' | 'letGo' | undefined {
  const marks = marksOf(version);
  if (marks === undefined || version.kind !== 'read') return undefined;
  const { release, step, restore } = marks;
  if (release.digest !== version.workload.digest) return undefined;
  // What is on its way has not settled before, also where a squash or a hand has taken out that it is, or gave it another serial.
  if (step === undefined) return isBegun(now) && release.digest === now.release.digest ? undefined : 'settled';
  // At rest the release is the one that settled.
  const isNow = now.step !== undefined && sameRelease(release, now.release);
  const isOver = isNow || now.aborted.some((given) => sameRelease(given, release));
  // In a promotion it has done all its steps: where a newer template waits in the file by then, no settled commit has its own.
  const isThrough = step.kind === 'promote' || (step.kind === 'step' && restore?.floor === 0);
  return isThrough && !isOver ? 'letGo' : undefined;
}

/** Versions between which nothing of this changes are one. */
function keyOf(version: Version): string {
  const marks = marksOf(version);
  if (version.kind !== 'read' || marks === undefined) return version.kind;
  const { release, step } = marks;
  return [printRelease(release), step === undefined ? '' : step.kind, version.workload.digest].join(' ');
}

/** Whether a commit says that it belongs to the delivery of these marks. */
function isNamed(marks: Marks | undefined, { message }: CommitHeader, own: string): boolean {
  if (marks?.step === undefined || !message.includes(own)) return false;
  return trailersIn(message).some(
    ({ rollout, release }) => rollout === own && sameRelease(parseRelease(release), marks.release),
  );
}

function marksOf(version: Version): Marks | undefined {
  return version.kind === 'read' ? version.workload.workload.marks : undefined;
}
