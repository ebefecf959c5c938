/** Worlds whose deliveries fill a second workload: their strategy, their route, and their steps. */

import type { Chance } from './chance.ts';
import { picksOf, type RouteName, routeTexts } from './route-texts.ts';
import type { Fills, StepSetup, WorkloadSetup } from './setup.ts';

type Filled = Pick<WorkloadSetup, 'replicas' | 'maxUnavailable'> & { readonly fills: Fills };

export function fillsOf(chance: Chance): Fills {
  const style = chance.flip(0.6) ? 'canary' : 'blueGreen';
  return {
    style,
    routed: style === 'blueGreen' || chance.flip(0.9),
    requestSeconds: chance.flip(0.25) ? undefined : chance.pick([30, 45]),
    graceSeconds: chance.flip(0.5) ? undefined : 20,
    kinds: style === 'blueGreen' && chance.fork('alone').flip(ALONE_SHARE) ? [] : anyKinds(chance.fork('kinds')),
  };
}

/** Of blueGreen, this many have no route. */
const ALONE_SHARE = 0.15;

const kinds = Object.keys(routeTexts) as RouteName[];

/** One kind of route, two now and then; a Rollout names one Ingress at most. */
export function anyKinds(chance: Chance): readonly RouteName[] {
  const [first, second] = [chance.flip(0.35) ? 'HTTPRoute' : chance.pick(kinds), chance.pick(kinds)];
  const isOther = routeTexts[first].kind !== routeTexts[second].kind;
  return isOther && chance.flip(0.2) ? [first, second] : [first];
}

/** Of all steps with a part of the requests, those that pick clients; and of those the ones that have a number as well. */
const MATCHES_SHARE = 0.3;
const BOTH_SHARE = 0.2;

/** A share of all requests, or those of clients that every one of these kinds can pick; without kinds nothing. */
export function partOf(
  chance: Chance,
  traffic: number,
  of: readonly RouteName[] | undefined,
): Pick<StepSetup, 'traffic' | 'matches'> {
  // Seeds that are kept do not know of them.
  if (of === undefined) return { traffic };
  if (of.length === 0) return {};
  const picks = picksOf(of);
  if (traffic === 100 || picks.length === 0 || !chance.flip(MATCHES_SHARE)) return { traffic };
  const matches = [...new Set([chance.pick(picks), ...chance.some(picks, 0.2)])];
  return { matches, ...(chance.flip(BOTH_SHARE) ? { traffic } : {}) };
}

/** Rising groups and rising shares; some steps without a share. The last step of blueGreen has all groups. */
export function filledSteps(
  chance: Chance,
  { replicas, maxUnavailable, fills: { style, routed, kinds: of } }: Filled,
  count = chance.between(1, 3),
): readonly StepSetup[] {
  const percent = chance.flip(0.6);
  const amounts = rising(chance, percent ? 99 : replicas, count);
  const shares = rising(chance, 99, amounts.length);
  // A primary that may be down at once takes over only from a canary that carries all.
  const whole = style === 'blueGreen' || replicas <= maxUnavailable || chance.flip(0.3);
  const allShared = style === 'canary' && whole;
  return amounts.map((amount, i) => {
    const last = i === amounts.length - 1;
    const share = last && allShared ? 100 : (shares[i] ?? 99);
    return {
      replicas: last && whole ? '100%' : percent ? `${amount}%` : `${amount}`,
      pause: chance.weighted<StepSetup['pause']>([
        [1, 'none'],
        [1, 'manual'],
        [6, 0],
        [2, 30],
      ]),
      ...(routed && ((last && allShared) || chance.flip(0.85)) ? partOf(chance, share, of) : {}),
    };
  });
}

function rising(chance: Chance, most: number, count: number): readonly number[] {
  const found = new Set<number>();
  for (let i = 0; i < count; i++) found.add(chance.between(1, most));
  return [...found].sort((a, b) => a - b);
}
