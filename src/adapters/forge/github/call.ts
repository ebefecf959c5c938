/** One request to the GitHub API: paced, repeated where that is safe, kept for as long as it has not changed, and its answer named. */

import { Octokit } from '@octokit/core';
import { isRecord } from '../../../api/json.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Deferred, ForgeRefused } from '../../../ports/forge.ts';
import { PortError } from '../../../ports/port-error.ts';
import { cleanText, gitError } from '../../git/git-error.ts';
import type { Network } from '../../network/proxy.ts';
import type { Timers } from '../../system/timers.ts';
import type { ForgeAddress } from './address.ts';
import { type Credentials, type ForgeCredential, openCredentials, UnusableKey } from './credentials.ts';
import { createFetch, NoAnswer } from './fetch.ts';
import type { ForgeLimits } from './limits.ts';
import { notRead, printed } from './odd-answers.ts';
import { Pace } from './pace.ts';
import { listAt, textAt } from './read-pull.ts';
import { limitedFor, type Problem, refusalOf } from './refusals.ts';

export type ForgeOptions = {
  readonly address: ForgeAddress;
  readonly credential: ForgeCredential;
  readonly network: Network;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly limits: ForgeLimits;
  readonly userAgent: string;
};

type ForgeCall = {
  /** As GitHub documents it, `GET /repos/{owner}/{repo}/pulls`, with owner and repo filled in where it has them; or `POST /graphql`. */
  readonly route: string;
  /** The words of the port, for messages: `list pull requests`. */
  readonly operation: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Statuses above 399 that answer the question, as 404 for one that may be gone. */
  readonly expected?: readonly number[];
  /** False: sent twice it would be written twice, so an answer that is lost is `unheard`. */
  readonly isRepeatable?: boolean;
};

export type Reply =
  | { readonly kind: 'reply'; readonly status: number; readonly data: unknown }
  /** The request went out, and what became of it is not known. */
  | { readonly kind: 'unheard'; readonly error: PortError }
  | ForgeRefused
  | Deferred;

type Outcome =
  | { readonly kind: 'reply'; readonly status: number; readonly data: unknown; readonly etag: string | undefined }
  | { readonly kind: 'problem'; readonly problem: Problem }
  | { readonly kind: 'none'; readonly why: string; readonly remedy: string | undefined };

type Kept = { readonly etag: string; readonly data: unknown };

const apiVersion = '2022-11-28';

/** Not below the address of the routes; it reads only, as it is used here. */
export const GRAPHQL = 'POST /graphql';

export class ForgeCaller {
  readonly address: ForgeAddress;
  readonly credentials: Credentials;
  readonly limits: ForgeLimits;
  readonly pace: Pace;
  private readonly octokit: Octokit;
  /** By route and parameters, the oldest first. */
  private readonly kept = new Map<string, Kept>();

  constructor(options: ForgeOptions) {
    this.address = options.address;
    this.limits = options.limits;
    this.pace = new Pace(options);
    const silent = () => undefined;
    this.octokit = new Octokit({
      baseUrl: options.address.api,
      userAgent: options.userAgent,
      request: { fetch: createFetch(options) },
      log: { debug: silent, info: silent, warn: silent, error: silent },
    });
    this.octokit.hook.error('request', notRead);
    this.credentials = openCredentials(options.credential, this.octokit, options.address);
  }

  /** What Git sends for us, with the installation that every call has. Throws PortError of Git where the forge gives none. */
  async gitToken(): Promise<string> {
    try {
      return await this.credentials.token();
    } catch (error) {
      const outcome = outcomeOf(error);
      const call: ForgeCall = { route: 'POST /app/installations/{installation_id}/access_tokens', operation: 'open' };
      const answer = this.meaning(call, outcome);
      if (answer.kind === 'unheard') throw answer.error;
      const [said, hint] =
        answer.kind === 'refused' ? [answer.said, answer.advice] : [answer.why, 'The forge says when it may go on.'];
      const message = `${this.credentials.name} gives no token for Git: ${said}`;
      throw gitError(message, { operation: 'open', retryable: answer.kind === 'deferred', hint });
    }
  }

  /** Throws PortError where no reply came and nothing can have been written. */
  async call(call: ForgeCall): Promise<Reply> {
    const isRead = call.route.startsWith('GET ') || call.route === GRAPHQL;
    const pauses = isRead || call.isRepeatable === true ? this.limits.retryPauses : [];
    for (let tried = 0; ; tried += 1) {
      const closed = this.pace.next(isRead ? 'read' : 'write');
      if (closed !== undefined) return closed;
      if (!isRead) await this.pace.gap();
      const outcome = await this.pace.during(() => this.send(call));
      if (outcome.kind === 'reply') return outcome;
      const answer = this.meaning(call, outcome);
      if (answer.kind !== 'unheard') return answer;
      const pause = answer.error.retryable ? pauses[tried] : undefined;
      if (pause === undefined) {
        if (isRead || call.isRepeatable === true || !answer.error.retryable) throw answer.error;
        return answer;
      }
      await this.pace.pause(pause);
    }
  }

