/** A stateful GitHub on loopback: its API, checked against the published description, over real bare repositories. */

import { createHash, createPublicKey, verify } from 'node:crypto';
import { isRecord } from '../../../src/api/json.ts';
import type { Fetches } from '../fetches.ts';
import { type GitServer, type ServerFault, type ServerRequest, startGitServer } from '../git-server.ts';
import { answerGraphql } from './graphql.ts';
import { graphqlCommits } from './makers.ts';
import { Openapi } from './openapi.ts';
import { type Account, ForgeRepository } from './repository.ts';
import { type Answered, problem } from './route.ts';
import { routes } from './routes.ts';
import { graphqlPull, graphqlRefs } from './waits.ts';

export type ForgeToken = {
  readonly account: Account;
  readonly permissions: Readonly<Record<string, 'read' | 'write'>>;
  /** `owner/name`; others answer as if they were not there. */
  readonly repositories: readonly string[];
};

/** What goes wrong with one call. `after`: it had its effect. */
export type ForgeFault =
  | { readonly kind: 'answer'; readonly when: 'before' | 'after'; readonly answer: Answered }
  | { readonly kind: 'drop'; readonly when: 'before' | 'after' };

type ForgeApp = {
  readonly id: string;
  readonly publicKey: string;
  readonly installation: number;
  readonly token: string;
};

export type SimulatedForge = {
  /** `http://127.0.0.1:port`; the API is below `/api/v3`, as on a GitHub Enterprise Server. */
  readonly url: string;
  readonly server: GitServer;
  /** Seconds; moved by tests. */
  now: number;
  /** How many lists do not show a pull request that was just opened. */
  lag: number;
  /** What is left of the primary limit. */
  remaining: number;
  /** Asked for every call of the API. */
  fault: (call: { readonly method: string; readonly path: string }) => ForgeFault | undefined;
  readonly tokens: Map<string, ForgeToken>;
  readonly apps: ForgeApp[];
  /** Calls of the API, as `GET /repos/team/gitops/pulls`, with the status that they were answered. */
  readonly calls: { readonly call: string; readonly status: number }[];
  /** Requests and answers that are not as GitHub describes them: a test that has some has failed. */
  readonly violations: string[];
  createRepository(owner: string, name: string): Promise<ForgeRepository>;
  stop(): Promise<void>;
};

const apiRoot = '/api/v3';

/** Of all forges of a worker: what git answered to fetches, and the description, whose checks take two seconds to make. */
const fetches: Fetches = new Map();
let described: Openapi | undefined;

/** Starts one, empty. Stop it in the test that started it. */
export async function startForge(): Promise<SimulatedForge> {
  const server = await startGitServer(fetches);
  const repositories = new Map<string, ForgeRepository>();
  described ??= new Openapi();
  const forge: SimulatedForge = {
    url: server.url,
    server,
    now: 1_800_000_000,
    lag: 0,
    remaining: 5000,
    fault: () => undefined,
    tokens: new Map(),
    apps: [],
    calls: [],
    violations: [],
    createRepository: async (owner, name) => {
      const git = await server.createRepository(`${owner}/${name}.git`);
      const repository = new ForgeRepository({ git, owner, name, clock: () => forge.now });
      repositories.set(`${owner}/${name}`, repository);
      return repository;
    },
    stop: () => server.stop(),
  };
  const api = new Api(forge, described, repositories);
  server.fault = (request) => (request.url.startsWith('/api/') ? api.serve(request) : undefined);
  server.userOf = (authorization) => forge.tokens.get(tokenOf(authorization) ?? '')?.account.login ?? 'nobody';
  return forge;
}

/** Of `token x`, `bearer x`, or Basic authentication as git sends it. */
function tokenOf(authorization: string | undefined): string | undefined {
  const [scheme = '', value = ''] = (authorization ?? '').split(' ');
  if (scheme.toLowerCase() !== 'basic') return value === '' ? undefined : value;
  return Buffer.from(value, 'base64').toString().split(':').slice(1).join(':');
}

