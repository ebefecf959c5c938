/**
 * Inflates many small objects one after another into one scratch buffer. zlib.inflateSync makes a stream for each,
 * which costs more than the inflating; this keeps one. It does so through what Node's own zlib module calls inside
 * (as minizlib, and so npm, does); where that is missing or behaves differently, inflateSync is used instead.
 */

import { constants, createInflate, deflateSync } from 'node:zlib';
import { deflateBound, type Inflated, inflateAt, PackError } from './inflate.ts';

type Inflater = {
  /** Inflates exactly `size` bytes at `at`. The bytes are only valid until the next call. Throws PackError. */
  readonly inflate: (input: Buffer, at: number, size: number) => Inflated;
  readonly close: () => void;
};

/** The way that works on every Node, and the better one for few objects. */
export const plainInflater: Inflater = { inflate: inflateAt, close: () => undefined };

/** The fast way where this Node offers it, else the plain one. What fits into `scratch` is inflated there. */
export function createInflater(scratch: Buffer): Inflater {
  const fast = createFastInflater(scratch);
  return fast !== undefined && worksOn(fast) ? fast : plainInflater;
}

/** What `createInflate()` has inside. */
type Internals = {
  readonly _handle: {
    readonly writeSync: (...numbersAndBuffers: readonly (number | Buffer)[]) => void;
    readonly reset: () => void;
    onerror: (message: string) => void;
  };
  /** What is left of the output and of the input after a write. */
  readonly _writeState: Uint32Array;
};

function hasInternals(stream: unknown): stream is Internals {
  if (typeof stream !== 'object' || stream === null || !('_handle' in stream) || !('_writeState' in stream))
    return false;
  const { _handle: handle, _writeState: state } = stream;
  return (
    state instanceof Uint32Array &&
    typeof handle === 'object' &&
    handle !== null &&
    'writeSync' in handle &&
    typeof handle.writeSync === 'function' &&
    'reset' in handle &&
    typeof handle.reset === 'function' &&
    'onerror' in handle
  );
}

const firstScratchBytes = 64 * 1024;
/** Room beyond the object: zlib's fast loop runs only while its longest match fits, so that small objects never saw it. */
const spareBytes = 320;

function createFastInflater(firstScratch: Buffer): Inflater | undefined {
  const stream = createInflate();
  if (!hasInternals(stream)) return undefined;
  const { _handle: handle, _writeState: state } = stream;
  const last = { failure: '' };
  let scratch = firstScratch;
  // A callback of the binding, not an event: there is no addEventListener.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  handle.onerror = (message) => {
    last.failure = message === '' ? 'zlib failed' : message;
  };
  return {
    inflate: (input, at, size) => {
      const room = size + spareBytes;
      if (scratch.length < room) scratch = Buffer.allocUnsafe(Math.max(room, scratch.length * 2));
      const available = Math.min(input.length - at, deflateBound(size));
      last.failure = '';
      handle.reset();
      handle.writeSync(constants.Z_FINISH, input, at, available, scratch, 0, room);
      const [spare = 0, unread = 0] = state;
      if (last.failure !== '') throw new PackError(`an object of ${size} bytes cannot be inflated: ${last.failure}`);
      // Where other than all of the spare is left, the object lied about its size.
      if (spare !== spareBytes)
        throw new PackError(`an object says it has ${size} bytes and inflates to ${room - spare}`);
      return { bytes: scratch.subarray(0, size), used: available - unread };
    },
    close: () => stream.close(),
  };
}

export type Flow = {
  /**
   * Inflates what it can of the input and hands it out; the bytes are only valid during the call. `isOver` is told
   * once bytes came that do not belong to the stream any more. Throws PackError.
   */
  readonly push: (
    piece: { readonly input: Buffer; readonly from: number; readonly to: number },
    take: (bytes: Buffer) => void,
  ) => { readonly used: number; readonly isOver: boolean };
  readonly close: () => void;
};

/** Inflates one stream of any length piece by piece; undefined where this Node does not offer it without waiting. */
export function createFlow(): Flow | undefined {
  const stream = createInflate();
  if (!hasInternals(stream)) return undefined;
  const { _handle: handle, _writeState: state } = stream;
  const last = { failure: '' };
  const scratch = Buffer.allocUnsafe(firstScratchBytes);
  // A callback of the binding, not an event: there is no addEventListener.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  handle.onerror = (message) => {
    last.failure = message === '' ? 'zlib failed' : message;
  };
  return {
    push: ({ input, from, to }, take) => {
      let at = from;
      while (at < to) {
        handle.writeSync(constants.Z_SYNC_FLUSH, input, at, to - at, scratch, 0, scratch.length);
        const [spare = 0, unread = 0] = state;
        if (last.failure !== '') throw new PackError(`an object cannot be inflated: ${last.failure}`);
        take(scratch.subarray(0, scratch.length - spare));
        at = to - unread;
        // Room is left and input too: the stream ended before it.
        if (spare > 0 && unread > 0) return { used: at - from, isOver: true };
      }
      return { used: at - from, isOver: false };
    },
    close: () => stream.close(),
  };
}

/** A good stream must come out right, and bad ones must be noticed, on this very Node. */
function worksOn(inflater: Inflater): boolean {
  const text = Buffer.from('tranche tranche tranche');
  const good = Buffer.concat([deflateSync(text), Buffer.from('rest')]);
  const notices = (input: Buffer, size: number): boolean => {
    try {
      inflater.inflate(input, 0, size);
      return false;
    } catch (error) {
      return error instanceof PackError;
    }
  };
  try {
    const { bytes, used } = inflater.inflate(good, 0, text.length);
    const isRight = bytes.equals(text) && used === good.length - 'rest'.length;
    const cut = good.subarray(0, used - 2);
    const spoiled = Buffer.from(good.subarray(0, used)).fill(0xff, 3, 6);
    return (
      isRight &&
      notices(good, text.length - 1) &&
      notices(good, text.length + 1) &&
      notices(cut, text.length) &&
      notices(spoiled, text.length) &&
      inflater.inflate(good, 0, text.length).bytes.equals(text)
    );
  } catch {
    return false;
  }
}
