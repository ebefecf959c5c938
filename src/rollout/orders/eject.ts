/** Handing a workload back: our annotations go, and LWS rolls by itself again. Works from the annotations alone. */

import { samePath } from '../../api/field.ts';
import { type Marks, printMarks } from '../../api/marks.ts';
import { RELEASE_PATHS } from '../../api/release-content.ts';
import { VERSION } from '../../api/version-label.ts';
import { SENTINEL, type Workload } from '../../api/workload.ts';
import { PARTITION_PATH, REPLICAS_PATH } from '../../api/workload-paths.ts';
import { valueText } from '../commits/messages.ts';
import { fieldEdit } from '../edits/change-edits.ts';
import type { Edit, ObjectEdits } from '../edits/edit.ts';
import { restoreOwn } from '../edits/restore-asides.ts';
import { newerRecord } from '../gates/git.ts';
import type { Snapshot, WorkloadFile } from '../snapshot.ts';
import { command } from '../texts/command-text.ts';
import { planEjectCarried } from './eject-carried.ts';
import { planEjectOver } from './eject-over.ts';
import { afterwards, deleted, disabling, type EjectScene, type EjectWish, UNMARKED, without } from './eject-scene.ts';
import { planEjectBesides } from './eject-second.ts';
import { groupsElsewhere } from './groups-elsewhere.ts';
import { type Ordered, type Refused, refused } from './ordered.ts';
import { unreadWorkload } from './unread-workload.ts';

const IN_FLIGHT =
  'a release is in flight: handing back at partition 0 would restart every group on it. Say --abort to put the stable template back, or --partition N to say how far it may go';

/** At rest nothing is kept of a delivery: what then looks settled is the release that was on its way. */
const STEP_GONE =
  'tranche.dev/step is gone, though tranche.dev/restore says that a delivery is open: nobody knows which template is the stable one, and at partition 0 every group would restart on that of the file. Say --partition N, as it is in the file: groups below N keep the version that they have. Then put the earlier template into the file';

/** What to write into the LeaderWorkerSet, or why not. */
export function planEject(wish: EjectWish, scene: EjectScene): Ordered {
  const { snapshot, made } = scene;
  // What a newer tranche has put aside, and has yet to restore, is not known here.
  const newer = newerRecord(snapshot);
  if (newer !== undefined) return refused(newer.message);
  const file = snapshot.workload;
  if (file === undefined) return unreadWorkload(snapshot, 'so its annotations are not known');
  // Marks that a hand took out tell as well what is in flight: partition 0 would restart every group on it.
  const marks = snapshot.lostMarks ?? file.workload.marks;
  if (marks === undefined)
    return refused('the workload carries no annotation of tranche: there is nothing to hand back');
  const behind = takenOn(wish, snapshot, file) ?? unseenYet(wish, snapshot, file);
  if (behind !== undefined) return behind;
  const whole = planWhole(wish, snapshot, file, marks);
  if (whole !== undefined) return whole;
  const besides = planEjectBesides(wish, scene, marks);
  if (besides !== undefined) return besides;
  if (marks.step === undefined && marks.restore !== undefined && wish.partition === undefined)
    return refused(STEP_GONE);
  const open = marks.step !== undefined || file.digest !== marks.release.digest;
  const beyond = partitionRefused(wish, file.workload);
  if (beyond !== undefined) return refused(beyond);
  if (wish.abort && snapshot.stable.kind !== 'known' && open) {
    return refused(
      `the stable template was not found: ${snapshot.stable.kind === 'unknown' ? snapshot.stable.why : 'no annotation names it'}. Say --partition N instead, which leaves the template as it is: groups below N keep the version that they have`,
    );
  }
  if (open && !wish.abort && wish.partition === undefined) return refused(IN_FLIGHT);
  const back = textBack(wish, snapshot);
  const home = restoreOwn(marks, file.workload);
  const surge = home.find(({ path }) => samePath(path, REPLICAS_PATH));
  const to = wish.partition ?? 0;
  // With a group broken, LWS would answer a lower budget by standing still: what was raised stays raised for the rollback.
  const fields = home.filter((field) => field === surge || !wish.abort);
  return {
    kind: 'write',
    // Two commits, in this order: without its marks no policy of ours looks at the object any more.
    commits: [
      { edits: [of(file, UNMARKED), ...disabling(snapshot)], what: 'eject, annotations removed' },
      {
        edits: [
          of(file, [...fields.flatMap(fieldEdit), ...back.edits, { kind: 'set', path: PARTITION_PATH, value: to }]),
          ...deleted(made),
        ],
        what: `eject, ${surge === undefined ? '' : `replicas ${valueText(surge.from)} → ${valueText(surge.to)}, `}partition ${file.workload.partition ?? 0} → ${to}${back.said}${without(made)}`,
      },
    ],
    ...afterwards(snapshot),
  };
}

/** What goes as a whole. At rest `--abort` puts nothing back there: it says that groups of another template are to follow. */
function planWhole(wish: EjectWish, snapshot: Snapshot, file: WorkloadFile, marks: Marks): Ordered | undefined {
  const { beneath, carried } = file;
  const isFollowing = marks.step === undefined && groupsElsewhere(snapshot.record);
  const asked = isFollowing ? { ...wish, abort: false } : wish;
  if (beneath !== undefined) return planEjectOver(asked, snapshot, { file, beneath, marks });
  return carried === undefined ? undefined : planEjectCarried(asked, snapshot, { file, carried, marks });
}

