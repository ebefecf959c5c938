/** Counts how many different ids there are among many: exactly, and without a text or an object for each. */

const idBytes = 20;
/** Above this a place no longer fits beside four bytes of an id into a number. */
const mostPlaces = 2 ** 21;

export type IdCount = {
  /** Notes the id at a place in these bytes. */
  readonly add: (bytes: Buffer, at: number) => void;
  readonly different: () => number;
};

/** Counts none so far. */
export function createIdCount(): IdCount {
  let ids = Buffer.allocUnsafe(1000 * idBytes);
  let filled = 0;
  return {
    add: (bytes, at) => {
      if (filled === ids.length) ids = Buffer.concat([ids, Buffer.allocUnsafe(ids.length)]);
      for (let i = 0; i < idBytes; i += 1) ids[filled + i] = bytes[at + i] ?? 0;
      filled += idBytes;
    },
    different: () => countDifferent(ids.subarray(0, filled)),
  };
}

/**
 * Sorted by their first four bytes, each with its place behind them in one number; only those that have these in common
 * are compared whole.
 */
function countDifferent(ids: Buffer): number {
  const count = ids.length / idBytes;
  if (count > mostPlaces)
    return countWhole(
      ids,
      Array.from({ length: count }, (_none, place) => place),
    );
  const sorted = new Float64Array(count);
  for (let place = 0; place < count; place += 1) sorted[place] = ids.readUInt32BE(place * idBytes) * mostPlaces + place;
  sorted.sort();
  let different = 0;
  for (let from = 0, to = 0; from < count; from = to) {
    const head = headOf(sorted, from);
    for (to = from + 1; to < count && headOf(sorted, to) === head; ) to += 1;
    different += to - from === 1 ? 1 : countWhole(ids, Array.from(sorted.subarray(from, to), placeIn));
  }
  return different;
}

function headOf(sorted: Float64Array, at: number): number {
  return Math.floor((sorted[at] ?? 0) / mostPlaces);
}

function placeIn(number: number): number {
  return number % mostPlaces;
}

function countWhole(ids: Buffer, places: readonly number[]): number {
  return new Set(places.map((place) => ids.toString('hex', place * idBytes, (place + 1) * idBytes))).size;
}
