/** Not knowing is a state of its own: a timeout and a deleted object must never look the same. */

export type Known<T> =
  | { readonly kind: 'known'; readonly value: T }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly why: string };

export function known<T>(value: T): Known<T> {
  return { kind: 'known', value };
}

export function unknown(why: string): Known<never> {
  return { kind: 'unknown', why };
}

export const absent: Known<never> = { kind: 'absent' };
