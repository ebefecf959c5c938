/** The order to go back from a release that has settled: as a rollback where policies let it be one, else as a request. */

import type { Known } from '../../api/known.ts';
import { printMarks } from '../../api/marks.ts';
import { type Release, releasesMeant, sameRelease, shortDigest, shortRelease } from '../../api/release.ts';
import { RELEASE_PATHS } from '../../api/release-content.ts';
import type { Instant } from '../../api/time.ts';
import { printUndo } from '../../api/undo-intent.ts';
import { currentStep } from '../approvable.ts';
import { carriedEdits } from '../edits/carried-edits.ts';
import type { Edit } from '../edits/edit.ts';
import { undoBeyond, undoUnbuilt } from '../gates/undo.ts';
import { highestSerial } from '../situation.ts';
import type { RolloutFile, Snapshot, Stable, WorkloadFile } from '../snapshot.ts';
import { command } from '../texts/command-text.ts';
import { goesBackAlready, type Ordered, type Refused, refused } from './ordered.ts';
import { annotate } from './said.ts';
import { unreadWorkload } from './unread-workload.ts';

export type SettledReleases = {
  /** When the present release settled first: the time of the commit that ended its last step. */
  readonly settledAt: Instant;
  /** What had settled before it, the nearest first. At most `UNDO_LIMIT`. */
  readonly before: readonly Stable[];
  /** How many had settled after it and were undone since. */
  readonly undone: number;
};

type Wish = { readonly kind: 'undo'; readonly to: string | undefined };

type Scene = {
  readonly snapshot: Snapshot;
  readonly rollout: RolloutFile;
  readonly settled: Known<SettledReleases>;
  /** The release that was on its way when the file was put back; not there: none was. */
  readonly putBack?: Release | undefined;
  /** What an order to abort comes to: a release that has not settled is aborted. */
  readonly abort: () => Ordered;
};

/** First match: not managed, going back, in progress, put back in a delivery, another template in the file, nothing before it, written. */
export function planUndo({ to }: Wish, { snapshot, rollout, settled, abort, putBack }: Scene): Ordered {
  const { workload, key, lostMarks } = snapshot;
  const marks = workload?.workload.marks;
  if (workload === undefined) return unreadWorkload(snapshot, 'so nobody knows what has settled');
  if (lostMarks !== undefined)
    return refused(
      `annotations of tranche are gone from ${workload.file}. Write them back first: ${command('repair', key)}`,
    );
  if (marks === undefined)
    return refused(`${workload.file} has no annotations of tranche, so nothing has settled that could be undone`);
  if (marks.step?.kind === 'rollback') return goesBackAlready(key);
  if (marks.step !== undefined) return notSettled(to, snapshot, abort);
  // What was on its way has not settled either: what the file has came before it, and is not undone.
  if (putBack !== undefined && to === undefined && !isBackAlready(snapshot))
    return asAbort(shortRelease(putBack), snapshot, { abort, more: furtherBack(settled, snapshot) });
  if (settled.kind !== 'known')
    return refused(
      `${settled.kind === 'unknown' ? settled.why : `${shortRelease(marks.release)} has not settled`}, so there is nothing to undo`,
    );
  const target = targetOf(to, { release: marks.release, aborted: marks.aborted, settled: settled.value, snapshot });
  if ('why' in target) return target;
  if (workload.digest !== marks.release.digest && workload.digest !== target.release.digest)
    return changedSince(workload, { snapshot, target });
  const back = settled.value.before.indexOf(target) + 1 + settled.value.undone;
  const beyond = undoUnbuilt(snapshot) ?? undoBeyond(snapshot, { back, settledAt: settled.value.settledAt });
  if (beyond?.isNever === true)
    return refused(
      `${beyond.why}. To go back by steps, put the template into the file: ${command('show-stable', key)} prints it`,
    );
  if (beyond !== undefined && workload.beneath !== undefined)
    return refused(
      `${beyond.why}. A request of the earlier template stands in the files that kustomize builds it from, and tranche edits none of them: put what ${shortRelease(target.release)} had there back (git log -p), and it is delivered by its steps`,
    );
  if (beyond !== undefined) return asRequest(workload, { target, why: beyond.why, snapshot });
  const order = { release: marks.release, after: highestSerial(marks), to: target.release };
  const said = annotate(
    'undo',
    printUndo(order),
    `undo ${shortRelease(marks.release)}, back to ${shortRelease(target.release)}`,
  );
  const { file, object } = rollout;
  return { kind: 'write', commits: [{ edits: [{ file, object, edits: said.edits }], what: said.what }] };
}

/** What is still being delivered goes back by an abort, which is at once and needs no history. */
function notSettled(to: string | undefined, snapshot: Snapshot, abort: () => Ordered): Ordered {
  const { stable, key } = snapshot;
  const release = currentStep(snapshot)?.release;
  const named = release === undefined ? 'the release' : shortRelease(release);
  if (to !== undefined) {
    const meant = stable.kind === 'known' ? (releasesMeant(to, [stable.value.release]) ?? []) : [];
    if (meant.length !== 1)
      return refused(
        `${named} has not settled yet, so it goes back to the version before it alone: ${command('abort', key)}`,
      );
  }
  return asAbort(named, snapshot, { abort, more: '' });
}

