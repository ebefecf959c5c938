/** Files that may be added to a repository, and what people have said of them. */

import type { FirstStrategy } from './first-strategy.ts';

export type Addition = {
  readonly path: string;
  readonly text: string;
  readonly why: string;
  /** Lines that hold an example, which people replace by their own before they commit. */
  readonly examples: readonly number[];
};

/** A file that is copied as it is, unless something of its kind is there. */
export type Copied = {
  readonly path: string;
  readonly text: string;
  readonly why: string;
  /** Its examples are replaced by what is written over it, so that they may stay. */
  readonly isBase?: boolean;
};

export type Wishes = {
  /** Where Rollouts are put; no agent applies it. */
  readonly folder: string;
  /** For manifests that name none, and no agent says one. */
  readonly namespace: string | undefined;
  readonly strategy: FirstStrategy;
  /** undefined: none is wanted. */
  readonly policy: Copied | undefined;
  readonly run: readonly Copied[];
};

export type Files = {
  /** Whether something is at a path: such a file is never written. */
  readonly isThere: (path: string) => boolean;
  /** How many files the repository has, as far as they may be manifests. */
  readonly count: number;
};
