/** Passes over an object that is too large to be held: inflated piece by piece, named by its SHA-1, and released. */

import { createHash } from 'node:crypto';
import type { Oid } from '../../ports/git.ts';
import { PackError } from './inflate.ts';
import { createFlow, type Flow } from './inflater.ts';
import type { PackEntry } from './pack-entry.ts';

export type Skip = {
  /** Takes the next compressed bytes: how many of them belong to the object, and whether it is over. Throws PackError. */
  readonly push: (input: Buffer, from: number, to: number) => { readonly used: number; readonly isOver: boolean };
  /** The name of the object once it is over; undefined for a delta, which has none of its own. */
  readonly oid: () => Oid | undefined;
};

/** Starts with the bytes behind the head of `entry`; undefined where this Node cannot inflate piece by piece. */
export function createSkip(entry: PackEntry): Skip | undefined {
  const { is, size } = entry;
  const flow: Flow | undefined = createFlow();
  if (flow === undefined) return undefined;
  const hash = is.kind === 'whole' ? createHash('sha1').update(`${is.type} ${size}\0`) : undefined;
  let seen = 0;
  const take = (bytes: Buffer): void => {
    seen += bytes.length;
    if (seen > size) throw new PackError(`an object says it has ${size} bytes and inflates to more`);
    hash?.update(bytes);
  };
  return {
    push: (input, from, to) => {
      const { used, isOver } = flow.push({ input, from, to }, take);
      if (isOver) flow.close();
      if (isOver && seen !== size) throw new PackError(`an object says it has ${size} bytes and inflates to ${seen}`);
      return { used, isOver };
    },
    oid: () => hash?.digest('hex'),
  };
}
