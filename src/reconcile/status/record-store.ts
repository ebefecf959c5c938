/** Reads the status branch: one record a rollout, and an index for the passes that find nothing to do. */

import { PERIOD_MOST_SECONDS } from '../../api/config.ts';
import { isJsonObject, isRecord, type Json } from '../../api/json.ts';
import { RECORD_VERSION, type RolloutRecord } from '../../api/record.ts';
import type { Instant } from '../../api/time.ts';
import type { Folders, Marked, ReadRequest, Tree } from '../../ports/git.ts';
import { namedBy } from '../../rollout/proposals/branch.ts';
import type { RecordProof } from '../../rollout/record/trust.ts';
import type { RolloutKey } from '../../rollout/snapshot.ts';
import { printKey } from '../../rollout/texts/key-text.ts';
import { type Numbers, numbersIn } from './numbers.ts';
import { faultyField, isRolloutRecord } from './record-shape.ts';
import { digestOf, type Signed, signatureIn } from './signed.ts';

export const INDEX_FILE = 'index.json';

/** The whole branch: it is small, and one fetch brings it. */
export const STATUS_REQUEST: ReadRequest = { paths: [''], suffixes: ['.json', '.md', '.svg'], markers: [] };

export type StoredRecord =
  | { readonly kind: 'read'; readonly record: RolloutRecord; readonly signed?: Signed | undefined }
  /** Of a newer tranche, by this number of its version: what it remembers is not ours to write over. */
  | { readonly kind: 'newer'; readonly version: number; readonly signed?: Signed | undefined }
  /** Not ours any more: edited by hand, no JSON, or not signed as main asks for. Rebuilt from main. */
  | { readonly kind: 'untrusted'; readonly why: string };

/** What lets a pass end after one fetch: nothing is in flight, and main is where it was. */
export type StatusIndex = {
  readonly version: typeof RECORD_VERSION;
  /** Empty: an earlier version has written it. */
  readonly cluster: string;
  readonly main: string;
  /** True where every rollout is settled and no file is wrong. */
  readonly settled: boolean;
  /** When the pass looked that wrote this; undefined: it was an earlier version. */
  readonly lookedAt: Instant | undefined;
  /** Seconds since the epoch; undefined: there is nothing to audit. */
  readonly nextAuditAt: number | undefined;
  /** As configured: how far away an audit may be, and how soon to look again. */
  readonly auditSeconds: number;
  readonly intervalSeconds: number;
  /** The paths that were read, so that the next pass can ask for configuration and manifests at once. */
  readonly paths: readonly string[];
  /** Kinds of Services and routes that were read in the same files, so that the next pass can ask for all at once; none: nobody routes. */
  readonly traffic: readonly string[];
  /** Folders of `main` that were read, by their ids: a hint for the next process, which can ask for them at once. */
  readonly folders: Folders;
  /** Files of `main` with a marker, where everything was read, at that time or before. Believed where this process has signed it. */
  readonly marked: (Omit<Marked, 'commit' | 'readAt'> & { readonly readAt: Instant }) | undefined;
  /** What the command line said over the configuration: another process may look at another cluster or other paths. */
  readonly overrides: string;
  /** What else is on the branch; undefined: nothing is signed. */
  readonly content?: Content | undefined;
};

/** What an index says of the other files, so that one signature tells for all of them. */
export type Content = {
  readonly numbers: Numbers;
  /** The digest of these, their pictures and counts, and the page. */
  readonly files: string;
};

export type StatusBranch = {
  readonly head: string | undefined;
  readonly index: StatusIndex | undefined;
  /** Why nobody can read the tree of `head`; not there: it was read. Nothing is written next to it. */
  readonly unreadable?: string | undefined;
  /** True where a newer tranche has written the index: it and the page for people are left to that one. */
  readonly isNewer: boolean;
  /** Of the index; not there: it is not signed. */
  readonly signed?: Signed | undefined;
  /** What bears out each record that is read; not there: nobody has asked. */
  readonly proofs?: ReadonlyMap<string, RecordProof> | undefined;
  readonly records: ReadonlyMap<string, StoredRecord>;
  /** Counts that no key has signed. */
  readonly forged?: ReadonlySet<string> | undefined;
  /** Text by path, to write only what changes. */
  readonly texts: ReadonlyMap<string, string>;
};

export const EMPTY_STATUS: StatusBranch = {
  head: undefined,
  index: undefined,
  isNewer: false,
  records: new Map(),
  texts: new Map(),
};

/** Reads the branch; whatever is wrong with a file costs that file only. A record that reads as `before` is not read again. */
export function readStatus(tree: Tree, before: StatusBranch = EMPTY_STATUS): StatusBranch {
  const records = new Map<string, StoredRecord>();
  const texts = new Map<string, string>();
  let found: IndexRead = {};
  for (const file of tree.files) {
    const { path, content } = file;
    const [, key] = /^rollouts\/(.+)\.json$/.exec(path) ?? [];
    if (content.kind === 'unreadable' && key !== undefined) records.set(key, { kind: 'untrusted', why: content.why });
    if (content.kind !== 'text') continue;
    texts.set(path, content.text);
    if (path === INDEX_FILE) found = readIndex(content.text);
    if (key === undefined) continue;
    const known = before.texts.get(path) === content.text ? before.records.get(key) : undefined;
    records.set(key, known ?? readRecord(content.text, key));
  }
  const { index, signed } = found;
  return { head: tree.commit, index, isNewer: found.isNewer === true, signed, records, texts };
}

/** Lists and objects in each other, of one file. A record has a third of them. */
const DEPTH_MOST = 32;

