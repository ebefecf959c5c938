/** Packets are the same however the stream is cut into chunks. */

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPacketReader, FramingError, packetLine } from '../../../src/adapters/git/pkt-line.ts';

function read(
  stream: Buffer,
  cuts: readonly number[],
): { readonly seen: readonly string[]; readonly isInside: boolean } {
  const seen: string[] = [];
  const reader = createPacketReader((packet) => {
    seen.push(packet.kind === 'line' ? packet.bytes.toString() : packet.kind);
  });
  const places = [0, ...[...cuts].sort((left, right) => left - right), stream.length];
  places.forEach((from, i) => reader.push(stream.subarray(from, places[i + 1] ?? from)));
  return { seen, isInside: reader.isInside() };
}

test('any cuts give the same packets', () => {
  const packet = fc.oneof(
    fc.constantFrom('0000', '0001', '0002'),
    fc.string({ maxLength: 300 }).map(packetLine),
    fc.constant(packetLine('x'.repeat(65_516))),
  );
  fc.assert(
    fc.property(fc.array(packet, { maxLength: 8 }), fc.array(fc.nat(2_000)), (packets, cuts) => {
      const stream = Buffer.from(packets.join(''));
      const inside = cuts.map((cut) => Math.min(cut, stream.length));
      const { seen, isInside } = read(stream, inside);
      const wanted = packets.map(
        (text) => ({ '0000': 'flush', '0001': 'delimiter', '0002': 'end' })[text] ?? text.slice(4),
      );
      expect(seen).toEqual(wanted);
      expect(isInside).toBe(false);
    }),
  );
});

test.each([
  ['a cut head', '00', true],
  ['a cut line', '0009abc', true],
  ['a whole line', '0007abc', false],
])('%s: %j inside %s', (_what, text, inside) => {
  expect(read(Buffer.from(text), []).isInside).toBe(inside);
});

test.each(['0003', 'zzzz', 'PACK', '-001'])('%s is no length', (text) => {
  expect(() => read(Buffer.from(text), [])).toThrow(FramingError);
  expect(() => read(Buffer.from(text), [1, 2])).toThrow(FramingError);
});
