/** The words of Git's wire protocol, version 2: what is asked, and what the answers to discovery and ls-refs say. */

import type { Oid } from '../../ports/git.ts';
import { isOid, refOf } from './names.ts';
import { delimiterPacket, flushPacket, lineText, type Packet, packetLine } from './pkt-line.ts';

/** The answer makes no sense; the message says what was seen and what was wanted. */
export class ProtocolError extends Error {}

/** The server said ERR, or died without a word (empty text). */
export class ServerSaid extends Error {}

/** What a server offers, by name; the text after `=` where there is one. */
export type Capabilities = ReadonlyMap<string, string>;

/** Asks for these branches and nothing else. */
export function lsRefsRequest(branches: readonly string[]): Buffer {
  const prefixes = branches.map((branch) => packetLine(`ref-prefix ${refOf(branch)}\n`));
  return Buffer.from(packetLine('command=ls-refs\n') + delimiterPacket + prefixes.join('') + flushPacket);
}

export type FetchRequest = {
  readonly wants: readonly Oid[];
  /** Undefined: no limit on history, for objects that are no commits. */
  readonly depth: number | undefined;
  /** As `tree:0`; undefined: everything. */
  readonly filter: string | undefined;
  /** Commits without what they and their trees hold; empty: everything is sent. */
  readonly without?: readonly Oid[];
  /** Of these the parents, and what only they hold, are not here either. */
  readonly shallow?: readonly Oid[];
};

/** Asks for objects. What is left out need not be here, as long as nothing that is sent builds on it. */
export function fetchRequest(request: FetchRequest): Buffer {
  const lines = [
    'no-progress',
    'ofs-delta',
    ...(request.depth === undefined ? [] : [`deepen ${request.depth}`]),
    ...(request.filter === undefined ? [] : [`filter ${request.filter}`]),
    ...request.wants.map((oid) => `want ${oid}`),
    ...(request.shallow ?? []).map((oid) => `shallow ${oid}`),
    ...(request.without ?? []).map((oid) => `have ${oid}`),
    'done',
  ];
  const body = lines.map((line) => packetLine(`${line}\n`)).join('');
  return Buffer.from(packetLine('command=fetch\n') + delimiterPacket + body + flushPacket);
}

export type Discovery = {
  readonly version: 1 | 2;
  readonly capabilities: Capabilities;
  /** Only of version 1, which push still is: the refs that were asked for, of every ref of the repository. */
  readonly refs: ReadonlyMap<string, Oid>;
};

/** Words of what a server can; git has two dozen. */
const CAPABILITIES_MOST = 1000;

/** Reads the answer to `info/refs`, packet by packet. Keeps these refs and no others. */
export function createDiscoveryReader(service: string, wanted: ReadonlySet<string>) {
  let seen = 0;
  let version: 1 | 2 = 1;
  const capabilities = new Map<string, string>();
  const refs = new Map<string, Oid>();
  return {
    packet: (packet: Packet): void => {
      if (packet.kind !== 'line') return;
      const line = lineText(packet.bytes);
      throwIfError(line);
      if (line === `# service=${service}`) return;
      seen += 1;
      if (line === 'version 1') return;
      if (line === 'version 2') {
        version = 2;
        return;
      }
      if (version === 2) {
        addCapability(capabilities, line);
        return;
      }
      const [ref = '', words = ''] = line.split('\0');
      for (const word of words.split(' ')) if (word !== '') addCapability(capabilities, word);
      addRef(refs, { line: ref, service, wanted });
    },
    finish: (): Discovery => {
      if (seen === 0) throw new ProtocolError(`the answer does not offer ${service}`);
      return { version, capabilities, refs };
    },
  };
}

function addCapability(capabilities: Map<string, string>, word: string): void {
  const equals = word.indexOf('=');
  if (equals < 0) capabilities.set(word, '');
  else capabilities.set(word.slice(0, equals), word.slice(equals + 1));
  if (capabilities.size > CAPABILITIES_MOST)
    throw new ProtocolError(`the answer names more than ${CAPABILITIES_MOST} capabilities`);
}

type RefLine = { readonly line: string; readonly service: string; readonly wanted: ReadonlySet<string> };

function addRef(refs: Map<string, Oid>, { line, service, wanted }: RefLine): void {
  const space = line.indexOf(' ');
  const oid = line.slice(0, space);
  const name = line.slice(space + 1);
  if (/^[0-9a-f]{64}$/.test(oid)) throw new ProtocolError('the repository names objects by SHA-256, wanted SHA-1');
  // An empty repository says so with a name that no ref can have; shallow lines are no refs.
  if (name === 'capabilities^{}' || line.startsWith('shallow ')) return;
  if (!isOid(oid)) throw new ProtocolError(`the answer to ${service} has a line that is no ref`);
  if (wanted.has(name)) refs.set(name, oid);
}

/** Reads the answer to ls-refs: full names to oids. A server may list more than was asked for: that is not kept. */
export function createLsRefsReader(wanted: ReadonlySet<string>) {
  const refs = new Map<string, Oid>();
  let isComplete = false;
  return {
    packet: (packet: Packet): void => {
      if (packet.kind === 'flush') isComplete = true;
      if (packet.kind !== 'line') return;
      const line = lineText(packet.bytes);
      throwIfError(line);
      const [oid = '', name = ''] = line.split(' ');
      // A symbolic ref to a branch that does not exist yet.
      if (oid === 'unborn') return;
      if (/^[0-9a-f]{64}$/.test(oid)) throw new ProtocolError('the repository names objects by SHA-256, wanted SHA-1');
      if (!isOid(oid) || name === '') throw new ProtocolError('the list of branches has a line that is no ref');
      if (wanted.has(name)) refs.set(name, oid);
    },
    finish: (): ReadonlyMap<string, Oid> => {
      if (!isComplete) throw new ServerSaid('');
      return refs;
    },
  };
}

/** A line that starts with ERR ends every answer. */
export function throwIfError(line: string): void {
  if (line.startsWith('ERR ')) throw new ServerSaid(line.slice('ERR '.length));
}
