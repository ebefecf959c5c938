/** How far what the status branch says of a Rollout is borne out, and what main says in its place where nothing does. */

import type { Instant } from '../../api/time.ts';

/**
 * What main says in place of a record that nobody bears out: it has no signature of a key that main names, and this process has
 * not written it. Dates of committers, in seconds.
 */
export type Unsigned = {
  /** When the commit came to main's own line that brought the marks as they are; not there: nobody knows. */
  readonly rungAt?: Instant;
};

/**
 * `signed`: by a key that main names for this place and that has not expired. `seen`: this process wrote it, or made it
 * from main in this very pass. `unproven`: nothing but the branch itself says so.
 */
export type RecordProof = 'signed' | 'seen' | 'unproven';