  private async send(call: ForgeCall): Promise<Outcome> {
    const { owner, name: repo } = this.address;
    const key = `${call.route} ${JSON.stringify(call.parameters ?? {})}`;
    const kept = this.kept.get(key);
    // What a route does not name would go into its query.
    const home = call.route.includes('{owner}') ? { owner, repo } : {};
    try {
      const token = await this.credentials.token();
      const headers = {
        authorization: `token ${token}`,
        'x-github-api-version': apiVersion,
        ...(kept === undefined ? {} : { 'if-none-match': kept.etag }),
      };
      const [method] = call.route.split(' ');
      const isGraphql = call.route === GRAPHQL;
      const {
        status,
        data,
        headers: got,
      } = await (isGraphql
        ? this.octokit.request(`POST ${this.address.graphql}`, { ...call.parameters, headers })
        : this.octokit.request(call.route, { ...home, ...call.parameters, headers }));
      // Names of people, labels and checks stand in commits and holds: nothing of such an answer may.
      if (this.saysBack(data))
        return { kind: 'none', why: `an answer to ${call.operation} holds our credential`, remedy: SAID_BACK };
      // Octokit takes a redirect for a success.
      if (status >= 300) return { kind: 'problem', problem: { status, headers: got, said: '' } };
      // GraphQL says so with HTTP 200.
      if (isGraphql && listAt(data, 'errors').some((one) => textAt(one, 'type') === 'RATE_LIMITED'))
        return { kind: 'problem', problem: { status: 429, headers: got, said: saidBy(data) } };
      if (method === 'GET' && typeof got.etag === 'string') this.keep(key, { etag: got.etag, data });
      return { kind: 'reply', status, data, etag: got.etag };
    } catch (error) {
      const outcome = outcomeOf(error);
      if (outcome.kind !== 'problem') return outcome;
      const { status } = outcome.problem;
      if (status === 304 && kept !== undefined) return { kind: 'reply', status: 200, data: kept.data, etag: kept.etag };
      const isExpected = call.expected?.includes(status) === true;
      return isExpected ? { kind: 'reply', status, data: undefined, etag: undefined } : outcome;
    }
  }

  private saysBack(data: unknown): boolean {
    const text = printed(data)
      .replaceAll('\\u001b', '\u001b')
      .replace(/\\(?:u00[01][0-9a-f]|[nrtbf])/g, ' ');
    return this.credentials.isIn(text);
  }

  private keep(key: string, kept: Kept): void {
    this.kept.delete(key);
    this.kept.set(key, kept);
    const [oldest] = this.kept.keys();
    if (this.kept.size > this.limits.keptAnswers && oldest !== undefined) this.kept.delete(oldest);
  }

  private meaning(call: ForgeCall, outcome: Exclude<Outcome, { kind: 'reply' }>): Exclude<Reply, { kind: 'reply' }> {
    const { host } = new URL(this.address.api);
    const repository = `${this.address.owner}/${this.address.name}`;
    const unheard = (said: string, retryable: boolean, hint: string): Reply & { kind: 'unheard' } => {
      const message = `${host}, ${repository}: ${cleanText(this.credentials.mask(said))}`;
      return { kind: 'unheard', error: forgeError(message, { operation: call.operation, retryable, hint }) };
    };
    if (outcome.kind === 'none')
      return unheard(
        outcome.why,
        outcome.remedy === undefined,
        outcome.remedy ??
          'Check the address of the forge, HTTPS_PROXY and NO_PROXY, and the network from here to there.',
      );
    const problem = { ...outcome.problem, said: this.credentials.mask(outcome.problem.said) };
    const { status, said } = problem;
    const seconds = limitedFor(problem, this.pace.now(), this.limits.limitSeconds);
    if (seconds !== undefined)
      return this.pace.close(seconds, `${host} limits requests (HTTP ${status}): ${cleanText(said)}`);
    if (status >= 500) return unheard(`answered HTTP ${status}: ${said}`, true, '');
    if (status < 400)
      return unheard(
        `answered HTTP ${status}, which is not followed`,
        false,
        'Give the new address of the repository.',
      );
    return refusalOf(problem, { repository, credential: this.credentials.name, host });
  }
}

const SAID_BACK = 'No forge does that: look who answers at that address, and revoke the credential.';

/** A PortError of the port `forge`; `message` says what was seen and what was wanted, never a credential. */
export function forgeError(
  message: string,
  fields: { readonly operation: string; readonly retryable: boolean; readonly hint: string },
): PortError {
  return new PortError(message, { port: 'forge', ...fields });
}

/** What Octokit throws for an answer that is no success, and for none. Anything else is our own fault and thrown on. */
function outcomeOf(error: unknown): Exclude<Outcome, { kind: 'reply' }> {
  if (!(error instanceof Error)) throw error;
  if (error.cause instanceof NoAnswer) return { kind: 'none', why: error.cause.message, remedy: error.cause.remedy };
  if (error.cause instanceof PortError) throw error.cause;
  if (error instanceof UnusableKey)
    return { kind: 'problem', problem: { status: 401, headers: {}, said: error.message } };
  const response = 'response' in error && isRecord(error.response) ? error.response : undefined;
  const status = response?.['status'];
  if (response === undefined || typeof status !== 'number') throw error;
  const headers = isRecord(response['headers']) ? response['headers'] : {};
  return { kind: 'problem', problem: { status, headers, said: saidBy(response['data']) } };
}

/** The words of a body: `message`, and its `errors`, which are texts or objects. Of a web page nothing is worth quoting. */
function saidBy(data: unknown): string {
  if (!isRecord(data))
    return typeof data === 'string' && !data.trimStart().startsWith('<') ? data : 'no words of the API';
  const message = typeof data['message'] === 'string' ? data['message'] : '';
  const errors: readonly unknown[] = Array.isArray(data['errors']) ? data['errors'] : [];
  const parts = errors.map((error) =>
    isRecord(error) && typeof error['message'] === 'string' ? error['message'] : printed(error),
  );
  return [message, ...parts].filter((part) => part !== '').join(': ');
}
