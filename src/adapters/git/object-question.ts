/**
 * How the pure parts ask for objects: a generator yields a batch it needs and is resumed with a look-up.
 * The same walk so runs over HTTP (one request a batch), on a disk, and in memory.
 */

import type { Marked, Oid } from '../../ports/git.ts';
import type { GitObject, ObjectType } from './objects.ts';

export type Batch = {
  readonly type: ObjectType;
  readonly oids: readonly Oid[];
  /** Next to `oids`: these are wanted whatever is in them. */
  readonly named?: readonly Oid[];
};

/** `skipped`: read, had no marker, and was released. `large`: left out because of its size. */
export type FoundObject = GitObject | { readonly type: 'skipped' } | { readonly type: 'large' };

/** Answers for every object of the batch; the one who drives throws where an object cannot be had. */
export type Lookup = (oid: Oid) => FoundObject;

/** A commit whose blobs were all sent, and those without a marker released unnamed; or of which is known which have one. */
export type SentWhole = {
  /** How many different ones came; undefined: each without a marker is known to have none. */
  readonly blobs: number | undefined;
  /** Those that were kept. Some may be of another commit. */
  readonly kept: ReadonlySet<Oid>;
  /** When all of an earlier commit was read that this builds on; undefined: this one was sent. */
  readonly readAt: Marked['readAt'];
  /** Lists which were released, and about how many; only once somebody asks. */
  readonly letGo: (oids: () => readonly Oid[], about: number) => void;
};

export type ObjectQuestion<T> = Generator<Batch, T, Lookup>;

/** Runs a question where objects are at hand at once. */
export function answerNow<T>(question: ObjectQuestion<T>, lookup: (batch: Batch) => Lookup): T {
  let step = question.next();
  while (step.done !== true) step = question.next(lookup(step.value));
  return step.value;
}

/** Runs a question where every batch may take a request. */
export async function answerLater<T>(
  question: ObjectQuestion<T>,
  lookup: (batch: Batch) => Promise<Lookup>,
): Promise<T> {
  let step = question.next();
  while (step.done !== true) step = question.next(await lookup(step.value));
  return step.value;
}
