/** The row `step k` where routes share out the requests of the workload: its rungs, and what each waits for. */

import type { RungMark } from '../../api/marks.ts';
import { SENTINEL } from '../../api/workload.ts';
import { accepted, unlessAccepted } from '../accepting.ts';
import { nextStep, type StepWay } from '../events/next-step.ts';
import { partitionEdited } from '../events/partition-edited.ts';
import { letGo, pinnedAgain, type RungTo, restoreWith, shared } from '../events/sharing-out.ts';
import { stillWithdrawn } from '../events/withdrawing.ts';
import { before } from '../gates/before.ts';
import { notApplied, recreated, replicasUnknown, scaledToZero } from '../gates/cluster.ts';
import { frozenChanged } from '../gates/frozen.ts';
import { holdsOf } from '../gates/gate.ts';
import { scaledAwayFacts } from '../gates/out-of-place.ts';
import { rolloutAbsent } from '../gates/people.ts';
import { stepShareTooLarge } from '../gates/shares.ts';
import { waitingOnGroups } from '../gates/step-groups.ts';
import { blocking, type Hold, hold, unique } from '../hold.ts';
import { besides } from '../ladders/besides.ts';
import { type Condition, LIVE } from '../ladders/condition.ts';
import { documentsLost, routesChanged, waiting } from '../ladders/delivering.ts';
import type { Delivering } from '../ladders/delivering-facts.ts';
import { canaryEdited } from '../ladders/edited-by-hand.ts';
import { NO_SHARE, shareOf, sharing } from '../ladders/shares.ts';
import { serving } from '../ladders/traffic-view.ts';
import { isPinned, servicesOnly } from '../ladders/version-edits.ts';
import { rungDue, type StepWanted, wantedOf } from '../ladders/version-rungs.ts';
import { type Decision, holding } from '../move.ts';
import type { Group } from '../observed/groups.ts';
import { wanted } from '../observed/groups-asked.ts';
import type { Seen, Situation } from '../situation.ts';
import type { InDelivery } from '../state.ts';
import { editedPlan, nextIndex } from '../step-to-come.ts';

/** What is done of itself, or how the row of the groups goes on. The file has the release's template: the caller has looked. */
export function routedStep(on: Delivering, step: InDelivery): Decision | { readonly way: StepWay } {
  const { situation } = on;
  const fresh = recreated(situation);
  if (!isApart(step) || fresh !== undefined) return { way: wayOf(on, step) };
  const edited = partitionEdited(situation, step);
  if (edited !== undefined) return edited;
  if (situation.view === 'unseen') return holding([situation.hold], 'StepUpgrade');
  const due = isPlanEdited(situation, step) ? undefined : rungAt(on, situation, step);
  // The partition is that of the step already: what is left waits for its groups.
  if (due !== 'pods') return { way: wayOf(on, step) };
  const gates = [...before.finish, replicasUnknown, notApplied, scaledToZero];
  const unseen = waiting(on, conditionsAt(on, step));
  const held = [...unseen, ...holdsOf(gates, situation), ...fixed(on), covered(on, wantedAt(situation, step))];
  const holds = unique(held.filter((one) => one !== undefined));
  if (blocking(holds).length > 0) return holding(holds, 'StepUpgrade');
  return letGo(on, situation, { marks: step.marks, index: step.index, reason: 'RungReady', evidence: '' });
}

/** Nothing goes further where the Rollout and its routes are not as the delivery was started, or something was edited by hand. */
function fixed(on: Delivering): readonly (Hold | undefined)[] {
  const { situation } = on;
  const other = rolloutAbsent(situation) ?? frozenChanged(situation) ?? documentsLost(on) ?? routesChanged(on);
  return [other, unlessAccepted(situation, 'CanaryEdited', canaryEdited(on))];
}

/** With a third version next to the two no Service could tell them apart: then the step goes without its share. */
function wantedAt(seen: Seen, { index }: Pick<InDelivery, 'index'>): StepWanted | undefined {
  const { steps, replicas, partition } = seen;
  const step = steps[index - 1];
  if (step === undefined) return undefined;
  const to = wantedOf(step, { replicas, partition });
  return groupsOnThirdVersion(seen).some((group) => group.index < to.partition) ? { ...to, share: NO_SHARE } : to;
}

/** Groups whose leader is on neither of two versions. */
function groupsOnThirdVersion({ observed, replicas }: Seen): readonly Group[] {
  return wanted(observed, replicas).filter(({ leader }) => leader.key !== undefined && leader.version === 'other');
}