class Api {
  private readonly forge: SimulatedForge;
  private readonly openapi: Openapi;
  private readonly repositories: ReadonlyMap<string, ForgeRepository>;

  constructor(forge: SimulatedForge, openapi: Openapi, repositories: ReadonlyMap<string, ForgeRepository>) {
    this.forge = forge;
    this.openapi = openapi;
    this.repositories = repositories;
  }

  async serve(request: ServerRequest): Promise<ServerFault> {
    const { method } = request;
    const url = new URL(request.url, this.forge.url);
    const path = url.pathname.startsWith(apiRoot) ? url.pathname.slice(apiRoot.length) : url.pathname;
    const fault = this.forge.fault({ method, path });
    const isFaulty = fault?.when === 'before';
    const answered = isFaulty ? undefined : await this.answer(request, path, url.searchParams);
    const answer = fault?.kind === 'answer' ? fault.answer : answered;
    this.forge.calls.push({ call: `${method} ${path}`, status: fault?.kind === 'drop' ? 0 : (answer?.status ?? 0) });
    if (fault?.kind === 'drop' || answer === undefined) return { kind: 'drop' };
    return this.sent(request, answer);
  }

  private sent(request: ServerRequest, answer: Answered): ServerFault {
    const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
    const etag = `W/"${createHash('sha1').update(body).digest('hex')}"`;
    const headers = {
      'content-type': typeof answer.body === 'string' ? 'text/html' : 'application/json; charset=utf-8',
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': String(this.forge.remaining),
      'x-ratelimit-reset': String(this.forge.now + 600),
      'x-ratelimit-resource': 'core',
      ...answer.headers,
    };
    const isSame = request.method === 'GET' && answer.status === 200 && request.headers['if-none-match'] === etag;
    if (isSame) {
      this.forge.calls[this.forge.calls.length - 1] = { call: this.forge.calls.at(-1)?.call ?? '', status: 304 };
      return { kind: 'answer', status: 304, headers: { ...headers, etag } };
    }
    // What is not changed is not counted against the limit.
    this.forge.remaining -= 1;
    return { kind: 'answer', status: answer.status, headers: { ...headers, etag }, body };
  }

  private async answer(request: ServerRequest, path: string, query: URLSearchParams): Promise<Answered> {
    const text = request.body.toString();
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const asApp = this.asApp(request, path);
    if (asApp !== undefined) return asApp;
    const token = this.forge.tokens.get(tokenOf(request.headers.authorization) ?? '');
    if (token === undefined) return problem(401, 'Bad credentials');
    if (this.forge.remaining <= 0) return problem(403, `API rate limit exceeded for user ID ${token.account.id}.`);
    if (path === '/api/graphql') return this.graphql(token, body);
    const matched = this.openapi.match(request.method, path);
    const route = matched === undefined ? undefined : routes[`${matched.operation.method} ${matched.operation.path}`];
    if (matched === undefined || route === undefined)
      return this.violation(`${request.method} ${path} is not described`);
    const asked = { method: request.method, path, query, body };
    for (const one of this.openapi.requestFaults(matched, asked)) this.violation(one);
    const { owner, repo, org = '' } = matched.parameters;
    // What is of an organisation, or of an App, is kept with the one repository that a token reaches there.
    const first = token.repositories.find((name) => org === '' || name.startsWith(`${org}/`));
    const repository = this.visible(token, owner === undefined ? (first ?? '') : `${owner}/${repo}`);
    if (repository === undefined) return problem(404, 'Not Found');
    const [needed, level] = route.needs;
    const has = needed === 'metadata' ? 'read' : token.permissions[needed];
    if (has === undefined || (level === 'write' && has !== 'write')) {
      const headers = { 'x-accepted-github-permissions': `${needed}=${level}` };
      return { ...problem(403, 'Resource not accessible by integration'), headers };
    }
    if (level === 'write' && repository.settings.archived)
      return problem(403, 'Repository was archived so is read-only.');
    await repository.settle();
    const given = isRecord(body) ? body : {};
    const { openapi } = this;
    const { url, lag } = this.forge;
    const { parameters } = matched;
    const answer = await route.run({
      openapi,
      repository,
      parameters,
      query,
      body: given,
      by: token.account,
      url,
      lag,
    });
    for (const one of openapi.responseFaults(matched, answer.status, answer.body)) this.violation(one);
    return answer;
  }

