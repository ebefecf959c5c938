/** Restores what a delivery has put aside: a field that still is what we set becomes what it was; people's own stays. */

import type { Aside } from '../../api/aside.ts';
import { ABSENT, type FieldValue, samePath, sameValue } from '../../api/field.ts';
import { isIntOrPercent, letsNone } from '../../api/int-or-percent.ts';
import type { Marks } from '../../api/marks.ts';
import { asidesOf, SELF } from '../../api/restore.ts';
import type { Workload } from '../../api/workload.ts';
import { MAX_UNAVAILABLE_PATH, REPLICAS_PATH } from '../../api/workload-paths.ts';
import type { FieldChange } from './change.ts';

type RestoreChange = FieldChange & Pick<Aside, 'object'>;

/** `now` says how the file has a field; undefined: its object is not there, or cannot be read. */
export function restoreAsides(
  asides: readonly Aside[],
  now: (aside: Aside) => FieldValue | undefined,
): readonly RestoreChange[] {
  return asides.flatMap((aside) => {
    const seen = now(aside);
    const { object, path, was, set } = aside;
    const isRestored = sameValue(was, set);
    return seen !== undefined && !isRestored && sameValue(seen, set) ? [{ object, path, from: seen, to: was }] : [];
  });
}

/** The same of the user's LeaderWorkerSet alone; a maxUnavailable of no groups, which the API server refuses, is 1. */
export function restoreOwn(
  marks: Marks | undefined,
  { replicas, maxUnavailable }: Pick<Workload, 'replicas' | 'maxUnavailable'>,
): readonly FieldChange[] {
  const own = asidesOf(marks?.restore).filter(({ object }) => object === SELF);
  const value = (path: Aside['path']): FieldValue | undefined => {
    if (samePath(path, REPLICAS_PATH)) return replicas ?? ABSENT;
    return samePath(path, MAX_UNAVAILABLE_PATH) ? (maxUnavailable ?? ABSENT) : undefined;
  };
  return restoreAsides(own, ({ path }) => value(path)).map((change) => ({ ...change, to: taken(change, replicas) }));
}

function taken({ path, to }: FieldChange, replicas: number | undefined): FieldValue {
  return samePath(path, MAX_UNAVAILABLE_PATH) && isIntOrPercent(to) && letsNone(to, replicas) ? 1 : to;
}
