/** The order to give a release up: what is being delivered, asked for, or waits in its rollback. */

import { printAbort } from '../../api/intents.ts';
import type { Known } from '../../api/known.ts';
import { MARK } from '../../api/marks.ts';
import {
  parseRelease,
  type Release,
  releasesMeant,
  sameRelease,
  shortDigest,
  shortRelease,
} from '../../api/release.ts';
import { requestedRelease } from '../approvable.ts';
import type { Snapshot, Stable } from '../snapshot.ts';
import { command } from '../texts/command-text.ts';
import { keepRefused } from './abort-terms.ts';
import { waitedFor } from './aborted-release.ts';
import { goesBackAlready, type Refused, refused } from './ordered.ts';
import { annotate, type Said } from './said.ts';
import type { SettledReleases } from './undo.ts';

/** With `keepNewer` a newer template in the file stays, and is taken from its first step. */
export type AbortOrder = {
  readonly kind: 'abort';
  readonly keepNewer: boolean;
  /** The release that is meant, as people write it. Not there: whichever is in progress. */
  readonly release?: string | undefined;
  /** Where a second workload is filled: requests do not wait until the stable version serves. Not there: they do. */
  readonly now?: boolean;
  /** The commit of main that has the template to go back to. Not there: history tells it. */
  readonly from?: string | undefined;
  /** With `now`: even where that fails every request. Not there: it is refused then. */
  readonly outage?: boolean;
};

/** What an abort is planned on. */
export type AbortScene = {
  readonly snapshot: Snapshot;
  /** The template of the commit that the order names; not there: it names none. */
  readonly from?: Known<Stable>;
  /** What had settled before the present release; not there: not read for this order. */
  readonly settled?: Known<SettledReleases>;
  /** The release that was on its way when the file was put back; not there: it was not, or not read for this order. */
  readonly putBack?: Release | undefined;
  /** The release that the file says has settled, and main that it is on its way; not there: main does not, or not read for this order. */
  readonly open?: Release | undefined;
};

/** The annotation of the order, or why there is nothing to abort. */
export function abort(wish: AbortOrder, scene: AbortScene): Said {
  const { keepNewer, now, outage } = wish;
  const { snapshot, from } = scene;
  if (from !== undefined && from.kind !== 'known')
    return refused(
      `${from.kind === 'unknown' ? from.why : 'that commit has no such workload'}. Name a commit of main that has the template`,
    );
  const marks = snapshot.lostMarks ?? snapshot.workload?.workload.marks;
  const going = marks?.step?.kind === 'rollback';
  const isOpen = marks?.step !== undefined && !going;
  const waited = going && now === true ? waitedFor(marks) : undefined;
  const behind = releaseBehind(wish, scene);
  const release = isOpen ? marks.release : (waited ?? requestedRelease(snapshot) ?? behind);
  if (release === undefined && going) return goesBackAlready(snapshot.key);
  if (release === undefined) return abortPutBack(wish, scene) ?? refused(nothingToAbort(scene));
  const unmeant = notMeant(wish, release, scene) ?? leadsNowhere(release, from?.value);
  if (unmeant !== undefined) return unmeant;
  const newer = newerTemplate(release, snapshot);
  if (keepNewer && newer === undefined)
    return refused(
      `the file holds no template that is newer than ${shortRelease(release)}, so there is none to keep. To go back, abort without --keep-newer`,
    );
  const lost = keepNewer ? keepRefused(snapshot) : undefined;
  if (lost !== undefined) return lost;
  const isAccepted = now === true && outage === true;
  const atOnce = { ...(now === true ? ({ now } as const) : {}), ...(isAccepted ? ({ outage } as const) : {}) };
  const back =
    from === undefined
      ? ''
      : `, back to the template ${shortDigest(from.value.release.digest)} of ${from.value.commit}`;
  const named =
    shortRelease(release) + (now === true ? ', now' : '') + (isAccepted ? ', accepting an outage' : '') + back;
  const order = printAbort({ release, newer: keepNewer ? undefined : newer, ...atOnce, from: from?.value.commit });
  if (newer === undefined) return annotate('abort', order, `abort ${named}`);
  const what = keepNewer
    ? `; the newer template ${shortDigest(newer)} in the file stays, from its first step`
    : `, and the newer template ${shortDigest(newer)} in the file`;
  return annotate('abort', order, `abort ${named}${what}`);
}

/** What an abort is about where the file says that nothing is in progress; undefined: nothing is. */
export function releaseAtRest(wish: AbortOrder, scene: AbortScene): Release | undefined {
  return releaseBehind(wish, scene) ?? scene.putBack;
}

/** What the file says has settled, and groups are behind: as main or the last pass has it, or as the person names it. */
function releaseBehind(wish: AbortOrder, { snapshot, open }: AbortScene): Release | undefined {
  return open ?? releaseAhead(snapshot) ?? releaseNamed(wish, snapshot);
}

/**
 * What the file says has settled or is back, where the last pass has seen groups on what came before it: as it has named it. A forged record
 * names a release that no pass looks for.
 */
function releaseAhead({ workload, record }: Snapshot): Release | undefined {
  const marks = workload?.workload.marks;
  const isOpen = marks?.step !== undefined && marks.step.kind !== 'rollback';
  if (marks === undefined || isOpen || marks.release.digest !== workload?.digest) return undefined;
  const { facts } = record?.holds.find(({ reason }) => reason === 'GroupsBehind') ?? {};
  const named = facts?.['release'];
  const release = typeof named === 'string' ? parseRelease(named) : undefined;
  return release?.digest === marks.release.digest ? release : undefined;
}

/**
 * What the file says has settled, where the person names it: no record that nobody has signed takes that order away, and a pass tells by
 * the groups whether there is anything to abort.
 */
