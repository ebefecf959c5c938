/** Not knowing is a state of its own: a timeout and a deleted object must never look the same. */

export type Known<T> =
  | { readonly kind: 'known'; readonly value: T }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly why: string };

/** It was read, and this is what it holds. */
export function known<T>(value: T): Known<T> {
  return { kind: 'known', value };
}

/** It could not be read, and says why: it never advances a step and never deletes anything. */
export function unknown(why: string): Known<never> {
  return { kind: 'unknown', why };
}

export const absent: Known<never> = { kind: 'absent' };
