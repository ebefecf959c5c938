/**
 * The port to a forge: our pull requests, what people and machines say of them, and the rules they are merged by.
 * Absent on purpose: merging, reviewing, and any way to move or delete a branch, which belongs to Git.
 */

import type { Known } from '../api/known.ts';
import type { Instant } from '../api/time.ts';
import type { BranchRules, RulesetChecks } from './forge-rules.ts';
import type { Oid } from './git.ts';

/** Who did something. `isBot`: the forge itself marks the account as an App or a machine, whatever its name is. */
export type Actor = { readonly login: string; readonly isBot: boolean };

/** Who we are. `app`: the number of the App, as rules name it; `absent` for an account that is none. */
export type Self = Actor & { readonly app: Known<number> };

/** What has become of a pull request. `by` is undefined where the forge names nobody (a deleted account, a push). */
export type PullState =
  | { readonly kind: 'open'; readonly isDraft: boolean }
  /** `commit` is what the forge says was made of it on its base: a hint, for only the base itself proves a merge. */
  | {
      readonly kind: 'merged';
      readonly at: Instant;
      readonly commit: Oid | undefined;
      readonly by: Actor | undefined;
    }
  | { readonly kind: 'closed'; readonly at: Instant; readonly by: Actor | undefined };

export type Pull = {
  readonly number: number;
  /** Its page, for people. */
  readonly url: string;
  readonly title: string;
  /** SHA-256 in hex of the body, with LF for line ends. The body itself is never given: nothing is read back from one. */
  readonly bodyDigest: string;
  /** Short name of the branch that it proposes. It may be gone by now. */
  readonly branch: string;
  /** What the branch held last, as far as the forge has noticed. */
  readonly head: Oid;
  /** False: the branch is in a fork, so it is none of ours whatever it is called. */
  readonly isSameRepository: boolean;
  /** Short name of the branch that it wants to change. */
  readonly base: string;
  readonly state: PullState;
  readonly author: Actor;
  readonly createdAt: Instant;
};

export type PullQuery = {
  /** Open pull requests whose branches start with this, as `tranche/prod-eu/`: all of them, never a part. undefined: none. */
  readonly prefix: string | undefined;
  /** And these, whatever their state: of those that are no longer open the answer says who ended them. */
  readonly numbers: readonly number[];
  /** And of each of these very branches the newest of ours and of each other author, whatever their state. */
  readonly branches?: readonly string[];
};

export type NewPull = {
  /** Pushed before, by us. One branch has one open pull request. */
  readonly branch: string;
  /** What the branch holds: where the forge says another commit, nothing is adopted. */
  readonly head: Oid;
  readonly base: string;
  readonly title: string;
  readonly body: string;
};

/** What a pull request is given next to its text, each once: what people have taken off again stays off. */
export type Attachments = {
  readonly number: number;
  readonly labels: readonly string[];
  /** Asked for a review: logins, and teams as `org/name`. */
  readonly reviewers: readonly string[];
};

/** Who could not be asked for a review, and what the forge said. */
export type Unasked = { readonly name: string; readonly why: string };

export type Created = {
  readonly pull: Pull;
  /** True: it was there before, ours, of the same repository, base and commit. */
  readonly isAdopted: boolean;
};

/** The newest word of each reviewer on one pull request; comments without a verdict are left out. */
export type Review = {
  readonly author: Actor;
  readonly verdict: 'approved' | 'changesRequested' | 'dismissed';
  /** The commit that was looked at: an approval of another one approves nothing. undefined: no longer known. */
  readonly oid: Oid | undefined;
  readonly at: Instant;
  /** Whether the reviewer may write to the repository, read again and not from the review. */
  readonly mayWrite: Known<boolean>;
};

/** Who had a hand in commits of the base, and what leaves that open. */
export type Makers = {
  /** Authors and co-authors, and of the pull requests that brought them who opened and who merged them. */
  readonly logins: readonly string[];
  /** For people: an author without an account, a commit that nothing shows the maker of. Empty: these are all. */
  readonly unclear: readonly string[];
};

/** What stands between a pull request and its base. Each with names where it has some: of checks. */
type WaitReason =
  | 'ReviewsMissing'
  | 'ChangesRequested'
  /** A check that is required has failed. */
  | 'CheckFailing'
  | 'CheckPending'
  /** A check is required that nobody has ever reported at this commit: often a workflow that does not start. */
  | 'CheckNeverReported'
  /** It must be brought up to date with its base first. */
  | 'Behind'
  | 'Conflict'
  | 'Draft'
  | 'InMergeQueue'
  /** The forge has not worked it out yet, or does not say what blocks. */
  | 'NotKnown';

export type MergeWait = { readonly reason: WaitReason; readonly names: readonly string[] };

export type CommitState = 'pending' | 'success' | 'failure' | 'error';

/** What one pull request waits for at this commit. */
export type Waiting = {
  readonly number: number;
  readonly head: Oid;
  /** Empty: it can be merged now. */
  readonly on: readonly MergeWait[];
  /** Of its base. */
  readonly rules: Known<RulesetChecks>;
  /** Statuses at `head` by their context, so that ours is only set where it differs. */
  readonly statuses: readonly {
    readonly context: string;
    readonly state: CommitState;
    readonly description: string;
    /** Whether a rule wants it before a merge. */
    readonly isRequired: boolean;
  }[];
};