/** The rung of this step that is due. */
function rungAt(on: Delivering, seen: Seen, step: InDelivery): ReturnType<typeof rungDue> {
  const to = wantedAt(seen, step);
  const { partition } = seen;
  return to === undefined
    ? undefined
    : rungDue(on.delivery, to, { partition, reached: step.marks.at, isMixed: groupsOnThirdVersion(seen).length > 0 });
}

/** What the rung in Git waits for, next to the groups of its step. */
function conditionsAt({ delivery }: Delivering, { marks }: InDelivery): readonly Condition[] {
  const routes: readonly Condition[] = delivery.routes.length > 0 ? [{ kind: 'accepted' }] : [];
  const waits: Readonly<Partial<Record<RungMark, readonly Condition[]>>> = {
    'route-restored': [...routes, { kind: 'complete' }],
    template: [{ kind: 'complete' }],
    traffic: routes,
  };
  return [LIVE, ...(marks.at === undefined ? [] : (waits[marks.at] ?? []))];
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

function wayOf(on: Delivering, step: InDelivery): StepWay {
  const { situation } = on;
  const isEdited = situation.view === 'seen' && isPlanEdited(situation, step);
  const rung = situation.view === 'seen' && !isEdited ? rungAt(on, situation, step) : undefined;
  // Anyone who accepts that none of its groups is left goes on without its share: nobody would ever serve it.
  const isPassed = rung === 'traffic' && isEmptyAccepted(situation);
  const due = isPassed ? undefined : rung;
  const here: RungTo = { marks: step.marks, index: step.index, reason: 'RungReady', evidence: '' };
  // Told while its groups are down, too: what they come up for is someone's to decide.
  const isDown = isPassed || (due === 'traffic' && waitingOnGroups(situation).length > 0);
  const held = [...fixed(on), isDown ? stillWithdrawn(on) : undefined].filter((one) => one !== undefined);
  const waits = [...waiting(on, conditionsAt(on, step)), ...held];
  const rungs = {
    'route-restored': () => restoreWith(on, here),
    template: (seen: Seen) => pinnedAgain(on, seen, here),
    pods: (seen: Seen) => letGo(on, seen, here),
    traffic: (seen: Seen) => given(on, seen, here),
  };
  return {
    waits,
    rung: due === undefined ? undefined : rungs[due],
    // A step that has let nothing go yet has no pause to serve.
    again: due === undefined && (isEdited ? isApart(step) : isShareEdited(on, step)),
    next: (seen, from) => nextRung(on, seen, from),
  };
}

/** The share of a step: both versions must serve what they are sent. */
function given(on: Delivering, seen: Seen, to: RungTo): Decision {
  const step = seen.steps[to.index - 1];
  const share = step === undefined ? undefined : shareOf(step);
  const isWhole = share?.kind === 'weight' && share.percent === 100;
  const both: readonly Condition[] = [
    { kind: 'serving', side: 'canary', groups: 1 },
    ...(isWhole ? [] : [{ kind: 'serving', side: 'stable', groups: 1 } as const]),
  ];
  const found = [...waiting(on, both), stillWithdrawn(on), stepShareTooLarge(seen, to.index)];
  const holds = found.filter((one) => one !== undefined);
  return holds.length > 0 ? holding(holds, 'StepTrafficRouting') : shared(on, seen, to);
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
  const { steps, partition } = seen;
  const { marks, index, plan } = from;
  const target = nextIndex(seen, { index, release: marks.release, plan });
  const goal = wantedAt(seen, { index: target });
  if (goal === undefined) return nextStep(seen, from);
  const due = rungDue(on.delivery, goal, {
    partition,
    // An edit of the plan may lead to the same step: from its lowest rung.
    reached: undefined,
    isMixed: groupsOnThirdVersion(seen).length > 0,
  });
  const reason = plan !== undefined ? 'StepsEdited' : target === index + 1 ? 'StepReady' : 'Jumped';
  const to: RungTo = { marks, index: target, reason, evidence: evidence(seen) };
  const of = { kind: 'step', index: target, of: steps.length } as const;
  switch (due) {
    case 'route-restored':
      return { ...restoreWith(on, to), stepDone: true };
    case 'template':
      return { ...pinnedAgain(on, seen, to), stepDone: true };
    case 'traffic':
      return { ...given(on, seen, to), stepDone: true };
    case 'pods':
    case undefined:
      break;
  }
  const held = covered(on, goal);
  if (held !== undefined) return holding([held], 'StepUpgrade', true);
  const at = due === 'pods' || goal.share.kind === 'none' ? 'pods' : 'traffic';
  return besides(on, nextStep(seen, { ...from, marks: { ...marks, step: of } }), {
    at,
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
