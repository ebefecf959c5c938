/** What the status branch is to hold, as files: records, the index, pages for people. Apart from reading it, which every pass does. */

import { asWritten, canonicalJson, isJsonObject, type JsonObject } from '../../api/json.ts';
import type { RolloutRecord } from '../../api/record.ts';
import type { FileWrite } from '../../ports/git.ts';
import type { BrakeShown } from './brakes.ts';
import { contentOf } from './content.ts';
import type { Evidence } from './evidence.ts';
import { evidenceFiles } from './evidence-files.ts';
import { evidenceOwner } from './evidence-owner.ts';
import { numbersFile } from './numbers.ts';
import { numbersText } from './numbers-text.ts';
import { PAGE_FILE } from './others-branch.ts';
import {
  type Content,
  checksumOf,
  INDEX_FILE,
  type StatusBranch,
  type StatusIndex,
  type StoredRecord,
} from './record-store.ts';
import { digestOf, nextNumber, type Signed, type Signing, sign } from './signed.ts';
import { badge, statusPage } from './status-page.ts';
import { timelineSvg } from './timeline-svg.ts';

/** What this pass has to say. */
type Said = {
  readonly cluster: string;
  readonly records: ReadonlyMap<string, RolloutRecord>;
  readonly index: StatusIndex;
  readonly brakes?: readonly BrakeShown[];
  /** What metrics counted, by the Rollouts that this pass has asked for; not there: it has asked for none. */
  readonly evidence?: ReadonlyMap<string, Evidence>;
  /** undefined: nothing is signed. */
  readonly signing?: Signing | undefined;
};

/** The files that this pass wants changed on the branch; empty: it says already what there is to say. */
export function statusWrites(before: StatusBranch, after: Said): readonly FileWrite[] {
  const { cluster, signing, brakes = [], evidence = new Map<string, Evidence>() } = after;
  const wanted = new Map<string, string>();
  const sorted = [...after.records.entries()].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [key, record] of sorted) {
    const [path] = filesOf(key);
    const stored = before.records.get(key);
    const isAsRead = stored?.kind === 'read' && stored.record === record && !isEnding(stored.signed, signing);
    wanted.set(
      path,
      (isAsRead ? before.texts.get(path) : undefined) ?? recordText(record, { path, stored, before, signing }),
    );
    for (const [file, picture] of picturesOf(key, record)) wanted.set(file, picture);
  }
  for (const [file, text] of evidenceFiles(after.records.keys(), evidence, { ...before, cluster, signing }))
    wanted.set(file, text);
  // Who reads more than we do keeps both: two that write them in turn would never come to rest.
  const shown = sorted.map(([, record]) => record);
  if (!before.isNewer) wanted.set(PAGE_FILE, statusPage(shown, { brakes, files: wanted }));
  const content = before.isNewer || signing === undefined ? undefined : contentOf(wanted, signing.place);
  if (!before.isNewer) wanted.set(INDEX_FILE, indexText(after.index, { content, signing }));
  const numbers = numbersFile(cluster);
  // In any case: a cluster may join that main names no key for, and its index is then in place of ours.
  if (signing !== undefined && content !== undefined)
    wanted.set(numbers, numbersText(content.numbers, before.texts.get(numbers), signing));
  const writes: FileWrite[] = [];
  for (const [path, text] of wanted) if (before.texts.get(path) !== text) writes.push({ path, text });
  const own = [...FOLDERS.map((folder) => `${folder}/${cluster}/`), ...(content === undefined ? [] : [numbers])];
  writes.push(...removed(before, { wanted, own }));
  const isSaid = before.index?.content?.files === content?.files || isForeign(before.index, after.index);
  const matters = !isSaid || indexMatters(before.index, after.index);
  return matters || writes.some((write) => write.path !== INDEX_FILE) ? writes : [];
}