/**
 * Groups of another template than that of the file, as the last pass has seen, or of what came before it: nobody looks once the
 * workload is handed back, with a stable template that its annotations name or without.
 */
function takenOn({ partition, abort }: EjectWish, snapshot: Snapshot, read: WorkloadFile): Refused | undefined {
  const { record, key, lostMarks } = snapshot;
  // In a delivery that may stand in a record alone, which anyone may have written; what comes back then is what history shows.
  const { step } = lostMarks ?? read.workload.marks ?? {};
  const isRest = step === undefined || step.kind === 'rollback';
  if (!isRest || partition !== undefined) return undefined;
  if (groupsElsewhere(record) && !abort)
    return refused(
      `groups run another template than that of the file (GroupsElsewhere): at partition 0 they would restart on it. To have that: ${following(snapshot, read)}; ${command('status', key)} says which they are${byPartition(read)}`,
    );
  if (record?.holds.some(({ reason }) => reason === 'GroupsBehind') !== true) return undefined;
  return refused(
    `groups run what came before the template of the file, or nobody can tell which is the older one (GroupsBehind): at partition 0 they would be taken on to that. ${command('status', key)} says how to go back${byPartition(read)}`,
  );
}

/**
 * The same where no pass has looked at the annotations as they are now: somebody may have written that a delivery has settled, or goes
 * back to its own template, and an order sees no group. What main has as on its way goes by that. Of a record that nobody bears out a
 * look is none: it may leave out what was held.
 */
function unseenYet({ partition }: EjectWish, snapshot: Snapshot, read: WorkloadFile): Refused | undefined {
  const { record, key, lostMarks, seenUnproven, blobs } = snapshot;
  const { marks, marksInFile = marks } = read.workload;
  const isRest = marks?.step === undefined || marks.step.kind === 'rollback';
  if (partition !== undefined || lostMarks !== undefined || marks === undefined || !isRest) return undefined;
  const [seen, now] = [record?.marks, marksInFile].map((one) =>
    one === undefined ? '' : JSON.stringify(printMarks(one)),
  );
  // What a step that is gone has left says more.
  const isLeft = marks.restore !== undefined && marks.step === undefined && !isWhole(read);
  const isSame = seen === now && (isLeft || record?.blobs[read.file] === blobs[read.file]);
  if (marks.release.digest !== read.digest || (isSame && (seenUnproven === undefined || isLeft))) return undefined;
  const byHand = byPartition(read);
  const why = 'so nobody knows whether all groups run its template: at partition 0 they would be taken on to that.';
  return isSame
    ? refused(
        `no commit of tranche on main has left ${read.file} with this release as it is, and no key signs the record of the pass that looked, ${why} ${isWhole(read) && groupsElsewhere(record) ? `To have that: ${following(snapshot, read)}` : `Order it again after the next delivery, or once a key signs it (tranche status-key)`}${byHand}`,
      )
    : refused(
        `no pass has looked at the annotations of ${read.file} as they are now, ${why} Order it again after the next pass, of which ${command('status', key)} tells${byHand}`,
      );
}

/**
 * How groups elsewhere come to the template of the file. Where nobody bears the record out, what goes as a whole is handed back only once
 * a commit of tranche has left them there.
 */
function following({ key, seenUnproven, rollout }: Snapshot, read: WorkloadFile): string {
  if (!isWhole(read) || seenUnproven === undefined) return command('eject', key, '--abort');
  return `${rollout === undefined ? 'put the Rollout back, ' : ''}order ${command('abort', key)}, and once it is settled eject`;
}

/** The way that is left where the file has a partition of its own, which stays. */
function byPartition(read: WorkloadFile): string {
  return isWhole(read) ? '' : '; or say --partition N, where groups below N keep the version that they have';
}

/** What tranche writes for it goes as a whole, and its partition with it. */
function isWhole({ beneath, carried }: WorkloadFile): boolean {
  return beneath !== undefined || carried !== undefined;
}

/** Why this `--partition` is none: more than there are groups is a slip of the hand. The sentinel says the same as all of them. */
function partitionRefused({ partition }: EjectWish, { replicas = 1 }: Workload): string | undefined {
  if (partition === undefined || partition === SENTINEL || (partition >= 0 && partition <= replicas)) return undefined;
  return `--partition is ${partition}, wanted 0 to ${replicas}: groups below it keep their version, so ${replicas} keeps all of them`;
}

function of({ file, object }: Pick<WorkloadFile, 'file' | 'object'>, edits: readonly Edit[]): ObjectEdits {
  return { file, object, edits };
}

/** The template that the hand-back leaves, where it is not that of the file, and what its commit says of that. At rest the label alone can differ. */
function textBack(
  { abort }: EjectWish,
  { stable, settledAs }: Snapshot,
): { readonly edits: readonly Edit[]; readonly said: string } {
  const text = settledAs ?? (abort && stable.kind === 'known' ? stable.value : undefined);
  const label = settledAs === undefined ? '' : `, label ${VERSION} back`;
  return {
    edits: text === undefined ? [] : RELEASE_PATHS.map((path) => ({ kind: 'restore', path, source: text.text })),
    said: `${abort ? ', stable template back' : ''}${label}`,
  };
}
