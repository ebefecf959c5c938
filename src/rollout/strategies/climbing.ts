/** The rows of a delivery that fills a second workload: its steps, and its promotion. */

import { deliveredAt } from '../../api/marks.ts';
import { updatesPrimary } from '../../api/styles.ts';
import { accepted, unlessAccepted } from '../accepting.ts';
import { restoreOwn } from '../edits/restore-asides.ts';
import { partitionRaised } from '../events/primary-partition.ts';
import { queuedHold } from '../events/queued.ts';
import { stableNotServing } from '../events/stable-lost.ts';
import { stillWithdrawn } from '../events/withdrawing.ts';
import { analysing } from '../gates/analysis.ts';
import { before } from '../gates/before.ts';
import { cameUpWhole, recreated, staysPut } from '../gates/cluster.ts';
import { holdsOf } from '../gates/gate.ts';
import { notDelivered } from '../gates/git.ts';
import { refusedJump, waitingOnPause } from '../gates/pause.ts';
import { groupsWithoutNodes, letGoByHand, primaryBlocked, withoutNodes } from '../gates/primary.ts';
import { nothingServes } from '../gates/second.ts';
import { soaking } from '../gates/soak.ts';
import { blocking, type Hold, unique } from '../hold.ts';
import { waiting } from '../ladders/delivering.ts';
import type { Delivering } from '../ladders/delivering-facts.ts';
import { canarySide, primaryGroups, replicasOf } from '../ladders/delivery.ts';
import { canaryEdited } from '../ladders/edited-by-hand.ts';
import { ledTo } from '../ladders/fill-to-come.ts';
import { type NextCommit, nextCommit, nextWithoutNodes, stepEntered } from '../ladders/next-commit.ts';
import { sameStage } from '../ladders/position.ts';
import { releasedAgain, restoredFields, unlessTaken } from '../ladders/primary.ts';
import { climbed, unwritable } from '../ladders/rung-move.ts';
import { greenTextEdited, switchEdited } from '../ladders/switch-edited.ts';
import { type Decision, holding, type MoveReason } from '../move.ts';
import { nameGroups } from '../observed/groups.ts';
import { statesOf } from '../progress/step-state.ts';
import { whenSeen } from '../situation.ts';
import type { OnLadder } from '../state.ts';
import { capital } from '../texts/sentences.ts';

/** First match: a primary re-created, the next rung, or what it waits for. The file has the release's template. */
export function climbing(on: Delivering, state: OnLadder): Decision {
  const fresh = madeAgain(on);
  if (fresh !== undefined) return fresh;
  const queued = queuedHold(on.situation, 'this release is settled or aborted');
  const elsewhere = switchEdited(on) ?? greenTextEdited(on);
  if (elsewhere !== undefined) return holding([elsewhere, ...queued], 'StepUpgrade');
  const goes = wayOn(on, state);
  const { next } = goes;
  if (next.kind === 'unwritable') return unwritable(on, next);
  const unseen = unlessTaken(on, waiting(on, next.waits));
  const entering = !sameStage(state.stage, next.stage) || goes.reason === 'StepsEdited';
  const done = entering && state.stage.kind === 'step' && unseen.length === 0;
  const isShort = state.stage.kind === 'promote' && unseen.some(({ reason }) => OF_GROUPS.includes(reason));
  const unplaced = isShort ? whenSeen(withoutNodes)(on.situation) : undefined;
  const holds = unique([
    ...(unplaced === undefined ? [] : [unplaced]),
    ...unseen,
    ...heldBy(on, state, { next, done }),
    ...queued,
  ]);
  if (blocking(holds).length > 0) return holding(holds, stateOf(state, { unseen, holds }), done);
  if (next.at === 'settled') return settle(on, next, holds);
  const { reason, because } = goes;
  const move = climbed(on, next, { reason, marks: on.marks, done, ...(because === undefined ? {} : { because }) });
  return { ...move, holds: [...move.holds, ...holds] };
}

/** What groups end that get their nodes: next to these it is said which do not. */
const OF_GROUPS: readonly Hold['reason'][] = [
  'GroupsNotUpdated',
  'GroupsNotReady',
  'NotServing',
  'StatefulSetNotFlipped',
];

/** The user's own is on the release before its time: held, until someone accepts that. Two colours then go on as they do. */
function madeAgain(on: Delivering): Decision | undefined {
  const { situation } = on;
  const held = staysPut(situation) ? recreated(situation) : undefined;
  if (held === undefined) return undefined;
  if (!accepted(situation, 'Recreated')) return holding([held], 'StepUpgrade');
  const isWhole = updatesPrimary(on.delivery.plan.style) && cameUpWhole(situation);
  return isWhole ? releasedAgain(on) : undefined;
}

type Going = {
  readonly next: ReturnType<typeof nextCommit>;
  readonly reason: MoveReason;
  /** Said before why the rung is climbed. */
  readonly because?: string;
};

