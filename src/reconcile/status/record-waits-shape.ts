/** The shape of what a record counts for deadlines. */

import type { WaitClocks, Waited } from '../../api/record.ts';
import { count, list, object, optional, type Shape, text, word } from './shape.ts';

const instant = count;
const waited = object({ apply: count, schedule: count, ready: count } satisfies Shape<Waited>);
const clock = word<keyof Waited>({ apply: true, schedule: true, ready: true });
/** Seconds that a delivery has waited, and for what. */
export const waitClocks = object({
  step: waited,
  delivery: waited,
  running: optional(object({ at: instant, clocks: list(clock) } satisfies Shape<NonNullable<WaitClocks['running']>>)),
  over: optional(
    list(object({ field: text, since: instant } satisfies Shape<NonNullable<WaitClocks['over']>[number]>)),
  ),
} satisfies Shape<WaitClocks>);
