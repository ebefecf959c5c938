/** What a forge knows of the makers of a commit, for GraphQL: by the addresses of accounts, and by its pull requests. */

import type { Account, ForgePull, ForgeRepository } from './repository.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The fields of `Commit` that queries of ours ask, by oid; of what is no commit undefined. */
export async function graphqlCommits(repository: ForgeRepository, oids: readonly string[]): Promise<Fields> {
  const all = await Promise.all(oids.map(async (oid) => [oid, await commitOf(repository, oid)] as const));
  return Object.fromEntries(all);
}

async function commitOf(repository: ForgeRepository, oid: string): Promise<Fields | undefined> {
  const authors = await authorsOf(repository, oid);
  if (authors === undefined) return undefined;
  const pulls = repository.pulls.filter(({ mergeCommit }) => mergeCommit === oid);
  const nodes = await Promise.all(pulls.map((pull) => pullOf(repository, pull)));
  return {
    __typename: 'Commit',
    ...authors,
    associatedPullRequests: { totalCount: nodes.length, nodes },
  };
}

function signature(signer: string | undefined): Fields {
  return {
    isValid: true,
    wasSignedByGitHub: signer === undefined,
    signer: signer === undefined ? undefined : { login: signer },
  };
}

async function pullOf(repository: ForgeRepository, pull: ForgePull): Promise<Fields> {
  const oids = (await repository.git.git('rev-list', `${pull.mergeCommit}^1..${pull.head}`)).split('\n');
  const nodes = await Promise.all(oids.map(async (oid) => ({ commit: await authorsOf(repository, oid) })));
  return {
    __typename: 'PullRequest',
    number: pull.number,
    state: pull.state.toUpperCase(),
    author: actor(pull.by),
    mergedBy: pull.endedBy === undefined ? undefined : actor(pull.endedBy),
    commits: { totalCount: nodes.length, nodes },
  };
}

/** GraphQL leaves out what REST writes behind the login of an App. */
function actor({ login, type }: Account): Fields {
  return { __typename: type, login: login.replace('[bot]', '') };
}

async function authorsOf(repository: ForgeRepository, oid: string): Promise<Fields | undefined> {
  const text = await repository.git.git('log', '-1', '--format=%an <%ae>%n%B', oid).catch(() => undefined);
  const [author = '', ...message] = text?.split('\n') ?? [];
  if (text === undefined) return undefined;
  const others = message.flatMap((line) => /^Co-authored-by: (.+)$/i.exec(line)?.[1] ?? []);
  const nodes = [author, ...others].map((who) => {
    const [, name = '', email = ''] = /^(.*) <(.*)>$/.exec(who) ?? [];
    const login = repository.addresses.get(email);
    return { name, user: login === undefined ? undefined : { login } };
  });
  const signed = repository.signed.has(oid) ? signature(repository.signed.get(oid)) : undefined;
  return { authors: { totalCount: nodes.length, nodes }, signature: signed };
}
