/** How many deliveries are under way where a policy limits them: counted from the marks on main, never from the record. */

import { at, isRecord } from '../../api/json.ts';
import { MARK, printStep, withoutRelease } from '../../api/marks.ts';
import { SHARED_LIMITS } from '../../api/policy-fields.ts';
import type { RolloutKey, Turn } from '../../rollout/snapshot.ts';
import type { DesiredRollout } from './desired.ts';
import type { PolicyReading } from './read-policy.ts';

/** A Rollout that is being delivered, or on its way back. */
export type Delivery = Pick<DesiredRollout, 'key' | 'policy'> & {
  /** `2/4`, `rollback`, or what else keeps it. */
  readonly step: string;
};

const GOING_BACK = printStep({ kind: 'rollback' });

/** All that main shows. A document that is out of its file, to be created anew, is on its way as well. */
export function deliveriesOf(rollouts: readonly DesiredRollout[]): readonly Delivery[] {
  return rollouts.flatMap(({ key, policy, workload, reading }) => {
    const mark = workload === undefined ? undefined : at(workload.value, ['metadata', 'annotations']);
    const step = isRecord(mark) && Object.hasOwn(mark, MARK.step) ? mark[MARK.step] : undefined;
    if (typeof step === 'string') return [{ key, policy, step: withoutRelease(step) }];
    return reading.rollout?.intents.recreating === undefined ? [] : [{ key, policy, step: 'recreate' }];
  });
}

/** For each shared limit of a policy that governs this Rollout: what it allows, and who else is under way. */
export function turnsOf({ key, policy }: DesiredRollout, deliveries: readonly Delivery[]): readonly Turn[] {
  const others = deliveries.filter((other) => !same(other.key, key));
  return policy.matching.flatMap((reading) =>
    SHARED_LIMITS.flatMap((field): readonly Turn[] => {
      const most = reading.policy?.[field];
      if (most === undefined) return [];
      const counted = others.filter((other) => inScope[field](other, { key, reading }));
      const underWay = counted.map((other) => `${other.key.namespace}/${other.key.name} (${other.step})`);
      const { name, file, lines } = reading;
      const goingBack = counted.filter((other) => other.step === GOING_BACK).length;
      return [{ field, policy: name, file, line: lines[field] ?? 0, most, underWay, goingBack }];
    }),
  );
}

const inScope = {
  maxDeliveriesPerNamespace: (other, { key }) => other.key.namespace === key.namespace,
  maxDeliveriesPerCluster: () => true,
  maxDeliveriesPerPolicy: (other, { reading }) => other.policy.matching.includes(reading),
} as const satisfies Readonly<
  Record<
    (typeof SHARED_LIMITS)[number],
    (other: Delivery, of: { readonly key: RolloutKey; readonly reading: PolicyReading }) => boolean
  >
>;

function same(left: RolloutKey, right: RolloutKey): boolean {
  return left.namespace === right.namespace && left.name === right.name;
}
