/** What an order comes to: edits as a chain of commits, or why not. */

import type { OrderedAt } from '../commits/messages.ts';
import type { ObjectEdits } from '../edits/edit.ts';
import { type Called, command } from '../texts/command-text.ts';

/** `files`: our own files, as a whole. Not there: none. */
type OrderedCommit = {
  readonly edits: readonly ObjectEdits[];
  readonly files?: readonly { readonly file: string; readonly text: string; readonly now: string | undefined }[];
  readonly what: string;
};

/**
 * `next`: what the person orders afterwards, where this is a part of it. `at`: the release that is meant, where it is
 * another one than the files have.
 */
export type Ordered =
  | {
      readonly kind: 'write';
      readonly commits: readonly OrderedCommit[];
      readonly next?: string;
      readonly at?: OrderedAt;
    }
  | Refused;

/** `compare`: two texts of one file, to be shown as a diff. */
export type Refused = {
  readonly kind: 'refused';
  readonly why: string;
  readonly compare?: { readonly file: string; readonly before: string; readonly after: string };
};

/** Nothing is written; `why` says what is to be done instead. */
export function refused(why: string): Refused {
  return { kind: 'refused', why };
}

/** What is ordered happens already. */
export function goesBackAlready(key: Called): Refused {
  return refused(`it is going back already. ${command('status', key)} says where it stands, and what it waits for`);
}
