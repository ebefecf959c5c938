/** Reads who made commits of the base: their authors, and of the pull requests that brought them who had a hand in each. */

import { at, isRecord } from '../../../api/json.ts';
import type { Answer, Makers } from '../../../ports/forge.ts';
import type { Oid } from '../../../ports/git.ts';
import { cleanText } from '../../git/git-error.ts';
import { type ForgeCaller, GRAPHQL } from './call.ts';
import { garbled } from './pages.ts';
import { idAt, listAt, textAt } from './read-pull.ts';

const operation = 'read who made a change';
/**
 * Of each list that GitHub gives in parts. One that is longer leaves open who else is in it; and of all lists together GitHub
 * gives 500,000 entries a request, as many as there may be.
 */
const MOST = 100;
const AUTHORS = 20;
const PULLS = 10;

const PEOPLE = `authors(first: ${AUTHORS}) { totalCount nodes { name user { login } } }
  signature { isValid wasSignedByGitHub signer { login } }`;
const FIELDS = `... on Commit {
  ${PEOPLE}
  associatedPullRequests(first: ${PULLS}) { totalCount nodes {
    number state author { login } mergedBy { login }
    commits(first: ${MOST}) { totalCount nodes { commit { ${PEOPLE} } } }
  } }
}`;

/** All who made these commits, all in one request. Throws PortError. */
export async function readMakers(caller: ForgeCaller, commits: readonly Oid[]): Promise<Answer<Makers>> {
  if (commits.length === 0) return { kind: 'done', value: { logins: [], unclear: [] } };
  const { owner, name } = caller.address;
  const asked = commits.map((oid, i) => `c${i}: object(oid: "${oid}") { ${FIELDS} }`).join('\n');
  const query = `query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { ${asked} } }`;
  const reply = await caller.call({ route: GRAPHQL, operation, parameters: { query, variables: { owner, name } } });
  if (reply.kind === 'unheard') throw reply.error;
  if (reply.kind !== 'reply') return reply;
  const found = at(reply.data, ['data', 'repository']);
  if (!isRecord(found)) return garbled(caller, operation);
  const all = commits.map((oid, i) => makersOf(found[`c${i}`], oid.slice(0, 12)));
  return {
    kind: 'done',
    value: {
      logins: [...new Set(all.flatMap(({ logins }) => logins))],
      unclear: [...new Set(all.flatMap(({ unclear }) => unclear))],
    },
  };
}

/** The author of a commit is what its maker wrote there: only a pull request or a signature shows who that was, and who signed is one. */
function makersOf(commit: unknown, oid: string): Makers {
  if (!isRecord(commit)) return { logins: [], unclear: [`the forge does not know commit ${oid}`] };
  const merged = listAt(commit, 'associatedPullRequests', 'nodes').filter((pull) => textAt(pull, 'state') === 'MERGED');
  const signer = signerOf(commit);
  const alone =
    merged.length > 0 || signer !== undefined ? [] : [`commit ${oid} came by no pull request and is not signed`];
  const parts = [commitMakers(commit, `commit ${oid}`), ...merged.map(pullMakers)];
  return {
    logins: parts.flatMap(({ logins }) => logins),
    unclear: [
      ...alone,
      ...cut(commit, 'associatedPullRequests', `commit ${oid} has more than ${PULLS} pull requests`),
      ...parts.flatMap(({ unclear }) => unclear),
    ],
  };
}

/** Who signed it; nobody where the forge did, which knows the author. undefined: nobody who is known. */
function signerOf(commit: unknown): readonly string[] | undefined {
  const signature = at(commit, ['signature']);
  if (at(signature, ['isValid']) !== true) return undefined;
  const login = textAt(signature, 'signer', 'login');
  if (at(signature, ['wasSignedByGitHub']) === true) return [];
  return login === undefined ? undefined : [login];
}

/** Who opened it, who merged it, and who made its commits. */
function pullMakers(pull: unknown): Makers {
  const called = `pull request ${idAt(pull, 'number') ?? ''}`;
  const commits = listAt(pull, 'commits', 'nodes').map((node) => commitMakers(at(node, ['commit']), called));
  const [author, merger] = [textAt(pull, 'author', 'login'), textAt(pull, 'mergedBy', 'login')];
  return {
    logins: [author, merger, ...commits.flatMap(({ logins }) => logins)].filter((login) => login !== undefined),
    unclear: [
      ...(author === undefined ? [`${called} is of an account that is gone`] : []),
      ...(commits.length === 0 ? [`the forge names no commit of ${called}`] : []),
      ...cut(pull, 'commits', `${called} has more than ${MOST} commits`),
      ...commits.flatMap(({ unclear }) => unclear),
    ],
  };
}

/** Authors and co-authors, and who signed it; an author whose address belongs to no account may be anybody. */
function commitMakers(commit: unknown, called: string): Makers {
  const nodes = listAt(commit, 'authors', 'nodes');
  const nobody = nodes.length === 0 ? [`the forge names no author of ${called}`] : [];
  const nameless = nodes.filter((node) => textAt(node, 'user', 'login') === undefined);
  return {
    logins: [...(signerOf(commit) ?? []), ...nodes.flatMap((node) => textAt(node, 'user', 'login') ?? [])],
    unclear: [
      ...nobody,
      ...nameless.map((node) => `${cleanText(textAt(node, 'name') ?? 'an author')} of ${called} has no account there`),
      ...cut(commit, 'authors', `${called} has more than ${AUTHORS} authors`),
    ],
  };
}

function cut(data: unknown, list: string, said: string): readonly string[] {
  const total = idAt(data, list, 'totalCount');
  return total !== undefined && total <= listAt(data, list, 'nodes').length ? [] : [said];
}
