/**
 * A step that people merged though it did not hold any more: as an edit by hand, it is put back as far as no group has
 * followed, and waits for someone. Git merges such a pull request cleanly, and a rule that wants our status lets past
 * anyone who bypasses it, or was quicker than the next pass. Only a record tells what was so before the merge: where that is
 * lost as well, pauses and soaks count again, and by them every merge would look too late. So none is put back then.
 */

import type { StaleMerge } from '../../api/record.ts';
import { sameRelease } from '../../api/release.ts';
import { SENTINEL } from '../../api/workload.ts';
import { accepted } from '../accepting.ts';
import { allowed } from '../brakes.ts';
import { withBudgetAfter } from '../budget.ts';
import { partitionAfter, workloadMove } from '../edits/workload-change.ts';
import { before as gatesBefore } from '../gates/before.ts';
import { wantsEvidence } from '../gates/evidence.ts';
import { ask } from '../gates/gate.ts';
import { blocking, type Hold, type HoldReason, hold, withFacts } from '../hold.ts';
import { type Decision, holding, moving } from '../move.ts';
import { partitionOf } from '../observed/batches.ts';
import { wanted } from '../observed/groups-asked.ts';
import { recordedStep } from '../progress/restarts.ts';
import { lowest, type Seen, type Situation, situationOf } from '../situation.ts';
import type { InDelivery } from '../state.ts';
import { advice, commandLine } from '../texts/advice.ts';
import { command } from '../texts/command-text.ts';
import { partitionEdited } from './partition-edited.ts';

type Decide = (before: Situation) => Decision;

/** For these nothing is undone: what comes next waits for them anyway. */
const LET_PASS: readonly HoldReason[] = [
  'WindowClosed',
  // What metrics do not tell moves nothing, in neither direction, and an alert leads nowhere back.
  'Analysing',
  'AnalysisInconclusive',
  'AlertFiring',
  'NoRequests',
  'SeriesMissing',
  'SeriesTwice',
  'SeriesUnusable',
  'SidesNotApart',
  'MetricsUnreadable',
];

/** What groups that have started to follow the merge look like from the step before. */
const BY_THE_MERGE: readonly HoldReason[] = [
  'Overshoot',
  'UnexpectedGroups',
  'MixedRevisions',
  'BlockedByUnreadyGroup',
  'BlockedByFailedGroup',
  'CapacityTooLow',
];

/**
 * The answer of the first pass that sees a step merged too late; undefined: it was not, or nobody can tell yet. Asked
 * before a newer template is: what brought that may have released groups for it.
 */
export function lateMerge(situation: Situation, step: InDelivery, decide: Decide): Decision | undefined {
  const judged = judgedMerge(situation, decide);
  if (judged === undefined || judged.because.length === 0 || situation.view === 'unseen') return undefined;
  const { partition, because, from } = judged;
  return putBack(situation, { step, stale: { partition, because }, from });
}

/** The partition that was merged, and what held it, where an acceptance can name that; undefined: no pass has said so. */
export function staleFacts(situation: Situation): StaleMerge | undefined {
  return recordedStep(situation)?.stale;
}

/** People merged the step, and this pass cannot tell whether it held: nothing of it is remembered, so that the next one asks. */
export function isUnjudged(situation: Situation): boolean {
  return situation.snapshot.merged !== undefined && beforeMerge(situation) === 'unclear';
}

/**
 * What held the step back when it was merged, and the partition before: found by what would be decided now if it had not
 * been merged. Empty: this very step would.
 */
function judgedMerge(situation: Situation, decide: Decide): (StaleMerge & { readonly from: number }) | undefined {
  const before = beforeMerge(situation);
  if (before === undefined || before === 'unclear') return undefined;
  const { partition, marks, snapshot } = situation;
  const { move, holds } = allowed(decide(before));
  const isIt =
    move?.way === 'forward' &&
    sameRelease(move.marks.release, marks?.release) &&
    JSON.stringify(move.marks.step) === JSON.stringify(marks?.step) &&
    partitionAfter(before, move) === partition;
  const at = { partition, from: before.partition };
  // Nobody has shown who approved it: such a step is never proposed as the step itself.
  if (wantsEvidence(snapshot)) return { ...at, because: ['ApprovalUnproven'] };
  if (isIt) return { ...at, because: [] };
  if (move !== undefined) return { ...at, because: [move.reason] };
  const isFollowed = livePartition(situation) === partition;
  const passed = isFollowed ? [...LET_PASS, ...BY_THE_MERGE] : LET_PASS;
  const because = blocking(holds).flatMap(({ reason }) => (passed.includes(reason) ? [] : [reason]));
  return { ...at, because: [...new Set(because)] };
}

/** The step that metrics are asked of: a merged one is judged by what was so before. */
export function measuredIn(situation: Situation): Situation {
  const before = beforeMerge(situation);
  return before === undefined || before === 'unclear' ? situation : before;
}

