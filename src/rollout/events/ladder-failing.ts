/** A step, or a promotion, that has failed while a second workload is filled: held, its share withdrawn, or aborted. */

import type { Marks } from '../../api/marks.ts';
import { isOneWorkload, updatesPrimary } from '../../api/styles.ts';
import { failureLeading, whatFails } from '../gates/failure.ts';
import { waiting } from '../ladders/delivering.ts';
import type { Delivering } from '../ladders/delivering-facts.ts';
import { quorumOf } from '../ladders/delivery.ts';
import { canaryEdited } from '../ladders/edited-by-hand.ts';
import { hasShare } from '../ladders/traffic-view.ts';
import { type Brake, type Decision, holding } from '../move.ts';
import { unavailableBudget } from '../situation.ts';
import { capital } from '../texts/sentences.ts';
import { failedBack, failureHolds } from './failing.ts';
import { goBackOnLadder } from './ladder-back.ts';
import { restoredShare } from './withdrawing.ts';

/** By what policies say of it (`onFailure`); undefined: it has not failed, or it only waits for people. */
export function failedOnLadder(on: Delivering): Decision | undefined {
  // What a hand has changed was judged as well: people say what becomes of it.
  const given = canaryEdited(on) === undefined ? failedBack(on.situation, on.marks) : undefined;
  return given === undefined ? withdrawnAsFailed(on) : { ...goBackOnLadder(on, given), brakes: [failed(on)] };
}

/**
 * Sends all requests to stable, where it serves as it should; the groups stay for someone to look at. While the primary of
 * a canary is updated there is no stable version to send them to: what it is updated to is what has failed.
 */
export function withdrawnAsFailed(on: Delivering): Decision | undefined {
  const { situation, delivery, marks } = on;
  const failure = failureLeading(situation, 'withdraw');
  const { step } = marks;
  if (failure === undefined || step === undefined || !hasShare(delivery) || takesPrimary(on)) return undefined;
  const unseen = waiting(on, [{ kind: 'serving', side: 'stable', groups: quorumLeft(on) }]);
  if (unseen.length > 0) return { ...holding(unseen, 'StepUpgrade'), brakes: [failed(on)] };
  const why = `${capital(whatFails(situation))} has failed: ${failure.seen}. Policies want the share withdrawn then, and the groups kept. Nobody has ordered this.`;
  return { ...restoredShare(on, { step, why }), brakes: [failed(on)] };
}

/** Of one workload the groups that are left on the stable version; they have to bear what they bore, and the share. */
function quorumLeft({ situation, delivery }: Delivering): number {
  if (!isOneWorkload(delivery.plan.style)) return quorumOf(delivery);
  const { partition, replicas = 0, maxUnavailable } = situation;
  return Math.max(1, Math.min(partition, replicas) - unavailableBudget(maxUnavailable, replicas));
}

function takesPrimary({
  delivery,
  marks,
}: {
  readonly delivery: Delivering['delivery'];
  readonly marks: Marks;
}): boolean {
  return marks.step?.kind === 'promote' && updatesPrimary(delivery.plan.style);
}

/** Said where what the failure leads to waits. */
function failed({ situation }: Delivering): Brake {
  return { kind: 'failed', holds: failureHolds(situation) };
}