function releaseNamed({ release: wish }: AbortOrder, snapshot: Snapshot): Release | undefined {
  const release = isBorneOut(snapshot) ? undefined : settledByFile(snapshot);
  if (wish === undefined || release === undefined) return undefined;
  return releasesMeant(wish, [release])?.length === 1 ? release : undefined;
}

/** The release that the file says has settled; undefined: it asks for another one, or one is in progress. */
function settledByFile({ workload }: Snapshot): Release | undefined {
  const { release, step } = workload?.workload.marks ?? {};
  return step === undefined && release?.digest === workload?.digest ? release : undefined;
}

/** Whether what the last pass has seen is what that pass has written: anyone who pushes to the status branch writes the rest. */
function isBorneOut({ record, unsigned }: Snapshot): boolean {
  return record !== undefined && unsigned === undefined;
}

/** The file was put back while that release was on its way: its groups follow, whether or not a pass has seen that. undefined: it was not. */
function abortPutBack({ release: wish, keepNewer }: AbortOrder, { snapshot, putBack }: AbortScene): Said | undefined {
  const settled = settledByFile(snapshot);
  if (putBack === undefined || settled === undefined || keepNewer) return undefined;
  if (wish !== undefined && releasesMeant(wish, [putBack])?.length !== 1) return undefined;
  const what = `abort ${shortRelease(putBack)}, which was on its way when the file was put back to ${shortRelease(settled)}`;
  return annotate('abort', printAbort({ release: putBack, newer: undefined }), what);
}

/** After a squash the only commit may have nothing but the template that is to go: every group would be taken on to that. */
function leadsNowhere(release: Release, to: Stable | undefined): Refused | undefined {
  return to?.release.digest === release.digest
    ? refused(
        `${to.commit.slice(0, 12)} has the template that is aborted, so going back to it would take no group back. Name a commit of main that has the earlier template, or put that into the file by hand`,
      )
    : undefined;
}

/**
 * A release that is named must be the one that an abort aborts; and without a name no earlier template that someone has put
 * back is taken out of the file: the release that it was to replace would stay.
 */
function notMeant(
  { release: wish }: AbortOrder,
  release: Release,
  { snapshot, settled }: AbortScene,
): Refused | undefined {
  const { key, workload } = snapshot;
  const named = shortRelease(release);
  if (wish !== undefined) {
    const meant = releasesMeant(wish, [release]);
    if (meant === undefined) return refused(`${wish} is no release, wanted one as ${named}`);
    return meant.length === 1 ? undefined : refused(`${named} is what an abort is about now, and not ${wish}`);
  }
  const before = settled?.kind === 'known' ? settled.value.before : [];
  const earlier = before.find((stable) => stable.release.digest === release.digest);
  const marks = workload?.workload.marks;
  // What the file says has settled is no request: its groups are behind it.
  if (earlier === undefined || marks === undefined || sameRelease(marks.release, release)) return undefined;
  const there = shortRelease(marks.release);
  return refused(
    `${named} has the template of ${shortRelease(earlier.release)}, which had settled before ${there}: an abort would leave ${there} in place. To go back from ${there} at once: ${command('undo', key)}; to withdraw this request all the same: ${command('abort', key, `--release ${named}`)}`,
  );
}

/**
 * The file may say that a delivery is in progress which is over: a revert of the commit that ended it does that. At rest an
 * undo goes back, where something had settled before.
 */
function nothingToAbort({ snapshot, settled }: AbortScene): string {
  const { lostMarks, workload, key } = snapshot;
  const gone = stepGone(snapshot);
  if (gone !== undefined) return gone;
  const isOver = lostMarks !== undefined && workload?.workload.marks?.step !== undefined;
  const isKnown = settled === undefined || (settled.kind === 'known' && settled.value.before.length > 0);
  const none = settled?.kind === 'unknown' ? settled.why : 'nothing had settled before the version that serves';
  const back = isKnown
    ? `To go back from the release that has settled: ${command('undo', key)}`
    : `There is nothing to undo either: ${none}. To have an earlier template, put it into the file: it is delivered by its steps`;
  return isOver
    ? `that delivery is over: the annotations in ${workload.file} are older than those that the last commit of tranche wrote, so there is nothing to abort. Put those back: ${command('repair', key)}. To go back to an earlier template after that, put it into the file`
    : `nothing is being delivered, so there is nothing to abort. ${back}${behindAll(snapshot)}`;
}

/** What writes the step back that somebody took out alone, so that an abort is about it again; undefined: nobody did. */
export function stepGone({ workload, key }: Snapshot): string | undefined {
  const { step, restore } = workload?.workload.marks ?? {};
  if (workload === undefined || step !== undefined || restore === undefined) return undefined;
  return `${MARK.step} is gone from ${workload.file}, though ${MARK.restore} says that a delivery is open. Write the annotations back: ${command('repair', key)}. Then: ${command('abort', key)}`;
}

/** The order that nobody takes away by a record: by the groups a pass sees more than that or a file says. Empty: a key has signed the record. */
export function behindAll(snapshot: Snapshot): string {
  const release = isBorneOut(snapshot) ? undefined : settledByFile(snapshot);
  if (release === undefined) return '';
  const named = command('abort', snapshot.key, `--release ${shortRelease(release)}`);
  return `. No key has signed what the last pass saw: where groups run what main had before ${shortRelease(release)}, and are not to follow, ${named}`;
}

/** The template in the file, where it is neither the release that is aborted nor what that goes back to. */
function newerTemplate(release: Release, { workload, stable }: Snapshot): string | undefined {
  if (workload === undefined || workload.digest === release.digest) return undefined;
  return stable.kind === 'known' && stable.value.release.digest === workload.digest ? undefined : workload.digest;
}
