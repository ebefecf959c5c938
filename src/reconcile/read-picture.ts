/** The picture on the status branch, for those who only want to look: the records, how old they are, what came since. */

import { CONFIG_FILE, type Config, OTHER_CONFIG_FILE, type Shard } from '../api/config.ts';
import type { Issue } from '../api/issue.ts';
import type { RolloutRecord } from '../api/record.ts';
import { printRelease } from '../api/release.ts';
import type { Instant } from '../api/time.ts';
import type { CommitHeader, Git, Oid } from '../ports/git.ts';
import { parseTrailers } from '../rollout/commits/trailers.ts';
import { printKey } from '../rollout/texts/key-text.ts';
import type { Desired } from './desired/desired-rollout.ts';
import { blobsOf } from './observe/blobs.ts';
import { newMemory, type Overrides, type Ports } from './pass.ts';
import { isOwn as isOwnKey } from './shard.ts';
import { type BrakeShown, brakesIn } from './status/brakes.ts';
import { keysAt } from './status/keys-at.ts';
import { proven } from './status/proven.ts';
import type { StatusBranch, StatusIndex, StoredRecord } from './status/record-store.ts';
import { nothingKnown } from './status/seen-numbers.ts';
import { statusAt } from './status/status-at.ts';
import { WRITERS_COMMITS_MOST, type Writer, writersInTurn } from './status/writers.ts';

/** When the world was read that a picture shows, and what is known to have happened since. */
export type AsOf = {
  readonly kind: 'live' | 'recorded';
  readonly at: Instant;
  /** The commit of main that was read. */
  readonly main: Oid;
  /** Commits that no pass has shown to have seen, newest first; those that the pass itself wrote are not among them. */
  readonly unseen: readonly CommitHeader[];
  /** True where there are more than were counted, or main was rewritten. */
  readonly more: boolean;
  /** When a pass writes again at the latest, though there be no news; undefined: nobody knows. */
  readonly writtenBy: Instant | undefined;
  /** When a pass should have looked and none did; undefined: nothing is overdue. */
  readonly overdueSince: Instant | undefined;
  /** Processes that write the branch in turn; not there: one does, or nobody can tell. */
  readonly inTurn?: readonly Writer[];
};

/** What the unseen commits mean for one rollout. */
export type Since = { readonly orders: readonly string[]; readonly files: readonly string[] };

export type Shown = {
  readonly record: RolloutRecord;
  readonly since: Since;
  /** Of a look that writes nothing: the subject of the commit that the next pass makes. */
  readonly next: string | undefined;
};

export type Picture = {
  /** undefined: no pass has written anything yet. */
  readonly asOf: AsOf | undefined;
  readonly shown: readonly Shown[];
  /** Rollouts on main that no pass has looked at yet, as `namespace/name`: there is no record to show. */
  readonly fresh: readonly string[];
  /** What main says now, whether a pass has seen it or not. */
  readonly brakes: readonly BrakeShown[];
  /** Of `tranche.yaml`: an earlier one counts. Not there: none. */
  readonly faults?: readonly Issue[];
  /** The status branch that somebody has named, where there is none. */
  readonly noBranch?: string;
};

export const NOTHING_SINCE: Since = { orders: [], files: [] };
const UNSEEN_MOST = 50;
/** Passes may be a workflow that runs every few minutes; an audit that is later than this is not on its way. */
const LATE_SECONDS = 900;

