/** Delete and re-create, in two commits: the only way for changes that no object takes that is there. */

import { type Marks, stableMark } from '../../api/marks.ts';
import type { Recreating } from '../../api/recreating.ts';
import { shortRelease } from '../../api/release.ts';
import { putAside, withSurge } from '../../api/restore.ts';
import { shellWord } from '../../api/shell-word.ts';
import { SENTINEL } from '../../api/workload.ts';
import { keeping, takenOut } from '../edits/out-of-file.ts';
import { capacityLoss, type ImmutableField, immutableChanges, NOT_IN_PLACE } from '../edits/recreate-change.ts';
import { type WorkloadMove, workloadMove } from '../edits/workload-change.ts';
import { before } from '../gates/before.ts';
import { notApplied, recreated } from '../gates/cluster.ts';
import { holdsOf } from '../gates/gate.ts';
import { type Hold, hold } from '../hold.ts';
import { type Decision, holding, MOVES, type Move, moving } from '../move.ts';
import { remember } from '../orders/aborted-release.ts';
import { nextRelease, type Situation } from '../situation.ts';
import type { Stable } from '../snapshot.ts';

/** A request that cannot be made in place: the template that it leaves, and the fields that no object takes that is there. */
type Removal = { readonly from: Stable; readonly fields: readonly ImmutableField[] };

/**
 * The removal that a request needs, where the policies allow to delete for it. Objects re-created have it already.
 */
export function removalFor(situation: Situation): Removal | undefined {
  const { snapshot, workload, partition, file } = situation;
  if (!isApplied(file) || file.carried !== undefined) return undefined;
  const { stable, policy } = snapshot;
  if (partition !== SENTINEL || policy.recreate !== 'Allow' || stable.kind !== 'known') return undefined;
  const fields = immutableChanges(stable.value.content, workload.content);
  if (fields.length === 0 || recreated(situation) !== undefined) return undefined;
  return { from: stable.value, fields };
}

/** Over a kustomize folder the patch takes the workload out, so main must build with it as it is. */
function isApplied({ beneath }: Situation['file']): boolean {
  if (beneath === undefined) return true;
  const { transformer, value } = beneath.applied;
  return beneath.isAdopted && beneath.isEarlier !== true && transformer.isThere && value === undefined;
}

/** The document goes out of its file: what comes back in its place has the new template. */
export function removeForRequest(
  situation: Situation,
  { marks, removal }: { readonly marks: Marks; readonly removal: Removal },
): Decision {
  const { digest, replicas, steps } = situation;
  const { from, fields } = removal;
  const holds = holdsOf(before.remove, situation);
  // The gates ask for the number of groups as well.
  if (holds.length > 0 || replicas === undefined) return holding(holds, 'BeforeStepUpgrade');
  const release = nextRelease(digest, marks);
  const of = Math.max(1, steps.length);
  const next: Marks = {
    release,
    step: { kind: 'step', index: of, of },
    stable: stableMark(from),
    restore: { floor: 0, maxUnavailable: undefined },
    aborted: marks.aborted.filter((given) => given.digest !== digest),
  };
  const why = `The edit changes ${fields.map((field) => `${field}, ${NOT_IN_PLACE[field]}`).join('; and ')}. So the LeaderWorkerSet is deleted with this commit and re-created with the next, as the RolloutPolicy allows (recreate: Allow): ${capacityLoss(from.content, replicas)}. ${claims(fields)}The rollback is the same again.`;
  return removing(situation, { marks: next, way: 'forward', why });
}

/** Claims outlive the groups, unless the workload says otherwise: then the new ones never come to be. */
function claims(fields: readonly string[]): string {
  return fields.includes('volumeClaimTemplates')
    ? 'Claims that are there keep their volumes, and groups of the same number take them again, unless persistentVolumeClaimRetentionPolicy says whenDeleted: Delete. '
    : '';
}

/** The rollback where no edit leads there. `because` says who or what asked for it. */
export function removeToGoBack(
  situation: Situation,
  to: { readonly marks: Marks; readonly because: string },
): Decision {
  const { snapshot, replicas = 0, workload, file } = situation;
  if (file.beneath !== undefined && !isApplied(file))
    return holding([byHand(situation, file.beneath.root)], 'StepUpgrade');
  if (snapshot.rollout === undefined) {
    const why = 'the rollback is to delete the LeaderWorkerSet and to re-create it, and Git keeps that in its Rollout';
    return holding(
      [hold('LockedWithoutRollout', { seen: `${why}, which is not there`, action: 'Add the Rollout again' })],
      'StepUpgrade',
    );
  }
  const why = `${to.because} No edit leads back to the stable template, so the LeaderWorkerSet is deleted with this commit and re-created with the next: ${capacityLoss(workload.content, replicas)}.`;
  return removing(situation, { marks: to.marks, way: 'back', why });
}

