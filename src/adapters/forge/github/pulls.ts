/** Reads pull requests: the open ones of a prefix, named ones whatever became of them, and their reviews. */

import { type Known, known, unknown } from '../../../api/known.ts';
import type { Answer, Deferred, ForgeRefused, Pull, PullQuery, Review } from '../../../ports/forge.ts';
import type { ForgeCaller } from './call.ts';
import { numbersBelow, readOfBranch, wordsIn } from './own-branches.ts';
import { garbled, perPage, readPage, readPages } from './pages.ts';
import { actorAt, instantAt, pullOf, textAt } from './read-pull.ts';

/** All open pull requests with the prefix, and those that are named, or whose branch is. Throws PortError. */
export async function readPulls(caller: ForgeCaller, query: PullQuery): Promise<Answer<readonly Pull[]>> {
  const { prefix } = query;
  const ofBranches = await numbersOf(caller, query.branches ?? []);
  if (ofBranches.kind !== 'done') return ofBranches;
  const open = prefix === undefined ? NONE_OPEN : await readOpen(caller, prefix);
  if (open.kind !== 'done') return open;
  const numbers = [...query.numbers, ...ofBranches.value, ...open.value.numbers];
  // One that was opened meanwhile pushes others to the next page, where they come a second time.
  const found = new Map<number, Pull>();
  for (const item of open.value.listed) {
    const pull = pullOf(item, undefined) ?? garbled(caller, 'list pull requests');
    if ((prefix !== undefined && pull.branch.startsWith(prefix)) || numbers.includes(pull.number))
      found.set(pull.number, pull);
  }
  for (const number of new Set(numbers)) {
    if (found.has(number)) continue;
    const one = await readPull(caller, number);
    if (one.kind !== 'done') return one;
    if (one.value !== undefined) found.set(number, one.value);
  }
  return { kind: 'done', value: [...found.values()].sort((left, right) => right.number - left.number) };
}

const LIST = {
  route: 'GET /repos/{owner}/{repo}/pulls',
  operation: 'list pull requests',
  parameters: { state: 'open', sort: 'created', direction: 'desc' },
} as const;

/** `numbers` are of open ones that may not be among those that were listed. */
type Open = { readonly listed: readonly unknown[]; readonly numbers: readonly number[] };

const NONE_OPEN: Answer<Open> = { kind: 'done', value: { listed: [], numbers: [] } };

/**
 * Where one page has them all, that page. Where there are more, most are of people, and anybody with a fork can open as
 * many as they like: then those of our own branches alone are asked for, and all others only where that cannot be listed.
 */
async function readOpen(caller: ForgeCaller, prefix: string): Promise<Answer<Open>> {
  const first = await readPage(caller, LIST, 1);
  if (first.kind !== 'done') return first;
  if (first.value.length < perPage) return { kind: 'done', value: { listed: first.value, numbers: [] } };
  const own = await numbersBelow(caller, prefix);
  if (own?.kind === 'done') return { kind: 'done', value: { listed: first.value, numbers: own.value } };
  if (own !== undefined) return own;
  const all = await readPages(caller, LIST);
  return all.kind === 'done' ? { kind: 'done', value: { listed: all.value, numbers: [] } } : all;
}

/**
 * Those of each branch that may say something of it, by their numbers: a list does not say who ended one. Refused where there are more
 * than anybody reads: what was said of the branch may be among the others.
 */
async function numbersOf(caller: ForgeCaller, branches: readonly string[]): Promise<Answer<readonly number[]>> {
  const numbers: number[] = [];
  for (const branch of branches) {
    const listed = await readOfBranch(caller, branch, { state: 'all', direction: 'desc' });
    if (listed.kind !== 'done') return listed;
    const chosen = await wordsIn(caller, branch, listed.value);
    if (chosen.kind !== 'done') return chosen;
    numbers.push(...chosen.value);
  }
  return { kind: 'done', value: numbers };
}

/** One pull request; undefined: there is none of this number. Throws PortError. */
export async function readPull(caller: ForgeCaller, number: number): Promise<Answer<Pull | undefined>> {
  const operation = `read pull request ${number}`;
  const reply = await caller.call({
    route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}',
    operation,
    parameters: { pull_number: number },
    expected: [404],
  });
  if (reply.kind === 'unheard') throw reply.error;
  if (reply.kind !== 'reply') return reply;
  if (reply.status === 404) return { kind: 'done', value: undefined };
  const pull = pullOf(reply.data, undefined) ?? garbled(caller, operation);
  if (pull.state.kind !== 'closed') return { kind: 'done', value: pull };
  const issue = await caller.call({
    route: 'GET /repos/{owner}/{repo}/issues/{issue_number}',
    operation,
    parameters: { issue_number: number },
  });
  if (issue.kind === 'unheard') throw issue.error;
  if (issue.kind !== 'reply') return issue;
  return { kind: 'done', value: pullOf(reply.data, actorAt(issue.data, 'closed_by')) ?? garbled(caller, operation) };
}

