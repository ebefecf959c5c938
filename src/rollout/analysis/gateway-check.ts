/** What a gateway counts of the versions before a step asks: whether it tells them apart, as far as that shows without a share. */

import type { Counts } from './odds.ts';
import type { Answered } from './pasts.ts';
import type { Unusable } from './readings.ts';
import { type Asked, countedOfEach, hasAll, namesOf, notApart, serviceSides } from './services.ts';
import type { AtGateway } from './sides.ts';
import { totalOf } from './spread.ts';

export type GatewayChecked = {
  readonly name: string;
  /** The Services of each version. */
  readonly of: { readonly canary: string; readonly stable: string };
  /** Why it says nothing, or would say nothing in a step. */
  readonly unusable?: Unusable;
  /** What it counted of each in an hour; not there: nothing that can be used. */
  readonly counts?: { readonly canary: Counts; readonly stable: Counts };
};

const HOUR_SECONDS = 3600;

/** Where the new version has no share, all requests have to be the stable one's; where it has one, both have to have some. */
export function gatewayChecked(
  answer: Pick<Answered, 'series'>,
  { services, isShared }: AtGateway & Required<Pick<AtGateway, 'services'>>,
  asked: Asked,
): GatewayChecked {
  const ever = [{ pod: '', from: 0 }];
  const sides = { canary: ever, stable: ever, services };
  const by = serviceSides(sides) ?? sides;
  const of = { canary: by.canary[0]?.pod ?? '', stable: by.stable[0]?.pod ?? '' };
  const { name } = asked.metric;
  const counted = countedOfEach(answer, sides, asked);
  if (counted.kind !== 'counted') return { name, of, unusable: counted };
  const alone = hasAll(counted);
  const isWrong = isShared ? alone !== undefined : alone === 'canary';
  if (isWrong) return { name, of, unusable: notApart(asked, 'one', namesOf(by)) };
  const { windows } = counted;
  if (windows.length === 0) return { name, of };
  const hour = HOUR_SECONDS / (windows.length * asked.grid.step);
  const hourly = (side: 'canary' | 'stable'): Counts => {
    const { n, x } = totalOf(windows.flatMap((window) => window[side]));
    return { n: n * hour, x: x * hour };
  };
  return { name, of, counts: { canary: hourly('canary'), stable: hourly('stable') } };
}