/** Main does not build with the patch as it is, so it takes nothing out. Once it is deleted, the agent makes it again from Git. */
function byHand({ file }: Situation, root: string): Hold {
  const { name, namespace } = file.object;
  return hold('Stalled', {
    seen: `no edit leads back to the stable template in place, and ${root === '' ? 'the root of the repository' : root} does not build with the patch of tranche, which would take it out`,
    action: `Delete it by hand, with all its groups down until the agent has made it again from Git: kubectl delete leaderworkerset -n ${namespace} ${name}`,
  });
}

function removing(
  { snapshot, file }: Situation,
  to: { readonly marks: Marks; readonly way: Recreating['way']; readonly why: string },
): Decision {
  const { marks, way, why } = to;
  const stable = marks.stable ?? stableMark({ commit: snapshot.main, release: marks.release });
  const recreating: Recreating = {
    way,
    release: marks.release,
    text: snapshot.main,
    stable,
    aborted: marks.aborted,
    file: file.file,
  };
  const move: Move = {
    reason: 'RecreateRemoved',
    way,
    label: MOVES.RecreateRemoved.label,
    marks,
    changes: [takenOut(file), ...keeping(snapshot.rollout, recreating)],
    why,
  };
  return moving(move, 'StepUpgrade');
}

/** Somebody has put the document back: the stable template ends it; another one goes on once all of it is live. */
export function returnedByHand(situation: Situation, recreating: Recreating): Decision {
  const { snapshot, marks, digest, partition, steps, file } = situation;
  if (marks === undefined)
    return holding([ofReturned(situation, 'its annotations of tranche are gone')], 'StepUpgrade');
  const stable = snapshot.stable.kind === 'known' ? snapshot.stable.value.release.digest : undefined;
  if (marks.step === undefined && digest === marks.release.digest && (stable === undefined || stable === digest)) {
    const aborted = recreating.way === 'forward' ? remember(recreating, marks) : recreating.aborted;
    const why = `Somebody has put the document of ${shortRelease(marks.release)} back into ${file.file} by hand: nothing is left to create.`;
    const { label } = MOVES.RecreateEnded;
    return moving(ended(situation, { reason: 'RecreateEnded', label, marks: { ...marks, aborted }, why }), 'Completed');
  }
  const unsure = notApplied(situation);
  if (unsure !== undefined) return holding([ofReturned(situation, unsure.message)], 'StepUpgrade');
  const of = Math.max(1, steps.length);
  const same = digest === recreating.release.digest;
  const release = same ? recreating.release : nextRelease(digest, marks);
  const back = same && recreating.way === 'back';
  const next: Marks = {
    release,
    step: back ? { kind: 'rollback' } : { kind: 'step', index: of, of },
    stable: recreating.stable,
    restore: withSurge(putAside(marks.restore, { floor: 0, maxUnavailable: marks.restore?.maxUnavailable }), undefined),
    aborted: recreating.aborted,
  };
  const why = `Somebody has put the document back into ${file.file} by hand, and the cluster has it: it goes on from there, as ${shortRelease(release)}.`;
  const wanted = back ? 0 : SENTINEL;
  const to = partition === wanted ? undefined : wanted;
  return moving(
    ended(situation, { reason: 'RecreateCreated', label: 'recreate, created', marks: next, partition: to, why }),
    'StepUpgrade',
  );
}

/** Its own fields, and the Rollout keeps nothing any more. */
function ended(situation: Situation, to: WorkloadMove): Move {
  return workloadMove(situation, to, keeping(situation.snapshot.rollout, undefined));
}

function ofReturned({ file }: Situation, why: string): Hold {
  return hold('ReturnedByHand', {
    seen: `${file.file}: somebody has put ${file.object.name} back while it was to be re-created: ${why}`,
    action: `Let the agent apply it; or take the document out again; or put the stable template back, which git log -p ${shellWord(file.file)} shows`,
  });
}
