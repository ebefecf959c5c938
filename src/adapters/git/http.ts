/** One HTTP exchange over node:http or node:https, with deadlines, a cap on bytes, and a check of the content type. */

import type { Agent, ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http';
import { closeIdle } from '../network/idle.ts';
import type { Network } from '../network/proxy.ts';
import { tlsRemedy } from '../network/tls-remedy.ts';
import type { Timers } from '../system/timers.ts';

export type HttpRequest = {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** The content type of an answer we can read; any other 200 is `strange`. */
  readonly accept: string;
  readonly maxBytes: number;
  readonly idleSeconds: number;
  /** What is left until the deadline. */
  readonly totalSeconds: number;
  /** Gets the body of a 200 of the right type. What it throws ends the exchange and is thrown on. */
  readonly onChunk: (chunk: Buffer) => void;
};

export type HttpAnswer = {
  readonly kind: 'ok' | 'strange' | 'status';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The beginning of an answer that was not handed to `onChunk`. */
  readonly text: string;
};

/** `timeout`: the server sent nothing. `deadline`: all the time there was is used up. */
type FailureKind = 'connection' | 'tls' | 'timeout' | 'deadline' | 'tooLarge';

/** The exchange did not come to an end. */
export class HttpFailure extends Error {
  readonly kind: FailureKind;
  /** True where a kept connection turned out to be closed: the server most likely saw nothing. */
  readonly stale: boolean;
  /** What to do about it, where that is known. */
  readonly remedy: string | undefined;
  constructor(kind: FailureKind, message: string, stale: boolean, remedy?: string) {
    super(message);
    this.remedy = remedy;
    this.kind = kind;
    this.stale = stale;
  }
}

/** Sends requests; one set of kept connections. */
export type HttpClient = { send(request: HttpRequest): Promise<HttpAnswer> };

const shownBytes = 2048;

type Transport = {
  readonly request: (url: URL, options: RequestOptions, on: (message: IncomingMessage) => void) => ClientRequest;
  readonly agent: Agent;
};

/** As many as a pass asks questions at once, as browsers have: one more would wait for the answer to another. */
const connections = { keepAlive: true, maxSockets: 6 } as const;

/** A client that loads TLS only where a URL needs it. */
export function createHttpClient(timers: Timers, network: Network): HttpClient {
  let plain: Promise<Transport> | undefined;
  let secure: Promise<Transport> | undefined;
  return {
    send: async (request) => {
      if (request.url.protocol === 'https:') {
        secure ??= openSecure(request.url, network).catch((error: unknown) => {
          secure = undefined;
          throw error;
        });
        return exchange({ ...(await secure), heard: network.heard }, request, timers);
      }
      plain ??= import('node:http').then((http) => ({
        request: http.request,
        agent: new http.Agent(connections),
      }));
      return exchange({ ...(await plain), heard: network.heard }, request, timers);
    },
  };
}

/** One server, so one agent: redirects never lead to another host. */
async function openSecure(url: URL, network: Network): Promise<Transport> {
  const [https, { agentFor }] = await Promise.all([import('node:https'), import('../network/agents.ts')]);
  return { request: https.request, agent: await agentFor(url, network, connections) };
}

function exchange(
  transport: Transport & Pick<Network, 'heard'>,
  request: HttpRequest,
  timers: Timers,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const length = request.body === undefined ? {} : { 'content-length': String(request.body.length) };
    const options = {
      method: request.method,
      agent: transport.agent,
      headers: { ...request.headers, ...length, accept: request.accept },
    };
    const sent = transport.request(request.url, options, (message) => {
      transport.heard?.(request.url.origin, message.headers.date);
      receive(message, request, () => idle.refresh()).then(
        (answer) => settle(() => resolve(answer)),
        (error: unknown) => fail(error),
      );
    });
    const settle = (how: () => void) => {
      idle.cancel();
      total.cancel();
      how();
    };
    const fail = (error: unknown) => {
      settle(() => reject(error instanceof Error ? error : new Error(String(error))));
      sent.destroy();
    };
    const idle = timers.after(request.idleSeconds, () =>
      fail(new HttpFailure('timeout', `the server sent nothing for ${request.idleSeconds} s`, false)),
    );
    const total = timers.after(request.totalSeconds, () =>
      fail(new HttpFailure('deadline', 'the answer was not complete', false)),
    );
    sent.on('error', (error) => {
      if (sent.reusedSocket) closeIdle(transport.agent);
      const remedy = tlsRemedy(error);
      if (remedy === undefined) fail(new HttpFailure('connection', error.message, sent.reusedSocket));
      else fail(new HttpFailure('tls', error.message, sent.reusedSocket, remedy));
    });
    sent.end(request.body);
  });
}

async function receive(message: IncomingMessage, request: HttpRequest, alive: () => void): Promise<HttpAnswer> {
  const status = message.statusCode ?? 0;
  const type = message.headers['content-type'] ?? '';
  const kind = status !== 200 ? 'status' : type.split(';')[0]?.trim() === request.accept ? 'ok' : 'strange';
  const shown: Buffer[] = [];
  let bytes = 0;
  let isCut = false;
  await new Promise<void>((resolve, reject) => {
    const stop = (error: unknown) => {
      message.destroy();
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    message.on('data', (chunk: Buffer) => {
      alive();
      bytes += chunk.length;
      try {
        if (kind === 'ok' && bytes > request.maxBytes) {
          throw new HttpFailure('tooLarge', `the answer has more than ${request.maxBytes} bytes`, false);
        }
        if (kind === 'ok') request.onChunk(chunk);
        else if (bytes <= shownBytes) shown.push(chunk);
        else stop(new EndOfInterest());
      } catch (error) {
        stop(error);
      }
    });
    message.on('end', resolve);
    message.on('error', (error) => stop(new HttpFailure('connection', error.message, false)));
    message.on('close', () => {
      if (!message.complete) stop(new HttpFailure('connection', 'the connection was closed in mid-answer', false));
    });
  }).catch((error: unknown) => {
    if (!(error instanceof EndOfInterest)) throw error;
    isCut = true;
  });
  const text = Buffer.concat(shown).toString('utf8');
  // The start of a word may be that of our token, which would no longer be found.
  return { kind, status, headers: message.headers, text: isCut ? text.replace(/\S*$/, '') : text };
}

/** Enough of an error page was read. */
class EndOfInterest extends Error {}
