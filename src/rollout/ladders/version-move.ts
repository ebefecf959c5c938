/** The move of a draft where two versions of one workload share its requests: with what its commit changes of Services and routes. */

import { ABSENT } from '../../api/field.ts';
import type { Marks, RungMark } from '../../api/marks.ts';
import { printRelease, sameRelease } from '../../api/release.ts';
import { longestDrain, withAside } from '../../api/restore.ts';
import { versionIn, versionPath } from '../../api/version-label.ts';
import type { FieldChange } from '../edits/change.ts';
import { type Draft, workloadMove } from '../edits/workload-change.ts';
import { type Decision, holding } from '../move.ts';
import { asidesOfRoutes, routesLost } from './asides.ts';
import { otherChangesOf } from './changes.ts';
import type { Commit, Made } from './commit.ts';
import type { Delivering } from './delivering-facts.ts';
import { type Delivery, routingOf } from './delivery.ts';
import { notClear, unwritable } from './rung-move.ts';

export type VersionRung = {
  /** The rung that it makes; undefined: the delivery stands on none. */
  readonly at: RungMark | undefined;
  readonly commit: Commit;
  /** The leaders to come get the label of the release, or this one. */
  readonly labels?: true | string;
};

/** The decision of this draft and this rung, in one commit; a hold where what its objects would be cannot be known. */
export function versionMove(on: Delivering, { fields, ...draft }: Draft, rung: VersionRung): Decision {
  const { situation, delivery } = on;
  const { commit } = rung;
  if (fields === undefined) return draft;
  if (commit.kind === 'unwritable') return unwritable(on, commit);
  const others = otherChangesOf(delivery, commit.objects);
  if (others === undefined) return holding([notClear(on, commit.objects)], draft.stepState, draft.stepDone);
  const marks = marksOn(on, fields.marks, { at: rung.at, commit });
  const label = rung.labels === true ? printRelease(marks.release) : rung.labels;
  const more = label === undefined ? [] : labelOf(delivery, label);
  return { ...draft, move: workloadMove(situation, { ...fields, marks, more }, others) };
}

/** A settled workload has no rung, and nothing put aside. */
function marksOn(
  { situation, delivery }: Delivering,
  of: Marks,
  { at, commit }: { readonly at: RungMark | undefined; readonly commit: Made },
): Marks {
  const { at: _, ...marks } = of;
  // What was taken back from one release says nothing of the next.
  const isNewer = !sameRelease(marks.release, delivery.release);
  const restore =
    isNewer && marks.restore !== undefined ? withAside(marks.restore, { withdrawn: undefined }) : marks.restore;
  if (marks.step === undefined || restore === undefined) return { ...marks, restore };
  const objects = [...asidesOfRoutes(commit.displaced), ...routesLost(restore.objects ?? [], delivery.routes)];
  const aside = withAside(restore, {
    objects: objects.length === 0 ? undefined : objects,
    ...(at === undefined
      ? { style: undefined, routing: undefined }
      : { style: delivery.plan.style, routing: restore.routing ?? routingOf(delivery) }),
    ...longestDrain(restore, situation.snapshot.policy),
  });
  return { ...marks, ...(at === undefined ? {} : { at }), restore: aside };
}

function labelOf({ own }: Delivery, to: string): readonly FieldChange[] {
  const from = versionIn(own.value) ?? ABSENT;
  return [{ path: versionPath(own.value), from, to }];
}
