/**
 * What a record may say that nobody bears out: whoever can push to the status branch may have written it. It may hold, and it
 * lets nothing go that would not go without any record. What main and the cluster say counts in its place.
 */

import type { Marks } from '../api/marks.ts';
import type { Instant } from '../api/time.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * What main says in place of a record that nobody bears out: it has no signature of a key that main names, and this process has
 * not written it. Dates of committers, in seconds.
 */
export type Unsigned = {
  /** When the commit came to main's own line that brought the marks as they are; not there: nobody knows. */
  readonly rungAt?: Instant;
  /** The same of the template that is requested. */
  readonly requestedAt?: Instant;
};

/**
 * A time of the record, in seconds: never before the commit that brought what Git says now, where nobody bears the record out. A
 * commit that is dated ahead was made by a clock that ran ahead, and says nothing.
 */
export function notBeforeRung(since: Instant, { unsigned, now }: Pick<Snapshot, 'unsigned' | 'now'>): Instant {
  const { rungAt } = unsigned ?? {};
  return rungAt === undefined || rungAt > now ? since : Math.max(since, rungAt);
}

/** The marks that the record knows, where something is to be written by them; undefined: none that somebody bears out. */
export function recordedMarks({ record, unsigned }: Pick<Snapshot, 'record' | 'unsigned'>): Marks | undefined {
  return unsigned === undefined ? record?.marks : undefined;
}

/** Seconds for which a group is waited for that does not get ready, as far as nobody bears out how long others have loaded. */
const PATIENCE = { least: 600, most: 3600 } as const;

/** The same number of seconds, where the record is borne out; else no less, and no more, than suits most models. */
export function patienceWithin(seconds: number, { unsigned }: Pick<Snapshot, 'unsigned'>): number {
  return unsigned === undefined ? seconds : Math.min(Math.max(seconds, PATIENCE.least), PATIENCE.most);
}
