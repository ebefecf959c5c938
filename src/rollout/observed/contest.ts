/** Two that write one field in turn: how often it was seen to leave Git's value, and who did it. */

import type { LiveLws, WrittenField } from '../../api/live.ts';
import type { Contest } from '../../api/record.ts';
import { type Instant, printInstant } from '../../api/time.ts';
import { type Hold, hold } from '../hold.ts';
import type { Snapshot } from '../snapshot.ts';

/** A field that is not live as Git has it, in words, and who has written it. */
export type Difference = { readonly path: string; readonly text: string; readonly writers: readonly string[] };

/** So often is no slip of a hand any more. */
const CONTESTED_TIMES = 3;
/** A field that has kept Git's value for this long is fought over no longer. */
export const CONTEST_QUIET_SECONDS = 600;
/** Names of writers are somebody else's text: this many are enough to find them. */
const WRITERS_MOST = 6;

/** The contest after a pass that read the object; `wasLive`: the pass before saw Git's value, of this very file. */
export function contestAfter(
  before: Contest | undefined,
  seen: {
    readonly differs: Difference | undefined;
    readonly lws: LiveLws;
    readonly wasLive: boolean;
    readonly now: Instant;
  },
): Contest | undefined {
  const { differs, lws, wasLive, now } = seen;
  // A time to come was written by a clock that ran ahead.
  const known = before === undefined ? undefined : { ...before, last: Math.min(before.last, now) };
  if (differs === undefined) {
    if (known === undefined || now - known.last >= CONTEST_QUIET_SECONDS) return undefined;
    return withWriters(known, writersOf(lws, known.path));
  }
  if (!wasLive) return known === undefined ? undefined : withWriters(known, differs.writers);
  const first = known ?? { since: now, count: 0, writers: [] };
  const left = { path: differs.path, since: first.since, last: now, count: first.count + 1, writers: first.writers };
  return withWriters(left, differs.writers);
}

function withWriters(contest: Contest, writers: readonly string[]): Contest {
  return { ...contest, writers: [...new Set([...contest.writers, ...writers])].slice(0, WRITERS_MOST) };
}

const FIELDS: readonly WrittenField[] = ['replicas', 'partition', 'maxUnavailable', 'maxSurge'];

function writersOf(lws: LiveLws, path: string): readonly string[] {
  const field = FIELDS.find((name) => path === name || path.endsWith(`.${name}`));
  return field === undefined ? [] : (lws.writers?.[field] ?? []);
}

/** The hold of a field that is fought over; undefined: it is not, or not yet. */
export function contestHold({ live }: Snapshot, contest: Contest | undefined): Hold | undefined {
  if (contest === undefined || contest.count < CONTESTED_TIMES) return undefined;
  const { path, count, since, writers } = contest;
  const agents = live.lws.kind === 'known' ? (live.lws.value.agents ?? []) : [];
  const by = writers.length === 0 ? '' : `, written by ${writers.join(' and ')}`;
  const applied = agents.length === 0 ? '' : `. The object says that it is applied by ${agents.join(' and ')}`;
  return hold(
    'FieldContested',
    {
      seen: `${path} has left the value of Git ${count} times since ${printInstant(since)}, and came back in between${by}: two write it in turn, and no step goes forward meanwhile${applied}`,
      action:
        'Stop one of the two writers: a second agent or Application with another path or branch, an autoscaler, a script',
    },
    CONTEST_QUIET_SECONDS,
  );
}
