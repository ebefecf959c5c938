/** Counts how many different ids there are among many: exactly, and without a text or an object for each. */

const idBytes = 20;
const fewestIds = 1024;
/** Half of the slots are free, so that digests stand in shorter rows than this. Anyone who makes longer ones has chosen their ids. */
const longestRow = 200;

export type IdCount = {
  /** Notes the id at a place in these bytes. */
  readonly add: (bytes: Buffer, at: number) => void;
  readonly different: () => number;
};

/** Counts none so far. `expected`: how many different ones are likely. */
export function createIdCount(expected: number): IdCount {
  const room = 2 ** Math.ceil(Math.log2(Math.max(fewestIds, expected + 1)));
  /** Each id once. */
  let ids = Buffer.allocUnsafe(room * idBytes);
  let count = 0;
  /** A hash table: in the slot that an id starts with, or in the next free one behind it, its place among them, from 1 on. */
  let slots = new Uint32Array(2 * room);
  /** All of them, once somebody has chosen ids that start alike. */
  let texts: Set<string> | undefined;
  const grow = (): void => {
    ids = Buffer.concat([ids, Buffer.allocUnsafe(ids.length)]);
    slots = new Uint32Array(2 * slots.length);
    for (let place = 0; place < count; place += 1) slots[slotOf(ids, place * idBytes)] = place + 1;
  };
  /** The slot of an id, or the free one where it belongs; -1 where that is too far away. */
  const slotOf = (bytes: Buffer, at: number): number => {
    const mask = slots.length - 1;
    const first = bytes.readUInt32LE(at);
    for (let row = 0; row < longestRow; row += 1) {
      const slot = (first + row) & mask;
      const place = slots[slot] ?? 0;
      if (place === 0 || isSame(bytes, at, ids, (place - 1) * idBytes)) return slot;
    }
    return -1;
  };
  return {
    add: (bytes, at) => {
      const slot = texts === undefined ? slotOf(bytes, at) : -1;
      if (slot < 0) {
        texts ??= new Set(Array.from({ length: count }, (_none, place) => textOf(ids, place * idBytes)));
        texts.add(textOf(bytes, at));
        return;
      }
      if (slots[slot] !== 0) return;
      for (let i = 0; i < idBytes; i += 1) ids[count * idBytes + i] = bytes[at + i] ?? 0;
      count += 1;
      slots[slot] = count;
      if (count * idBytes === ids.length) grow();
    },
    different: () => texts?.size ?? count,
  };
}

function textOf(bytes: Buffer, at: number): string {
  return bytes.toString('hex', at, at + idBytes);
}

function isSame(left: Buffer, at: number, right: Buffer, place: number): boolean {
  for (let i = 0; i < idBytes; i += 1) if (left[at + i] !== right[place + i]) return false;
  return true;
}
