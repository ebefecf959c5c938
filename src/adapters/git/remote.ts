/**
 * One repository behind an http(s) URL: authentication, redirects, and retries of reads.
 * Absent on purpose: credentials in URLs, redirects to another host, port or scheme, and any retry of a push.
 */

import type { Log } from '../../ports/log.ts';
import type { Network } from '../network/proxy.ts';
import type { Timers } from '../system/timers.ts';
import type { GitOperation } from './git-error.ts';
import { createHttpClient, type HttpClient, HttpFailure, type HttpRequest } from './http.ts';
import type { GitLimits } from './limits.ts';
import { refOf } from './names.ts';
import { createPacketReader, type Packet } from './pkt-line.ts';
import { createDiscoveryReader, type Discovery, ProtocolError } from './protocol.ts';
import { asPortError, asWriteError, clean, type ErrorContext, UnusableAnswer } from './remote-error.ts';
import { TimeBudget } from './time-budget.ts';

/** What Git sends as password: a token that was given, or one that is made again in time. What that throws is a PortError. */
export type GitToken = string | (() => Promise<string>);

export type RemoteOptions = {
  readonly location: URL;
  readonly token: GitToken | undefined;
  readonly limits: GitLimits;
  readonly log: Log | undefined;
  readonly timers: Timers;
  readonly network: Network;
};

type Service = 'git-upload-pack' | 'git-receive-pack';
/** `finish` runs after the last byte and says whether all of it came. */
type AnswerReader<T> = { readonly packet: (packet: Packet) => void; readonly finish: () => T };

type Exchange<T> = {
  readonly operation: GitOperation;
  readonly service: Service;
  readonly body: Buffer;
  readonly maxBytes: number;
  /** Called once per try. */
  readonly reader: () => AnswerReader<T>;
};

const mostRedirects = 3;
const redirects = new Set([301, 302, 303, 307, 308]);
const transient = new Set([429, 502, 503, 504]);

/** Opens no connection before the first call. */
export class Remote {
  /** The address for messages: no credentials, because it never has any. */
  readonly name: string;
  /** Where a redirect of this pass led, or the name. */
  private base: string;
  private readonly toldRedirects = new Set<string>();
  private readonly options: RemoteOptions;
  private readonly client: HttpClient;
  private readonly time: TimeBudget;
  /** The one that was sent last, so that no message holds it. */
  private sent: string | undefined;

  constructor(options: RemoteOptions) {
    this.options = options;
    this.name = options.location.href.replace(/\/+$/, '');
    this.base = this.name;
    this.client = createHttpClient(options.timers, options.network);
    this.time = new TimeBudget(options.timers, options.limits.passSeconds);
  }

  /** A pass starts: its time, and no redirect. A name that once led elsewhere may be the right one again. */
  begin(): void {
    this.base = this.name;
    this.time.begin();
  }

  /** There are at least this many seconds left from now on. */
  allow(seconds: number): void {
    this.time.allow(seconds);
  }

  /** Words of the server, as they may be shown. */
  clean(text: string): string {
    return clean(text, { token: this.sent });
  }

  /** What error messages of this operation are made of. */
  errorContext(operation: GitOperation): ErrorContext {
    const { token, limits } = this.options;
    const isMade = typeof token === 'function';
    return { name: this.name, operation, token: this.sent, isMade, passSeconds: limits.passSeconds };
  }

  /** A read, tried again where that is safe. Throws PortError, or ServerSaid where the server refused in words. */
  read<T>(exchange: Exchange<T>): Promise<T> {
    return this.time.during(() => this.tryAgain(exchange.operation, () => this.postOrFollow(exchange)));
  }

  /** A write, sent once. Throws PortError or SentButUnknown. */
  async write<T>(exchange: Exchange<T>): Promise<T> {
    try {
      return await this.time.during(() => this.post(exchange));
    } catch (error) {
      throw asWriteError(error, this.errorContext(exchange.operation));
    }
  }

