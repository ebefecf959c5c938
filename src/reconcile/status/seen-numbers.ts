/** The highest numbers on the status branch that one process has seen signed, and by whom. */

import { isInForce, type StatusKey } from '../../api/status-keys.ts';
import type { Instant } from '../../api/time.ts';

/** What one process knows of the status branch by itself. Losing it costs time only. */
export type Known = {
  /** The highest numbers that were seen, by path; 0: the key that has signed it signs no more. */
  readonly numbers: Map<string, number>;
  /** The public halves that have signed them. */
  readonly signers: Map<string, string>;
  /** Texts of records that this process has made of nothing but its own word, by path. */
  readonly own: Map<string, string>;
};

/** A process that has seen nothing. */
export function nothingKnown(): Known {
  return { numbers: new Map(), signers: new Map(), own: new Map() };
}

/** Of a signature that was verified, or was just made. */
export function rememberNumber(
  { numbers, signers }: Known,
  path: string,
  { key, number }: { readonly key: string; readonly number: number },
): void {
  numbers.set(path, number);
  signers.set(path, key);
}

/**
 * What is signed by a key that main does not name any more counts as lost, and its number with it: somebody else may have
 * had the key, and signed one that ours could never follow.
 */
export function forgetEnded({ numbers, signers }: Known, keys: readonly StatusKey[], now: Instant): void {
  const signing = new Set(keys.filter((one) => isInForce(one, now)).map(({ key }) => key));
  for (const [path, key] of signers) if (!signing.has(key)) numbers.set(path, 0);
}
