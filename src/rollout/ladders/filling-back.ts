/** The ladder by which a settled release of blueGreen is undone: the other colour is filled, takes all requests, and serves. */

import { TEXT } from '../../api/marks.ts';
import type { RolloutStep } from '../../api/rollout-steps.ts';
import { SENTINEL } from '../../api/workload.ts';
import type { ObjectEdits } from '../edits/edit.ts';
import { edited, madeOf, removeField, withObjects } from './commit.ts';
import { canarySide, type Delivery, primaryGroups, replicasOf } from './delivery.ts';
import type { RungName } from './position.ts';
import { isOvertaken, partitioned, promotions } from './promotion.ts';
import { stableText } from './rollback.ts';
import { ALWAYS, NOTHING, type Rung } from './rung.ts';
import { grown } from './second-workload.ts';
import { stepLadder } from './step.ts';

/** All groups and no share: what people have planned for a release that is new is no matter here. */
const WHOLE_STEP: RolloutStep = {
  replicas: '100%',
  pause: { kind: 'unset' },
  traffic: undefined,
  matches: [],
  requestHeaderModifier: undefined,
};

/**
 * The template that comes back, in the user's own workload, which is locked: nothing restarts by that. The colour to be filled
 * forgets what it had, so that it takes the template at no groups, whichever it had.
 */
const BACK: Rung = {
  at: 'back',
  isListed: ALWAYS,
  isAlways: true,
  commit: (delivery) =>
    withObjects(madeOf(delivery, stableText(delivery)), [...partitioned(delivery, SENTINEL), ...forgotten(delivery)]),
  before: NOTHING,
  seen: NOTHING,
};

function forgotten(delivery: Delivery): readonly ObjectEdits[] {
  const side = canarySide(delivery);
  return side === undefined ? [] : edited(side, removeField(side, ['metadata', 'annotations', TEXT]));
}

/** As many as the side that serves has, whatever the steps say; at least one, by which it is seen that it serves. */
const wanted = (delivery: Delivery): number => Math.max(1, primaryGroups(delivery));

const OF_STEP: readonly RungName[] = ['empty', 'template', 'pods'];

/** The promotion as well, but for the time that the version before is kept: that one is what people want to be rid of. */
export const FILLING_BACK: readonly Rung[] = [
  BACK,
  ...stepLadder(WHOLE_STEP)
    .filter(({ at }) => OF_STEP.includes(at))
    .map(
      (rung): Rung =>
        rung.at === 'pods'
          ? { ...rung, commit: (delivery) => madeOf(delivery, grown(delivery, wanted(delivery))) }
          : rung,
    ),
  ...promotions.blueGreen.map(
    (rung): Rung => ({ ...rung, before: (delivery) => rung.before(delivery).filter(({ kind }) => kind !== 'bake') }),
  ),
];

/** Where the number of groups that are wanted has changed since: the rung of its groups, once more. */
export const REFILLED: readonly Rung[] = FILLING_BACK.filter(({ at }) => at === 'pods');

/** Whether the colour has the groups that are wanted of it by now, as long as they are ours to set. */
export function isRefilled(delivery: Delivery, at: RungName | undefined): boolean {
  if (at === 'all') return !isOvertaken(delivery);
  return at !== 'pods' || replicasOf(canarySide(delivery)) === wanted(delivery);
}