  /** What the service offers, and for `git-receive-pack` where these branches are. Throws PortError or ServerSaid. */
  discover(service: Service, { operation, branches }: Discovering): Promise<Discovery> {
    return this.time.during(() => this.tryAgain(operation, () => this.discoverOnce(service, branches)));
  }

  private async ask<T>(request: AskedRequest, reader: AnswerReader<T>): Promise<T> {
    const packets = createPacketReader(reader.packet);
    const { limits, token } = this.options;
    const { idleSeconds } = limits;
    this.sent = typeof token === 'function' ? await token() : token;
    const totalSeconds = this.time.left();
    if (totalSeconds <= 0) throw new HttpFailure('deadline', 'nothing more was asked', false);
    const headers = { ...request.headers, ...commonHeaders(this.sent) };
    const onChunk = (chunk: Buffer) => packets.push(chunk);
    const answer = await this.client.send({ ...request, headers, idleSeconds, totalSeconds, onChunk });
    if (answer.kind !== 'ok') throw new UnusableAnswer(answer);
    if (packets.isInside()) throw new ProtocolError('the answer stopped inside a packet');
    return reader.finish();
  }

  private post<T>({ service, body, maxBytes, reader }: Exchange<T>): Promise<T> {
    const url = new URL(`${this.base}/${service}`);
    const headers = { 'content-type': `application/x-${service}-request` };
    const accept = `application/x-${service}-result`;
    return this.ask({ method: 'POST', url, headers, body, maxBytes, accept }, reader());
  }

  private async discoverOnce(service: Service, branches: readonly string[] = []): Promise<Discovery> {
    const refs = new Set(branches.map(refOf));
    const common = { method: 'GET', headers: {}, body: undefined } as const;
    const accept = `application/x-${service}-advertisement`;
    for (let hops = 0; ; hops += 1) {
      const url = new URL(`${this.base}/info/refs?service=${service}`);
      const maxBytes = this.options.limits.answerBytes;
      try {
        return await this.ask({ ...common, url, maxBytes, accept }, createDiscoveryReader(service, refs));
      } catch (error) {
        const next = hops < mostRedirects && error instanceof UnusableAnswer ? redirectedBase(url, error) : undefined;
        if (next === undefined) throw error;
        this.follow(next);
      }
    }
  }

  private follow(next: string): void {
    this.base = next;
    if (this.toldRedirects.has(next)) return;
    this.toldRedirects.add(next);
    this.options.log?.warn(
      `git: ${this.name} redirects to ${this.clean(next)}; followed for one pass at a time. Give the new address as --repo`,
    );
  }

  /** Only discovery is redirected (as in git); the other requests then go to where it led. */
  private async postOrFollow<T>(exchange: Exchange<T>): Promise<T> {
    try {
      return await this.post(exchange);
    } catch (error) {
      if (!(error instanceof UnusableAnswer) || !redirects.has(error.answer.status)) throw error;
      const before = this.base;
      await this.discoverOnce(exchange.service);
      if (this.base === before) throw error;
      return this.post(exchange);
    }
  }

  private async tryAgain<T>(operation: GitOperation, call: () => Promise<T>): Promise<T> {
    const { limits, log, timers } = this.options;
    for (let tries = 1; ; tries += 1) {
      try {
        return await call();
      } catch (error) {
        const failure = asPortError(error, this.errorContext(operation));
        const pause = tries <= limits.retries ? pauseSeconds(error, limits) : undefined;
        if (pause === undefined || pause >= this.time.left()) throw failure;
        log?.warn(`git ${operation}: ${failure.message}; trying again${pause === 0 ? '' : ` in ${pause} s`}`);
        if (pause > 0) await new Promise<void>((done) => timers.after(pause, done));
      }
    }
  }
}

type Discovering = { readonly operation: GitOperation; readonly branches: readonly string[] };

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
