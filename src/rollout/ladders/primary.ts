/** The user's own workload while it is released for update, or was: which partition it gets, and when it is stopped. */

import { ABSENT } from '../../api/field.ts';
import { isIntOrPercent, letsNone } from '../../api/int-or-percent.ts';
import { at, type JsonObject } from '../../api/json.ts';
import type { Marks } from '../../api/marks.ts';
import { MAX_UNAVAILABLE_PATH, PARTITION_PATH } from '../../api/workload-paths.ts';
import { accepted } from '../accepting.ts';
import type { Budget } from '../budget.ts';
import type { FieldChange } from '../edits/change.ts';
import { fieldEdit } from '../edits/change-edits.ts';
import type { ObjectEdits } from '../edits/edit.ts';
import type { Hold } from '../hold.ts';
import type { Decision, MoveReason } from '../move.ts';
import { edited, setField } from './commit.ts';
import type { Delivering } from './delivering-facts.ts';
import { type Delivery, replicasOf } from './delivery.ts';
import type { NextCommit } from './next-commit.ts';
import { climbed } from './rung-move.ts';
import { primaryReplaced } from './seen-workloads.ts';

/** All of it came up on the release, and someone accepts that: the promotion goes on from there. */
export function releasedAgain(on: Delivering): Decision {
  return partitionMove(on, 0, {
    reason: 'Promoted',
    stage: { kind: 'promote' },
    at: 'primary',
    label: 'promote, primary',
    marks: on.marks,
    why: 'The workload was recreated in mid-delivery, so all its groups came up on the template of Git. Someone has accepted that.',
  });
}

type To = Pick<NextCommit, 'stage' | 'at'> & {
  readonly reason: MoveReason;
  readonly marks: Marks;
  readonly label: string;
  readonly why: string;
  /** Not there: its maxUnavailable stays. */
  readonly budget?: Budget;
};

/** Another partition of the user's own workload, with the budget that goes with it, and nothing else of any object. */
export function partitionMove(on: Delivering, partition: number, to: To): Decision {
  const { delivery } = on;
  const objects = edited(delivery.own, setField(delivery.own, PARTITION_PATH, partition));
  const next: NextCommit = {
    kind: 'commit',
    stage: to.stage,
    at: to.at,
    objects,
    displaced: delivery.displaced,
    waits: [],
  };
  const all = to.budget === undefined ? next : withBudget(on, next, to.budget);
  return climbed(on, all, { reason: to.reason, marks: to.marks, label: to.label, why: to.why });
}

/**
 * The same commit with another maxUnavailable of the user's own workload. Of the second one as well, where a hand has written a
 * value with which the API server takes nothing of its document: an agent that applies all or nothing would apply no rollback.
 */
export function withBudget(on: Delivering, next: NextCommit, { set }: Budget): NextCommit {
  const { situation, delivery } = on;
  const { own } = delivery;
  const from = situation.workload.maxUnavailable ?? ABSENT;
  const edits = set === undefined ? [] : fieldEdit({ path: MAX_UNAVAILABLE_PATH, from, to: set });
  const objects = [...edited(own, edits), ...secondBudget(delivery)];
  return objects.length === 0 ? next : { ...next, objects: [...next.objects, ...objects] };
}

/** At no groups the value is taken, and would be refused with the first one of the next release. */
function secondBudget({ second }: Delivery): readonly ObjectEdits[] {
  const value = second === undefined ? undefined : at(second.value, MAX_UNAVAILABLE_PATH);
  if (second === undefined || !isIntOrPercent(value) || !letsNone(value, Math.max(1, replicasOf(second)))) return [];
  return edited(second, setField(second, MAX_UNAVAILABLE_PATH, 1));
}

/** Fields of the user's own workload that the delivery has put aside, as edits that restore them. */
export function restoredFields({ delivery }: Delivering, home: readonly FieldChange[]): readonly ObjectEdits[] {
  const edits = home.flatMap(fieldEdit);
  return edits.length === 0 ? [] : [{ file: delivery.own.file, object: delivery.own.object, edits }];
}

/** What someone accepts who lets requests go to stable to a primary that is on what is requested. */
export function takenFacts({ delivery, view, marks }: Delivering): JsonObject | undefined {
  const taken = view === undefined || marks.step?.kind !== 'step' ? undefined : primaryReplaced(delivery, view);
  return taken === undefined ? undefined : { groups: taken.map(({ index }) => index) };
}

/** The same as a hold, which is none any more then. */
export function unlessTaken({ situation }: Delivering, holds: readonly Hold[]): readonly Hold[] {
  return accepted(situation, 'PrimaryReplaced') ? holds.filter(({ reason }) => reason !== 'PrimaryReplaced') : holds;
}
