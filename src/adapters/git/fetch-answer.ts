/** Reads the answer to a fetch: its sections, and the pack inside its side band. */

import type { Oid } from '../../ports/git.ts';
import { TooLarge } from './inflate.ts';
import { isOid } from './names.ts';
import { lineText, type Packet } from './pkt-line.ts';
import { ProtocolError, ServerSaid, throwIfError } from './protocol.ts';

export type FetchAnswer = {
  /** Commits whose parents were not sent although they have some. */
  readonly shallow: ReadonlySet<Oid>;
};

/** Hands the bytes of the pack to `onPack` as they come. More commits without their parents than `shallowMost` are TooLarge. */
export function createFetchReader(onPack: (chunk: Buffer) => void, shallowMost: number) {
  const shallow = new Set<Oid>();
  let section: 'none' | 'shallow-info' | 'packfile' | 'other' | 'done' = 'none';
  const addShallow = (line: string): void => {
    const oid = line.slice('shallow '.length);
    if (!line.startsWith('shallow ') || !isOid(oid)) return;
    shallow.add(oid);
    if (shallow.size > shallowMost)
      throw new TooLarge(`the answer names more than ${shallowMost} commits without their parents`);
  };
  return {
    packet: (packet: Packet): void => {
      if (packet.kind === 'flush') section = section === 'packfile' ? 'done' : section;
      else if (packet.kind === 'delimiter') section = 'none';
      else if (packet.kind === 'line' && section === 'packfile') sideBand(packet.bytes, onPack);
      else if (packet.kind === 'line') {
        const line = lineText(packet.bytes);
        throwIfError(line);
        if (section === 'none') section = sectionOf(line);
        else if (section === 'shallow-info') addShallow(line);
      }
    },
    finish: (): FetchAnswer => {
      // Without a word: the server's process died, as it does on arguments it does not know.
      if (section === 'none') throw new ServerSaid('');
      if (section !== 'done') throw new ProtocolError('the answer to a fetch stopped before its end');
      return { shallow };
    },
  };
}

function sectionOf(line: string): 'shallow-info' | 'packfile' | 'other' {
  return line === 'packfile' || line === 'shallow-info' ? line : 'other';
}

const dataBand = 1;
const errorBand = 3;

function sideBand(bytes: Buffer, onPack: (chunk: Buffer) => void): void {
  if (bytes[0] === dataBand) onPack(bytes.subarray(1));
  else if (bytes[0] === errorBand) throw new ServerSaid(bytes.toString('utf8', 1));
}
