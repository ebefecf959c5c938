/** The rows `unmanaged` and `settled`: taking a workload over, and leaving it armed. */

import { isNotAsked } from '../../api/known.ts';
import { MARK, type Marks } from '../../api/marks.ts';
import { printRelease, sameRelease } from '../../api/release.ts';
import { SENTINEL } from '../../api/workload.ts';
import { goneHold } from '../events/marks-gone.ts';
import { retry } from '../events/retrying.ts';
import { atRest } from '../gates/at-rest.ts';
import { before } from '../gates/before.ts';
import { blockedByUnreadyGroup, recreated, revisionChanged, wanted } from '../gates/cluster.ts';
import { ask } from '../gates/gate.ts';
import { rolloutAbsent, stalled } from '../gates/people.ts';
import { type Hold, hold, holdKind } from '../hold.ts';
import { type Decision, holding, MOVES, moving } from '../move.ts';
import { allGroupsAre } from '../sentences.ts';
import { type Seen, type Situation, whenSeen } from '../situation.ts';
import { workloadMove } from '../workload-change.ts';

/**
 * Adoption writes partition and marks, and only at rest: armed while groups are still moving, one that is
 * recreated would come back on another version (trace 29d).
 */
export function unmanaged(situation: Situation): Decision {
  const { snapshot, digest, partition } = situation;
  const gone = annotationsGone(situation);
  // Nobody asks for it to be managed.
  if (gone === undefined && snapshot.rollout === undefined && snapshot.issues.length === 0)
    return holding([], 'Completed');
  if (gone !== undefined) return holding([gone], 'Completed');
  const answer = ask(before.adopt, situation);
  if (answer.kind === 'shut') return holding(answer.holds, 'Completed');
  const release = { digest, serial: firstSerial(situation) };
  const marks: Marks = { release, step: undefined, stable: snapshot.main, restore: undefined, aborted: [] };
  return moving(
    workloadMove(situation, {
      reason: 'Adopted',
      label: MOVES.Adopted.label,
      marks,
      partition: partition === SENTINEL ? undefined : SENTINEL,
      maxUnavailable: undefined,
      text: undefined,
      why: `${allGroupsAre(answer.seen.replicas)} ready on what Git says, so nothing restarts. From now on an edit of the template is a request, delivered in the steps of ${snapshot.rollout?.file ?? 'the Rollout'}.`,
    }),
    'Completed',
  );
}

/** Above every release that an intent still names: one meant for an earlier time under management must not apply again. */
function firstSerial({ snapshot }: Situation): number {
  const intents = snapshot.rollout?.intents;
  const named = [
    intents?.approve?.release,
    intents?.jump?.release,
    intents?.abort?.release,
    intents?.retry?.release,
    ...(intents?.accept ?? []).map(({ release }) => release),
  ];
  return 1 + Math.max(0, ...named.map((release) => release?.serial ?? 0));
}

/** Settled is armed; a partition that somebody lowered is put back, because the next edit would take the fleet. */
export function settled(situation: Situation, marks: Marks): Decision {
  const { partition } = situation;
  const lost = stepMarkGone(situation, marks);
  if (lost !== undefined) return holding([lost], 'StepUpgrade');
  const holds = [
    stalled(situation),
    rolloutAbsent(situation),
    abortTooLate(situation, marks),
    ...auditHolds(situation),
  ];
  const shown = holds.filter((found) => found !== undefined);
  if (partition === SENTINEL) return retry(situation, { marks, shown });
  if (situation.sight === 'seen' && astray(situation)) return holding(shown, 'Completed', true);
  return moving(
    workloadMove(situation, {
      reason: 'Rearmed',
      label: MOVES.Rearmed.label,
      marks,
      partition: SENTINEL,
      maxUnavailable: undefined,
      text: undefined,
      why: `The partition of a settled workload was ${partition}: the next edit of the template would have restarted ${partition === 0 ? 'every group' : `all groups from ${partition} up`} at once.`,
    }),
    'Completed',
    shown,
  );
}

/** Our commits write and remove both together: with one alone nobody knows what the fields mean. */
function stepMarkGone({ file, snapshot }: Situation, marks: Marks): Hold | undefined {
  if (marks.restore === undefined) return undefined;
  return hold(
    'AnnotationsGone',
    `${file.file}: the annotation ${MARK.step} of ${file.object.name} is gone, though ${MARK.restore} says that a delivery is open. Put back what the last commit of tranche wrote: git log -p ${file.file}. To hand the workload back: tranche eject ${snapshot.key.name}`,
  );
}

/** A group on another revision would stay there for ever, were the partition put above it (trace 06). */
function astray({ observed, asked }: Seen): boolean {
  return wanted(observed, asked).some((group) => group.uid !== '' && group.key !== observed.leaderSet.revisionKey);
}

/** What an audit compares at rest: is Git live, is everything on one version, is everything ready. */
function auditHolds(situation: Situation): readonly (Hold | undefined)[] {
  const { snapshot } = situation;
  // Between audits a settled rollout is not read at all; that is no fault of the cluster.
  if (isNotAsked(snapshot.live.lws)) return [];
  const drift = situation.notApplied;
  if (drift !== undefined && holdKind(drift.reason)?.differs)
    return [hold('Drift', drift.message), whenSeen(blockedByUnreadyGroup)(situation)];
  return [drift ?? recreated(situation) ?? whenSeen((seen) => revisionChanged(seen) ?? atRest(seen))(situation)];
}

function abortTooLate({ snapshot }: Situation, marks: Marks): Hold | undefined {
  const abort = snapshot.rollout?.intents.abort?.release;
  if (!sameRelease(abort, marks.release)) return undefined;
  return hold(
    'AbortRefused',
    `release ${printRelease(marks.release)} is delivered and settled: there is nothing to abort. To go back, put the earlier template into the file`,
  );
}

/** Marks that the record knows and the file has lost: written by us, removed by somebody. */
function annotationsGone({ snapshot, file }: Situation): Hold | undefined {
  const recorded = snapshot.record?.marks;
  if (recorded === undefined || snapshot.rollout?.rollout.disabled === true) return undefined;
  return goneHold({ snapshot, file }, recorded);
}