/** What another cluster keeps on a shared branch is not ours to remove, whatever is wrong with it, nor what a newer tranche keeps. */
function removed(
  { records, texts }: StatusBranch,
  { wanted, own }: { readonly wanted: ReadonlyMap<string, string>; readonly own: readonly string[] },
): readonly FileWrite[] {
  const newer = new Set([...records].flatMap(([key, { kind }]) => (kind === 'newer' ? [key, ...filesOf(key)] : [])));
  return [...texts.keys()]
    .filter((path) => own.some((start) => path.startsWith(start)) && !wanted.has(path))
    .filter((path) => !newer.has(path) && !newer.has(evidenceOwner(path) ?? ''))
    .map((path) => ({ path, text: undefined }));
}

/** Of another process, with other words on its command line: the two would write theirs over each other's in turn. */
function isForeign(before: StatusIndex | undefined, after: StatusIndex): boolean {
  return before !== undefined && before.overrides !== after.overrides;
}

const FOLDERS = ['rollouts', 'badges', 'timelines', 'analysis'];

/** Its record, its badge, and the picture of its course. */
function filesOf(key: string): readonly [record: string, badge: string, timeline: string] {
  return [`rollouts/${key}.json`, `badges/${key}.svg`, `timelines/${key}.svg`];
}

/** Its badge, and its course once time has passed in it. */
function picturesOf(key: string, record: RolloutRecord): readonly (readonly [path: string, svg: string])[] {
  const [, mark, timeline] = filesOf(key);
  const course = timelineSvg(record);
  return [[mark, badge(record)], ...(course === undefined ? [] : [[timeline, course] as const])];
}

/** The same bytes as before where nothing else is to be said, and they are signed if they have to be. */
function recordText(
  record: RolloutRecord,
  of: {
    readonly path: string;
    readonly stored: StoredRecord | undefined;
    readonly before: StatusBranch;
    readonly signing: Signing | undefined;
  },
): string {
  const { path, stored, before, signing } = of;
  const signed = stored?.kind === 'read' ? stored.signed : undefined;
  const text = signing === undefined ? undefined : before.texts.get(path);
  const content = contentOfRecord(record);
  if (text !== undefined && signed?.digest === content.digest && !isEnding(signed, signing)) return text;
  return printContent(content, signing && { ...signing, path });
}

/** Below the index of another cluster a record counts by its own signature alone: while a delivery waits, its text stays the same. */
function isEnding(signed: Signed | undefined, signing: Signing | undefined): boolean {
  return signed !== undefined && signing?.ending?.has(signed.signature.key) === true;
}

function indexText(
  index: StatusIndex,
  of: {
    readonly content: Content | undefined;
    readonly signing: Signing | undefined;
  },
): string {
  const { content, signing } = of;
  // Without a signature nobody would believe which files have nothing of interest.
  if (signing === undefined) return printed({ ...index, marked: undefined, content: undefined });
  const body = asWritten({ ...index, content });
  const { signer, place, numbers, now } = signing;
  const digest = digestOf(body);
  const number = nextNumber(numbers.get(INDEX_FILE), now);
  const signature = sign(signer, { path: INDEX_FILE, place, number, digest });
  return printed({ signature, ...(isJsonObject(body) ? body : {}) });
}

/** A main that moved under settled rollouts is no news: it costs a look at the paths, not a commit each. */
function indexMatters(before: StatusIndex | undefined, after: StatusIndex): boolean {
  if (before === undefined) return true;
  if (isForeign(before, after)) return false;
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

type RecordSigning = Signing & { readonly path: string };

/** The record as a file, with a checksum, and signed where it has to be. */
export function printRecord(record: RolloutRecord, signing?: RecordSigning): string {
  return printContent(contentOfRecord(record), signing);
}

/** What is written of a record, and the digest that both its checksum and its signature are of. */
type RecordContent = { readonly content: JsonObject; readonly digest: string };

function contentOfRecord(record: RolloutRecord): RecordContent {
  const body = asWritten(record);
  return { content: isJsonObject(body) ? body : {}, digest: digestOf(body) };
}

function printContent({ content, digest }: RecordContent, signing: RecordSigning | undefined): string {
  if (signing === undefined) return printed({ checksum: checksumOf(digest), ...content });
  const { signer, path, place, numbers, now } = signing;
  const number = nextNumber(numbers.get(path), now);
  const signature = sign(signer, { path, place, number, digest });
  return printed({ checksum: checksumOf(digest), signature, ...content });
}

function printed(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