/** As it was before the merge, with what is seen now; undefined: nothing was merged that releases groups for update. */
function beforeMerge(situation: Situation): Situation | 'unclear' | undefined {
  const { snapshot, file, partition } = situation;
  const { merged, record, live } = snapshot;
  if (merged?.marks === undefined) return undefined;
  const from = merged.step?.partition ?? SENTINEL;
  if (from <= partition) return undefined;
  if (situation.view === 'unseen' || live.lws.kind !== 'known') return 'unclear';
  const workload = { ...file.workload, marks: merged.marks, partition: from };
  // Where the agent was quick, the cluster has the merged one already: that is no difference of the step before.
  const isFollowed = live.lws.value.partition === partition;
  const lws = isFollowed ? { ...live.lws, value: { ...live.lws.value, partition: from } } : live.lws;
  const { merged: _, ...rest } = snapshot;
  const was = {
    ...rest,
    workload: { ...file, workload },
    record: record === undefined ? undefined : { ...record, step: merged.step, marks: merged.marks },
    live: { ...live, lws },
  };
  const before = situationOf(was, was.workload);
  return before.notApplied?.reason === 'NotObserved' ? 'unclear' : before;
}

function livePartition({ snapshot }: Situation): number | undefined {
  const { lws } = snapshot.live;
  return lws.kind === 'known' ? lws.value.partition : undefined;
}

/** The first answer: stopped where the lowest group is that has followed, or where it was before. */
function putBack(
  situation: Seen,
  at: { readonly step: InDelivery; readonly stale: StaleMerge; readonly from: number },
): Decision {
  const { partition, observed, replicas, snapshot } = situation;
  const { step, stale, from } = at;
  const onIt = wanted(observed, replicas).filter((group) => group.version === 'release');
  const back = Math.min(from, lowest(onIt) ?? from);
  if (back <= partition) return { ...holding([heldFor(situation, step, stale)], 'StepUpgrade'), stale };
  const move = workloadMove(situation, {
    reason: 'PartitionRestored',
    label: labelOf(step),
    // The cluster may have seen the merged one: going back must not forget the groups that it released for update.
    ...withBudgetAfter(situation, {
      marks: step.marks,
      floor: Math.min(partition, step.marks.restore?.floor ?? partition),
    }),
    partition: back,
    why: `${saidOf(step, stale)}. The partition is put back from ${partition} to ${back}, ${back === from ? 'where it was' : 'the lowest group that has followed'}; someone decides whether the merge stands: ${command('approve', snapshot.key, '--hold LateMerge')}.`,
  });
  return { ...moving(move, 'StepUpgrade', [heldFor(situation, step, stale)]), stale };
}

/** That of every later one: it stays where it is until someone lets it stand, or gives the release up. */
export function stillStale(situation: Situation, step: InDelivery): Decision | undefined {
  const stale = recordedStep(situation)?.stale;
  if (stale === undefined) return undefined;
  const edited = partitionEdited(situation, step);
  if (edited?.move !== undefined) return edited;
  if (!accepted(situation, 'LateMerge')) return holding([heldFor(situation, step, stale)], 'StepUpgrade');
  const plan = situation.steps[step.index - 1];
  const { partition, replicas } = situation;
  if (plan === undefined || replicas === undefined) return undefined;
  // N may be another by now: no more go than the step allows.
  const next = Math.max(stale.partition, partitionOf(plan.replicas, replicas));
  if (partition <= next) return undefined;
  const answer = ask(gatesBefore.letStand, situation);
  if (answer.kind === 'shut') return holding(answer.holds, 'StepUpgrade');
  const move = workloadMove(answer.seen, {
    reason: 'MergeAccepted',
    label: labelOf(step),
    ...withBudgetAfter(answer.seen, {
      marks: step.marks,
      floor: Math.min(next, step.marks.restore?.floor ?? next),
    }),
    partition: next,
    why: `${saidOf(step, stale)}, and someone lets it stand.`,
  });
  return moving(move, 'BeforeStepUpgrade');
}

function heldFor({ snapshot }: Situation, step: InDelivery, stale: StaleMerge): Hold {
  const { key } = snapshot;
  const held = hold('LateMerge', {
    seen: saidOf(step, stale),
    action: advice`To accept the merge: ${commandLine('approve', key, '--hold LateMerge')}; to go back: ${commandLine('abort', key)}`,
  });
  return withFacts(held, { partition: stale.partition, because: [...stale.because] });
}

function saidOf(step: InDelivery, { because }: StaleMerge): string {
  return `${labelOf(step)} was merged though it did not hold any more (${because.join(', ')})`;
}

function labelOf({ index, of }: InDelivery): string {
  return `step ${index}/${of}`;
}
