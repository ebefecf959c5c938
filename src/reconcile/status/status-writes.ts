/** What the status branch is to hold, as files: records, the index, pages for people. Apart from reading it, which every pass does. */

import { asWritten, canonicalJson, isJsonObject } from '../../api/json.ts';
import type { RolloutRecord } from '../../api/record.ts';
import type { FileWrite } from '../../ports/git.ts';
import { PAGE_FILE } from './others-branch.ts';
import { checksum, INDEX_FILE, printMarked, type StatusBranch, type StatusIndex } from './record-store.ts';
import { badge, statusPage } from './status-page.ts';

/** The files that this pass wants changed on the branch; empty: it says already what there is to say. */
export function statusWrites(
  before: StatusBranch,
  after: {
    readonly cluster: string;
    readonly records: ReadonlyMap<string, RolloutRecord>;
    readonly index: StatusIndex;
  },
): readonly FileWrite[] {
  const wanted = new Map<string, string>();
  const sorted = [...after.records.entries()].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [key, record] of sorted) {
    const [path, mark] = filesOf(key);
    const stored = before.records.get(key);
    const isAsRead = stored?.kind === 'read' && stored.record === record;
    wanted.set(path, (isAsRead ? before.texts.get(path) : undefined) ?? printRecord(record));
    wanted.set(mark, badge(record));
  }
  // Who reads more than we do keeps both: two that write them in turn would never come to rest.
  if (!before.isNewer) {
    wanted.set(INDEX_FILE, `${JSON.stringify({ ...after.index, marked: printMarked(after.index) }, undefined, 2)}\n`);
    wanted.set(PAGE_FILE, statusPage(sorted.map(([, record]) => record)));
  }
  const newer = new Set([...before.records].flatMap(([key, { kind }]) => (kind === 'newer' ? filesOf(key) : [])));
  const writes: FileWrite[] = [];
  for (const [path, text] of wanted) if (before.texts.get(path) !== text) writes.push({ path, text });
  for (const path of before.texts.keys()) {
    // What another cluster keeps on a shared branch is not ours to remove, whatever is wrong with it.
    const own = [`rollouts/${after.cluster}/`, `badges/${after.cluster}/`].some((folder) => path.startsWith(folder));
    if (own && !wanted.has(path) && !newer.has(path)) writes.push({ path, text: undefined });
  }
  return writes.some((write) => write.path !== INDEX_FILE) || indexMatters(before.index, after.index) ? writes : [];
}

/** Its record, and its badge. */
function filesOf(key: string): readonly [record: string, badge: string] {
  return [`rollouts/${key}.json`, `badges/${key}.svg`];
}

/**
 * A main that moved under settled rollouts is no news: it costs a look at the paths, not a commit each. Nor is what
 * another process wrote, with other words on its command line: the two would write theirs over each other's in turn.
 */
function indexMatters(before: StatusIndex | undefined, after: StatusIndex): boolean {
  if (before === undefined) return true;
  if (before.overrides !== after.overrides) return false;
  return (
    before.settled !== after.settled ||
    isLongSilent(before, after) ||
    isReadAgain(before, after) ||
    before.nextAuditAt !== after.nextAuditAt ||
    before.auditSeconds !== after.auditSeconds ||
    before.intervalSeconds !== after.intervalSeconds ||
    canonicalJson([...before.paths]) !== canonicalJson([...after.paths])
  );
}

/**
 * Where something waits and nothing is new, a pass writes nothing: who asks at night could not tell that from passes that
 * have stopped. So it says once in an audit's time that it has looked; at rest the audits say that.
 */
function isLongSilent({ lookedAt }: StatusIndex, after: StatusIndex): boolean {
  if (after.settled || after.lookedAt === undefined) return false;
  // Of two runners one clock is always a little behind; one that was far ahead is put right.
  return lookedAt === undefined || Math.abs(after.lookedAt - lookedAt) >= after.auditSeconds;
}

/** What was said of files was too old to be believed, and all of them have been read: else each pass would, until something moves. */
function isReadAgain({ marked }: StatusIndex, after: StatusIndex): boolean {
  if (after.settled || marked === undefined || after.marked === undefined) return false;
  return after.marked.readAt >= marked.readAt + after.auditSeconds;
}

/** The record as a file, with a checksum: a hand edit must be seen, because soak clocks stand in it. */
export function printRecord(record: RolloutRecord): string {
  const body = asWritten(record);
  return `${JSON.stringify({ checksum: checksum(body), ...(isJsonObject(body) ? body : {}) }, undefined, 2)}\n`;
}
