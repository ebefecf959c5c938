/** What one commit of main says of deliveries, by its message alone: steps, orders, and stops of all Rollouts. */

import type { Instant } from '../../api/time.ts';
import type { CommitHeader, Oid } from '../../ports/git.ts';
import { approvedByIn, orderIn } from '../../rollout/commits/order-trailers.ts';
import {
  exceptionsIn,
  paragraphsOf,
  parseTrailers,
  policiesIn,
  type Trailers,
  trailersIn,
} from '../../rollout/commits/trailers.ts';

/** `step`: tranche has written it. `order`: somebody has, on one Rollout. `line`: on all of them. */
export type LogEntry = {
  readonly kind: 'step' | 'order' | 'line';
  /** When it came to main, by the committer. */
  readonly at: Instant;
  /** The commit of main's own line. */
  readonly commit: Oid;
  /** The commit that has the message: another one where a merge brought it. */
  readonly written: Oid;
  /** `cluster/namespace/name`; empty: of all. */
  readonly rollout: string;
  /** Empty: it names none. */
  readonly release: string;
  readonly step: string;
  /** Empty: it is no step. */
  readonly reason: string;
  /** The subject without the name of the Rollout. */
  readonly what: string;
  readonly why: string;
  /** Who ordered it, as far as the message says; of a commit without a name its author. Proves nothing. */
  readonly by: string;
  /** The commit, or the pull request, of the approval. Empty: it names none. */
  readonly approvedBy: string;
  readonly policies: readonly string[];
  /** That it passed shut windows by, as the message says. */
  readonly exceptions: readonly string[];
  readonly plannedFrom: string;
};

/**
 * The entries of a commit, newest first; a squash may have several. `brought`: the head of what it merges.
 * What a message says need not have been done: `verify-history` looks at the files.
 */
export function entriesOf(commit: CommitHeader, brought?: CommitHeader): readonly LogEntry[] {
  const own = parseTrailers(commit.message);
  if (own !== undefined) return [stepOf(own, commit, { header: commit, pull: pullOf(commit.message) })];
  const squashed = trailersIn(commit.message);
  if (squashed.length > 0)
    return squashed
      .map((trailers) => stepOf(trailers, commit, { header: commit, pull: pullOf(commit.message) }))
      .reverse();
  const order = orderOf(commit, commit);
  if (order !== undefined) return [order];
  if (brought === undefined) return [];
  const merged = parseTrailers(brought.message);
  if (merged !== undefined)
    return [stepOf(merged, commit, { header: brought, pull: pullOf(commit.message) ?? commit.oid })];
  const approval = orderOf(commit, brought);
  return approval === undefined ? [] : [approval];
}

function stepOf(
  trailers: Trailers,
  commit: CommitHeader,
  { header, pull }: { readonly header: CommitHeader; readonly pull: string | undefined },
): LogEntry {
  const { release, step, reason, rollout, plannedFrom } = trailers;
  return {
    ...base(commit, header),
    kind: 'step',
    rollout,
    release,
    step,
    reason,
    by: '',
    approvedBy: approvedByIn(header.message) ?? pull ?? '',
    policies: policiesIn(header.message) ?? [],
    exceptions: exceptionsIn(header.message),
    plannedFrom,
  };
}

function orderOf(commit: CommitHeader, header: CommitHeader): LogEntry | undefined {
  const order = orderIn(header.message);
  if (order === undefined) return undefined;
  const { rollout = '', release = '', step = '', plannedFrom } = order;
  if (rollout === '' && !header.message.startsWith('rollouts: ')) return undefined;
  const by = order.by ?? pullOf(commit.message) ?? commit.author.name;
  const rest = { reason: '', by, approvedBy: '', policies: [], exceptions: [], plannedFrom };
  return { ...base(commit, header), kind: rollout === '' ? 'line' : 'order', rollout, release, step, ...rest };
}

function base(
  commit: CommitHeader,
  header: CommitHeader,
): Pick<LogEntry, 'at' | 'commit' | 'written' | 'what' | 'why'> {
  const [subject = '', why = '', ...others] = paragraphsOf(header.message);
  return {
    at: commit.committedAt,
    commit: commit.oid,
    written: header.oid,
    what: subject.replace(/^rollouts?(?:\([^)]*\))?: /, ''),
    // The last paragraph has the trailers.
    why: others.length === 0 ? '' : why.replaceAll('\n', ' '),
  };
}

/** `#12`, as forges name in a subject the pull request that it came by; undefined: it names none. */
function pullOf(message: string): string | undefined {
  const [subject = ''] = message.split('\n');
  return /(?:^Merge pull request | \()(#[1-9][0-9]{0,8})(?:\)$| )/.exec(subject)?.[1];
}
