/**
 * What a record may say that nobody bears out: anyone who can push to the status branch may have written it. It may hold, and it
 * releases no group that would not be released without any record. What main and the cluster say counts in its place.
 */

import { SERVICE_KIND } from '../../api/kinds.ts';
import type { Marks } from '../../api/marks.ts';
import { namesText } from '../../api/names-text.ts';
import type { Instant } from '../../api/time.ts';
import { ORDINARY_REQUEUE_SECONDS } from '../hold.ts';
import type { Snapshot } from '../snapshot.ts';

/**
 * A time of the record, in seconds: never before the commit that brought what Git says now, where nobody bears the record out. A
 * commit that is dated ahead has only just come: that may lengthen a wait, by as much as such dates are read at all.
 */
export function notBeforeRung(since: Instant, of: Pick<Snapshot, 'unsigned' | 'now'>): Instant {
  return Math.max(since, rungCame(of) ?? since);
}

/** When main got what Git says now, not after `now`; undefined: the record is borne out, or nobody knows. */
export function rungCame({ unsigned, now }: Pick<Snapshot, 'unsigned' | 'now'>): Instant | undefined {
  return unsigned?.rungAt === undefined ? undefined : Math.min(unsigned.rungAt, now);
}

/** When a route or a Service of the delivery was last changed in the cluster, not after `now`; undefined: none of them tells. */
export function routesWrittenAt({ traffic }: Pick<Snapshot, 'traffic'>, now: Instant): Instant | undefined {
  if (traffic === undefined) return undefined;
  const services = [traffic.service, traffic.canaryService].map((one) =>
    one.kind === 'known' ? one.value.writtenAt : undefined,
  );
  const times = [...services, ...traffic.routes.map(({ writtenAt }) => writtenAt)];
  const past = times.filter((at) => at !== undefined && at <= now);
  return past.length === 0 ? undefined : Math.max(...past.map((at) => at ?? 0));
}

/**
 * Since when the routes of a rollback are what its commit made them, as main and the cluster date it: the later of the commit
 * and the last change of every Service and route, and as long after as passes are apart, in place of the look that sees it.
 * undefined: one of them does not tell, or is dated ahead.
 */
export function routesBackSince(
  { rollbackAt, traffic }: Pick<Snapshot, 'rollbackAt' | 'traffic'>,
  now: Instant,
): Instant | undefined {
  if (rollbackAt === undefined || traffic === undefined) return undefined;
  const services = [traffic.service, traffic.canaryService].flatMap((one) => (one.kind === 'known' ? [one.value] : []));
  const times = [rollbackAt, ...[...services, ...traffic.routes].map(({ writtenAt }) => writtenAt)];
  const told = times.flatMap((at) => (at === undefined || at > now ? [] : [at]));
  return told.length < times.length ? undefined : Math.max(...told) + ORDINARY_REQUEUE_SECONDS;
}

/** What keeps the wait of a rollback from being dated without a record: `objects` that do not tell, by kind and name, or something else. */
export type Undated = {
  readonly why: string;
  readonly objects: readonly string[];
  /** Why no record is kept, where the status branch takes none; undefined: other holds say it. */
  readonly notTaken: string | undefined;
};

/**
 * Why main and the cluster do not date the routes of a rollback whose record is not kept, as where it stays one of before;
 * undefined: they do, or it is. One that is lost is kept from this pass on.
 */
export function undated(
  of: Pick<Snapshot, 'record' | 'rollbackAt' | 'traffic' | 'newerRecord' | 'keyMissing' | 'recordNotTaken'>,
  now: Instant,
): Undated | undefined {
  const { record, rollbackAt, traffic, newerRecord, keyMissing, recordNotTaken: notTaken } = of;
  const isOfBefore = record !== undefined && rollbackAt !== undefined;
  if (!(isOfBefore || [newerRecord, keyMissing, notTaken].some((why) => why !== undefined))) return undefined;
  if (traffic === undefined || routesBackSince(of, now) !== undefined) return undefined;
  const services = [traffic.service, traffic.canaryService].flatMap((one) =>
    one.kind === 'known' ? [{ kind: SERVICE_KIND, ...one.value }] : [],
  );
  const silent = [...services, ...traffic.routes].filter(({ writtenAt }) => writtenAt === undefined);
  const objects = silent.map(({ kind, name }) => `${kind} ${name}`);
  if (objects.length > 0) return { why: silentText(objects), objects, notTaken };
  const why =
    rollbackAt === undefined
      ? 'no commit of main is found that brought this rollback as it is'
      : 'the commit of this rollback, or a route or Service, is dated after this pass, and counts from then on';
  return { why, objects: [], notTaken };
}

function silentText(objects: readonly string[]): string {
  const what = objects.length === 1 ? 'does not say when it was' : 'do not say when they were';
  return `${namesText(objects)} ${what} last changed (metadata.managedFields)`;
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
