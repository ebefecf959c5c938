/**
 * Reads a pack while it arrives: every object is inflated, put together from its deltas, named by its SHA-1 and
 * handed out. What the taker does not keep is dropped again; only the compressed bytes stay until the end.
 */

import { createHash } from 'node:crypto';
import { applyDelta } from './delta.ts';
import { deflateBound, inflateAt, PackError, TooLarge } from './inflate.ts';
import type { GitLimits } from './limits.ts';
import { type GitObject, oidOf } from './objects.ts';
import { longestHead, type PackEntry, readPackEntry } from './pack-entry.ts';

export type PackReader = {
  /** Throws PackError. */
  push(chunk: Buffer): void;
  /** Checks that everything came, and the trailer. Throws PackError. */
  finish(): void;
};

type Pending = { readonly at: number; readonly base: string; readonly delta: Buffer };

const headBytes = 12;
const trailerBytes = 20;
const firstCapacity = 64 * 1024;
/** Deltas follow their base closely, so a small memory of bases saves nearly all second inflating. */
const basesBytes = 4 * 1024 * 1024;
const longestChain = 4096;
const mostPending = 10_000;

/** `onObject` gets every object of the pack once, in no promised order. */
export function createPackReader(limits: GitLimits, onObject: (oid: string, object: GitObject) => void): PackReader {
  const state = createState(limits, onObject);
  return {
    push: (chunk) => {
      append(state, chunk);
      readEntries(state, false);
    },
    finish: () => {
      if (state.filled < headBytes + trailerBytes) throw new PackError(`the pack ends after ${state.filled} bytes`);
      readEntries(state, true);
      if (state.done !== state.count) throw new PackError(`the pack has ${state.done} of ${state.count} objects`);
      const end = state.filled - trailerBytes;
      if (state.at !== end) throw new PackError(`the pack has ${end - state.at} bytes too many`);
      const sum = createHash('sha1').update(state.buffer.subarray(0, end)).digest();
      if (!sum.equals(state.buffer.subarray(end, state.filled))) throw new PackError('the pack has a wrong checksum');
      resolvePending(state);
      // A kept connection may hold on to its last reader; it must not hold on to the pack as well.
      state.buffer = Buffer.alloc(0);
      state.bases.clear();
      state.offsets.clear();
    },
  };
}

function createState(limits: GitLimits, onObject: (oid: string, object: GitObject) => void) {
  return {
    limits,
    onObject,
    buffer: Buffer.allocUnsafe(firstCapacity),
    filled: 0,
    /** The next entry to read. */
    at: headBytes,
    count: -1,
    done: 0,
    inflated: 0,
    bases: new Map<number, GitObject>(),
    basesHeld: 0,
    offsets: new Map<string, number>(),
    pending: noPending(),
  };
}
type State = ReturnType<typeof createState>;

function noPending(): Pending[] {
  return [];
}

/* oxlint-disable no-param-reassign -- the state of one reader, passed around instead of a class */

function append(state: State, chunk: Buffer): void {
  const needed = state.filled + chunk.length;
  if (needed > state.limits.packBytes)
    throw new TooLarge(`the pack is over the limit of ${state.limits.packBytes} bytes`);
  if (needed > state.buffer.length) {
    const larger = Buffer.allocUnsafe(Math.max(needed, state.buffer.length * 2));
    state.buffer.copy(larger, 0, 0, state.filled);
    state.buffer = larger;
  }
  chunk.copy(state.buffer, state.filled);
  state.filled = needed;
}

function readEntries(state: State, isAll: boolean): void {
  if (state.count < 0) {
    if (state.filled < headBytes) return;
    state.count = readHead(state);
  }
  while (state.done < state.count) {
    const end = isAll ? state.filled - trailerBytes : state.filled;
    if (!isAll && end - state.at < longestHead) return;
    const entry = readPackEntry(state.buffer, state.at, end);
    if (entry.size > state.limits.objectBytes) {
      throw new TooLarge(`an object of ${entry.size} bytes is over the limit of ${state.limits.objectBytes}`);
    }
    // An object is only tried once it must be there whole, so that none is inflated twice.
    if (!isAll && end - entry.dataAt < deflateBound(entry.size)) return;
    takeEntry(state, entry);
  }
}

