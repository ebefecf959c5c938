/** Git's objects as bytes and as values: names by SHA-1, trees and commits encoded and decoded. */

import { createHash } from 'node:crypto';
import type { CommitHeader, CommitSignature, Identity, Oid, Signature } from '../../ports/git.ts';
import { MalformedObject } from './git-error.ts';

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';
export type GitObject = { readonly type: ObjectType; readonly bytes: Buffer };

/** `name` is a byte string (one char a byte), because names need not be UTF-8 and must survive a rewrite. */
export type TreeEntry = { readonly mode: string; readonly name: string; readonly oid: Oid };

export const treeMode = '40000';
const oidBytes = 20;

/** The name Git gives to these bytes: SHA-1 over type, length and content, in hex. */
export function oidOf(object: GitObject): Oid {
  return createHash('sha1').update(`${object.type} ${object.bytes.length}\0`).update(object.bytes).digest('hex');
}

/** A path segment as people write it, as the byte string that trees use. */
export function byteName(text: string): string {
  return isAscii(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/** The other way; undefined where the bytes are not UTF-8. */
export function textOfName(name: string): string | undefined {
  return isAscii(name) ? name : decodeText(Buffer.from(name, 'latin1'));
}

// oxlint-disable-next-line no-control-regex
const asciiOnly = /^[\u0000-\u007f]*$/;

function isAscii(text: string): boolean {
  return asciiOnly.test(text);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** UTF-8 with its byte order mark kept; undefined where the bytes are anything else. */
export function decodeText(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Where an entry is in the bytes of its tree; its id starts one byte behind the name. One object serves many entries. */
export type EntryPlace = { mode: string; start: number; end: number; isAscii: boolean };

/** A place to be filled. */
export function newPlace(): EntryPlace {
  return { mode: '', start: 0, end: 0, isAscii: true };
}

/** Fills in the place of the entry at `at`, and says where the next one starts. Throws MalformedObject. */
export function readEntry(bytes: Buffer, at: number, place: EntryPlace): number {
  let space = at;
  while (space < bytes.length && bytes[space] !== 0x20) space += 1;
  const start = space + 1;
  let end = start;
  let all = 0;
  for (let byte = bytes[end]; byte !== undefined && byte !== 0; byte = bytes[end]) {
    all |= byte;
    end += 1;
  }
  const next = end + 1 + oidBytes;
  if (end === start || next > bytes.length)
    throw new MalformedObject(`a tree of ${bytes.length} bytes is cut or garbled at byte ${at}`);
  place.mode = modeAt(bytes, at, space);
  place.start = start;
  place.end = end;
  place.isAscii = all < 0x80;
  return next;
}

/** The id of an entry. */
export function oidAt(bytes: Buffer, { end }: EntryPlace): Oid {
  return bytes.toString('hex', end + 1, end + 1 + oidBytes);
}

/** The entries of a tree in its own order. Throws MalformedObject. */
export function decodeTree(bytes: Buffer): TreeEntry[] {
  const entries: TreeEntry[] = [];
  const place = newPlace();
  for (let at = 0; at < bytes.length; ) {
    at = readEntry(bytes, at, place);
    const { mode, start, end } = place;
    entries.push({ mode, name: bytes.toString('latin1', start, end), oid: oidAt(bytes, place) });
  }
  return entries;
}

const fileMode = '100644';

/** Nearly all entries are plain files or folders: for these no text is made. */
function modeAt(bytes: Buffer, at: number, end: number): string {
  const usual = end - at === fileMode.length ? fileMode : treeMode;
  if (end - at === usual.length && isText(bytes, at, usual)) return usual;
  return bytes.toString('latin1', at, end);
}

/** True where these bytes stand at a place. */
export function isText(bytes: Buffer, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i += 1) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** The mode of a regular file as git reads it, also of those that old tools wrote (`100664`); undefined: no such file. */
export function fileModeOf(mode: string): '100644' | '100755' | undefined {
  if (mode === fileMode || mode === '100755') return mode;
  if (!/^100[0-7]{3}$/.test(mode)) return undefined;
  return (Number.parseInt(mode, 8) & 0o100) === 0 ? fileMode : '100755';
}

/** True for the mode of a folder, also as old tools wrote it. */
export function isFolder(mode: string): boolean {
  return mode === treeMode || mode === `0${treeMode}`;
}

/** True for the mode of another repository's commit. */
export function isSubmodule(mode: string): boolean {
  return mode === '160000';
}

/** Git's order: folders count as `name/`. */
function sortKey(entry: TreeEntry): string {
  return isFolder(entry.mode) ? `${entry.name}/` : entry.name;
}

/** Where a new entry belongs among the others. */
export function placeOf(entry: TreeEntry, entries: readonly TreeEntry[]): number {
  const key = sortKey(entry);
  const at = entries.findIndex((other) => sortKey(other) > key);
  return at < 0 ? entries.length : at;
}

/** The bytes of a tree, its entries as they come. */
export function encodeEntries(entries: readonly TreeEntry[]): GitObject {
  const parts = entries.flatMap((entry) => [
    Buffer.from(`${entry.mode} ${entry.name}\0`, 'latin1'),
    Buffer.from(entry.oid, 'hex'),
  ]);
  return { type: 'tree', bytes: Buffer.concat(parts) };
}

export type CommitFields = {
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  /** The committer, and the author but for the name and the address in `author`. */
  readonly signature: Signature;
  readonly author?: Identity | undefined;
  readonly message: string;
};

/** The bytes of a commit: zone +0000, the message ends with exactly one line end. */
export function encodeCommit(fields: CommitFields): GitObject {
  const { signature, author } = fields;
  const head = [
    `tree ${fields.tree}`,
    ...fields.parents.map((parent) => `parent ${parent}`),
    `author ${signatureLine({ ...signature, ...author })}`,
    `committer ${signatureLine(signature)}`,
  ];
  const message = fields.message.replaceAll('\0', '').replace(/\n+$/, '');
  return { type: 'commit', bytes: Buffer.from(`${head.join('\n')}\n\n${message}\n`, 'utf8') };
}

/** `Name <email> seconds +0000`, as commits and reflogs have it. */
export function signatureLine(signature: Signature | undefined): string {
  const { name, email, atSeconds } = signature ?? { name: '', email: '', atSeconds: 0 };
  return `${cleanIdentity(name)} <${cleanIdentity(email)}> ${Math.trunc(atSeconds)} +0000`;
}

/** The characters that end a name or an address in a commit must not be in one. */
function cleanIdentity(text: string): string {
  // oxlint-disable-next-line no-control-regex
  const clean = text.replace(/[<>\u0000-\u001f]/g, '').trim();
  return clean === '' ? 'unknown' : clean;
}

export type DecodedCommit = CommitHeader & { readonly tree: Oid };

/** The fields of a commit; the message without its final line ends. Throws MalformedObject. */
export function decodeCommit(oid: Oid, bytes: Buffer): DecodedCommit {
  const blank = bytes.indexOf('\n\n');
  const head = bytes.toString('utf8', 0, blank < 0 ? bytes.length : blank).split('\n');
  const tree = head[0]?.match(/^tree ([0-9a-f]{40})$/)?.[1];
  if (tree === undefined) throw new MalformedObject(`commit ${oid} does not start with its tree`);
  const parents = head.flatMap((line) => line.match(/^parent ([0-9a-f]{40})$/)?.[1] ?? []);
  const signed = (by: 'author' | 'committer'): Signature =>
    decodeSignature(head.find((line) => line.startsWith(`${by} `))?.slice(by.length + 1) ?? '');
  const message = blank < 0 ? '' : bytes.toString('utf8', blank + 2).replace(/\n+$/, '');
  const made = head.some((line) => line.startsWith(SIGNATURE_HEADER)) ? signatureIn(bytes, blank) : undefined;
  const header = { oid, tree, parents, author: signed('author'), committedAt: signed('committer').atSeconds, message };
  return made === undefined ? header : { ...header, signed: made };
}

/** A commit of SHA-1 carries its signature here, over all of it but this field (gitformat-signature). */
const SIGNATURE_HEADER = 'gpgsig ';

/** Lines that start with a space belong to the field above them. Bytes stay bytes: the signature is about those. */
function signatureIn(bytes: Buffer, blank: number): CommitSignature {
  const end = blank < 0 ? bytes.length : blank + 1;
  const kept: Buffer[] = [];
  const armor: string[] = [];
  let isSignature = false;
  for (let at = 0; at < end; ) {
    const next = bytes.indexOf('\n', at) + 1 || end;
    const line = bytes.subarray(at, next);
    const text = line.toString('utf8');
    isSignature = text.startsWith(' ') ? isSignature : text.startsWith(SIGNATURE_HEADER);
    if (isSignature) armor.push(text.startsWith(' ') ? text.slice(1) : text.slice(SIGNATURE_HEADER.length));
    else kept.push(line);
    at = next;
  }
  return { armor: armor.join(''), payload: Buffer.concat([...kept, bytes.subarray(end)]) };
}

function decodeSignature(line: string): Signature {
  const match = line.match(/^(.*?) ?<([^>]*)> (-?\d+)(?: [+-]\d+)?$/);
  if (match === null) return { name: line, email: '', atSeconds: 0 };
  return { name: match[1] ?? '', email: match[2] ?? '', atSeconds: Number(match[3]) };
}
