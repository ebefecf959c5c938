/** How old a picture is, and what has happened since, in words: the first thing to know of it at night. */

import { printableLine } from '../../api/printable.ts';
import { type Instant, printDuration, printInstant } from '../../api/time.ts';
import type { AsOf, Since } from '../read-picture.ts';
import type { Writer } from './writers.ts';

/** Instead of a table, before any pass has written one. */
export const NO_PASS_YET =
  'no pass has written a status yet: tranche reconcile makes one, and tranche status --live looks without it\n';

/** How long silently makes people ask whether passes run. */
const SILENCE_SECONDS = 600;
const COMMITS_SHOWN = 5;
const SUBJECT_CHARACTERS_MAX = 100;

/** `2026-11-21T01:47:25Z (2 min ago), main at 0123456789ab`. `unread`: of which Rollouts a live look got no answer. */
export function asOfText(
  { kind, at, main, writtenBy, overdueSince }: AsOf,
  now: Instant,
  unread: readonly string[] = [],
): string {
  // Soon after a pass nobody asks whether there was another one.
  const isAsked = now - at >= SILENCE_SECONDS && writtenBy !== undefined && overdueSince === undefined;
  const next = isAsked ? `; without any, one writes by ${printInstant(writtenBy)}` : '';
  const live =
    unread.length === 0 ? 'now, read from the cluster' : `now; the cluster could not be read for ${unread.join(', ')}`;
  const age = kind === 'live' ? live : `${printDuration(now - at)} ago, the last pass with news${next}`;
  return `${printInstant(at)} (${age}), main at ${main.slice(0, 12)}`;
}

/** What may make the picture an old one: nobody looks any more, or main has moved on. */
export function noticeLines(
  asOf: AsOf,
  { since, fresh = [] }: { readonly since: readonly Since[]; readonly fresh?: readonly string[] },
  now: Instant,
): readonly string[] {
  const { unseen, more, overdueSince, inTurn = [] } = asOf;
  const late =
    overdueSince === undefined
      ? []
      : [
          `no pass has looked since, though one was due ${printDuration(now - overdueSince)} ago: is tranche reconcile still running?`,
        ];
  const first = [...late, ...inTurnLine(inTurn, now)];
  if (unseen.length === 0) return first;
  const ahead = `main is ${more ? 'at least ' : ''}${unseen.length} ${unseen.length === 1 ? 'commit' : 'commits'} ahead of that`;
  if (fresh.length === 0 && since.every(({ orders, files }) => orders.length + files.length === 0))
    return [...first, `${ahead}, with no change of the files that count here`];
  const commits = unseen
    .slice(0, COMMITS_SHOWN)
    .map(
      ({ oid, author, message }) =>
        `  ${oid.slice(0, 12)}  ${subjectOf(message)} (${printableLine(author.name)}, ${printDuration(now - author.atSeconds)} ago)`,
    );
  const rest = unseen.length > COMMITS_SHOWN ? [`  and ${unseen.length - COMMITS_SHOWN} before them`] : [];
  return [...first, `${ahead}:`, ...commits, ...rest];
}

/** Two processes for one cluster and shard: neither harms, each makes the other read everything again. */
function inTurnLine(inTurn: readonly Writer[], now: Instant): readonly string[] {
  if (inTurn.length === 0) return [];
  const named = inTurn.map(({ process, at }) => `${process} (${printDuration(Math.max(0, now - at))} ago)`).join(', ');
  return [
    `${inTurn.length} processes write this status in turn: ${named}. One is enough for a cluster and shard: stop the others; each names itself in the first line of its log`,
  ];
}

/** A Rollout that has come to main since: nothing is known of it yet. */
export function freshLine(name: string): string {
  return `${name} is new on main, no pass has looked yet`;
}

/** What of that concerns one rollout. */
export function sinceLine({ orders, files }: Since): string | undefined {
  if (orders.length > 0) return `${orders.join(', ')} ordered, not seen yet: the next pass reads it`;
  if (files.length === 0) return undefined;
  return `${files.map(printableLine).join(', ')} changed on main, not seen yet: the next pass reads it`;
}

function subjectOf(message: string): string {
  const subject = printableLine(message.split('\n')[0] ?? '');
  return subject.length > SUBJECT_CHARACTERS_MAX ? `${subject.slice(0, SUBJECT_CHARACTERS_MAX)}…` : subject;
}
