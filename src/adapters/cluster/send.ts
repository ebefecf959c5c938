/** Sends one GET over HTTP or HTTPS and collects the answer, within an idle time, a deadline and a size. */

import http from 'node:http';
import https from 'node:https';
import { closeIdle } from '../network/idle.ts';
import type { Heard } from '../network/server-dates.ts';
import { connectionWhy } from './connection-why.ts';
import type { ClusterLimits } from './limits.ts';

export type Answer = {
  readonly kind: 'answer';
  readonly status: number;
  readonly contentType: string;
  /** Of the Retry-After header, when that is a number of seconds. */
  readonly retryAfterSeconds: number | undefined;
  readonly body: string;
  /** What proves who we are, as it was sent: no text may repeat it. */
  readonly secrets: readonly string[];
};

/** No answer, or only a part of one. `why` holds nothing that the server or the credentials said. */
export type Failure = { readonly kind: 'failure'; readonly why: string; readonly retryable: boolean };

type Ask = {
  readonly url: URL;
  readonly options: https.RequestOptions;
  readonly limits: ClusterLimits;
  /** Aborted when the time of the whole call is over. */
  readonly deadline: AbortSignal;
  readonly heard: Heard | undefined;
};

/** Never throws and never follows a redirect: an API server has no reason to send one. */
export async function send(ask: Ask): Promise<Answer | Failure> {
  try {
    return await exchange(ask);
  } catch (error) {
    // Options that cannot be sent, such as a token with a line end in it.
    return broken(error);
  }
}

function exchange(ask: Ask): Promise<Answer | Failure> {
  return new Promise((resolve) => {
    const { url, limits, deadline } = ask;
    const client = url.protocol === 'http:' ? http : https;
    const request = client.request(url, { ...ask.options, method: 'GET' });
    const end = (result: Answer | Failure): void => {
      clearTimeout(idle);
      deadline.removeEventListener('abort', late);
      resolve(result);
      // After a whole answer the connection is kept for the next page; after anything else it is of no use.
      if (result.kind === 'failure') request.destroy();
    };
    const late = (): void => end(tooLate(limits));
    const idle = setTimeout(
      () =>
        end({
          kind: 'failure',
          why: `no answer within ${limits.idleSeconds} s; check the address in the kubeconfig and the network to the API server`,
          retryable: false,
        }),
      limits.idleSeconds * 1000,
    );
    // A kept connection that the server closed meanwhile fails on first use; a fresh one will not.
    request.on('error', (error) => {
      if (request.reusedSocket)
        closeIdle(ask.options.agent instanceof http.Agent ? ask.options.agent : client.globalAgent);
      end({ ...broken(error), retryable: request.reusedSocket });
    });
    request.on('response', (response) => {
      ask.heard?.(url.origin, response.headers.date);
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        idle.refresh();
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > limits.answerBytes) {
          end({ kind: 'failure', why: `the answer is larger than ${limits.answerBytes} bytes`, retryable: false });
        }
      });
      response.on('error', (error) => end(broken(error)));
      response.on('end', () => end(answerOf(response, Buffer.concat(chunks), secretsIn(ask))));
    });
    deadline.addEventListener('abort', late);
    if (deadline.aborted) late();
    request.end();
  });
}

/** The failure of a call whose whole time is over. */
export function tooLate(limits: ClusterLimits): Failure {
  return { kind: 'failure', why: `not complete within ${limits.totalSeconds} s`, retryable: false };
}

/** The credential of the request, and the parts of it. */
function secretsIn({ url, options }: Ask): readonly string[] {
  const [, header = ''] = Object.entries(options.headers ?? {}).find(([name]) => /^authorization$/i.test(name)) ?? [];
  const [scheme = '', sent = ''] = String(header).split(' ', 2);
  const basic = /^basic$/i.test(scheme) ? Buffer.from(sent, 'base64').toString('utf8') : '';
  const pair = options.auth ?? basic;
  const password = pair.slice(pair.indexOf(':') + 1);
  return [sent, pair, password, url.password].filter((secret) => secret !== '');
}

function answerOf(response: http.IncomingMessage, bytes: Buffer, secrets: readonly string[]): Answer | Failure {
  if (!response.complete) return { kind: 'failure', why: 'the answer was cut off', retryable: true };
  const retryAfter = response.headers['retry-after'] ?? '';
  return {
    kind: 'answer',
    status: response.statusCode ?? 0,
    contentType: response.headers['content-type'] ?? '',
    retryAfterSeconds: /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : undefined,
    body: bytes.toString('utf8'),
    secrets,
  };
}

function broken(error: unknown): Failure {
  return { kind: 'failure', why: connectionWhy(error), retryable: false };
}
