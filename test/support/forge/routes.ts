/** What each route of the simulated forge does and answers, by GitHub's documentation. */

import { checkRoutes } from './check-runs.ts';
import type { Account, ForgePull } from './repository.ts';
import { type Answered, problem, type Route, type RouteContext } from './route.ts';

const ok = (body: unknown): Answered => ({ status: 200, body });
const created = (body: unknown): Answered => ({ status: 201, body });

const repo = '/repos/{owner}/{repo}';
const team = '/orgs/{org}/teams/{team_slug}';

/** By method and path of the description. */
export const routes: Readonly<Record<string, Route>> = {
  [`get ${repo}`]: { needs: ['metadata', 'read'], run: getRepository },
  [`get ${repo}/pulls`]: { needs: ['pull_requests', 'read'], run: listPulls },
  [`post ${repo}/pulls`]: { needs: ['pull_requests', 'write'], run: postPull },
  [`get ${repo}/pulls/{pull_number}`]: {
    needs: ['pull_requests', 'read'],
    run: (context) => withPull(context, (pull) => ok(fullPull(context, pull))),
  },
  [`patch ${repo}/pulls/{pull_number}`]: { needs: ['pull_requests', 'write'], run: patchPull },
  [`get ${repo}/pulls/{pull_number}/reviews`]: { needs: ['pull_requests', 'read'], run: listReviews },
  [`get ${repo}/issues/{issue_number}`]: { needs: ['pull_requests', 'read'], run: getIssue },
  [`get ${repo}/issues/{issue_number}/events`]: { needs: ['pull_requests', 'read'], run: listEvents },
  [`get ${repo}/issues/{issue_number}/comments`]: {
    needs: ['pull_requests', 'read'],
    run: (context) =>
      withPull(context, (pull) =>
        ok(
          page(
            context,
            pull.comments.map((one) => comment(context, one)),
          ),
        ),
      ),
  },
  [`post ${repo}/issues/{issue_number}/comments`]: { needs: ['pull_requests', 'write'], run: postComment },
  [`patch ${repo}/issues/comments/{comment_id}`]: { needs: ['pull_requests', 'write'], run: patchComment },
  [`post ${repo}/issues/{issue_number}/labels`]: { needs: ['pull_requests', 'write'], run: postLabels },
  [`post ${repo}/pulls/{pull_number}/requested_reviewers`]: { needs: ['pull_requests', 'write'], run: postReviewers },
  [`get ${repo}/commits/{ref}/status`]: { needs: ['statuses', 'read'], run: getStatus },
  [`post ${repo}/statuses/{sha}`]: { needs: ['statuses', 'write'], run: postStatus },
  ...checkRoutes(repo),
  [`get ${repo}/collaborators/{username}/permission`]: { needs: ['metadata', 'read'], run: getPermission },
  'get /apps/{app_slug}': { needs: ['metadata', 'read'], run: getApp },
  [`get ${team}`]: { needs: ['members', 'read'], run: getTeam },
  [`get ${team}/memberships/{username}`]: { needs: ['members', 'read'], run: getMembership },
  [`get ${repo}/branches/{branch}`]: { needs: ['contents', 'read'], run: getBranch },
  [`get ${repo}/rules/branches/{branch}`]: { needs: ['metadata', 'read'], run: listRules },
  [`get ${repo}/rulesets/{ruleset_id}`]: { needs: ['metadata', 'read'], run: getRuleset },
};

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function instant(seconds: number | undefined): string | null {
  return seconds === undefined ? null : new Date(seconds * 1000).toISOString().replace('.000', '');
}

function user({ openapi }: RouteContext, account: Account | undefined): unknown {
  return account === undefined ? null : openapi.sample('simple-user', { ...account });
}

function page<T>({ query }: RouteContext, items: readonly T[]): readonly T[] {
  const size = Number(query.get('per_page') ?? 30);
  const from = (Number(query.get('page') ?? 1) - 1) * size;
  return items.slice(from, from + size);
}

function withPull({ repository, parameters }: RouteContext, run: (pull: ForgePull) => Answered): Answered {
  const number = Number(parameters['pull_number'] ?? parameters['issue_number']);
  const pull = repository.pulls.find((one) => one.number === number);
  return pull === undefined ? problem(404, 'Not Found') : run(pull);
}

