/** Git's pkt-line framing: writes lines, and cuts a stream of any chunks back into them. */

export type Packet =
  | { readonly kind: 'line'; readonly bytes: Buffer }
  | { readonly kind: 'flush' }
  | { readonly kind: 'delimiter' }
  | { readonly kind: 'end' };

/** What came is not in this framing; the message says what was seen. */
export class FramingError extends Error {}

export const flushPacket = '0000';
export const delimiterPacket = '0001';

/** One line with its length in front. `text` is ASCII or UTF-8 and at most 65,516 bytes. */
export function packetLine(text: string): string {
  return (Buffer.byteLength(text) + 4).toString(16).padStart(4, '0') + text;
}

type PacketReader = {
  push(chunk: Buffer): void;
  /** True where the stream stopped inside a packet. */
  isInside(): boolean;
};

const headBytes = 4;
const longestPacket = 0xffff;

/** Calls `onPacket` for every packet of the stream; the bytes of a line are only valid during the call. */
export function createPacketReader(onPacket: (packet: Packet) => void): PacketReader {
  // What is left of a chunk that ends inside a packet; one buffer for the whole stream.
  const rest = Buffer.allocUnsafe(longestPacket);
  let held = 0;
  const hold = (chunk: Buffer, from: number, wanted: number): number => {
    const copied = chunk.copy(rest, held, from, Math.min(chunk.length, from + Math.max(0, wanted - held)));
    held += copied;
    return from + copied;
  };
  return {
    push: (chunk) => {
      let at = 0;
      if (held > 0) {
        at = hold(chunk, at, headBytes);
        if (held < headBytes) return;
        const length = lengthAt(rest, 0);
        at = hold(chunk, at, length);
        if (held < length) return;
        held = 0;
        emit(rest, 0, length, onPacket);
      }
      while (chunk.length - at >= headBytes) {
        const length = lengthAt(chunk, at);
        if (chunk.length - at < length) break;
        emit(chunk, at, length, onPacket);
        at += Math.max(length, headBytes);
      }
      hold(chunk, at, longestPacket);
    },
    isInside: () => held > 0,
  };
}

function emit(bytes: Buffer, at: number, length: number, onPacket: (packet: Packet) => void): void {
  if (length >= headBytes) onPacket({ kind: 'line', bytes: bytes.subarray(at + headBytes, at + length) });
  else onPacket({ kind: length === 0 ? 'flush' : length === 1 ? 'delimiter' : 'end' });
}

function lengthAt(bytes: Buffer, at: number): number {
  const text = bytes.toString('latin1', at, at + headBytes);
  if (!/^[0-9a-fA-F]{4}$/.test(text)) {
    throw new FramingError(`wanted the length of a packet, saw ${JSON.stringify(text)}`);
  }
  const length = Number.parseInt(text, 16);
  if (length === 3) throw new FramingError('wanted the length of a packet, saw 0003');
  return length;
}

/** A line without its final line end. */
export function lineText(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/\n$/, '');
}
