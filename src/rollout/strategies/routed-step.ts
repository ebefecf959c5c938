/** The row `step k` where routes share out the requests of the workload: its rungs, and what each waits for. */

import { SENTINEL } from '../../api/workload.ts';
import { accepted, unlessAccepted } from '../accepting.ts';
import { decisionOf } from '../edits/workload-change.ts';
import { nextStep } from '../events/next-step.ts';
import { partitionEdited } from '../events/partition-edited.ts';
import { type RungTo, restoreWith, rungWritten, withVersions } from '../events/sharing-out.ts';
import { stableUnselected } from '../events/stable-lost.ts';
import { beforeGroups, nextAsked, rungAsked, standingOf } from '../events/step-standing.ts';
import { stillWithdrawn } from '../events/withdrawing.ts';
import { before } from '../gates/before.ts';
import { notApplied, recreated, replicasUnknown, scaledToZero } from '../gates/cluster.ts';
import { frozenChanged } from '../gates/frozen.ts';
import { holdsOf } from '../gates/gate.ts';
import { partitionFacts, scaledAwayFacts } from '../gates/out-of-place.ts';
import { rolloutAbsent } from '../gates/people.ts';
import { stepShareTooLarge } from '../gates/shares.ts';
import { waitingOnGroups } from '../gates/step-groups.ts';
import { blocking, type Hold, hold, unique } from '../hold.ts';
import { bothServe, type Condition } from '../ladders/condition.ts';
import { documentsLost, routesChanged, waiting } from '../ladders/delivering.ts';
import type { Delivering } from '../ladders/delivering-facts.ts';
import { canaryEdited } from '../ladders/edited-by-hand.ts';
import { rungAbove, waitsAt } from '../ladders/next-commit.ts';
import type { Position } from '../ladders/position.ts';
import { unwritable } from '../ladders/rung-move.ts';
import { shareOf, sharing } from '../ladders/shares.ts';
import { serving } from '../ladders/traffic-view.ts';
import { isPinned, servicesOnly } from '../ladders/version-edits.ts';
import { versionMove } from '../ladders/version-move.ts';
import { type StepWanted, wantedBy } from '../ladders/version-step.ts';
import { type Decision, holding } from '../move.ts';
import { wanted } from '../observed/groups-asked.ts';
import type { Seen, Situation } from '../situation.ts';
import type { InDelivery } from '../state.ts';
import { editedPlan, nextIndex } from '../step-to-come.ts';
import { advice, commandLine, partitionSet } from '../texts/advice.ts';

/** Of itself on a rung below its groups, else as the row of the groups goes on. The file has the release's template: the caller has looked. */
export function routedStep(on: Delivering, step: InDelivery): Decision {
  const { situation } = on;
  if (!isApart(step) || recreated(situation) !== undefined) return withGroups(on, step);
  const edited = partitionEdited(situation, step);
  if (edited !== undefined) return edited;
  if (situation.view === 'unseen') return holding([situation.hold], 'StepUpgrade');
  const due = isPlanEdited(situation, step) ? undefined : rungDue(on, situation, step);
  // The partition is that of the step already: what is left waits for its groups.
  if (due?.kind !== 'commit' || due.at !== 'pods') return withGroups(on, step);
  const gates = [...before.finish, replicasUnknown, notApplied, scaledToZero];
  const unseen = waiting(on, ofRoutes(waitsAt(on.delivery, positionOf(step))));
  const held = [...unseen, ...holdsOf(gates, situation), ...fixed(on), covered(on, wantedAt(on, situation, step))];
  const holds = unique(held.filter((one) => one !== undefined));
  if (blocking(holds).length > 0) return holding(holds, 'StepUpgrade');
  return rungWritten(on, situation, { next: due, to: toRung(step) });
}