/** What both forms of a pull request hold. */
function pullFields(context: RouteContext, pull: ForgePull) {
  const { openapi, repository, url } = context;
  const home = openapi.sample('repository', { id: 1, name: repository.name });
  const side = (ref: string, sha: string, id: number) => ({
    label: `${repository.owner}:${ref}`,
    ref,
    sha,
    user: user(context, pull.by),
    repo: { ...home, id },
  });
  return {
    id: pull.number,
    number: pull.number,
    html_url: `${url}/${repository.owner}/${repository.name}/pull/${pull.number}`,
    title: pull.title,
    // A browser sends CRLF, and GitHub keeps what it is sent.
    body: pull.body,
    state: pull.state === 'open' ? 'open' : 'closed',
    draft: pull.isDraft,
    user: user(context, pull.by),
    labels: pull.labels.map((name) => openapi.sample('label', { id: 1, name, description: '' })),
    created_at: instant(pull.at),
    updated_at: instant(pull.endedAt ?? pull.at),
    closed_at: instant(pull.endedAt),
    merged_at: pull.state === 'merged' ? instant(pull.endedAt) : null,
    merge_commit_sha: pull.mergeCommit ?? null,
    head: side(pull.branch, pull.head, pull.isFork ? 2 : 1),
    base: side(pull.base, pull.head, 1),
  };
}

function fullPull(context: RouteContext, pull: ForgePull): unknown {
  const merged = pull.state === 'merged';
  const merged_by = merged ? user(context, pull.endedBy) : null;
  return context.openapi.sample('pull-request', { ...pullFields(context, pull), merged, merged_by });
}

async function listPulls(context: RouteContext): Promise<Answered> {
  const { repository, query, openapi } = context;
  const state = query.get('state') ?? 'open';
  const head = query.get('head');
  const shown = repository.pulls.filter((pull) => {
    if (pull.hiddenFor > 0) {
      pull.hiddenFor -= 1;
      return false;
    }
    const isOfHead = head === null || `${repository.owner}:${pull.branch}` === head;
    return isOfHead && (state === 'all' || (state === 'open') === (pull.state === 'open'));
  });
  const sorted = query.get('direction') === 'asc' ? shown : shown.toReversed();
  return ok(page(context, sorted).map((pull) => openapi.sample('pull-request-simple', pullFields(context, pull))));
}

async function postPull(context: RouteContext): Promise<Answered> {
  const { repository, body, by, lag } = context;
  const [branch, base] = [String(body['head']), String(body['base'])];
  if (by.login === 'github-actions[bot]' && !repository.settings.actionsMayPropose)
    return problem(403, 'GitHub Actions is not permitted to create or approve pull requests.');
  const invalid = (field: string) =>
    problem(422, 'Validation Failed', [{ resource: 'PullRequest', field, code: 'invalid' }]);
  const [head, onto] = [await repository.head(branch), await repository.head(base)];
  if (head === undefined) return invalid('head');
  if (onto === undefined) return invalid('base');
  const custom = (message: string) =>
    problem(422, 'Validation Failed', [{ resource: 'PullRequest', code: 'custom', message }]);
  if ((await repository.git.git('rev-list', '--count', `${onto}..${head}`)) === '0')
    return custom(`No commits between ${base} and ${branch}`);
  // Last, and with nothing waited for before it is opened: of two who ask at once, one is told.
  const isOfSame = (pull: ForgePull): boolean => !pull.isFork && pull.branch === branch && pull.base === base;
  if (repository.pulls.some((pull) => pull.state === 'open' && isOfSame(pull)))
    return custom(`A pull request already exists for ${repository.owner}:${branch}.`);
  const pull = repository.open({
    by,
    branch,
    base,
    head,
    title: String(body['title']),
    body: textOf(body['body']),
  });
  pull.hiddenFor = lag;
  return created(fullPull(context, pull));
}

function patchPull(context: RouteContext): Answered {
  const { repository, body, by } = context;
  return withPull(context, (pull) => {
    if (typeof body['title'] === 'string') pull.title = body['title'];
    if (typeof body['body'] === 'string') pull.body = body['body'];
    if (body['state'] === 'closed' && pull.state === 'open') repository.close(pull.number, by);
    return ok(fullPull(context, pull));
  });
}