/** All records that can be trusted, by name. Throws PortError where Git cannot be read. */
export async function readPicture(ports: Ports, overrides: Overrides): Promise<Picture> {
  const { git, log } = ports;
  const { desiredHead } = await import('./observe/read-settings.ts');
  const { main, config } = await desiredHead(git, overrides);
  const [head] = await git.heads([config.statusBranch]);
  const { readDesired } = await import('./observe/read-main.ts');
  const desired = await readDesired(git, main, { config, memory: newMemory() });
  const brakes = brakesIn(desired, ports.clock.now());
  const faults = config.faults === undefined ? {} : { faults: config.faults };
  if (head === undefined) {
    // Of the branch that somebody has named there is none, which may be a slip of the hand.
    const isNamed = overrides.statusBranch !== undefined;
    const fresh = desired.rollouts.map(({ key }) => `${key.namespace}/${key.name}`);
    return {
      asOf: undefined,
      shown: [],
      fresh,
      brakes,
      ...faults,
      ...(isNamed ? { noBranch: config.statusBranch } : {}),
    };
  }
  const place = { cluster: config.cluster, shard: overrides.shard?.index };
  const judging = { signatures: ports.signatures, config, place, now: ports.clock.now(), keysAt: keysAt(ports.clock) };
  const { status } = proven(await statusAt(git, head), judging, nothingKnown());
  if (status.unreadable !== undefined) log.warn(`${config.statusBranch} cannot be read: ${status.unreadable}`);
  const records: RolloutRecord[] = [];
  for (const [key, stored] of [...status.records].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (stored.kind === 'read') records.push(stored.record);
    else log.warn(`rollouts/${key}.json on ${config.statusBranch} is not ${unread(stored)}`);
  }
  const at = { head, main, status, cluster: config.cluster };
  const { asOf, base } = await ageOf(ports, at, records);
  const since =
    asOf.unseen.length === 0
      ? undefined
      : await changesSince(ports, config, { base, asOf, at, shard: overrides.shard });
  const shown: Shown[] = [];
  for (const record of records)
    shown.push({ record, since: (await since?.of(record)) ?? NOTHING_SINCE, next: undefined });
  return { asOf, shown, fresh: since?.fresh ?? [], brakes, ...faults };
}

function unread(stored: Exclude<StoredRecord, { readonly kind: 'read' }>): string {
  if (stored.kind === 'untrusted')
    return `trusted: ${stored.why}; rebuilt by the next pass that reads it, at rest by the next audit (auditSeconds)`;
  return `shown: it has version ${stored.version}, of a newer tranche than this one; ask that one`;
}

type Heads = { readonly head: Oid; readonly main: Oid; readonly status: StatusBranch; readonly cluster: string };

/** `base`: the last commit of main that the picture knows of. */
async function ageOf(
  { git, clock }: Ports,
  { head, main, status, cluster }: Heads,
  records: readonly RolloutRecord[],
): Promise<{ readonly asOf: AsOf; readonly base: Oid }> {
  const commits = await git.history(head, undefined, WRITERS_COMMITS_MOST);
  const [written] = commits;
  const inTurn = writersInTurn(commits, { cluster, now: clock.now() });
  const read = status.index?.main ?? main;
  const line = read === main ? [] : await git.history(main, read, UNSEEN_MOST + 1);
  const found = line.at(-1)?.oid === read;
  const after = found ? line.slice(0, -1) : line.slice(0, UNSEEN_MOST);
  const unseen = after.filter((commit) => !isOwn(commit, read, records));
  const due = status.index === undefined ? undefined : writtenBy(status.index);
  return {
    asOf: {
      kind: 'recorded',
      at: written?.author.atSeconds ?? clock.now(),
      main: read,
      unseen,
      more: read !== main && !found,
      writtenBy: due,
      overdueSince: due !== undefined && clock.now() > due + LATE_SECONDS ? due : undefined,
      ...(inTurn.length === 0 ? {} : { inTurn }),
    },
    base: after.find((commit) => !unseen.includes(commit))?.oid ?? read,
  };
}

/** When a pass writes again at the latest, though there be no news. */
function writtenBy({
  settled,
  nextAuditAt,
  lookedAt,
  auditSeconds,
  intervalSeconds,
}: StatusIndex): Instant | undefined {
  if (settled) return nextAuditAt;
  return lookedAt === undefined ? undefined : lookedAt + Math.max(auditSeconds, intervalSeconds);
}

