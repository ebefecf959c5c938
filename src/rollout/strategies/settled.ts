/** The row `settled`: leaving a workload locked, and saying what an audit finds. */

import { isNotAsked } from '../../api/known.ts';
import { MARK, type Marks } from '../../api/marks.ts';
import { shortRelease } from '../../api/release.ts';
import { SENTINEL } from '../../api/workload.ts';
import { workloadMove } from '../edits/workload-change.ts';
import { broughtBack, requestedByFile } from '../events/put-back.ts';
import { retry } from '../events/retrying.ts';
import { unpinning } from '../events/unpinning.ts';
import { atRest } from '../gates/at-rest.ts';
import { besideAtRest } from '../gates/at-rest-beside.ts';
import { groupsBehind } from '../gates/behind.ts';
import { blockedByUnreadyGroup, recreated, revisionChanged } from '../gates/cluster.ts';
import { elsewhere } from '../gates/elsewhere.ts';
import { historyRewritten } from '../gates/git.ts';
import { rolloutAbsent, stalled } from '../gates/people.ts';
import { servingGone } from '../gates/second.ts';
import { undoRefused } from '../gates/undo.ts';
import { type Hold, hold, holdKind } from '../hold.ts';
import { type Decision, holding, MOVES, moving } from '../move.ts';
import { wanted } from '../observed/groups-asked.ts';
import { abortOf } from '../orders/aborted-release.ts';
import { type Seen, type Situation, whenSeen } from '../situation.ts';
import { advice, commandLine } from '../texts/advice.ts';

/** Settled is locked; a partition that somebody lowered is put back, because the next edit would take the primary. */
export function settled(situation: Situation, marks: Marks): Decision {
  const { partition, snapshot } = situation;
  const lost = stepMarkGone(situation, marks);
  if (lost !== undefined) return holding([lost], 'StepUpgrade');
  const back = broughtBack(situation, marks) ?? requestedByFile(situation);
  if (back !== undefined) return back;
  const holds = [
    stalled(situation),
    historyRewritten(situation),
    rolloutAbsent(situation),
    snapshot.behind === undefined ? abortTooLate(situation, marks) : undefined,
    undoRefused(situation),
    servingGone(situation),
    ...auditHolds(situation),
    ...(situation.view === 'seen' ? besideAtRest(situation, marks) : []),
  ];
  const shown = holds.filter((found) => found !== undefined);
  const pin = unpinning(situation, marks);
  if (pin !== undefined && 'changes' in pin) return moving(pin, 'Completed', shown);
  if (pin !== undefined) return holding([...shown, pin], 'Completed', true);
  if (partition === SENTINEL) return retry(situation, { marks, shown });
  if (situation.view === 'seen' && astray(situation)) return holding(shown, 'Completed', true);
  return moving(
    workloadMove(situation, {
      reason: 'Relocked',
      label: MOVES.Relocked.label,
      marks,
      partition: SENTINEL,
      why: `The partition of a settled workload was ${partition}: the next edit of the template would have restarted ${partition === 0 ? 'every group' : `all groups from ${partition} up`} at once.`,
    }),
    'Completed',
    shown,
  );
}

/** Our commits write and remove both together: with one alone nobody knows what the fields mean. */
function stepMarkGone({ file, snapshot }: Situation, marks: Marks): Hold | undefined {
  if (marks.restore === undefined) return undefined;
  return hold('AnnotationsGone', {
    seen: `${file.file}: the annotation ${MARK.step} of ${file.object.name} is gone, though ${MARK.restore} says that a delivery is open`,
    // Without the commit that wrote it, as after a squash, nothing is repaired, and no release is there to abort.
    action: advice`To go on: ${commandLine('repair', snapshot.key)}; where that has nothing to repair, to go back: ${commandLine('eject', snapshot.key, `--partition ${file.workload.partition ?? 0}`)}, and then the earlier template into the file`,
  });
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
    return [hold('Drift', drift), whenSeen(blockedByUnreadyGroup)(situation)];
  return [
    drift ??
      recreated(situation) ??
      whenSeen((seen) => revisionChanged(seen) ?? groupsBehind(seen) ?? elsewhere(seen) ?? atRest(seen))(situation),
  ];
}

function abortTooLate({ snapshot }: Situation, marks: Marks): Hold | undefined {
  if (abortOf({ snapshot }, marks.release) === undefined) return undefined;
  return hold('AbortRefused', {
    seen: `release ${shortRelease(marks.release)} is delivered and settled: there is nothing to abort`,
    action: advice`To go back from it: ${commandLine('undo', snapshot.key)}`,
  });
}