function listReviews(context: RouteContext): Answered {
  return withPull(context, (pull) =>
    ok(
      page(
        context,
        pull.reviews.map(({ by, state, oid, at }, index) =>
          context.openapi.sample('pull-request-review', {
            id: index + 1,
            user: user(context, by),
            author_association: context.repository.permissions.get(by.login) === 'write' ? 'COLLABORATOR' : 'NONE',
            state,
            commit_id: oid,
            submitted_at: instant(at),
          }),
        ),
      ),
    ),
  );
}

function getIssue(context: RouteContext): Answered {
  return withPull(context, (pull) =>
    ok(
      context.openapi.sample('issue', {
        number: pull.number,
        state: pull.state === 'open' ? 'open' : 'closed',
        closed_by: user(context, pull.endedBy),
        user: user(context, pull.by),
      }),
    ),
  );
}

function listEvents(context: RouteContext): Answered {
  const { openapi } = context;
  const shown = ({ event, name }: ForgePull['events'][number]): unknown => {
    if (event === 'labeled') return openapi.sample('labeled-issue-event', { event, label: { name, color: '' } });
    const [, slug] = name.split('/');
    const who =
      slug === undefined
        ? { requested_reviewer: openapi.sample('simple-user', { login: name }) }
        : { requested_team: openapi.sample('team', { slug, name: slug }) };
    return openapi.sample('review-requested-issue-event', { event, ...who });
  };
  return withPull(context, (pull) => ok(page(context, pull.events.map(shown))));
}

function comment(
  context: RouteContext,
  { id, by, body }: { readonly id: number; readonly by: Account; readonly body: string },
) {
  return context.openapi.sample('issue-comment', { id, body, user: user(context, by) });
}

function postComment(context: RouteContext): Answered {
  const { repository, body, by } = context;
  return withPull(context, (pull) => {
    const one = { id: repository.nextId(), by, body: String(body['body']), at: 0 };
    pull.comments.push(one);
    return created(comment(context, one));
  });
}

function patchComment(context: RouteContext): Answered {
  const { repository, parameters, body } = context;
  const one = repository.pulls
    .flatMap(({ comments }) => comments)
    .find(({ id }) => id === Number(parameters['comment_id']));
  if (one === undefined) return problem(404, 'Not Found');
  one.body = String(body['body']);
  return ok(comment(context, one));
}

function postLabels(context: RouteContext): Answered {
  const { body, openapi } = context;
  return withPull(context, (pull) => {
    const names = Array.isArray(body['labels']) ? body['labels'].map(String) : [];
    pull.events.push(...names.map((name) => ({ event: 'labeled', name }) as const));
    pull.labels = [...new Set([...pull.labels, ...names])];
    return ok(pull.labels.map((name) => openapi.sample('label', { id: 1, name, description: '' })));
  });
}

/** One that is not taken refuses all of them. */
function postReviewers(context: RouteContext): Answered {
  const { body, repository, openapi } = context;
  const listed = (key: string): readonly string[] => (Array.isArray(body[key]) ? body[key].map(String) : []);
  return withPull(context, (pull) => {
    const people = listed('reviewers');
    const teams = listed('team_reviewers').map((name) => `${repository.owner}/${name}`);
    if (people.includes(pull.by.login)) return problem(422, 'Review cannot be requested from pull request author.');
    const isKnown =
      people.every((one) => repository.permissions.has(one)) && teams.every((one) => repository.teams.has(one));
    if (!isKnown)
      return problem(
        422,
        `Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the ${repository.owner}/${repository.name} repository.`,
      );
    pull.events.push(...[...people, ...teams].map((name) => ({ event: 'review_requested', name }) as const));
    pull.requested = [...new Set([...pull.requested, ...people, ...teams])];
    return created(openapi.sample('pull-request-simple', pullFields(context, pull)));
  });
}

function statusFields({
  context,
  state,
  description,
  url,
}: {
  context: string;
  state: string;
  description: string;
  url: string | null;
}) {
  return { context, state, description, target_url: url };
}