/** A step of the very pass that wrote the picture: its record has it. A status that was refused has not. */
function isOwn({ message }: CommitHeader, read: Oid, records: readonly RolloutRecord[]): boolean {
  const trailers = parseTrailers(message);
  if (trailers?.plannedFrom !== read) return false;
  const marks = records.find((record) => printKey(record) === trailers.rollout)?.marks;
  return marks === undefined || printRelease(marks.release) === trailers.release;
}

/**
 * What differs for a rollout since the last commit that the picture knows of: orders that were given, and files. A step
 * that went out without its record, because the status branch was refused, has answered the orders before it.
 */
async function changesSince(
  { git }: Ports,
  config: Config,
  from: { readonly base: Oid; readonly asOf: AsOf; readonly at: Heads; readonly shard: Shard | undefined },
): Promise<{ readonly of: (record: RolloutRecord) => Promise<Since>; readonly fresh: readonly string[] }> {
  const { base, asOf, at, shard } = from;
  const { readDesired } = await import('./observe/read-main.ts');
  const memory = newMemory();
  const now = await readDesired(git, at.main, { config, memory });
  const before = await readDesired(git, base, { config, memory });
  const known = new Set([...at.status.records.keys(), ...before.rollouts.map(({ key }) => printKey(key))]);
  const fresh = now.rollouts.filter(({ key }) => isOwnKey(key, shard) && !known.has(printKey(key)));
  const settings = await settingsChanged(git, base, at.main);
  // Also what a decision hangs on since: a policy that is new.
  const filesOf = (record: RolloutRecord): readonly string[] => {
    const entry = now.rollouts.find(({ key }) => printKey(key) === printKey(record));
    const hung = entry === undefined ? {} : blobsOf(now, entry);
    return [...new Set([...Object.keys(record.blobs), ...Object.keys(hung)])];
  };
  const of = async (record: RolloutRecord): Promise<Since> => {
    const step = asOf.unseen.find(({ message }) => parseTrailers(message)?.rollout === printKey(record));
    const answered = step === undefined ? before : await readDesired(git, step.oid, { config, memory });
    return {
      orders: ordersBetween(wordsOf(answered, record), wordsOf(now, record)),
      files: [...settings, ...filesOf(record).filter((file) => before.blobs.get(file) !== now.blobs.get(file))],
    };
  };
  return { of, fresh: fresh.map(({ key }) => `${key.namespace}/${key.name}`) };
}

/** The file of settings, where it is another one: all of them are read by it. */
async function settingsChanged(git: Pick<Git, 'readAt'>, before: Oid, after: Oid): Promise<readonly string[]> {
  const paths = [CONFIG_FILE, OTHER_CONFIG_FILE];
  const at = async (commit: Oid): Promise<ReadonlyMap<string, Oid>> => {
    const { files } = await git.readAt(commit, { paths, suffixes: [], markers: [] });
    return new Map(files.map(({ path, oid }) => [path, oid]));
  };
  const [was, is] = [await at(before), await at(after)];
  return paths.filter((path) => was.get(path) !== is.get(path));
}

type Words = Readonly<Record<string, string>>;

/** What people say on the Rollout, by the name of the verb. */
function wordsOf({ rollouts }: Desired, record: RolloutRecord): Words {
  const file = rollouts.find((entry) => printKey(entry.key) === printKey(record))?.reading.rollout;
  if (file === undefined) return {};
  const given = Object.entries(file.intents).filter(
    ([key, value]) => key !== 'recreating' && key !== 'paused' && value !== undefined,
  );
  return {
    ...Object.fromEntries(given.map(([key, value]) => [key, JSON.stringify(value)])),
    [file.rollout.paused ? 'pause' : 'resume']: '',
    ...(file.rollout.disabled ? { disable: '' } : {}),
  };
}

function ordersBetween(before: Words, now: Words): readonly string[] {
  return Object.keys(now).filter((word) => Object.keys(before).length > 0 && before[word] !== now[word]);
}
