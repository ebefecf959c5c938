/** Inflates one object out of the middle of a buffer and tells how many bytes it took. */

import { inflateSync } from 'node:zlib';

/** The bytes are not what they claim to be; the message says what was seen. */
export class PackError extends Error {}

/** They are more than we take; trying again does not help. */
export class TooLarge extends PackError {}

export type Inflated = { readonly bytes: Buffer; readonly used: number };

const slack = 64;

/** More bytes than deflate ever needs for `size` bytes, so that a look of this length always holds the whole stream. */
export function deflateBound(size: number): number {
  return size + (size >>> 8) + slack;
}

/** Inflates exactly `size` bytes starting at `at`. Throws PackError, also where the stream has more or less. */
export function inflateAt(buffer: Buffer, at: number, size: number): Inflated {
  const input = buffer.subarray(at, Math.min(buffer.length, at + deflateBound(size)));
  let result: unknown;
  try {
    result = inflateSync(input, {
      info: true,
      maxOutputLength: Math.max(1, size),
      chunkSize: Math.max(slack, size + 1),
    });
  } catch (error) {
    throw new PackError(
      `an object of ${size} bytes cannot be inflated: ${error instanceof Error ? error.message : ''}`,
    );
  }
  if (!isInflated(result)) throw new PackError('zlib answered without its byte count');
  if (result.buffer.length !== size) {
    throw new PackError(`an object says it has ${size} bytes and inflates to ${result.buffer.length}`);
  }
  return { bytes: result.buffer, used: result.engine.bytesWritten };
}

/** What `info: true` answers; not in the types of Node 20. */
type WithEngine = { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };

function isInflated(value: unknown): value is WithEngine {
  return (
    typeof value === 'object' &&
    value !== null &&
    'buffer' in value &&
    Buffer.isBuffer(value.buffer) &&
    'engine' in value &&
    typeof value.engine === 'object' &&
    value.engine !== null &&
    'bytesWritten' in value.engine
  );
}
