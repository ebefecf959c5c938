/** Worlds whose versions share the requests of one workload: their route, and their steps. */

import type { Chance } from './chance.ts';
import type { Fills, StepSetup, WorkloadSetup } from './setup.ts';
import { anyKinds, partOf } from './setup-filled.ts';

export type Shares = Pick<Fills, 'requestSeconds' | 'graceSeconds' | 'kinds' | 'hands'>;

export function sharesOf(chance: Chance): Shares {
  return {
    requestSeconds: chance.flip(0.25) ? undefined : chance.pick([30, 45]),
    graceSeconds: chance.flip(0.5) ? undefined : 20,
    kinds: anyKinds(chance.fork('kinds')),
    ...(chance.fork('hands').flip(HANDS_SHARE) ? { hands: true } : {}),
  };
}

/** How many of these worlds have people who take documents out of the files. */
const HANDS_SHARE = 0.25;

/** Of groups told in per cent Kruise's webhook takes a share for the first half only. */
const SHARED_PERCENT_MAX = 50;

/** Rising groups, most of them with a share, and then all: the last has none. */
export function sharedSteps(
  chance: Chance,
  { replicas, shares }: Pick<WorkloadSetup, 'replicas' | 'shares'>,
  count = chance.between(2, 4),
): readonly StepSetup[] {
  const percent = chance.flip(0.6);
  const amounts = new Set<number>();
  for (let i = 1; i < count; i++) amounts.add(chance.between(1, percent ? 70 : Math.max(1, replicas - 1)));
  const rising = [...amounts].sort((a, b) => a - b);
  const all = rising.length === 0 || chance.flip(0.9) ? [...rising, percent ? 100 : replicas] : rising;
  return all.map((amount) => ({
    replicas: percent ? `${amount}%` : `${amount}`,
    pause: chance.weighted<StepSetup['pause']>([
      [1, 'none'],
      [1, 'manual'],
      [6, 0],
      [2, 30],
    ]),
    ...((!percent || amount <= SHARED_PERCENT_MAX) && chance.flip(0.85)
      ? partOf(chance, chance.between(1, 100), shares?.kinds)
      : {}),
  }));
}