function getStatus({ openapi, repository, parameters }: RouteContext): Answered {
  const statuses = repository.statuses.get(parameters['ref'] ?? '') ?? [];
  return ok(
    openapi.sample('combined-commit-status', {
      state: 'pending',
      sha: parameters['ref'],
      total_count: statuses.length,
      statuses: statuses.map((one) => openapi.sample('simple-commit-status', statusFields(one))),
    }),
  );
}

async function postStatus({ openapi, repository, parameters, body, by }: RouteContext): Promise<Answered> {
  const sha = parameters['sha'] ?? '';
  const isThere = await repository.git.git('cat-file', '-e', sha).then(
    () => true,
    () => false,
  );
  if (!isThere) return problem(422, `No commit found for SHA: ${sha}`);
  const given = {
    context: textOf(body['context']),
    state: body['state'] as 'success',
    description: textOf(body['description']),
    url: typeof body['target_url'] === 'string' ? body['target_url'] : null,
    ...(by.type === 'Bot' ? { app: by.id } : {}),
  };
  const others = (repository.statuses.get(sha) ?? []).filter(({ context }) => context !== given.context);
  repository.statuses.set(sha, [...others, given]);
  return created(openapi.sample('status', statusFields(given)));
}

function getPermission(context: RouteContext): Answered {
  const login = context.parameters['username'] ?? '';
  const permission = context.repository.permissions.get(login);
  if (permission === undefined) return problem(404, `${login} is not a user`);
  return ok({ permission, role_name: permission, user: null });
}

/** Of an App that nobody else may see, only the App itself. */
function getApp({ openapi, parameters, by }: RouteContext): Answered {
  const slug = parameters['app_slug'];
  return by.login === `${slug}[bot]`
    ? ok(openapi.sample('integration', { id: by.id, slug, name: slug }))
    : problem(404, 'Not Found');
}

function membersOf({ repository, parameters }: RouteContext) {
  return repository.teams.get(`${parameters['org']}/${parameters['team_slug']}`);
}

function getTeam(context: RouteContext): Answered {
  if (membersOf(context) === undefined) return problem(404, 'Not Found');
  return ok(context.openapi.sample('team-full', { slug: context.parameters['team_slug'] }));
}

function getMembership(context: RouteContext): Answered {
  const state = membersOf(context)?.get(context.parameters['username'] ?? '');
  return state === undefined ? problem(404, 'Not Found') : ok(context.openapi.sample('team-membership', { state }));
}

function getRepository({ openapi, repository, by }: RouteContext): Answered {
  const { merge, squash, rebase, archived } = repository.settings;
  const seen = by.type === 'Bot' || repository.permissions.get(by.login) !== 'read';
  const methods = seen ? { allow_merge_commit: merge, allow_squash_merge: squash, allow_rebase_merge: rebase } : {};
  return ok(openapi.sample('full-repository', { id: 1, name: repository.name, archived, ...methods }));
}

async function getBranch({ openapi, repository, parameters }: RouteContext): Promise<Answered> {
  const name = parameters['branch'] ?? '';
  const head = await repository.head(name);
  if (head === undefined) return problem(404, 'Branch not found');
  const enabled = repository.settings.protectedBranches.includes(name);
  const isProtected = enabled || repository.rulesOf(name).length > 0;
  return ok(openapi.sample('branch-with-protection', { name, protected: isProtected, protection: { enabled } }));
}

function listRules({ repository, parameters, query }: RouteContext): Answered {
  const rules = repository.rulesOf(parameters['branch'] ?? '').map(({ type, ruleset, parameters: given }) => ({
    type,
    ruleset_source_type: 'Repository',
    ruleset_source: `${repository.owner}/${repository.name}`,
    ruleset_id: ruleset.id,
    ...(given === undefined ? {} : { parameters: given }),
  }));
  return ok(page({ query } as RouteContext, rules));
}

function getRuleset({ openapi, repository, parameters, by }: RouteContext): Answered {
  const ruleset = repository.rulesets.find(({ id }) => id === Number(parameters['ruleset_id']));
  if (ruleset === undefined) return problem(404, 'Not Found');
  const current_user_can_bypass = ruleset.bypass.includes(by.login) ? 'always' : 'never';
  return ok(
    openapi.sample('repository-ruleset', {
      id: ruleset.id,
      name: ruleset.name,
      source: `${repository.owner}/${repository.name}`,
      enforcement: 'active',
      current_user_can_bypass,
    }),
  );
}