/** The next rung: where a jump leads, where an edit of the plan does, or the one above. */
function wayOn(on: Delivering, { stage }: OnLadder): Going {
  const { situation, delivery, marks } = on;
  if (stage.kind === 'step') {
    const filled = { replicas: primaryGroups(delivery), now: replicasOf(canarySide(delivery)) };
    const led = ledTo({ ...situation, marks }, { index: stage.index, ...filled });
    if (led !== undefined)
      return { next: stepEntered(delivery, { index: led.index, paused: led.by === 'StepsEdited' }), reason: led.by };
  }
  const early = beforeItsNodes(on);
  if (early !== undefined) return early;
  const next = nextCommit(delivery);
  return { next, reason: next.kind === 'commit' ? reasonOf(next, stage) : 'RungReady' };
}

/**
 * Groups of stable wait for nodes that the canary may have, as where N was raised in the promotion: once N − U of them serve,
 * they get all requests, so that the canary can be emptied. undefined: none waits, or too few serve.
 */
function beforeItsNodes(on: Delivering): Going | undefined {
  const { situation, delivery } = on;
  const next = nextWithoutNodes(delivery);
  if (situation.view === 'unseen' || next?.kind !== 'commit') return undefined;
  const groups = groupsWithoutNodes(situation).map(({ index }) => index);
  if (groups.length === 0 || waiting(on, next.waits).length > 0) return undefined;
  const because = `${capital(nameGroups(groups))} of ${delivery.own.object.name} ${groups.length === 1 ? 'waits' : 'wait'} for nodes, and the others serve enough for all requests.`;
  return { next, reason: 'RouteRestored', because };
}

/** The first rung of a step, or of a promotion, that waits for people has a name of its own: it is what they approve. */
function reasonOf({ stage, at, waits }: NextCommit, from: OnLadder['stage']): MoveReason {
  if (at === 'route-restored') return 'RouteRestored';
  if (at === 'empty') return 'CanaryEmptied';
  if (!waits.some(({ kind }) => kind === 'gates')) return 'RungReady';
  if (stage.kind !== 'promote') return 'StepReady';
  return sameStage(from, stage) ? 'RungReady' : 'Promoted';
}

/** Rungs that give the new version a share: without routes the Service does. */
const SHARING: readonly NextCommit['at'][] = ['traffic', 'all', 'switch'];

type At = { readonly next: NextCommit; readonly done: boolean };

/** What else a rung waits for: people, policies, time. Going to stable and emptying wait for none of it. */
function heldBy(on: Delivering, { stage, at }: OnLadder, { next, done }: At): readonly Hold[] {
  const { situation, marks } = on;
  const isPrimary = next.at === 'primary' || (stage.kind === 'promote' && at === 'primary');
  const isForward = next.at !== 'route-restored' && next.at !== 'empty';
  const index = stage.kind === 'step' ? stage.index : 0;
  const isGated = next.waits.some(({ kind }) => kind === 'gates');
  const gates = isForward ? holdsOf(isGated ? before.climb : before.finish, situation) : [];
  const paused = next.waits.flatMap((wait) => (wait.kind === 'pause' ? [wait.step] : []));
  // A jump ends a pause, and no soak.
  const pauses = done
    ? [...paused.map((step) => waitingOnPause(situation, { index: step, release: marks.release })), soaking(situation)]
    : [];
  // A step and a promotion are left by what metrics say; within them rungs follow each other without.
  const isLeft = next.at === 'settled' || (stage.kind === 'step' && isGated);
  const found = [
    ...(isLeft ? analysing(situation) : []),
    isForward ? letGoByHand(situation) : undefined,
    isForward ? unlessAccepted(situation, 'CanaryEdited', canaryEdited(on)) : undefined,
    isForward && SHARING.includes(next.at) ? stillWithdrawn(on) : undefined,
    partitionRaised(on),
    stage.kind === 'step' ? stableNotServing(on) : undefined,
    isPrimary ? whenSeen(primaryBlocked)(situation) : undefined,
    // Groups that nobody asks for are waited for in vain.
    next.at === 'route-restored' ? nothingServes(situation) : undefined,
    ...pauses,
    index === 0 ? undefined : refusedJump(situation, index),
  ];
  return [...gates, ...found.filter((one) => one !== undefined)];
}

/** Kruise's word for where it stands. */
function stateOf({ at, stage }: OnLadder, of: { readonly unseen: readonly Hold[]; readonly holds: readonly Hold[] }) {
  if (of.unseen.length > 0) return at === 'traffic' && stage.kind === 'step' ? 'StepTrafficRouting' : 'StepUpgrade';
  return statesOf(of.holds).includes('StepPaused') ? 'StepPaused' : 'StepReady';
}

/** The release is the stable one from here on: by the newest commit that was read with its template. */
function settle(on: Delivering, next: NextCommit, holds: readonly Hold[]): Decision {
  const { snapshot } = on.situation;
  if (snapshot.delivered.kind !== 'known') return holding([...holds, notDelivered(on.situation)], 'StepReady');
  const home = restoreOwn(on.marks, on.situation.workload);
  const made = climbed(
    on,
    { ...next, objects: [...next.objects, ...restoredFields(on, home)] },
    {
      reason: 'Settled',
      marks: deliveredAt(on.marks, snapshot.delivered.value),
    },
  );
  return { ...made, holds: [...made.holds, ...holds] };
}
