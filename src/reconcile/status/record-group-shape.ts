/** The shape of what a record remembers of one group. */

import type { GroupRecord } from '../../api/record-groups.ts';
import { instant } from './record-proposal-shape.ts';
import { count, flag, object, optional, type Shape, text, word } from './shape.ts';

/** Checks a `GroupRecord`. */
export const group = object({
  index: count,
  uid: text,
  version: word<GroupRecord['version']>({ release: true, stable: true, other: true, absent: true }),
  ready: flag,
  since: instant,
  loadingSince: optional(instant),
  unready: optional(object({ since: instant, revision: text } satisfies Shape<NonNullable<GroupRecord['unready']>>)),
} satisfies Shape<GroupRecord>);