function readHead(state: State): number {
  const { buffer, limits } = state;
  if (buffer.toString('latin1', 0, 4) !== 'PACK') throw new PackError('the pack does not begin with PACK');
  const version = buffer.readUInt32BE(4);
  if (version !== 2 && version !== 3) throw new PackError(`the pack has version ${version}, wanted 2`);
  const count = buffer.readUInt32BE(8);
  if (count > limits.packObjects)
    throw new TooLarge(`the pack has ${count} objects, the limit is ${limits.packObjects}`);
  return count;
}

function takeEntry(state: State, entry: PackEntry): void {
  const at = state.at;
  const { bytes, used } = inflateAt(state.buffer.subarray(0, state.filled), entry.dataAt, entry.size);
  countInflated(state, bytes.length);
  state.at = entry.dataAt + used;
  state.done += 1;
  if (entry.is.kind === 'whole') take(state, at, { type: entry.is.type, bytes });
  else if (entry.is.kind === 'onOid') takeDelta(state, { at, base: entry.is.base, delta: bytes });
  else {
    const base = objectAt(state, entry.is.baseAt);
    // Its base waits for a base of its own, which comes later in the pack.
    if (base === undefined) wait(state, { at, base: `@${entry.is.baseAt}`, delta: bytes });
    else take(state, at, patch(state, base, bytes));
  }
}

function takeDelta(state: State, pending: Pending): void {
  const baseAt = state.offsets.get(pending.base);
  const base = baseAt === undefined ? undefined : objectAt(state, baseAt);
  if (base === undefined) wait(state, pending);
  else take(state, pending.at, patch(state, base, pending.delta));
}

function wait(state: State, pending: Pending): void {
  // Git puts a base before its deltas; whoever sends thousands the other way round wants to keep us busy.
  if (state.pending.length >= mostPending)
    throw new PackError(`more than ${mostPending} deltas come before their base`);
  state.pending.push(pending);
}

/** Deltas whose base came after them; each round must settle at least one. */
function resolvePending(state: State): void {
  while (state.pending.length > 0) {
    const waiting = state.pending;
    state.pending = noPending();
    for (const one of waiting) {
      const base = one.base.startsWith('@') ? objectAt(state, Number(one.base.slice(1))) : undefined;
      if (base !== undefined) take(state, one.at, patch(state, base, one.delta));
      else takeDelta(state, one);
    }
    if (state.pending.length === waiting.length) {
      throw new PackError(`${waiting.length} objects build on objects that are not in the pack`);
    }
  }
}

function patch(state: State, base: GitObject, delta: Buffer): GitObject {
  const bytes = applyDelta(base.bytes, delta, state.limits.objectBytes);
  countInflated(state, bytes.length);
  return { type: base.type, bytes };
}

function take(state: State, at: number, object: GitObject): void {
  const oid = oidOf(object);
  state.offsets.set(oid, at);
  remember(state, at, object);
  state.onObject(oid, object);
}

function remember(state: State, at: number, object: GitObject): void {
  state.bases.set(at, object);
  state.basesHeld += object.bytes.length;
  for (const [oldest, old] of state.bases) {
    if (state.basesHeld <= basesBytes || oldest === at) return;
    state.bases.delete(oldest);
    state.basesHeld -= old.bytes.length;
  }
}

/** An object read before, from memory or once more from its bytes; undefined where its own base is still missing. */
function objectAt(state: State, at: number): GitObject | undefined {
  const deltas: Buffer[] = [];
  let place = at;
  let object = state.bases.get(place);
  while (object === undefined) {
    if (deltas.length > longestChain) throw new PackError(`a chain of deltas is longer than ${longestChain}`);
    const entry = readPackEntry(state.buffer, place, state.at);
    const { bytes } = inflateAt(state.buffer.subarray(0, state.at), entry.dataAt, entry.size);
    countInflated(state, bytes.length);
    if (entry.is.kind === 'whole') object = { type: entry.is.type, bytes };
    else {
      deltas.push(bytes);
      const next = entry.is.kind === 'onOffset' ? entry.is.baseAt : state.offsets.get(entry.is.base);
      if (next === undefined) return undefined;
      place = next;
      object = state.bases.get(place);
    }
  }
  for (const delta of deltas.reverse()) object = patch(state, object, delta);
  if (deltas.length > 0) remember(state, at, object);
  return object;
}

function countInflated(state: State, bytes: number): void {
  state.inflated += bytes;
  if (state.inflated > state.limits.inflatedBytes) {
    throw new TooLarge(`the objects of the pack inflate to more than ${state.limits.inflatedBytes} bytes`);
  }
}
