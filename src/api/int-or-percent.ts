/** Kubernetes' IntOrString where the string is a percentage: reading and rounding it. */

/** A count, or a share written as `N%`. */
export type IntOrPercent = number | string;

const PERCENT = /^(0|[1-9][0-9]{0,3})%$/;
/** The largest count that the Kubernetes API holds. */
export const INT32_MAX = 2_147_483_647;

/** Tells whether `value` is one: an int32, or a plain `N%`. Kubernetes' other spellings are refused on purpose. */
export function isIntOrPercent(value: unknown): value is IntOrPercent {
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) <= INT32_MAX;
  return typeof value === 'string' && PERCENT.test(value);
}

/** Whether it is a `maxUnavailable` as the API server takes it: a count of 0 or more, or a percentage up to 100. */
export function isBudget(value: unknown): value is IntOrPercent {
  return isIntOrPercent(value) && (typeof value === 'number' ? value >= 0 : (percentOf(value) ?? 0) <= 100);
}

/** The number in `N%`, or undefined where `value` is a count. */
export function percentOf(value: IntOrPercent): number | undefined {
  return typeof value === 'string' ? Number(value.slice(0, -1)) : undefined;
}

/** The count that `value` means of `total`, percentages rounded up, as Kruise does for steps and thresholds. */
export function ceilOf(value: IntOrPercent, total: number): number {
  const percent = percentOf(value);
  return percent === undefined ? Number(value) : Math.ceil((percent * total) / 100);
}

/** The same rounded down, as LWS does for maxUnavailable (reference: LWS `GetScaledValueFromIntOrPercent`, roundUp false). */
export function floorOf(value: IntOrPercent, total: number): number {
  const percent = percentOf(value);
  return percent === undefined ? Number(value) : Math.floor((percent * total) / 100);
}

/**
 * Whether a maxUnavailable means no group of `total`: the API server takes nothing of an object with it, no rollback and no
 * brake either (trace 26), unless there are no groups at all. `total` not known: of any number.
 */
export function letsNone(value: IntOrPercent, total: number | undefined): boolean {
  if (total === 0) return false;
  return total === undefined ? (percentOf(value) ?? Number(value)) <= 0 : floorOf(value, total) < 1;
}
