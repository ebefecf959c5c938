/** How long the steps of each Rollout took, as main's log has them. */

import type { Instant } from '../../api/time.ts';
import type { Git, Oid } from '../../ports/git.ts';
import { type Delivery, deliveryCollector } from './deliveries.ts';
import { readLog } from './read-log.ts';

/** By `cluster/namespace/name`. */
type StepLengths = ReadonlyMap<string, readonly number[]>;

/**
 * Seconds of steps that were gone through, in no order. One that was aborted or superseded ended when somebody saw something, and a
 * promotion is looked at for as long as it takes: neither tells how long a step is. Throws PortError where Git fails for now.
 */
export async function stepLengths(
  git: Pick<Git, 'history'>,
  from: { readonly head: Oid; readonly since: Instant },
): Promise<StepLengths> {
  const collector = deliveryCollector(() => true);
  await readLog(git, from, (_, entries) => {
    for (const entry of entries) collector.add(entry);
  });
  return lengthsOf(collector.deliveries());
}

/** The same of deliveries. */
export function lengthsOf(deliveries: readonly Pick<Delivery, 'rollout' | 'outcome' | 'steps'>[]): StepLengths {
  const found = new Map<string, number[]>();
  for (const { rollout, outcome, steps } of deliveries)
    if (outcome === 'settled' || outcome === 'undone') {
      const own = found.get(rollout) ?? [];
      found.set(rollout, own);
      own.push(...lengthsIn(steps));
    }
  return found;
}

/** A step with a share has several commits. */
function lengthsIn(steps: Delivery['steps']): readonly number[] {
  const sums = new Map<string, number>();
  for (const { step, seconds } of steps)
    if (step.includes('/') && seconds !== undefined) sums.set(step, (sums.get(step) ?? 0) + seconds);
  return [...sums.values()];
}
