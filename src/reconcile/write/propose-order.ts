/** Proposes what someone orders: a branch with its commits, and a pull request of it, for a main that takes no push. */

import { createHash } from 'node:crypto';
import type { Forge } from '../../ports/forge.ts';
import type { CommitHeader, Git, NewCommit, Oid } from '../../ports/git.ts';
import { isSameOrder } from '../../rollout/commits/order-trailers.ts';
import { type OrderPull, orderPull } from '../../rollout/orders/order-pull.ts';
import { onlyChanges } from '../history/only-changes.ts';
import { pushRefused } from './allowed.ts';
import type { Batch } from './execute.ts';
import { createBranch, openPull } from './execute-proposal.ts';

export type OrderProposed = {
  readonly kind: 'proposed';
  /** What holds the order. It may have been there before, with the same files. */
  readonly branch: string;
  /** Its page; undefined: the pull request was not opened. */
  readonly url: string | undefined;
  /** Why it was not; not there where it was, and where no forge is known. */
  readonly unopened?: string;
};

type NotProposed = { readonly kind: 'refused'; readonly why: string };

type Of = { readonly by: string; readonly next: string | undefined };

/**
 * Pushes the commits of `batch` to a branch that the same order finds again, and opens its pull request. `moved`: somebody
 * else changed that branch in this moment. Throws PortError where Git fails; where the forge fails the answer says so.
 */
export async function proposeOrder(
  { git, forge }: { readonly git: Git; readonly forge: Forge | undefined },
  batch: Batch,
  of: Of,
): Promise<OrderProposed | NotProposed | { readonly kind: 'moved' }> {
  const never = pushRefused(batch.config, batch.steps);
  if (never !== undefined) return refusedPush(never.rule, never.advice);
  const pull = textOf(batch, of);
  const { branch } = pull;
  const made = await createBranch(git, { branch, base: batch.main, commits: batch.steps });
  if (made.kind === 'refused') return refusedPush(made.rule, made.advice);
  const at = made.kind === 'pushed' ? { head: made.heads[0] } : await sameAt(git, branch, batch);
  if (at === 'other')
    return { kind: 'refused', why: `the branch ${branch} holds something else. Delete it, then order again` };
  return at.head === undefined ? { kind: 'moved' } : open(forge, batch, pull, at.head);
}

function textOf({ steps }: Batch, { by, next }: Of): OrderPull {
  const writes = new Map(steps.flatMap((step) => step.writes.map(({ path, text }) => [path, text ?? null] as const)));
  const digest = createHash('sha256')
    .update(JSON.stringify([...writes]))
    .digest('hex');
  const subjects = steps.map(({ message }) => message.slice(0, message.indexOf('\n')));
  return orderPull({ subjects, next, by, files: [...writes.keys()], digest });
}

function refusedPush(rule: string, advice: string | undefined): NotProposed {
  const way = advice ?? 'Push the change below to a branch of your own, and open a pull request from it';
  return { kind: 'refused', why: `the push of the branch was refused: ${rule}. ${way}` };
}

/** Commits of main that a branch made for the same order may be behind. */
const BEHIND_MOST = 500;

/**
 * Where the branch stands, if its commits are those of the order, one by one, on a commit of main: anyone may push a branch
 * of that name, and what its commits say, or bring next to it, would be on main as well. No head: it is gone again.
 */
async function sameAt(
  git: Git,
  branch: string,
  { main, steps }: Batch,
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
  { config }: Batch,
  { branch, title, body }: OrderPull,
  head: Oid,
): Promise<OrderProposed> {
  if (forge === undefined) return { kind: 'proposed', branch, url: undefined };
  forge.begin();
  const answer = await openPull(forge, { branch, head, base: config.branch, title, body });
  if (answer.kind === 'done') return { kind: 'proposed', branch, url: answer.value.url };
  const why = answer.kind === 'refused' ? `${answer.said}. ${answer.advice}` : answer.why;
  return { kind: 'proposed', branch, url: undefined, unopened: why };
}
