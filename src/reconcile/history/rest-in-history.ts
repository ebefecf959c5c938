/** Whether a workload whose groups are on another template than its file has settled: else they would be taken on to what somebody aborts. */

import { type Known, unknown } from '../../api/known.ts';
import { type Marks, printMarks } from '../../api/marks.ts';
import { sameRelease, shortDigest } from '../../api/release.ts';
import { lowersPartition, workloadIn } from '../../rollout/edits/change.ts';
import { runsAmongElsewhere } from '../../rollout/gates/elsewhere.ts';
import { stableRendered } from '../../rollout/observed/rendered.ts';
import { abortOf } from '../../rollout/orders/aborted-release.ts';
import type { Plan } from '../../rollout/plan.ts';
import type { Behind, Snapshot, Stable, WorkloadFile } from '../../rollout/snapshot.ts';
import { isTemplateBack } from '../../rollout/state.ts';
import { withFactDigests } from '../documents/digests.ts';
import { lastWritten } from './last-commit.ts';
import { lineSince } from './line-since.ts';
import type { Observation } from './observation.ts';
import { isThrough } from './own-move.ts';
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
  if (!isElsewhere && !takesBack(plan)) return undefined;
  if (lostMarks !== undefined || workload === undefined || marks?.release.digest !== workload.digest) return undefined;
  if (marks.step !== undefined && marks.step.kind !== 'rollback') return undefined;
  const last = (await lastWritten(of.git, of.entry))?.marks;
  const isOpen = last?.step !== undefined && last.step.kind !== 'rollback' && sameRelease(last.release, marks.release);
  return isOpen ? { ...snapshot, lostMarks: last } : whereBehind(of, snapshot, { file: workload, marks });
}

/** Whether a plan takes groups to the template of the file that no step has taken there. */
function takesBack({ commit }: Plan): boolean {
  if (commit === undefined || workloadIn(commit.changes)?.content.source !== undefined) return false;
  return commit.reason === 'Reverted' || (commit.reason === 'RollbackWidened' && lowersPartition(commit.changes));
}

type AtRest = { readonly file: WorkloadFile; readonly marks: Marks };

/**
 * Whatever commits say of themselves: groups that run what main had before the template of the file are not taken on to that, and neither
 * are any where nobody can tell. An order counts for the release as main has it on its way, with its annotations, or as the file has it.
 */
async function whereBehind(
  of: Observation,
  snapshot: Snapshot,
  { file, marks }: AtRest,
): Promise<Snapshot | undefined> {
  const { own, before, isPutBack } = await lineSince(of, file.digest);
  const about = own ?? marks;
  const order = abortOf({ snapshot }, about.release);
  const ordered =
    before.kind === 'known' || order?.from === undefined ? undefined : await orderedText(of.git, of.entry, order.from);
  const stable = stableRendered(otherThan(ordered ?? before, file), { ...snapshot, workload: file });
  // What a rollback names goes on where nobody can tell more.
  const isRollback =
    marks.step !== undefined && isTemplateBack(marks) && (marks.stable ?? marks.aborted[0]) !== undefined;
  const behind: Behind = { stable, release: about.release };
  const isOn = stable.kind === 'known' && runsAmongElsewhere({ ...snapshot, stable, behind }, file);
  const isBehind =
    stable.kind === 'unknown' ? !isRollback : ordered !== undefined || (isRendered(stable) ? !isPutBack : isOn);
  if (!isBehind) return undefined;
  if (own !== undefined && order !== undefined) return { ...snapshot, lostMarks: own };
  return withFactDigests({ ...snapshot, behind });
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
export async function leftOpen(of: Observation, { workload, record, lostMarks }: Snapshot): Promise<Marks | undefined> {
  const marks = workload?.workload.marks;
  if (lostMarks !== undefined || marks === undefined || marks.step !== undefined) return undefined;
  const seen = record?.marks;
  const isSeen = seen !== undefined && JSON.stringify(printMarks(seen)) === JSON.stringify(printMarks(marks));
  if (isSeen || marks.release.digest !== workload?.digest) return undefined;
  const { own, isPutBack } = await lineSince(of, marks.release.digest);
  return own === undefined || isPutBack || isThrough(own) ? undefined : own;
}
