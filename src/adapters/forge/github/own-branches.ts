/** The pull requests of branches of this repository, which of them are looked at: strangers cannot make one, and who may push makes none too many. */

import { at, isRecord } from '../../../api/json.ts';
import type { Answer, ForgeRefused } from '../../../ports/forge.ts';
import { type ForgeCaller, GRAPHQL } from './call.ts';
import { readLogin } from './own.ts';
import { type Pages, perPage, readPage } from './pages.ts';
import { idAt, listAt, pullOf, textAt } from './read-pull.ts';
import { refused } from './refusals.ts';

const operation = 'list the pull requests of own branches';

const QUERY = `query($owner: String!, $name: String!, $prefix: String!, $after: String) {
  repository(owner: $owner, name: $name) {
    refs(refPrefix: $prefix, first: 100, after: $after) {
      nodes { associatedPullRequests(states: OPEN, first: 10) { nodes { number viewerDidAuthor } } }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

/**
 * The numbers of those that we have opened, then of others, no more than `foreignPulls`: anyone who may push there can open
 * hundreds, a request each to read, which would be all that a pass may ask. undefined: they cannot be listed in this way, as to
 * a token that may not read the contents, or are more than anybody reads. Throws PortError.
 */
export async function numbersBelow(
  caller: ForgeCaller,
  prefix: string,
): Promise<Answer<readonly number[]> | undefined> {
  const { owner, name } = caller.address;
  const folder = `refs/heads/${prefix.slice(0, prefix.lastIndexOf('/') + 1)}`;
  const [ours, others]: [number[], number[]] = [[], []];
  let after: string | undefined;
  for (let page = 1; page <= caller.limits.pages; page += 1) {
    const variables = { owner, name, prefix: folder, after };
    const reply = await caller.call({ route: GRAPHQL, operation, parameters: { query: QUERY, variables } });
    if (reply.kind === 'unheard') throw reply.error;
    if (reply.kind === 'refused') return undefined;
    if (reply.kind !== 'reply') return reply;
    const refs = at(reply.data, ['data', 'repository', 'refs']);
    // GraphQL says no with HTTP 200.
    if (!isRecord(refs)) return undefined;
    for (const ref of listAt(refs, 'nodes'))
      for (const pull of listAt(ref, 'associatedPullRequests', 'nodes')) {
        const number = at(pull, ['number']);
        if (typeof number === 'number') (at(pull, ['viewerDidAuthor']) === true ? ours : others).push(number);
      }
    if (at(refs, ['pageInfo', 'hasNextPage']) !== true)
      return { kind: 'done', value: [...ours, ...others.sort(ascending).slice(0, caller.limits.foreignPulls)] };
    after = textAt(refs, 'pageInfo', 'endCursor');
  }
  return undefined;
}

const ascending = (left: number, right: number): number => left - right;

/** Of one branch, however often it was proposed: by us, and by all others. */
const NEWEST = 5;
/** Of one branch, whatever became of them. */
const PAGES_OF_BRANCH = 10;
/** Others who have opened some of one branch, of each of whom the newest is read. */
const AUTHORS_OF_BRANCH = 10;

/**
 * The numbers of those of one branch, in a list that has the newest first, that may say something of what it proposes: the newest of
 * ours, then the newest of each other author. Who may push to it opens as many as they like, and takes the place of none but their own.
 * Refused where more have opened some than are read. Throws PortError.
 */
export async function wordsIn(
  caller: ForgeCaller,
  branch: string,
  list: readonly unknown[],
): Promise<Answer<readonly number[]>> {
  const numbers = (items: readonly unknown[]): Answer<readonly number[]> => ({
    kind: 'done',
    value: items.flatMap((item) => idAt(item, 'number') ?? []),
  });
  if (list.length <= NEWEST) return numbers(list);
  const self = await readLogin(caller);
  if (self.kind === 'deferred') return self;
  const login = self.kind === 'done' ? self.value.login : undefined;
  const isOurs = (item: unknown): boolean => login !== undefined && textAt(item, 'user', 'login') === login;
  const ours = list.filter(isOurs).slice(0, NEWEST);
  const others = list.filter((item) => !isOurs(item));
  const newest = new Map(others.toReversed().map((item) => [textAt(item, 'user', 'login'), item]));
  if (newest.size > AUTHORS_OF_BRANCH) return crowded(branch, `pull requests of more than ${AUTHORS_OF_BRANCH} others`);
  const first = others.filter((item) => newest.get(textAt(item, 'user', 'login')) === item);
  const theirs = [...new Set([...first, ...others])].slice(0, Math.max(first.length, NEWEST));
  return numbers([...ours, ...theirs]);
}

/** Nobody knows what was said of the branch: a rejection may be among those that are not read. */
function crowded(branch: string, has: string): ForgeRefused {
  return refused(
    'BranchCrowded',
    `the branch ${branch} has ${has}, so nobody knows whether one was turned down`,
    'Change the steps of the Rollout, which are proposed from another branch; rules for the prefix keep others off (policies/github)',
  );
}

/** The pull requests of a branch of this repository. Forks of the same owner are listed by the same name, and left out. */
export async function readOfBranch(
  caller: ForgeCaller,
  branch: string,
  parameters: Pages['parameters'],
): Promise<Answer<readonly unknown[]>> {
  const head = `${caller.address.owner}:${branch}`;
  const own: unknown[] = [];
  for (let page = 1; page <= PAGES_OF_BRANCH; page += 1) {
    const route = 'GET /repos/{owner}/{repo}/pulls';
    const some = await readPage(
      caller,
      { route, operation: `list the pull requests of ${branch}`, parameters: { ...parameters, head } },
      page,
    );
    if (some.kind !== 'done') return some;
    own.push(...some.value.filter((item) => pullOf(item, undefined)?.isSameRepository !== false));
    if (some.value.length < perPage) return { kind: 'done', value: own };
  }
  return crowded(branch, `at least ${PAGES_OF_BRANCH * perPage} pull requests`);
}