/** The next rung of the step once its groups are ready, or the next step. */
function withGroups(on: Delivering, step: InDelivery): Decision {
  const { situation } = on;
  const first = beforeGroups(situation, step);
  if (first !== undefined) return first;
  const isEdited = situation.view === 'seen' && isPlanEdited(situation, step);
  const rung = situation.view === 'seen' && !isEdited ? rungDue(on, situation, step) : undefined;
  // Anyone who accepts that none of its groups is left goes on without its share: nobody would ever serve it.
  const isPassed = isShare(rung) && isEmptyAccepted(situation);
  const due = isPassed ? undefined : rung;
  // Told while its groups are down, too: what they come up for is someone's to decide.
  const isDown = isPassed || (isShare(due) && waitingOnGroups(situation).length > 0);
  const held = [...fixed(on), isDown ? stillWithdrawn(on) : undefined].filter((one) => one !== undefined);
  const waits = [...waiting(on, ofRoutes(waitsAt(on.delivery, positionOf(step)))), ...held];
  // A step that has released no group for update yet has no pause to serve.
  const again = due === undefined && (isEdited ? isApart(step) : isShareEdited(on, step));
  const standing = standingOf(situation, step, { waits, again });
  const answer = due === undefined ? nextAsked(situation, standing) : rungAsked(situation, standing);
  if (answer.kind === 'shut') return answer.decision;
  return due === undefined
    ? nextRung(on, answer.seen, answer.from)
    : shareChecked(on, answer.seen, { next: due, to: toRung(step) });
}

function toRung({ marks, index }: InDelivery): RungTo {
  return { marks, index, reason: 'RungReady', evidence: '' };
}

/** Its groups are asked for by the gates, which say more of them. */
function ofRoutes(waits: readonly Condition[]): readonly Condition[] {
  return waits.filter(({ kind }) => kind !== 'newVersion');
}

function positionOf({ index, of, marks: { at } }: InDelivery): Position {
  return { stage: { kind: 'step', index, of }, at };
}

/** Nothing goes further where the Rollout and its routes are not as the delivery was started, or something was edited by hand. */
function fixed(on: Delivering): readonly (Hold | undefined)[] {
  const { situation } = on;
  const other = rolloutAbsent(situation) ?? frozenChanged(situation) ?? documentsLost(on) ?? routesChanged(on);
  return [other, unlessAccepted(situation, 'CanaryEdited', canaryEdited(on)), stableUnselected(on)];
}

function wantedAt(on: Delivering, seen: Seen, { index }: Pick<InDelivery, 'index'>): StepWanted | undefined {
  const step = seen.steps[index - 1];
  return step === undefined ? undefined : wantedBy(withVersions(on, seen), step);
}

type Due = Exclude<ReturnType<typeof rungAbove>, { readonly kind: 'top' }>;

/** The rung of this step that is due; undefined: it stands on its last. */
function rungDue(on: Delivering, seen: Seen, step: InDelivery): Due | undefined {
  if (seen.steps[step.index - 1] === undefined) return undefined;
  const next = rungAbove(withVersions(on, seen), positionOf(step));
  return next.kind === 'top' ? undefined : next;
}

/** A share that a route cannot hold is one as well. */
function isShare(due: Due | undefined): boolean {
  return due !== undefined && (due.kind === 'unwritable' || due.at === 'traffic');
}

/** Whether it stands on a rung below its groups. */
function isApart({ marks: { at } }: InDelivery): boolean {
  return at === 'route-restored' || at === 'template';
}

/** Whether the groups of its plan are others than those that it was started with: it goes on by the gates of a step. */
function isPlanEdited(seen: Seen, { index, marks: { release } }: InDelivery): boolean {
  return editedPlan(seen, { index, release }) !== undefined;
}

/**
 * Whether the plan gives the step that stands on its last rung another share than Git has. A weight that is not as we set
 * it was edited in the route instead: that is someone's to put back or accept.
 */
function isShareEdited(on: Delivering, { marks, index }: InDelivery): boolean {
  const step = on.situation.steps[index - 1];
  if (marks.at !== 'traffic' || step === undefined || canaryEdited(on) !== undefined) return false;
  const made = sharing(on.delivery, shareOf(step));
  return made.kind === 'ok' && made.objects.length > 0;
}

/** The workload was scaled down past the step, so that no group of it is left, and someone lets the next one follow all the same. */
function isEmptyAccepted(situation: Situation): boolean {
  return scaledAwayFacts(situation) !== undefined && accepted(situation, 'StepScaledAway');
}

