/** The `fetch` that Octokit is given: node:http or node:https with the proxies and certificates that Git has, and limits. */

import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Network } from '../../network/proxy.ts';
import { tlsRemedy } from '../../network/tls-remedy.ts';
import type { Timers } from '../../system/timers.ts';
import type { ForgeLimits } from './limits.ts';

/** There was no whole answer. */
export class NoAnswer extends Error {
  /** What to do about it, where that is known: then trying again does not help. */
  readonly remedy: string | undefined;
  constructor(message: string, remedy?: string) {
    super(message);
    this.remedy = remedy;
  }
}

type Sent = { readonly method: string; readonly headers: Readonly<Record<string, string>>; readonly body?: string };
type Fetch = (url: string, sent: Sent) => Promise<Response>;

type Transport = {
  readonly request: (url: URL, options: RequestOptions, on: (message: IncomingMessage) => void) => ClientRequest;
  readonly agent: Agent;
};

type FetchOptions = { readonly network: Network; readonly timers: Timers; readonly limits: ForgeLimits };

/** Follows no redirect and keeps no cookie. Throws NoAnswer, never anything that holds a header. */
export function createFetch(options: FetchOptions): Fetch {
  const opened = new Map<string, Promise<Transport>>();
  return async (address, sent) => {
    const url = new URL(address);
    const transport = opened.get(url.origin) ?? open(url, options.network);
    opened.set(url.origin, transport);
    return exchange(await transport, url, sent, options);
  };
}

async function open(url: URL, network: Network): Promise<Transport> {
  const keeping = { keepAlive: true, maxSockets: 2 };
  if (url.protocol === 'https:') {
    const [https, { agentFor }] = await Promise.all([import('node:https'), import('../../network/agents.ts')]);
    return { request: https.request, agent: await agentFor(url, network, keeping) };
  }
  const http = await import('node:http');
  return { request: http.request, agent: new http.Agent(keeping) };
}

function exchange(
  transport: Transport,
  url: URL,
  sent: Sent,
  { timers, limits }: Omit<FetchOptions, 'network'>,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const { method, headers, body } = sent;
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const end = (how: () => void) => {
      idle.cancel();
      total.cancel();
      how();
    };
    const fail = (why: NoAnswer) => {
      end(() => reject(why));
      request.destroy();
    };
    const request = transport.request(
      url,
      { method, agent: transport.agent, headers: { ...headers, ...length } },
      (message) => {
        const most = (message.statusCode ?? 0) >= 400 ? limits.errorBytes : limits.answerBytes;
        const chunks: Buffer[] = [];
        let bytes = 0;
        message.on('data', (chunk: Buffer) => {
          idle.refresh();
          chunks.push(chunk);
          bytes += chunk.length;
          if (bytes > most) fail(new NoAnswer(`the answer has more than ${most} bytes`));
        });
        message.on('error', (error) => fail(new NoAnswer(error.message)));
        message.on('end', () => {
          if (message.complete) end(() => resolve(responseOf(message, Buffer.concat(chunks))));
          else fail(new NoAnswer('the connection was closed in mid-answer'));
        });
      },
    );
    const idle = timers.after(limits.idleSeconds, () =>
      fail(new NoAnswer(`the server sent nothing for ${limits.idleSeconds} s`)),
    );
    const total = timers.after(limits.exchangeSeconds, () =>
      fail(new NoAnswer(`the answer was not complete after ${limits.exchangeSeconds} s`)),
    );
    request.on('error', (error) => fail(new NoAnswer(error.message, tlsRemedy(error))));
    request.end(body);
  });
}

function responseOf(message: IncomingMessage, body: Buffer): Response {
  const status = message.statusCode ?? 0;
  // What `Response` does not take is no answer that means anything to us.
  const isSpoken = status >= 200 && status <= 599;
  const headers = Object.entries(message.headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
  const isEmpty = [204, 205, 304].includes(status);
  return new Response(isEmpty ? null : body.toString('utf8'), { status: isSpoken ? status : 502, headers });
}