/**
 * Whether the last pass has seen the workload at rest on what the file was put back to: then no group is there that an abort would bring
 * back, and what has settled is undone. A record that nobody has borne out takes no group further back.
 */
function isBackAlready({ record, unsigned, workload }: Snapshot): boolean {
  const marks = workload?.workload.marks;
  if (record?.settled !== true || unsigned !== undefined || marks === undefined || record.marks === undefined)
    return false;
  return JSON.stringify(printMarks(record.marks)) === JSON.stringify(printMarks(marks));
}

/** The order that undoes what the file was put back to; empty: nothing had settled before that. */
function furtherBack(settled: Known<SettledReleases>, { key }: Snapshot): string {
  const [before] = settled.kind === 'known' ? settled.value.before : [];
  if (before === undefined) return '';
  return ` To go back from what the file has as well: ${command('undo', key, `--to ${shortRelease(before.release)}`)}`;
}

function asAbort(
  named: string,
  { key }: Snapshot,
  { abort, more }: Pick<Scene, 'abort'> & { readonly more: string },
): Ordered {
  const ordered = abort();
  if (ordered.kind === 'refused') return ordered;
  return { ...ordered, next: `${named} has not settled yet: this is an abort, as by ${command('abort', key)}.${more}` };
}

type Among = {
  readonly release: Release;
  readonly aborted: readonly Release[];
  readonly settled: SettledReleases;
  readonly snapshot: Snapshot;
};

/** The release that comes back: the one directly before, or the one that `to` means. */
function targetOf(to: string | undefined, { release, aborted, settled, snapshot }: Among): Stable | Refused {
  const { before } = settled;
  const known = before.map((stable) => stable.release);
  const list = known.map(shortRelease).join(', ');
  if (known.length === 0)
    return refused(
      `main has no release that had settled before ${shortRelease(release)}, so there is nothing to undo. To go back to an earlier template, put it into the file: it is delivered by its steps`,
    );
  const meant = to === undefined ? known.slice(0, 1) : releasesMeant(to, known);
  if (meant === undefined) return refused(`${to} is no release, wanted one as ${shortRelease(release)}`);
  const [wanted, other] = meant;
  if (wanted === undefined) {
    const isPresent = to !== undefined && releasesMeant(to, [release])?.length === 1;
    return refused(
      isPresent
        ? `${to} is what is delivered. Before it had settled: ${list}`
        : `${to} is not among the releases that had settled before ${shortRelease(release)}: ${list}`,
    );
  }
  if (other !== undefined) return refused(`${to} means more than one release: ${list}. Order it with all digits`);
  if (aborted.some((given) => sameRelease(given, wanted)))
    return refused(
      `${shortRelease(wanted)} was aborted. To deliver it after all, by its steps: ${command('retry', snapshot.key, `--release ${shortRelease(wanted)}`)}`,
    );
  return before.find((stable) => stable.release === wanted) ?? refused(`${to} is not there`);
}

/** Another template waits in the file: nobody is asked to lose it without seeing it. */
function changedSince(
  { file, digest, text }: WorkloadFile,
  { snapshot, target }: { readonly snapshot: Snapshot; readonly target: Stable },
): Refused {
  const { stable, key } = snapshot;
  const why = `${file} has another template (${shortDigest(digest)}) than the release that settled: it would be lost. To withdraw it and go back then: ${command('abort', key)}, and once that is done ${command('undo', key)}. To keep it, let it be delivered by its steps; the undo would have gone back to ${shortRelease(target.release)}`;
  return stable.kind === 'known'
    ? { kind: 'refused', why, compare: { file, before: stable.value.text, after: text } }
    : refused(why);
}

/** The earlier template in the file, locked as every edit of a settled workload is: its steps deliver it. */
function asRequest(
  workload: WorkloadFile,
  { target, why, snapshot }: { readonly target: Stable; readonly why: string; readonly snapshot: Snapshot },
): Ordered {
  const { file, object, digest } = workload;
  const { release } = target;
  const edits = digest === release.digest ? [] : templateBack(workload, target);
  return {
    kind: 'write',
    commits: [{ edits: [{ file, object, edits }], what: `request the template of ${shortRelease(release)} again` }],
    next: `This is a request and no rollback: ${why}. Its steps, windows and approvals decide: ${command('status', snapshot.key)}`,
  };
}

function templateBack({ workload, carried }: WorkloadFile, { release, text, rendered }: Stable): readonly Edit[] {
  const { marks } = workload;
  if (carried === undefined || marks === undefined)
    return RELEASE_PATHS.map((path): Edit => ({ kind: 'restore', path, source: text }));
  const content = { digest: release.digest, source: text };
  const part = { marks: { from: marks, to: marks }, content };
  return carriedEdits({ fields: [], workload: part, carried: { now: carried, source: rendered } });
}
