/** The open pull requests of branches of this repository below a prefix: strangers cannot make one of these, and so none too many. */

import { at, isRecord } from '../../../api/json.ts';
import type { Answer } from '../../../ports/forge.ts';
import { type ForgeCaller, GRAPHQL } from './call.ts';
import { listAt, textAt } from './read-pull.ts';

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

/**
 * The newest of each author first, then all others, of a list that has the newest first: who may push to a branch opens as many of it
 * as they like, and takes the place of none but their own.
 */
export function eachAuthorFirst(list: readonly unknown[]): readonly unknown[] {
  const newest = new Map(list.toReversed().map((item) => [textAt(item, 'user', 'login'), item]));
  return [...new Set([...list.filter((item) => newest.get(textAt(item, 'user', 'login')) === item), ...list])];
}
