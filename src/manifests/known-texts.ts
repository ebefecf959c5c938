/** Remembers how the texts of documents read: what a pass or a trial meets again, it does not parse again. */

import type { Json } from '../api/json.ts';
import type { Fault } from './build-tree.ts';
import { MAX_KNOWN_CHARACTERS } from './limits.ts';
import type { AmbiguousPlace } from './resolve-tree.ts';
import type { SourceNode } from './source-tree.ts';

/** What one text means, wherever in a file it stands: every place in it is an offset. */
export type ReadText = {
  readonly kind: 'read';
  readonly root: SourceNode;
  readonly value: Json;
  readonly ambiguous: readonly AmbiguousPlace[];
  /** Keys that are there twice. */
  readonly twice: readonly Fault[];
  /** Offsets at which its lines start. */
  readonly starts: readonly number[];
  /** Tokens and values, counted when it was read. */
  readonly work: number;
};

/** Why one text cannot be trusted, in the order in which it is reported; few. */
export type WrongText = {
  readonly kind: 'wrong';
  readonly faults: readonly Fault[];
  readonly starts: readonly number[];
  readonly work: number;
};

/** Owned by the caller; losing it costs time only. */
export type KnownTexts = {
  readonly get: (text: string) => ReadText | WrongText | undefined;
  readonly set: (text: string, read: ReadText | WrongText) => void;
};

/** Knows nothing yet, and keeps up to `most` characters of text: of two halves the older is dropped. */
export function newKnownTexts(most = MAX_KNOWN_CHARACTERS): KnownTexts {
  let recent = new Map<string, ReadText | WrongText>();
  let older: typeof recent = new Map();
  let characters = 0;
  const set = (text: string, read: ReadText | WrongText): void => {
    if (characters + text.length > most / 2) {
      older = recent;
      recent = new Map();
      characters = 0;
    }
    recent.set(text, read);
    characters += text.length;
  };
  const get = (text: string): ReadText | WrongText | undefined => {
    const there = recent.get(text);
    if (there !== undefined) return there;
    const before = older.get(text);
    if (before !== undefined) set(text, before);
    return before;
  };
  return { get, set };
}