/** A rung as it is: a share only where both versions serve what they are sent. */
function shareChecked(on: Delivering, seen: Seen, { next, to }: { readonly next: Due; readonly to: RungTo }): Decision {
  if (!isShare(next) && next.kind === 'commit') return rungWritten(on, seen, { next, to });
  const step = seen.steps[to.index - 1];
  const share = step === undefined ? undefined : shareOf(step);
  const both = bothServe(share?.kind === 'weight' && share.percent === 100);
  const found = [...waiting(on, both), keptBack(seen), stillWithdrawn(on), stepShareTooLarge(seen, to.index)];
  const holds = found.filter((one) => one !== undefined);
  if (holds.length > 0) return holding(holds, 'StepTrafficRouting');
  return next.kind === 'unwritable' ? unwritable(on, next) : rungWritten(on, seen, { next, to });
}

/** Someone has accepted a partition that keeps every group of the step: its share waits for a group that never comes. */
function keptBack(seen: Seen): Hold | undefined {
  const facts = partitionFacts(seen);
  if (facts === undefined || seen.replicas === 0 || seen.partition < seen.replicas) return undefined;
  return hold('PartitionEdited', {
    seen: `partition ${facts.partition} lets no group of the step go, and its share needs one that serves`,
    action: advice`Put ${partitionSet(`partition ${facts.expected}`, seen.file, facts.expected)} back; to go back: ${commandLine('abort', seen.snapshot.key)}`,
  });
}

/** Of the stable groups that stay, one serves: else what is sent to them would find nobody while the others restart. */
function covered(on: Delivering, to: StepWanted | undefined): Hold | undefined {
  const { delivery, view } = on;
  if (to === undefined || to.isWhole || !isPinned(delivery) || view === undefined) return undefined;
  const found = serving(delivery, view, 'stable');
  if (found.kind !== 'known') return undefined;
  if (found.value.some(({ index }) => index < to.partition)) return undefined;
  return hold('NotServing', {
    seen: `no group below partition ${to.partition} serves, and ${delivery.service?.object.name ?? ''} takes in those of the stable version alone`,
    waits: 'groups',
  });
}

/** The first rung of the step after this one, by the gates that were asked. */
function nextRung(on: Delivering, seen: Seen, from: Parameters<typeof nextStep>[1]): Decision {
  const { steps } = seen;
  const { marks, index, plan } = from;
  const target = nextIndex(seen, { index, release: marks.release, plan });
  const goal = wantedAt(on, seen, { index: target });
  if (goal === undefined) return decisionOf(seen, nextStep(seen, from));
  const of = { kind: 'step', index: target, of: steps.length } as const;
  // An edit of the plan may lead to the same step: from its lowest rung.
  const next = rungAbove(withVersions(on, seen), { stage: of, at: undefined });
  const reason = plan !== undefined ? 'StepsEdited' : target === index + 1 ? 'StepReady' : 'Jumped';
  const to: RungTo = { marks, index: target, reason, evidence: evidence(seen) };
  const isGroups = next.kind === 'commit' && next.at === 'pods';
  if (next.kind !== 'top' && !isGroups) return { ...shareChecked(on, seen, { next, to }), stepDone: true };
  const held = covered(on, goal);
  if (held !== undefined) return holding([held], 'StepUpgrade', true);
  return versionMove(on, nextStep(seen, { ...from, marks: { ...marks, step: of } }), {
    at: isGroups || goal.share.kind === 'none' ? 'pods' : 'traffic',
    commit: servicesOnly(on.delivery, []),
  });
}

/** What the step in Git has brought. */
function evidence({ observed, asked, partition }: Seen): string {
  const updated = wanted(observed, asked).filter(({ index }) => index >= Math.min(partition, SENTINEL));
  const ready = updated.filter((group) => group.ready).length;
  return updated.length === 0 ? '' : `${ready} of ${updated.length} groups of the step before are ready. `;
}

/** Requests go to stable where all groups are released for update, or came up on the release: the stable version is no more. */
export function restoreForWhole(on: Delivering, { marks, index }: InDelivery): Decision {
  return restoreWith(on, { marks, index, reason: 'RouteRestored', evidence: '' });
}
