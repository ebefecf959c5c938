/** Whether the file of a workload was put back in the middle of a delivery: then nothing but main's own line says that one is in progress. */

import type { Marks } from '../../api/marks.ts';
import { type Release, sameRelease } from '../../api/release.ts';
import { takesTurns } from '../../api/styles.ts';
import { abortOf } from '../../rollout/orders/aborted-release.ts';
import type { Snapshot, WorkloadFile } from '../../rollout/snapshot.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import { isStillSet } from './asides-in-history.ts';
import { lastWritten } from './last-commit.ts';
import type { Observation } from './observation.ts';
import { isDelivering } from './own-move.ts';

/** The release that the file says has settled, where the last commit of tranche was delivering it. undefined: it was not. Throws PortError. */
export async function openBeneath(
  file: WorkloadFile | undefined,
  written: () => Promise<Marks | undefined>,
): Promise<Release | undefined> {
  if (!isAtRest(file)) return undefined;
  const last = await written();
  return isDelivering(last) && sameRelease(last?.release, file.workload.marks.release) ? last?.release : undefined;
}

/**
 * The release that the last commit of tranche was delivering, where the file says that another one has settled: an order to abort is
 * about that. `written`: the annotations of that commit. undefined: nothing was in progress, or it still is by the file. Throws PortError
 * where Git fails.
 */
export async function putBackFrom(
  entry: DesiredRollout,
  file: WorkloadFile | undefined,
  written: () => Promise<Marks | undefined>,
): Promise<Release | undefined> {
  if (!isAtRest(file)) return undefined;
  const { marks } = file.workload;
  // Groups of the colour that serves are moved by its owner: no abort reaches them.
  if (marks.serves !== undefined && takesTurns(entry.reading.rollout?.rollout.style)) return undefined;
  const last = await written();
  const isPutBack = last !== undefined && isDelivering(last) && !sameRelease(last.release, marks.release);
  return isPutBack ? last.release : undefined;
}

/**
 * The file of a delivery with a second workload was put back, and that is aborted: what it has set next to that file comes back by the
 * annotations that main has, whether its Rollout is there or gone. undefined: nothing of the kind is ordered. Throws PortError.
 */
export async function besidePutBack(of: Observation, snapshot: Snapshot): Promise<Snapshot | undefined> {
  const orders = snapshot.workload?.workload.abort ?? snapshot.rollout?.intents.abort;
  if (orders === undefined || snapshot.lostMarks !== undefined) return undefined;
  const last = (await lastWritten(of.git, of.entry))?.marks;
  const putBack = await putBackFrom(of.entry, snapshot.workload, async () => last);
  if (last === undefined || putBack === undefined || abortOf({ snapshot }, putBack) === undefined) return undefined;
  // Where all of it was put back nothing is left to restore.
  return (await isStillSet(of, last)) ? { ...snapshot, lostMarks: last } : undefined;
}

type AtRest = WorkloadFile & { readonly workload: { readonly marks: Marks } };

/** By its annotations. Where a hand took the step out alone, repair writes it back, and an abort goes by that. */
function isAtRest(file: WorkloadFile | undefined): file is AtRest {
  const marks = file?.workload.marks;
  if (marks === undefined || marks.step !== undefined || marks.restore !== undefined) return false;
  return marks.release.digest === file?.digest;
}