const verdicts: Readonly<Record<string, Review['verdict'] | undefined>> = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changesRequested',
  DISMISSED: 'dismissed',
};

/** The newest verdict of each reviewer, with what the reviewer may do now. Throws PortError. */
export async function readReviews(caller: ForgeCaller, number: number): Promise<Answer<readonly Review[]>> {
  const read = await readPages(caller, {
    route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews',
    operation: `read the reviews of pull request ${number}`,
    parameters: { pull_number: number },
  });
  if (read.kind !== 'done') return read;
  const reviews: Review[] = [];
  const { reviewersPerPull } = caller.limits;
  let asked = 0;
  for (const review of newestOf(read.value)) {
    const isAsked = asked < reviewersPerPull && !caller.pace.isPartSpent(FOR_MAKERS_AND_TEAMS);
    const mayWrite = isAsked ? await readMayWrite(caller, review) : oneOfMany(asked);
    if (isAsked) asked += 1;
    if (mayWrite.kind === 'deferred' || mayWrite.kind === 'refused') return mayWrite;
    reviews.push({ ...review, mayWrite });
  }
  return { kind: 'done', value: reviews };
}

/** Of the part of one pull request: who reviewed it must not keep from being known who made it, and who is in a team. */
const FOR_MAKERS_AND_TEAMS = 4;

/** A crowd on one pull request takes no requests from those of others. */
function oneOfMany(most: number): Known<boolean> {
  return unknown(
    `the rights of ${most} others who reviewed it were read, which is the most of one pull request in this pass`,
  );
}

/** Who belongs to the repository as the forge says next to a review: they are asked about first, and nothing else hangs on it. */
const OF_REPOSITORY = ['OWNER', 'MEMBER', 'COLLABORATOR'];

/** Those who belong to the repository first. */
function newestOf(list: readonly unknown[]): readonly Omit<Review, 'mayWrite'>[] {
  const isOf = (item: unknown): boolean => OF_REPOSITORY.includes(textAt(item, 'author_association') ?? '');
  const own = new Set(list.filter(isOf).map(accountOf));
  const all = [...newestByAccount(list)];
  const parts = [true, false].map((wanted) => all.filter(([account]) => own.has(account) === wanted));
  return parts.flat().map(([, review]) => review);
}

/** GitHub takes no notice of how a name is written. */
function accountOf(item: unknown): string {
  return (textAt(item, 'user', 'login') ?? '').toLowerCase();
}

/** The list is in the order of time. A comment leaves an earlier verdict as it is, and what nobody can read takes it back. */
function newestByAccount(list: readonly unknown[]): ReadonlyMap<string, Omit<Review, 'mayWrite'>> {
  const newest = new Map<string, Omit<Review, 'mayWrite'>>();
  for (const item of list) {
    const state = textAt(item, 'state') ?? '';
    if (state === 'COMMENTED' || state === 'PENDING') continue;
    const account = accountOf(item);
    const author = actorAt(item, 'user');
    const verdict = verdicts[state];
    const when = instantAt(item, 'submitted_at');
    if (author === undefined || verdict === undefined || when === undefined) newest.delete(account);
    // Where list and times differ, an approval is no newer word than a rejection.
    else if (verdict !== 'approved' || when >= (newest.get(account)?.at ?? when))
      newest.set(account, { author, verdict, oid: textAt(item, 'commit_id'), at: when });
  }
  return newest;
}

/** Whether a reviewer may write. An App is no collaborator, so nobody is asked about it. */
async function readMayWrite(
  caller: ForgeCaller,
  { author }: Pick<Review, 'author'>,
): Promise<Known<boolean> | Deferred | ForgeRefused> {
  if (author.isBot) return unknown(`${author.login} is an App, whose permissions are not told`);
  const reply = await caller.call({
    route: 'GET /repos/{owner}/{repo}/collaborators/{username}/permission',
    operation: `read the permission of ${author.login}`,
    parameters: { username: author.login },
    expected: [404],
  });
  if (reply.kind === 'unheard') throw reply.error;
  // Who reviews may not be readable with this token; then nobody knows, which is no approval.
  if (reply.kind === 'refused' && reply.refusal === 'PermissionMissing')
    return unknown(`${reply.said}. ${reply.advice}`);
  if (reply.kind !== 'reply') return reply;
  return known(reply.status !== 404 && /^(admin|write)$/.test(textAt(reply.data, 'permission') ?? ''));
}
