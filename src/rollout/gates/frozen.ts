/** Gates that hold a plan together in mid-delivery: what Kruise's webhook would refuse to change then. */

import { sameRelease } from '../../api/release.ts';
import { frozenFaults, frozenPlanOf } from '../../api/rollout-frozen.ts';
import { type Hold, hold } from '../hold.ts';
import type { Situation } from '../situation.ts';

/** Kruise refuses another number of steps in mid-rollout; the file can be edited all the same, so it is held here. */
export function stepCountChanged({ state, steps, snapshot }: Situation): Hold | undefined {
  const step = state.kind === 'ladder' ? state.stage : state;
  if (snapshot.rollout === undefined || step.kind !== 'step' || step.of === steps.length) return undefined;
  return hold('StepCountChanged', {
    seen: `the delivery began with ${step.of} steps, the Rollout now has ${steps.length}: the number is fixed until it ends`,
    action: `Put ${step.of} steps back, or go back: tranche abort ${snapshot.key.name}`,
  });
}

/** The other fixed fields, as far as the record remembers them. The number of steps is in the marks. */
export function frozenChanged({ marks, snapshot }: Situation): Hold | undefined {
  const recorded = snapshot.record?.step;
  const file = snapshot.rollout;
  if (file === undefined || recorded?.frozen === undefined || !sameRelease(recorded.release, marks?.release))
    return undefined;
  const { frozen } = recorded;
  const [fault] = frozenFaults({ ...frozen, steps: file.rollout.steps.length }, frozenPlanOf(file.rollout));
  if (fault === undefined) return undefined;
  return hold('FrozenFieldChanged', { seen: `${file.file}: ${fault.message}`, action: fault.hint });
}
