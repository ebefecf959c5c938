/** The user's own workload while it is let go, or was: which partition it gets, and when it is stopped. */

import { ABSENT } from '../../api/field.ts';
import type { JsonObject } from '../../api/json.ts';
import { type Marks, printStep } from '../../api/marks.ts';
import { withAside } from '../../api/restore.ts';
import { SENTINEL } from '../../api/workload.ts';
import { MAX_UNAVAILABLE_PATH, PARTITION_PATH } from '../../api/workload-paths.ts';
import { accepted, unlessAccepted } from '../accepting.ts';
import type { Budget } from '../budget.ts';
import type { FieldChange } from '../change.ts';
import { fieldEdit } from '../change-edits.ts';
import { command } from '../command-text.ts';
import type { ObjectEdits } from '../edit.ts';
import { before } from '../gates/before.ts';
import { holdsOf } from '../gates/gate.ts';
import { partitionFacts } from '../gates/out-of-place.ts';
import { type Hold, hold, withFacts } from '../hold.ts';
import { type Decision, holding, type MoveReason } from '../move.ts';
import type { OnLadder } from '../state.ts';
import { edited, setField } from './commit.ts';
import type { Delivering } from './delivering-facts.ts';
import type { NextCommit } from './next-commit.ts';
import { climbed } from './rung-move.ts';
import { fleetTaken } from './seen-workloads.ts';

/** All of it came up on the release, and a person accepts that: the promotion goes on from there. */
export function letGoAnew(on: Delivering): Decision {
  return partitionMove(on, 0, {
    reason: 'Promoted',
    stage: { kind: 'promote' },
    at: 'fleet',
    label: 'promote, fleet',
    marks: on.marks,
    why: 'The workload was recreated in mid-delivery, so all its groups came up on the text of Git. A person has accepted that.',
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

/** The same commit with another maxUnavailable of the user's own workload. */
export function withBudget({ situation, delivery }: Delivering, next: NextCommit, { set }: Budget): NextCommit {
  if (set === undefined) return next;
  const from = situation.workload.maxUnavailable ?? ABSENT;
  const edits = fieldEdit({ path: MAX_UNAVAILABLE_PATH, from, to: set });
  const { file, object } = delivery.own;
  return { ...next, objects: [...next.objects, { file, object, edits }] };
}

/** A person has stopped the fleet by its partition, and only a person lets it go on: how states.md answers a raised one. */
export function partitionRaised({ situation }: Delivering): Hold | undefined {
  const facts = partitionFacts(situation);
  if (facts === undefined) return undefined;
  const { key } = situation.snapshot;
  const held = hold('PartitionEdited', {
    seen: `the partition was edited from ${facts.expected} to ${facts.partition} while all groups could go`,
    action: `To let them go on: ${command('approve', key, '--hold PartitionEdited')}, or put ${facts.expected} back; to go back: ${command('abort', key)}`,
  });
  return unlessAccepted(situation, 'PartitionEdited', withFacts(held, facts));
}

/**
 * A partition that a hand has written: armed again in steps and at the end, where groups would go in no step; let go again
 * where we had stopped the fleet for a text that is gone, or a person takes back what a person has stopped.
 */
export function partitionPutBack(on: Delivering, { stage, at }: OnLadder): Decision | undefined {
  const { partition } = on.situation;
  const isCanary = on.delivery.plan.style === 'canary';
  const isFleet = isCanary && stage.kind === 'promote' && (at === 'fleet' || (at === undefined && partition === 0));
  // Requests may have gone to stable before its last groups were there: then settling locks it.
  const isStillOpen = isCanary && stage.kind === 'promote' && (partition === 0 || on.marks.restore?.stopped === true);
  const wanted = isFleet || isStillOpen ? 0 : SENTINEL;
  if (partition === wanted || (stage.kind !== 'step' && stage.kind !== 'promote')) return undefined;
  if (wanted === 0 && partitionRaised(on) !== undefined) return undefined;
  const holds = wanted === 0 ? holdsOf(before.finish, on.situation) : [];
  if (holds.length > 0) return holding(holds, 'StepUpgrade');
  return partitionMove(on, wanted, {
    reason: 'PartitionRestored',
    stage,
    at: at ?? (stage.kind === 'promote' ? 'fleet' : 'home'),
    marks: wanted === 0 ? goingOn(on.marks) : letGoTo(on.marks, partition),
    label: `${stage.kind === 'step' ? `step ${printStep(stage)}` : stage.kind}, partition ${partition} → ${wanted}`,
    why: `The partition of ${on.delivery.own.object.name} was ${partition}, and no commit of tranche had made it so: at this rung it is ${wanted}.`,
  });
}

function goingOn(marks: Marks): Marks {
  return { ...marks, restore: withAside(marks.restore, { stopped: undefined }) };
}

/** Groups from there on may have gone to the release: the way back is that of a fleet that was let go. */
function letGoTo(marks: Marks, partition: number): Marks {
  const floor = Math.min(partition, marks.restore?.floor ?? partition);
  return { ...marks, restore: withAside(marks.restore, { floor }) };
}

/** Fields of the user's own workload that the delivery has put aside, as edits that bring them home. */
export function fieldsHome({ delivery }: Delivering, home: readonly FieldChange[]): readonly ObjectEdits[] {
  const edits = home.flatMap(fieldEdit);
  return edits.length === 0 ? [] : [{ file: delivery.own.file, object: delivery.own.object, edits }];
}

/** What a person accepts who lets requests go home to a fleet that is on what is requested. */
export function takenFacts({ delivery, sight, marks }: Delivering): JsonObject | undefined {
  const taken = sight === undefined || marks.step?.kind !== 'step' ? undefined : fleetTaken(delivery, sight);
  return taken === undefined ? undefined : { groups: taken.map(({ index }) => index) };
}

/** The same as a hold, which is none any more then. */
export function unlessTaken({ situation }: Delivering, holds: readonly Hold[]): readonly Hold[] {
  return accepted(situation, 'FleetTaken') ? holds.filter(({ reason }) => reason !== 'FleetTaken') : holds;
}
