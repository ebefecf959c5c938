/** What an order asks of main's own line beyond the snapshot of its Rollout. Nothing of it is read unless an order wants it. */

import { at as valueAt } from '../../api/json.ts';
import { absent, type Known } from '../../api/known.ts';
import type { Marks } from '../../api/marks.ts';
import type { RolloutRecord } from '../../api/record.ts';
import { printRecreating } from '../../api/recreating.ts';
import { stringsIn } from '../../api/service.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { WrittenMarks } from '../../rollout/orders/repair.ts';
import type { SettledReleases } from '../../rollout/orders/undo.ts';
import type { Desired, DesiredRollout } from '../desired/desired-rollout.ts';
import { readWorkload } from '../documents/read-workload.ts';
import type { StoredRecord } from '../status/record-store.ts';
import type { GitReader } from './git-reader.ts';
import { lastWritten } from './last-commit.ts';
import { marksInHistory } from './marks-in-history.ts';
import { marksThereTwice } from './marks-there-twice.ts';
import { openBeneath, putBackFrom } from './put-back.ts';
import { removalNote } from './removal-in-history.ts';
import { settledBefore } from './settled-before.ts';
import { writtenEntry } from './written-entry.ts';
import { writtenFiles } from './written-patch.ts';

type Where = { readonly entry: DesiredRollout; readonly git: GitReader };

/** The annotations of the workload, our patch, and what the last commit of tranche wrote there. Throws PortError. */
export async function writtenMarks(
  { entry, git, desired }: Where & { readonly desired: Desired },
  stored: StoredRecord | undefined,
): Promise<WrittenMarks> {
  const { workload } = entry;
  const files = await writtenFiles(git, entry, desired);
  if (workload === undefined) {
    const { rollout } = entry;
    const kept = rollout === undefined ? undefined : await removalNote({ entry, git, desired }, rollout);
    if (rollout === undefined || kept === undefined) return { document: undefined, marks: absent, files };
    const note = { ...documentOf(rollout), value: printRecreating(kept) };
    return { document: undefined, marks: absent, files, note };
  }
  const twice = marksThereTwice(workload);
  const last = await writtenEntry(git, entry);
  return {
    ...(last === undefined ? {} : { entry: last }),
    document: { ...documentOf(workload), twice },
    marks: await marksInHistory(git, entry, recordedIn(stored)),
    files,
  };
}

function documentOf({ file, object, value }: ManifestDocument) {
  return { file, object, annotations: stringsIn(valueAt(value, ['metadata', 'annotations'])) };
}

function recordedIn(stored: StoredRecord | undefined): Marks | undefined {
  const record: RolloutRecord | undefined = stored?.kind === 'read' ? stored.record : undefined;
  return record?.marks;
}

/** What an abort or an undo is about where the file says that nothing is in progress. Throws PortError. */
export async function releasesAtRest(where: Where) {
  const file = where.entry.workload === undefined ? undefined : readWorkload(where.entry.workload).workload;
  let last: Promise<Marks | undefined> | undefined;
  const written = (): Promise<Marks | undefined> =>
    (last ??= lastWritten(where.git, where.entry).then((found) => found?.marks));
  return {
    settled: await settledReleases(where),
    putBack: await putBackFrom(where.entry, file, written),
    open: await openBeneath(file, written),
  };
}

/** What had settled before the release that the file names; absent: it names none, or one that is in progress. Throws PortError. */
export async function settledReleases({ entry, git }: Where): Promise<Known<SettledReleases>> {
  const file = entry.workload === undefined ? undefined : readWorkload(entry.workload).workload;
  const marks = file?.workload.marks;
  if (marks === undefined || marks.step !== undefined) return absent;
  return settledBefore(git, entry, { release: marks.release });
}
