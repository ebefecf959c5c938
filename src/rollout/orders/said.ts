/** What an order says, before it is a commit. */

import { INTENT } from '../../api/intents.ts';
import type { Edit } from '../edits/edit.ts';
import type { Refused } from './ordered.ts';

/** What to write into the Rollout, and the subject of the commit; or why not. */
export type Said = { readonly kind: 'write'; readonly edits: readonly Edit[]; readonly what: string } | Refused;

/** An annotation of the Rollout that carries the order. */
export function annotate(key: keyof typeof INTENT, value: string, what: string): Said {
  return { kind: 'write', edits: [{ kind: 'set', path: ['metadata', 'annotations', INTENT[key]], value }], what };
}
