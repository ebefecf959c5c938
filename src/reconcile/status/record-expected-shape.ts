/** The shape of what a record estimates of the time that is left. */

import type { Expected } from '../../api/record.ts';
import { count, list, object, optional, positive, type Shape } from './shape.ts';

const share = object({ groups: count, seconds: optional(count) } satisfies Shape<Expected['step']>);
export const expected = object({
  load: optional(
    object({ seconds: count, least: count, most: count, groups: positive } satisfies Shape<
      NonNullable<Expected['load']>
    >),
  ),
  atOnce: positive,
  budget: positive,
  step: share,
  rest: share,
  pauses: object({ seconds: count, manual: count } satisfies Shape<Expected['pauses']>),
  extra: optional(object({ groups: count, gpus: count } satisfies Shape<NonNullable<Expected['extra']>>)),
  overdue: optional(list(count)),
} satisfies Shape<Expected>);
