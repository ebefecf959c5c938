/** A move of the user's own workload with what the same commit changes of Services and routes, and of its version label. */

import { ABSENT } from '../../api/field.ts';
import type { Marks, RungMark } from '../../api/marks.ts';
import { printRelease, sameRelease } from '../../api/release.ts';
import { longestDrain, withAside } from '../../api/restore.ts';
import { versionIn, versionPath } from '../../api/version-label.ts';
import type { FieldChange, ObjectChange } from '../edits/change.ts';
import { type Decision, holding, type Move } from '../move.ts';
import { asidesOfRoutes, routesLost } from './asides.ts';
import { otherChangesOf } from './changes.ts';
import type { Commit, Made } from './commit.ts';
import type { Delivering } from './delivering-facts.ts';
import type { Delivery } from './delivery.ts';
import { notClear, unwritable } from './rung-move.ts';

type Besides = {
  /** The rung that it makes; undefined: the delivery stands on none. */
  readonly at: RungMark | undefined;
  readonly commit: Commit;
  /** The leaders to come get the label of the release. */
  readonly labels?: true;
};

/** The same decision with more objects in its commit; a hold where what they would be cannot be known. */
export function besides(on: Delivering, decision: Decision, add: Besides): Decision {
  const { move } = decision;
  const { commit } = add;
  if (move === undefined) return decision;
  if (commit.kind === 'unwritable') return unwritable(on, commit);
  const others = otherChangesOf(on.delivery, commit.objects);
  if (others === undefined) return holding([notClear(on, commit.objects)], decision.stepState, decision.stepDone);
  return { ...decision, move: withOthers(on, move, { ...add, commit, others }) };
}

function withOthers(
  { delivery, situation }: Delivering,
  move: Move,
  add: Besides & { readonly commit: Made; readonly others: readonly ObjectChange[] },
): Move {
  const marks = marksOn(move.marks, { ...add, drain: situation.snapshot.policy }, delivery);
  const label = add.labels === true ? labelOf(delivery, marks) : [];
  const own = move.changes.map((change): ObjectChange => {
    if (change.kind !== 'edit' || change.workload === undefined) return change;
    const workload = { ...change.workload, marks: { ...change.workload.marks, to: marks } };
    return { ...change, fields: [...change.fields, ...label], workload };
  });
  return { ...move, marks, changes: [...own, ...add.others] };
}

/** A settled workload has no rung, and nothing put aside. */
function marksOn(
  of: Marks,
  { at, commit, drain }: Besides & { readonly commit: Made; readonly drain: Parameters<typeof longestDrain>[1] },
  before: Pick<Delivery, 'release' | 'routes'>,
): Marks {
  const { at: _, ...marks } = of;
  // What was taken back from one release says nothing of the next.
  const isNewer = !sameRelease(marks.release, before.release);
  const restore =
    isNewer && marks.restore !== undefined ? withAside(marks.restore, { withdrawn: undefined }) : marks.restore;
  if (marks.step === undefined || restore === undefined) return { ...marks, restore };
  const objects = [...asidesOfRoutes(commit.displaced), ...routesLost(restore.objects ?? [], before.routes)];
  const aside = withAside(restore, {
    objects: objects.length === 0 ? undefined : objects,
    ...longestDrain(restore, drain),
  });
  return { ...marks, ...(at === undefined ? {} : { at }), restore: aside };
}

function labelOf({ own }: Delivery, { release }: Marks): readonly FieldChange[] {
  const from = versionIn(own.value) ?? ABSENT;
  return [{ path: versionPath(own.value), from, to: printRelease(release) }];
}
