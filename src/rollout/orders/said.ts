/** What an order says, before it is a commit. */

import { INTENT } from '../../api/intents.ts';
import type { OrderedAt } from '../commits/messages.ts';
import type { Edit } from '../edits/edit.ts';
import type { Refused } from './ordered.ts';

/**
 * What to write into the Rollout, and the subject of the commit; or why not. `at`: the release that is meant, where it is
 * another one than the files have.
 */
export type Said =
  | { readonly kind: 'write'; readonly edits: readonly Edit[]; readonly what: string; readonly at?: OrderedAt }
  | Refused;

/** An annotation of the Rollout that carries the order. */
export function annotate(key: keyof typeof INTENT, value: string, what: string): Said & { readonly kind: 'write' } {
  return { kind: 'write', edits: [{ kind: 'set', path: ['metadata', 'annotations', INTENT[key]], value }], what };
}
