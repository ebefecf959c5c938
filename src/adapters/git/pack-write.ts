/** Writes a pack of whole objects: a push of ours has a handful, so deltas would save nothing. */

import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { GitObject, ObjectType } from './objects.ts';

const codes = { commit: 1, tree: 2, blob: 3, tag: 4 } satisfies Record<ObjectType, number>;

/** A pack of version 2 with these objects and its checksum. */
export function encodePack(objects: Iterable<GitObject>): Buffer {
  const entries = [...objects];
  const head = Buffer.alloc(12);
  head.write('PACK', 'latin1');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(entries.length, 8);
  const parts = [head, ...entries.flatMap((object) => [entryHead(object), deflateSync(object.bytes)])];
  const hash = createHash('sha1');
  for (const part of parts) hash.update(part);
  return Buffer.concat([...parts, hash.digest()]);
}

function entryHead(object: GitObject): Buffer {
  const bytes: number[] = [];
  let rest = object.bytes.length;
  let byte = (codes[object.type] << 4) | (rest & 15);
  rest = Math.floor(rest / 16);
  while (rest > 0) {
    bytes.push(byte | 0x80);
    byte = rest & 0x7f;
    rest = Math.floor(rest / 128);
  }
  bytes.push(byte);
  return Buffer.from(bytes);
}
