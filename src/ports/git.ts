/**
 * The port to Git: read some paths at a commit, and move branches in one compare-and-swap.
 * Absent on purpose: a worktree, an index, merges, rebases, force.
 */

import type { Instant } from '../api/time.ts';

/** 40 hex characters. */
export type Oid = string;

/** Which files a pass needs. The cost of a read follows this, not the size of the repository. */
export type ReadRequest = {
  /** Files or folders from the root, without leading or trailing slash; `['']` is the whole tree. */
  readonly paths: readonly string[];
  /** File names are only of interest when they end with one of these, as `.yaml`; empty: all. */
  readonly suffixes: readonly string[];
  /** The text of a file is only kept when it contains one of these; empty: always. */
  readonly markers: readonly string[];
  /** The same commit is going to be read for these as well, behind `markers`: what holds one is kept at hand for that. */
  readonly soon?: readonly string[];
  /** Files of these names keep their text without a marker. */
  readonly names?: readonly string[];
  /** Which files there are, and nothing of what is in them: all of them are `skipped`. */
  readonly pathsAlone?: true;
};

/** A file without a marker: nothing is kept of it. */
export type SkippedFile = {
  readonly path: string;
  readonly oid: Oid;
  /**
   * Only regular files are read. Links and submodules are never followed, and listed only where the request names that
   * very path: who asked for it must not take it for missing.
   */
  readonly mode: '100644' | '100755';
};

export type TreeFile = SkippedFile & {
  /**
   * The text with its byte order mark and line ends as they are.
   * `unreadable`: a file over the size limit (`large`), a folder that is not gone into (`folder`), no file of its own (`link`), one
   * whose name no manifest has (`name`), or not UTF-8 and the like; such a file must never be written.
   * `legible` is what of its bytes is text: never to be acted on, only to tell what the file may hold.
   */
  readonly content:
    | { readonly kind: 'text'; readonly text: string }
    | {
        readonly kind: 'unreadable';
        readonly cause: 'large' | 'folder' | 'link' | 'name' | 'garbled';
        readonly why: string;
        readonly legible?: string;
      };
};

/** Ids of trees by their depth, that of the root first. */
export type Folders = readonly (readonly Oid[])[];

/**
 * Which files of a commit have a marker, said by somebody who has read all of them: of the next one, only what has changed
 * needs to be read.
 */
export type Marked = {
  readonly commit: Oid;
  /** What was looked for, and how: of anything else this says nothing. */
  readonly sought: string;
  /** Every file with a marker, whatever its name. */
  readonly blobs: readonly Oid[];
  /** Every file that is too large to be looked into. */
  readonly large: readonly Oid[];
  /**
   * When every file was read last: this builds on what was said then, and a fault in it lives as long. undefined: they were
   * read for this.
   */
  readonly readAt: Instant | undefined;
};

/**
 * What a pass is likely to read, so that it can be asked for at once. A hint: it may be wrong or out of date, and all
 * that comes of it are objects by their ids.
 */
export type Expected = {
  /** Its trees, and the first-parent line to `since`; undefined: it is going to be read whole. */
  readonly head: Oid | undefined;
  /** A commit, for itself; its trees are among `folders`, or were read before. */
  readonly since: Oid;
  /** Commits, for themselves alone. */
  readonly commits: readonly Oid[];
  /** For themselves alone. */
  readonly folders: Folders;
  /**
   * Unlike the rest this is believed: a file that has neither changed since nor is named here is not read. Only from
   * somebody who can tell that it is as it was written.
   */
  readonly marked?: Marked | undefined;
  /** Asked before `marked` is believed, when what it names has been asked for; not there: it is. */
  readonly isBelieved?: () => Promise<boolean>;
  /** True: a push is likely to follow. */
  readonly writes: boolean;
};

export type Tree = {
  readonly commit: Oid;
  /** The folders that were read on the way. */
  readonly folders: Folders;
  /** But for those without a marker; sorted by path. A path of the request that does not exist adds nothing. */
  readonly files: readonly TreeFile[];
  /** Those, sorted by path: of a whole tree nearly all, so they are listed only where somebody asks, and once. */
  readonly skipped: () => readonly SkippedFile[];
  /** Where everything was read, and there are not too many: for the next process. */
  readonly marked?: Marked | undefined;
  /** What of the request was not read. Not there: nothing, or nobody has looked. */
  readonly gaps?: Gaps;
};

/** What who asks for paths may take for read. */
export type Gaps = {
  /** Paths of the request that are not there; `beside` are names in `folder`, the last one on the way that is. */
  readonly absent: readonly { readonly path: string; readonly folder: string; readonly beside: readonly string[] }[];
  /**
   * Links and submodules below a path of the request, sorted. Where the whole tree is asked for, submodules alone: what a
   * link leads to is read in its own place then.
   */
  readonly passedOver: readonly string[];
};

