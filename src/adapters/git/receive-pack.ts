/** The words of a push: the commands that are sent, and the report that comes back. */

import type { Oid } from '../../ports/git.ts';
import { zeroOid } from './names.ts';
import { createPacketReader, flushPacket, lineText, type Packet, packetLine } from './pkt-line.ts';
import { type Capabilities, ProtocolError, ServerSaid, throwIfError } from './protocol.ts';

type RefCommand = {
  readonly ref: string;
  /** Undefined: the ref must not exist. */
  readonly from: Oid | undefined;
  /** Undefined: the ref is deleted. */
  readonly to: Oid | undefined;
};

/** The body of a push. Only capabilities that the server offers are used. Where all it does is delete, Git wants no pack. */
export function receiveRequest(commands: readonly RefCommand[], pack: Buffer, offered: Capabilities): Buffer {
  const used = ['report-status', 'side-band-64k', 'atomic', 'quiet'].filter((name) => offered.has(name));
  const words = offered.has('object-format') ? [...used, 'object-format=sha1'] : used;
  const lines = commands.map(({ ref, from, to }, i) => {
    const command = `${from ?? zeroOid} ${to ?? zeroOid} ${ref}`;
    return packetLine(i === 0 ? `${command}\0 ${words.join(' ')}\n` : `${command}\n`);
  });
  const sent = commands.some(({ to }) => to !== undefined) ? [pack] : [];
  return Buffer.concat([Buffer.from(lines.join('') + flushPacket), ...sent]);
}

export type PushReport = {
  /** `ok`, or why the pack was not taken. */
  readonly unpack: string;
  /** By full ref name: undefined where it moved, else the server's reason. */
  readonly refs: ReadonlyMap<string, string | undefined>;
  /** What hooks and the host printed for people. */
  readonly printed: string;
};

const printedLimit = 4096;

/** Reads a report on these refs, bare or inside a side band. */
export function createReportReader(hasSideBand: boolean, pushed: ReadonlySet<string>) {
  const refs = new Map<string, string | undefined>();
  let unpack: string | undefined;
  let printed = '';
  let isComplete = false;
  const reportLine = (packet: Packet): void => {
    if (packet.kind === 'flush') isComplete = true;
    if (packet.kind !== 'line') return;
    const line = lineText(packet.bytes);
    throwIfError(line);
    const [word = '', name = '', ...reason] = line.split(' ');
    if (word === 'unpack') unpack = line.slice('unpack '.length);
    else if (!pushed.has(name)) return;
    else if (word === 'ok') refs.set(name, undefined);
    else if (word === 'ng') refs.set(name, reason.join(' '));
  };
  const inner = createPacketReader(reportLine);
  const bandLine = (packet: Packet): void => {
    if (packet.kind !== 'line') return;
    const text = packet.bytes.subarray(1);
    if (packet.bytes[0] === 1) inner.push(Buffer.from(text));
    else if (packet.bytes[0] === 2) printed = (printed + text.toString('utf8')).slice(0, printedLimit);
    else throw new ServerSaid(text.toString('utf8'));
  };
  return {
    packet: hasSideBand ? bandLine : reportLine,
    finish: (): PushReport => {
      if (unpack === undefined || !isComplete) throw new ProtocolError('the report about the push is not complete');
      return { unpack, refs, printed };
    },
  };
}
