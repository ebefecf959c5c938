/** What a forge computes of a pull request for GraphQL: what stands in the way of merging it. */

import type { ForgePull, ForgeRepository } from './repository.ts';

/** The fields of `PullRequest` that queries of ours ask. */
export async function graphqlPull(
  repository: ForgeRepository,
  pull: ForgePull,
): Promise<Readonly<Record<string, unknown>>> {
  const { head, base } = pull;
  const rules = repository.rulesOf(base);
  const parameters = (type: string) =>
    rules.filter((rule) => rule.type === type).map((rule) => Object(rule.parameters));
  const required = requiredOf(repository, base);
  const isStrict = parameters('required_status_checks').some(
    ({ strict_required_status_checks_policy: strict }) => strict === true,
  );
  const needed = Math.max(0, ...parameters('pull_request').map(({ required_approving_review_count: count }) => count));
  const newest = new Map(
    pull.reviews.filter(({ state }) => state !== 'COMMENTED').map((review) => [review.by.login, review]),
  );
  const states = [...newest.values()].map(({ state }) => state);
  const decision = states.includes('CHANGES_REQUESTED')
    ? 'CHANGES_REQUESTED'
    : needed === 0
      ? undefined
      : states.filter((state) => state === 'APPROVED').length >= needed
        ? 'APPROVED'
        : 'REVIEW_REQUIRED';
  const contexts = contextsOf(repository, head, required);
  const baseHead = (await repository.head(base)) ?? '';
  const tree = await repository.mergedTree(baseHead, head);
  const isBehind = !(await repository.holds(head, baseHead));
  const passed = required.every((name) => contexts.some((one) => one.title === name && one.hasPassed));
  const isBlocked = !passed || (decision !== undefined && decision !== 'APPROVED');
  const isClean = contexts.every(({ hasPassed }) => hasPassed);
  return {
    __typename: 'PullRequest',
    state: pull.state.toUpperCase(),
    isDraft: pull.isDraft,
    isInMergeQueue: pull.isQueued,
    headRefOid: head,
    baseRefName: base,
    mergeable: tree === undefined ? 'CONFLICTING' : 'MERGEABLE',
    mergeStateStatus: pull.isDraft
      ? 'DRAFT'
      : tree === undefined
        ? 'DIRTY'
        : isBlocked
          ? 'BLOCKED'
          : isStrict && isBehind
            ? 'BEHIND'
            : isClean
              ? 'CLEAN'
              : 'UNSTABLE',
    reviewDecision: decision,
    commits: {
      nodes: [{ commit: { statusCheckRollup: contexts.length === 0 ? undefined : { contexts: { nodes: contexts } } } }],
    },
  };
}

/** The checks that rules of a branch want. */
export function requiredOf(repository: ForgeRepository, branch: string): readonly string[] {
  return repository
    .rulesOf(branch)
    .filter(({ type }) => type === 'required_status_checks')
    .flatMap(({ parameters }) =>
      Object(parameters).required_status_checks.map(({ context }: { readonly context: string }) => context),
    );
}

/** Whether a check of this name has passed at a commit. */
export function isPassed(repository: ForgeRepository, head: string, name: string): boolean {
  return contextsOf(repository, head, []).some((one) => one.title === name && one.hasPassed);
}

function contextsOf(repository: ForgeRepository, head: string, required: readonly string[]) {
  const isRequired = (name: string) => required.includes(name);
  return [
    ...(repository.checks.get(head) ?? []).map((check) => ({
      ...check,
      __typename: 'CheckRun',
      title: check.name,
      isRequired: isRequired(check.name),
      hasPassed: check.conclusion === 'SUCCESS',
    })),
    ...(repository.statuses.get(head) ?? []).map((status) => ({
      ...status,
      __typename: 'StatusContext',
      title: status.context,
      state: status.state.toUpperCase(),
      isRequired: isRequired(status.context),
      hasPassed: status.state === 'success',
    })),
  ];
}