export type Signature = {
  readonly name: string;
  readonly email: string;
  /** Seconds since the epoch; written with the zone +0000. */
  readonly atSeconds: number;
};

export type Identity = Pick<Signature, 'name' | 'email'>;

/** The text of a signature, and the bytes that it is about: the commit without it. */
export type CommitSignature = { readonly armor: string; readonly payload: Uint8Array };

export type CommitHeader = {
  readonly oid: Oid;
  readonly parents: readonly Oid[];
  readonly author: Signature;
  /** The date of the committer: when it came to be as it is, also where somebody else had written it long before. Seconds. */
  readonly committedAt: Instant;
  readonly message: string;
  /** Not there: it carries none. */
  readonly signed?: CommitSignature;
};

export type FileWrite = {
  readonly path: string;
  /** The whole new text; undefined deletes the file. An existing file keeps its mode, a new one gets 100644. */
  readonly text: string | undefined;
};

/** Byte for byte determined by its fields and its parent, so that a repeated write has the same oid. */
export type NewCommit = {
  readonly writes: readonly FileWrite[];
  readonly message: string;
  /** The committer, and the author where no other one is named. */
  readonly signature: Signature;
  /** Who is to stand as the author, at the time of `signature`. Not there: the committer. */
  readonly author?: Identity | undefined;
};

/** A branch that is made, or goes on. */
export type BranchGrowth = {
  /** Short name; always sent fully qualified below refs/heads/. */
  readonly branch: string;
  /** The commit the branch must still be at; undefined: it must not exist. */
  readonly expectedOld: Oid | undefined;
  /**
   * The commit that the chain grows from: as a rule `expectedOld`, for a new branch any commit that is there.
   * undefined: nothing, so that the first commit has no parent and an empty tree to start from.
   */
  readonly base: Oid | undefined;
  /** The chain on top of `base`, oldest first; at least one. */
  readonly commits: readonly NewCommit[];
};

/** A branch that goes away: never without the commit it must still be at. One that is gone already is as wanted. */
type BranchDeletion = { readonly branch: string; readonly expectedOld: Oid; readonly isDeleted: true };

export type BranchUpdate = BranchGrowth | BranchDeletion;

/** Whether this update takes its branch away. */
export function isDeletion(update: BranchUpdate): update is BranchDeletion {
  return 'isDeleted' in update;
}

export type PushResult =
  /**
   * All branches moved together; `heads[i]` is the new head of `updates[i]`, undefined where it is deleted, and
   * `commits[i]` the oids of its chain.
   */
  | {
      readonly kind: 'pushed';
      readonly heads: readonly (Oid | undefined)[];
      readonly commits: readonly (readonly Oid[])[];
    }
  /** Somebody else moved one of them first; nothing was written. */
  | { readonly kind: 'moved' }
  | Refused;

/** No, and trying again would not help; nothing was written. */
export type Refused = {
  readonly kind: 'refused';
  readonly branch: string;
  /** What was said, cleaned and capped: the text of a hook or a protection rule, or why it cannot be. */
  readonly rule: string;
  /** The way out where the repository itself is in the way; undefined: anyone who made the rule has to allow the push. */
  readonly advice: string | undefined;
};

export interface Git {
  /** A pass starts, and with it what holds for one pass only: the time it may take, and redirects that are followed. */
  begin(): void;
  /**
   * The heads of these branches, undefined for one that does not exist. One ls-refs, nothing else. A full name of a ref
   * (`refs/pull/1/merge`) may stand for a branch here, and nowhere else: others are read, never moved.
   */
  heads(branches: readonly string[]): Promise<readonly (Oid | undefined)[]>;
  /** Says what is going to be read: it may be fetched ahead, all in one round. Fails never; not even where it is wrong. */
  expect(expected: Expected): void;
  /** The files of `request` as they are in `commit`. Throws PortError; never an incomplete answer. */
  readAt(commit: Oid, request: ReadRequest): Promise<Tree>;
  /**
   * The paths of all files, links and submodules that are not the same at two commits, by id and mode, sorted; nothing is read
   * of them. Undefined where that cannot be said: a folder lists a name twice, or there are more than may be compared.
   */
  differences(before: Oid, after: Oid): Promise<readonly string[] | undefined>;
  /**
   * The first-parent line from `from` backwards, newest first, commits only: at most `limit` of them,
   * ending with `until` where that is found.
   */
  history(from: Oid, until: Oid | undefined, limit: number): Promise<readonly CommitHeader[]>;
  /**
   * Moves all branches or none. A reply that was lost is settled by reading the branches again: equal to
   * what was sent counts as pushed. Throws PortError where nothing is known to have been written.
   */
  push(updates: readonly BranchUpdate[]): Promise<PushResult>;
  /** Why this branch is never moved here, as one that is checked out; undefined: as far as is known it is. */
  heldFast(branch: string): Promise<Omit<Refused, 'kind'> | undefined>;
}