  private violation(what: string): Answered {
    this.forge.violations.push(what);
    return problem(500, what);
  }

  private visible(token: ForgeToken, name: string): ForgeRepository | undefined {
    return token.repositories.includes(name) ? this.repositories.get(name) : undefined;
  }

  /** The two routes that take the JSON web token of an App, which must be signed with its key. */
  private asApp(request: ServerRequest, path: string): Answered | undefined {
    const isInstallation = /^\/repos\/[^/]+\/[^/]+\/installation$/.test(path);
    const [, id] = /^\/app\/installations\/(\d+)\/access_tokens$/.exec(path) ?? [];
    if (!isInstallation && id === undefined) return undefined;
    const [header = '', payload = '', signature = ''] = (tokenOf(request.headers.authorization) ?? '').split('.');
    const { iss } = JSON.parse(Buffer.from(payload, 'base64url').toString() || '{}');
    const app = this.forge.apps.find((one) => one.id === String(iss));
    if (app === undefined) return problem(401, 'Integration not found');
    const signed = Buffer.from(`${header}.${payload}`);
    if (!verify('RSA-SHA256', signed, createPublicKey(app.publicKey), Buffer.from(signature, 'base64url')))
      return problem(401, 'A JSON web token could not be decoded');
    const known = this.forge.tokens.get(app.token)?.repositories ?? [];
    if (isInstallation)
      return known.some((name) => path === `/repos/${name}/installation`)
        ? { status: 200, body: this.openapi.sample('installation', { id: app.installation }) }
        : problem(404, 'Not Found');
    const expires_at = new Date((this.forge.now + 3600) * 1000).toISOString();
    return { status: 201, body: { token: app.token, expires_at, permissions: {}, repository_selection: 'selected' } };
  }

  private async graphql(token: ForgeToken, body: unknown): Promise<Answered> {
    const { query, variables } = isRecord(body) ? body : {};
    const { owner, name } = isRecord(variables) ? variables : {};
    const repository = this.visible(token, `${String(owner)}/${String(name)}`);
    await repository?.settle();
    const pulls = await Promise.all((repository?.pulls ?? []).map(async (pull) => graphqlPull(repository!, pull)));
    const oids = [...String(query).matchAll(/oid: "([0-9a-f]{40})"/g)].map(([, oid]) => oid ?? '');
    const commits = repository === undefined ? {} : await graphqlCommits(repository, oids);
    try {
      const data = answerGraphql(String(query), variables, {
        viewer: { databaseId: token.account.id, login: token.account.login },
        repository:
          repository === undefined
            ? undefined
            : {
                pullRequest: ({ number }: { readonly number: number }) => pulls[number - 1],
                refs: ({ refPrefix, after }: { readonly refPrefix: string; readonly after?: string }) =>
                  graphqlRefs(repository, { refPrefix, after, pulls, viewer: token.account }),
                object: ({ oid }: { readonly oid: string }) => commits[oid],
              },
      });
      const missing = [
        {
          type: 'NOT_FOUND',
          message: `Could not resolve to a Repository with the name '${String(owner)}/${String(name)}'.`,
        },
      ];
      const isMissing = isRecord(data) && data['repository'] === null;
      return { status: 200, body: { data, ...(isMissing ? { errors: missing } : {}) } };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.forge.violations.push(message);
      return { status: 200, body: { errors: [{ message }] } };
    }
  }
}
