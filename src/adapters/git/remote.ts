/**
 * One repository behind an http(s) URL: authentication, redirects, and retries of reads.
 * Absent on purpose: credentials in URLs, redirects to another host, port or scheme, and any retry of a push.
 */

import type { Log } from '../../ports/log.ts';
import type { GitOperation } from './git-error.ts';
import { createHttpClient, HttpFailure, type HttpRequest } from './http.ts';
import type { GitLimits } from './limits.ts';
import { createPacketReader, type Packet } from './pkt-line.ts';
import { createDiscoveryReader, type Discovery, ProtocolError } from './protocol.ts';
import { asPortError, asWriteError, type ErrorContext, UnusableAnswer } from './remote-error.ts';

export type RemoteOptions = {
  readonly location: URL;
  readonly token: string | undefined;
  readonly limits: GitLimits;
  readonly log: Log | undefined;
};

type Service = 'git-upload-pack' | 'git-receive-pack';
/** `finish` runs after the last byte and says whether all of it came. */
type AnswerReader<T> = { readonly packet: (packet: Packet) => void; readonly finish: () => T };

export type Exchange<T> = {
  readonly operation: GitOperation;
  readonly service: Service;
  readonly body: Buffer;
  readonly maxBytes: number;
  /** Called once per try. */
  readonly reader: () => AnswerReader<T>;
};

export type Remote = {
  /** The address for messages: no credentials, because it never has any. */
  readonly name: string;
  /** A read, tried again where that is safe. Throws PortError, or ServerSaid where the server refused in words. */
  read<T>(exchange: Exchange<T>): Promise<T>;
  /** A write, sent once. Throws PortError or SentButUnknown. */
  write<T>(exchange: Exchange<T>): Promise<T>;
  /** What the service offers, and for `git-receive-pack` all refs. Throws PortError or ServerSaid. */
  discover(service: Service, operation: GitOperation): Promise<Discovery>;
  errorContext(operation: GitOperation): ErrorContext;
};

const mostRedirects = 3;
const redirects = new Set([301, 302, 303, 307, 308]);
const transient = new Set([429, 502, 503, 504]);

/** Opens no connection yet. */
export function createRemote(options: RemoteOptions): Remote {
  const { limits } = options;
  const client = createHttpClient();
  const name = options.location.href.replace(/\/+$/, '');
  let base = name;
  const context = (operation: GitOperation): ErrorContext => ({ name, operation, token: options.token });

  const ask = async <T>(request: AskedRequest, reader: AnswerReader<T>): Promise<T> => {
    const packets = createPacketReader(reader.packet);
    const { idleSeconds, totalSeconds } = limits;
    const headers = { ...request.headers, ...commonHeaders(options.token) };
    const answer = await client.send({
      ...request,
      headers,
      idleSeconds,
      totalSeconds,
      onChunk: (chunk) => packets.push(chunk),
    });
    if (answer.kind !== 'ok') throw new UnusableAnswer(answer);
    if (packets.isInside()) throw new ProtocolError('the answer stopped inside a packet');
    return reader.finish();
  };

  const post = <T>({ service, body, maxBytes, reader }: Exchange<T>): Promise<T> => {
    const url = new URL(`${base}/${service}`);
    const headers = { 'content-type': `application/x-${service}-request` };
    return ask({ method: 'POST', url, headers, body, maxBytes, accept: `application/x-${service}-result` }, reader());
  };

  const discover = async (service: Service): Promise<Discovery> => {
    const accept = `application/x-${service}-advertisement`;
    for (let hops = 0; ; hops += 1) {
      const url = new URL(`${base}/info/refs?service=${service}`);
      const request = {
        method: 'GET',
        url,
        headers: {},
        body: undefined,
        maxBytes: limits.answerBytes,
        accept,
      } as const;
      try {
        return await ask(request, createDiscoveryReader(service));
      } catch (error) {
        const next = hops < mostRedirects && error instanceof UnusableAnswer ? redirectedBase(url, error) : undefined;
        if (next === undefined) throw error;
        base = next;
      }
    }
  };

  /** Only discovery is redirected (as in git); the other requests then go to where it led. */
  const postOrFollow = async <T>(exchange: Exchange<T>): Promise<T> => {
    try {
      return await post(exchange);
    } catch (error) {
      if (!(error instanceof UnusableAnswer) || !redirects.has(error.answer.status)) throw error;
      const before = base;
      await discover(exchange.service);
      if (base === before) throw error;
      return post(exchange);
    }
  };

  const tryAgain = async <T>(operation: GitOperation, call: () => Promise<T>): Promise<T> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await call();
      } catch (error) {
        const failure = asPortError(error, context(operation));
        const pause = tries <= limits.retries ? pauseSeconds(error, limits) : undefined;
        if (pause === undefined) throw failure;
        options.log?.warn(`git ${operation}: ${failure.message}; trying again in ${pause} s`);
        await new Promise((done) => setTimeout(done, pause * 1000));
      }
    }
  };

  return {
    name,
    errorContext: context,
    read: (exchange) => tryAgain(exchange.operation, () => postOrFollow(exchange)),
    write: (exchange) =>
      post(exchange).catch((error: unknown) => {
        throw asWriteError(error, context(exchange.operation));
      }),
    discover: (service, operation) => tryAgain(operation, () => discover(service)),
  };
}

type AskedRequest = Omit<HttpRequest, 'idleSeconds' | 'totalSeconds' | 'onChunk'>;

function commonHeaders(token: string | undefined): Readonly<Record<string, string>> {
  const common = {
    // Some hosts only speak Git to clients that call themselves git.
    'user-agent': 'git/tranche',
    'git-protocol': 'version=2',
    'accept-encoding': 'identity',
  };
  if (token === undefined) return common;
  return { ...common, authorization: `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}` };
}

/** Where a redirect leads, if our token may go there: the very same scheme, host and port. */
function redirectedBase(from: URL, error: UnusableAnswer): string | undefined {
  const { status, headers } = error.answer;
  if (!redirects.has(status) || headers.location === undefined || !URL.canParse(headers.location, from.href))
    return undefined;
  const target = new URL(headers.location, from);
  const suffix = '/info/refs';
  if (target.origin !== from.origin || target.username !== '' || !target.pathname.endsWith(suffix)) return undefined;
  return `${target.origin}${target.pathname.slice(0, -suffix.length)}`;
}

/** How long to wait before the same read is tried again; undefined: never. */
function pauseSeconds(error: unknown, limits: GitLimits): number | undefined {
  if (error instanceof HttpFailure) return error.kind === 'connection' ? 0 : undefined;
  if (!(error instanceof UnusableAnswer) || !transient.has(error.answer.status)) return undefined;
  const seconds = Number(error.answer.headers['retry-after'] ?? '1');
  return Number.isFinite(seconds) && seconds <= limits.retryAfterSeconds ? Math.max(0, seconds) : undefined;
}
