/** Merging as the rules of a branch let people: the button of the forge, and its merge queue. */

import type { Account, ForgePull, ForgeRepository, MergeMethod } from './repository.ts';
import { graphqlPull, isPassed, wantedOf } from './waits.ts';

/** Who merges what came through a queue, as the API names it. */
export const QUEUE: Account = { login: 'github-merge-queue[bot]', id: 9, type: 'Bot' };

/** What a queue would merge, on a branch of its own: checks are to pass there. */
type Group = { readonly number: number; readonly base: string; readonly branch: string; readonly head: string };

/** The button. Throws, in the words of GitHub, where the rules do not let this person merge now. */
export async function press(
  repository: ForgeRepository,
  { number, by, method = 'merge' }: { readonly number: number; readonly by: Account; readonly method?: MergeMethod },
): Promise<string> {
  const pull = repository.pull(number);
  const refused = await refusal(repository, pull, by);
  if (refused !== undefined) throw new Error(refused);
  return repository.merge(number, by, method);
}

async function refusal(repository: ForgeRepository, pull: ForgePull, by: Account): Promise<string | undefined> {
  const rules = repository.rulesOf(pull.base).filter(({ ruleset }) => !ruleset.bypass.includes(by.login));
  if (rules.length === 0) return undefined;
  if (rules.some(({ type }) => type === 'merge_queue')) return 'Changes must be made through the merge queue';
  const { mergeStateStatus: state } = await graphqlPull(repository, pull);
  if (state === 'BEHIND') return 'Head branch is out of date. Review and try the merge again.';
  return state === 'BLOCKED' || state === 'DRAFT' ? 'Repository rule violations found' : undefined;
}

/** "Merge when ready": it waits on a branch of the queue. Throws where the pull request itself lacks something. */
export async function enqueue(repository: ForgeRepository, number: number): Promise<Group> {
  const pull = repository.pull(number);
  const { mergeStateStatus: state } = await graphqlPull(repository, pull);
  if (state === 'BLOCKED' || state === 'DIRTY') throw new Error('Repository rule violations found');
  const base = (await repository.head(pull.base)) ?? '';
  const tree = await repository.mergedTree(base, pull.head);
  if (tree === undefined) throw new Error(`pull request ${number} conflicts with ${pull.base}`);
  const text = `${pull.title} (#${number})`;
  const head = await repository.git.git('commit-tree', tree, '-p', base, '-p', pull.head, '-m', text);
  const branch = `gh-readonly-queue/${pull.base}/pr-${number}-${base}`;
  await repository.git.git('update-ref', `refs/heads/${branch}`, head);
  pull.isQueued = true;
  return { number, base, branch, head };
}

/**
 * The queue's turn: merged where every check that a rule wants has passed at what it would merge; else, or where the
 * base has moved or the pull request is not open any more, it is put out of the queue. Says whether it was merged.
 */
export async function takeTurn(repository: ForgeRepository, group: Group): Promise<boolean> {
  const pull = repository.pull(group.number);
  await repository.settle();
  const passed = wantedOf(repository, pull.base).every((one) => isPassed(repository, group.head, one));
  const isSame = (await repository.head(pull.base)) === group.base;
  const isMerged = pull.isQueued && pull.state === 'open' && passed && isSame;
  if (isMerged) {
    await repository.git.git('update-ref', `refs/heads/${pull.base}`, group.head, group.base);
    repository.endMerged(group.number, { by: QUEUE, commit: group.head });
  }
  pull.isQueued = false;
  await repository.git.git('update-ref', '-d', `refs/heads/${group.branch}`);
  return isMerged;
}