/** What goes through a value by calling itself would not come back from one that is nested without an end. */
function isDeeperThan(value: Json, most: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return most === 0 || Object.values(value).some((below: Json) => isDeeperThan(below, most - 1));
}

function readRecord(text: string, key: string): StoredRecord {
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'untrusted', why: 'it is no JSON' };
  }
  if (!isJsonObject(value)) return { kind: 'untrusted', why: 'it is no JSON object' };
  if (isDeeperThan(value, DEPTH_MOST)) return { kind: 'untrusted', why: `it is nested deeper than ${DEPTH_MOST}` };
  const { checksum: written, signature: given, ...rest } = value;
  const version: unknown = rest['version'];
  const digest = digestOf(rest);
  const signed = signedBy(given, digest);
  // Before its checksum: who knows what a newer one counts in.
  if (isNewerVersion(version)) return { kind: 'newer', version, signed };
  if (version !== RECORD_VERSION)
    return { kind: 'untrusted', why: `its version is ${JSON.stringify(version)}, wanted ${RECORD_VERSION}` };
  if (written !== checksumOf(digest))
    return { kind: 'untrusted', why: 'its checksum does not fit: it was edited by hand' };
  if (!isRolloutRecord(rest)) return { kind: 'untrusted', why: `${faultyField(rest)} is not what a record has there` };
  const own: RolloutKey = rest;
  if (printKey(own) !== key) return { kind: 'untrusted', why: `it is the record of ${printKey(own)}` };
  const { branch } = rest.proposal ?? {};
  // Such a branch is deleted with its pull request: anyone who writes a record must not name somebody else's.
  return branch === undefined || namedBy(own, branch) !== undefined
    ? { kind: 'read', record: rest, signed }
    : { kind: 'untrusted', why: `${JSON.stringify(branch)} is no branch of its pull requests` };
}

function isNewerVersion(version: unknown): version is number {
  return typeof version === 'number' && Number.isSafeInteger(version) && version > RECORD_VERSION;
}

function signedBy(given: unknown, digest: string): Signed | undefined {
  const signature = signatureIn(given);
  return signature === undefined ? undefined : { signature, digest };
}

type IndexRead = {
  readonly index?: StatusIndex | undefined;
  readonly isNewer?: true;
  readonly signed?: Signed | undefined;
};

function readIndex(text: string): IndexRead {
  try {
    const value: Json = JSON.parse(text);
    if (!isJsonObject(value) || isDeeperThan(value, DEPTH_MOST)) return {};
    const { signature: given, ...rest } = value;
    // What is not signed is not hashed.
    const signed = given === undefined ? undefined : signedBy(given, digestOf(rest));
    if (isNewerVersion(rest['version'])) return { isNewer: true, signed };
    return { index: indexIn(rest), signed };
  } catch {
    return {};
  }
}

function indexIn(value: { readonly [key: string]: unknown }): StatusIndex | undefined {
  if (value['version'] !== RECORD_VERSION) return undefined;
  const { cluster, main, settled, lookedAt, nextAuditAt, auditSeconds, intervalSeconds } = value;
  const { paths, traffic, folders, overrides } = value;
  if (!isPeriod(auditSeconds) || !isPeriod(intervalSeconds)) return undefined;
  if (typeof main !== 'string' || typeof settled !== 'boolean' || !Array.isArray(paths)) return undefined;
  if (typeof overrides !== 'string') return undefined;
  if (!paths.every((path) => typeof path === 'string')) return undefined;
  return {
    version: RECORD_VERSION,
    cluster: typeof cluster === 'string' ? cluster : '',
    main,
    settled,
    lookedAt: typeof lookedAt === 'number' ? lookedAt : undefined,
    nextAuditAt: typeof nextAuditAt === 'number' ? nextAuditAt : undefined,
    auditSeconds,
    intervalSeconds,
    paths,
    traffic: isHint(traffic) ? traffic : [],
    folders: foldersIn(folders),
    marked: markedIn(value['marked']),
    overrides,
    content: contentIn(value['content']),
  };
}

function markedIn(value: unknown): StatusIndex['marked'] {
  if (!isRecord(value) || typeof value['sought'] !== 'string' || typeof value['readAt'] !== 'number') return undefined;
  const { sought, blobs, large, readAt } = value;
  return isTexts(blobs) && isTexts(large) ? { sought, readAt, blobs, large } : undefined;
}

function contentIn(value: unknown): Content | undefined {
  if (!isRecord(value) || typeof value['files'] !== 'string') return undefined;
  const numbers = numbersIn(value['numbers']);
  return numbers === undefined ? undefined : { numbers, files: value['files'] };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

const HINTS_MOST = 200;
const HINT_LENGTH_MOST = 253;

/** Of what is only a hint anything else says nothing. */
function isHint(value: unknown): value is readonly string[] {
  if (!Array.isArray(value) || value.length > HINTS_MOST) return false;
  return value.every((kind) => typeof kind === 'string' && kind !== '' && kind.length <= HINT_LENGTH_MOST);
}

/** As a configuration may have it: who waits for no time at all asks without end, and nobody waits for years. */
function isPeriod(value: unknown): value is number {
  return typeof value === 'number' && value >= 1 && value <= PERIOD_MOST_SECONDS;
}

/** A hint, so whatever is wrong with it is left out. */
function foldersIn(value: unknown): Folders {
  const levels: readonly unknown[] = Array.isArray(value) ? value : [];
  return levels.map((level) => (Array.isArray(level) ? level.filter((oid) => typeof oid === 'string') : []));
}

/** Of what a record holds next to it: a hand edit must be seen, because soak clocks stand in it. */
export function checksumOf(digest: string): string {
  return digest.slice(0, 16);
}