export type NewStatus = {
  readonly oid: Oid;
  /** What a rule can require, as `tranche/gate`. */
  readonly context: string;
  readonly state: CommitState;
  /** At most 140 characters are kept. */
  readonly description: string;
  readonly url: string | undefined;
};

/** What people read next to a status: numbers, and no verdict. No rule that requires a status is met by it. */
export type NewCheck = {
  readonly oid: Oid;
  /** Never the context of a status: a rule takes either for the other. */
  readonly name: string;
  readonly title: string;
  /** Markdown, at most 65,535 characters. */
  readonly summary: string;
};

export type NewComment = {
  readonly number: number;
  /** Which comment of ours it is: the one of this key is edited, else a new one is written. `[a-z-]+` */
  readonly key: string;
  readonly body: string;
};

/** The forge asked us to wait, or our own budget of writes is used up. The call was not made, or had no effect. */
export type Deferred = {
  readonly kind: 'deferred';
  /** From when it may go on. */
  readonly until: Instant;
  readonly why: string;
};

/** Names, and what each is. `all`: every call with this credential meets it; `one`: only this pull request or commit. */
export const FORGE_REFUSALS = {
  CredentialInvalid: { reaches: 'all', is: 'the token or the key is expired, revoked or mistyped' },
  NoAccess: { reaches: 'all', is: 'there is no such repository, or the credential does not reach it' },
  PermissionMissing: { reaches: 'all', is: 'the credential lacks a permission' },
  SingleSignOn: { reaches: 'all', is: 'the organisation wants the token authorised for its single sign-on' },
  ActionsMayNotPropose: { reaches: 'all', is: 'workflows may not create pull requests in this repository' },
  RepositoryArchived: { reaches: 'all', is: 'the repository is archived, so it can only be read' },
  BranchTaken: { reaches: 'one', is: 'the branch has a pull request that is not this one' },
  BranchCrowded: { reaches: 'one', is: 'the branch has too many pull requests to know whether one was turned down' },
  BranchUnknown: { reaches: 'one', is: 'the forge does not know the branch or its base' },
  NothingToPropose: { reaches: 'one', is: 'the branch holds nothing that its base does not hold' },
  RuleInTheWay: { reaches: 'one', is: 'a rule of the repository forbids it' },
  NotAccepted: { reaches: 'one', is: 'the forge does not accept the request as it is' },
} as const satisfies Readonly<Record<string, { readonly reaches: 'all' | 'one'; readonly is: string }>>;

export type ForgeRefusal = keyof typeof FORGE_REFUSALS;

/** No, and trying again does not help until somebody changes a setting. Nothing was written. */
export type ForgeRefused = {
  readonly kind: 'refused';
  readonly refusal: ForgeRefusal;
  /** What the forge said, cleaned and capped; without credentials. */
  readonly said: string;
  /** What to change, and where. */
  readonly advice: string;
};

export type Answer<T> = { readonly kind: 'done'; readonly value: T } | ForgeRefused | Deferred;

/**
 * Each method throws PortError where the world failed, and it is not known that anything was written; asking again is
 * safe, for each looks before it writes. A write waits until a second has passed since the last one.
 */
export interface Forge {
  /** A pass starts, and with it its budget of requests, writes and time. */
  begin(): void;
  /**
   * What is asked from here on is for one of several who want something, of whom there are `parts`: it gets an equal part of what requests and time of the pass
   * are left, some of which are kept for what comes after all of them. undefined: for everybody again.
   */
  share(parts: number | undefined): void;
  /** The pull requests of the query, newest first. One request as long as the named ones are open and fit on a page. */
  pulls(query: PullQuery): Promise<Answer<readonly Pull[]>>;
  /** What each of these waits for, all in one request. A number that is not open any more is left out. */
  waiting(numbers: readonly number[]): Promise<Answer<readonly Waiting[]>>;
  /** Where the part of it is used up, the rights of those who are left are not known. */
  reviews(number: number): Promise<Answer<readonly Review[]>>;
  /** Which of these accounts are members of the team `org/name` now, invited ones apart; refused where it is not seen. */
  members(team: string, logins: readonly string[]): Promise<Answer<readonly string[]>>;
  /** Who made these commits of the base, all in one request. */
  makers(commits: readonly Oid[]): Promise<Answer<Makers>>;
  /** Who the credential acts as. For preflight, and where something is proposed. */
  self(): Promise<Answer<Self>>;
  /** What holds for this branch, or for branches of this name that do not exist yet. For preflight, not for each pass. */
  rules(branch: string): Promise<Answer<BranchRules>>;
  /** Opens a pull request, or adopts what is there: refused as BranchTaken where that is another's or holds another commit. */
  create(pull: NewPull): Promise<Answer<Created>>;
  /** Labels it and asks for reviews, as far as it never was and they never were: it says so itself, anyone who was cut off when. */
  attach(attachments: Attachments): Promise<Answer<readonly Unasked[]>>;
  /** Writes title and body where they differ. */
  update(number: number, text: { readonly title: string; readonly body: string }): Promise<Answer<void>>;
  /** Says why, then closes; nothing where it is closed or merged already. Its branch stays. */
  close(number: number, comment: NewComment['body']): Promise<Answer<void>>;
  /** Sets a commit status where it differs. */
  setStatus(status: NewStatus): Promise<Answer<void>>;
  /** Shows a check run where it differs; refused to who is no App. */
  showCheck(check: NewCheck): Promise<Answer<void>>;
  /** Writes a comment once and edits it from then on; nothing where it says this already. */
  comment(comment: NewComment): Promise<Answer<void>>;
}
