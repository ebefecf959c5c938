/** Where a canary of the usual files stands after each of its rungs: played once, for all tests of a file. */

import type { Found, Stand } from './ladder-pass.ts';
import { after as afterOf, requestedNow, standsNow } from './ladder-rungs.ts';

export { AT, abort, asked, edited, files, NEWER, ONE, STEPS } from './ladder-rungs.ts';

export const requested = requestedNow();
export const stands = standsNow(requested);

/** After the commit of this subject, or the files as they are then with another kind of rest. */
export function after(subject: string, start: Stand = requested, found: Found = {}): Stand {
  return afterOf(subject, start, found);
}
