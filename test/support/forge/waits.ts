/** What a forge computes of a pull request for GraphQL: what stands in the way of merging it. */

import type { Account, ForgePull, ForgeRepository } from './repository.ts';

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
  const passed = wantedOf(repository, base).every((one) => isPassed(repository, head, one));
  const isBlocked = !passed || (decision !== undefined && decision !== 'APPROVED');
  const isClean = contexts.every(({ hasPassed }) => hasPassed);
  return {
    __typename: 'PullRequest',
    number: pull.number,
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

/** The branches below a prefix that open pull requests of this very repository have, a few a page. */
export function graphqlRefs(
  { pulls: all }: ForgeRepository,
  of: {
    readonly refPrefix: string;
    readonly after: string | undefined;
    readonly pulls: readonly object[];
    readonly viewer: Account;
  },
): Readonly<Record<string, unknown>> {
  const own = all.filter(
    ({ state, isFork, branch }) => state === 'open' && !isFork && `refs/heads/${branch}`.startsWith(of.refPrefix),
  );
  const from = Number(of.after ?? 0);
  const shown = own.slice(from, from + REFS_A_PAGE);
  return {
    nodes: shown.map(({ number, by }) => ({
      associatedPullRequests: { nodes: [{ ...of.pulls[number - 1], viewerDidAuthor: by.id === of.viewer.id }] },
    })),
    pageInfo: { hasNextPage: own.length > from + REFS_A_PAGE, endCursor: String(from + REFS_A_PAGE) },
  };
}

/** Far fewer than GitHub gives, so that tests of few branches turn the page. */
const REFS_A_PAGE = 2;

function requiredOf(repository: ForgeRepository, branch: string): readonly string[] {
  return wantedOf(repository, branch).map(({ context }) => context);
}

/** The checks that rules of a branch want, and the App that they want them from; undefined: from anybody. */
export function wantedOf(
  repository: ForgeRepository,
  branch: string,
): readonly { readonly context: string; readonly app: number | undefined }[] {
  return repository
    .rulesOf(branch)
    .filter(({ type }) => type === 'required_status_checks')
    .flatMap(({ parameters }) =>
      Object(parameters).required_status_checks.map(
        ({ context, integration_id: app }: { readonly context: string; readonly integration_id?: number }) => ({
          context,
          app,
        }),
      ),
    );
}

/** Whether this check has passed at a commit, as that App says it. */
export function isPassed(
  repository: ForgeRepository,
  head: string,
  { context, app }: ReturnType<typeof wantedOf>[number],
): boolean {
  return contextsOf(repository, head, []).some(
    (one) => one.title === context && one.hasPassed && (app === undefined || app === one.app),
  );
}

function contextsOf(repository: ForgeRepository, head: string, required: readonly string[]) {
  const isRequired = (name: string) => required.includes(name);
  return [
    ...(repository.checks.get(head) ?? []).map((check) => ({
      ...check,
      __typename: 'CheckRun',
      title: check.name,
      isRequired: isRequired(check.name),
      app: check.written?.by.id,
      hasPassed: check.conclusion === 'SUCCESS' || check.conclusion === 'NEUTRAL',
    })),
    ...(repository.statuses.get(head) ?? []).map((status) => ({
      ...status,
      __typename: 'StatusContext',
      title: status.context,
      app: status.app,
      state: status.state.toUpperCase(),
      isRequired: isRequired(status.context),
      hasPassed: status.state === 'success',
    })),
  ];
}
