/** Not knowing is a state of its own: a timeout and a deleted object must never look the same. */

export type Known<T> =
  | { readonly kind: 'known'; readonly value: T }
  | { readonly kind: 'absent' }
  /** `asked`: false where nobody wanted to know, which is no fault of what was not read. */
  | { readonly kind: 'unknown'; readonly why: string; readonly asked?: false };

/** It was read, and this is what it holds. */
export function known<T>(value: T): Known<T> {
  return { kind: 'known', value };
}

/** It could not be read, and says why: it never advances a step and never deletes anything. */
export function unknown(why: string): Known<never> {
  return { kind: 'unknown', why };
}

/** It was not read on purpose, and says why. */
export function notAsked(why: string): Known<never> {
  return { kind: 'unknown', why, asked: false };
}

/** Whether it was not read on purpose. */
export function isNotAsked(read: Known<unknown>): boolean {
  return read.kind === 'unknown' && read.asked === false;
}

export const absent: Known<never> = { kind: 'absent' };

/** Whether it was read, and is this. What was not read is nothing. */
export function isKnown<T>(read: Known<T>, value: T): boolean {
  return read.kind === 'known' && read.value === value;
}
