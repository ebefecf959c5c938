/** A branch of commits that the same wish finds again, and its pull request, for a main that takes no push. */

import type { Forge } from '../../ports/forge.ts';
import type { CommitHeader, Git, NewCommit, Oid } from '../../ports/git.ts';
import { isSameOrder } from '../../rollout/commits/order-trailers.ts';
import { onlyChanges } from '../history/only-changes.ts';
import { createBranch, openPull } from './execute-proposal.ts';

export type BranchProposed = {
  readonly kind: 'proposed';
  /** What holds the commits. It may have been there before, with the same files. */
  readonly branch: string;
  /** Its page; undefined: the pull request was not opened. */
  readonly url: string | undefined;
  /** Why it was not; not there where it was, and where no forge is known. */
  readonly unopened?: string;
};

export type NotProposed = { readonly kind: 'refused'; readonly why: string };

type Wanted = {
  /** What the commits grow from: a commit of `base`. */
  readonly main: Oid;
  /** The branch that the pull request wants to change. */
  readonly base: string;
  /** Oldest first. */
  readonly steps: readonly NewCommit[];
  readonly branch: string;
  readonly title: string;
  readonly body: string;
};

/**
 * Pushes the commits to the branch, or finds them there, and opens its pull request. `moved`: somebody else changed that
 * branch in this moment. Throws PortError where Git fails; where the forge fails the answer says so.
 */
export async function proposeBranch(
  { git, forge }: { readonly git: Git; readonly forge: Forge | undefined },
  wanted: Wanted,
): Promise<BranchProposed | NotProposed | { readonly kind: 'moved' }> {
  const { branch, main, steps } = wanted;
  const made = await createBranch(git, { branch, base: main, commits: steps });
  if (made.kind === 'refused') return refusedPush(made.rule, made.advice);
  const at = made.kind === 'pushed' ? { head: made.heads[0] } : await sameAt(git, wanted);
  if (at === 'other')
    return { kind: 'refused', why: `the branch ${branch} holds something else. Delete it, then call this again` };
  return at.head === undefined ? { kind: 'moved' } : open(forge, wanted, at.head);
}

/** The answer where the push of the branch is refused. */
export function refusedPush(rule: string, advice: string | undefined): NotProposed {
  const way = advice ?? 'Push the change below to a branch of your own, and open a pull request from it';
  return { kind: 'refused', why: `the push of the branch was refused: ${rule}. ${way}` };
}

/** Commits of main that a branch made for the same wish may be behind. */
const BEHIND_MOST = 500;

/**
 * Where the branch stands, if its commits are those that are wanted, one by one, on a commit of main: anyone may push a branch
 * of that name, and what its commits say, or bring next to it, would be on main as well. No head: it is gone again.
 */
async function sameAt(
  git: Git,
  { branch, main, steps }: Wanted,
): Promise<{ readonly head: Oid | undefined } | 'other'> {
  const [head] = await git.heads([branch]);
  if (head === undefined) return { head };
  const line = (await git.history(head, undefined, steps.length + 1)).toReversed();
  const base = line[0]?.oid;
  if (base === undefined || (await git.history(main, base, BEHIND_MOST)).at(-1)?.oid !== base) return 'other';
  for (const [place, step] of steps.entries()) {
    const [before, commit] = line.slice(place, place + 2);
    if (
      before === undefined ||
      commit === undefined ||
      !(await isSameCommit(git, { step, before: before.oid, commit }))
    )
      return 'other';
  }
  return { head };
}

/** Whether a commit is this step, and nothing else, on the one before it. */
async function isSameCommit(
  git: Git,
  { step, before, commit }: { readonly step: NewCommit; readonly before: Oid; readonly commit: CommitHeader },
): Promise<boolean> {
  if (commit.parents.length !== 1 || !isSameOrder(commit.message, step.message)) return false;
  const paths = step.writes.map(({ path }) => path);
  const { files } = await git.readAt(commit.oid, { paths, suffixes: [], markers: [] });
  const there = new Map(files.map(({ path, content }) => [path, content.kind === 'text' ? content.text : '']));
  if (step.writes.some(({ path, text }) => there.get(path) !== text)) return false;
  return onlyChanges(git, { base: before, head: commit.oid, paths });
}

async function open(
  forge: Forge | undefined,
  { base, branch, title, body }: Wanted,
  head: Oid,
): Promise<BranchProposed> {
  if (forge === undefined) return { kind: 'proposed', branch, url: undefined };
  forge.begin();
  const answer = await openPull(forge, { branch, head, base, title, body });
  if (answer.kind === 'done') return { kind: 'proposed', branch, url: answer.value.url };
  const why = answer.kind === 'refused' ? `${answer.said}. ${answer.advice}` : answer.why;
  return { kind: 'proposed', branch, url: undefined, unopened: why };
}
