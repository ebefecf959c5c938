/** Asks the API server once, and again when it says to come back later, until the time of the call is over. */

import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { PortError } from '../../ports/port-error.ts';
import type { Heard } from '../network/server-dates.ts';
import { systemTimers } from '../system/timers.ts';
import { type Connection, CredentialError } from './connection.ts';
import type { ClusterLimits } from './limits.ts';
import { type Answer, type Failure, send, tooLate } from './send.ts';

export type Wire = {
  readonly connection: Connection;
  readonly limits: ClusterLimits;
  readonly clock: Clock;
  readonly log: Log;
  /** Gets the date of every answer. */
  readonly heard?: Heard | undefined;
};

/** The time that one `list` or `get` may take in all. */
export type Deadline = {
  readonly signal: AbortSignal;
  readonly leftSeconds: () => number;
  /** Comes true when the time is over. */
  readonly late: Promise<Failure>;
};

/** Starts the time of a call. */
export function startDeadline(limits: ClusterLimits): Deadline {
  const { totalSeconds } = limits;
  const start = systemTimers.now();
  const signal = AbortSignal.timeout(totalSeconds * 1000);
  return {
    signal,
    late: new Promise((resolve) => signal.addEventListener('abort', () => resolve(tooLate(limits)), { once: true })),
    leftSeconds: () => totalSeconds - (systemTimers.now() - start),
  };
}

/**
 * One answer. 429 and 503 are asked again after what Retry-After says (one second without it), and so is a kept
 * connection that broke: reading twice harms nobody. A wait that does not fit in the deadline is not started.
 */
export async function askApi(wire: Wire, url: URL, deadline: Deadline): Promise<Answer | Failure> {
  const { limits } = wire;
  for (let left = limits.tries; ; left -= 1) {
    const result = await askOnce(wire, url, deadline);
    const waitSeconds = secondsToWait(result);
    if (waitSeconds === undefined || left <= 1) return result;
    if (waitSeconds >= deadline.leftSeconds()) {
      return {
        kind: 'failure',
        why: `the API server asks to come back in ${waitSeconds} s, later than we wait`,
        retryable: false,
      };
    }
    if (waitSeconds > 0) wire.log.info(`cluster: ${url.host} is busy, asking again in ${waitSeconds} s`);
    await wire.clock.sleep(waitSeconds, deadline.signal);
  }
}

/** How long to wait before asking again; undefined when the answer is final. */
function secondsToWait(result: Answer | Failure): number | undefined {
  if (result.kind === 'failure') return result.retryable ? 0 : undefined;
  return result.status === 429 || result.status === 503 ? (result.retryAfterSeconds ?? 1) : undefined;
}

async function askOnce(wire: Wire, url: URL, deadline: Deadline): Promise<Answer | Failure> {
  const first = await askWith(wire, url, deadline);
  const isRefused = first.result.kind === 'answer' && first.result.status === 401;
  // Once more where credentials are made by a command, whose last may have ended before its time.
  if (!isRefused || first.request === undefined || wire.connection.renew?.(first.request) !== true) return first.result;
  return (await askWith(wire, url, deadline)).result;
}

type CallOutcome = { readonly result: Answer | Failure; readonly request?: Credentials['request'] };

async function askWith(wire: Wire, url: URL, deadline: Deadline): Promise<CallOutcome> {
  const { limits } = wire;
  // Credentials may come from a command that hangs, so they count towards the deadline as well.
  const options = await Promise.race([credentials(wire.connection), deadline.late]);
  if ('kind' in options) return { result: options };
  const { request } = options;
  return {
    result: await send({ url, options: request, limits, deadline: deadline.signal, heard: wire.heard }),
    request,
  };
}

type Credentials = { readonly request: Awaited<ReturnType<Connection['options']>> };

async function credentials(connection: Connection): Promise<Credentials | Failure> {
  try {
    return { request: await connection.options() };
  } catch (error) {
    return { kind: 'failure', why: toldOf(error), retryable: false };
  }
}

/** Only what was written to be printed: the message of any other error may quote what a command or a file holds. */
function toldOf(error: unknown): string {
  if (error instanceof PortError) return `${error.message}. ${error.hint}`;
  return `no credentials: ${withoutSecrets(error)}`;
}

function withoutSecrets(error: unknown): string {
  if (error instanceof CredentialError) return error.message;
  if (!(error instanceof Error)) return 'the kubeconfig could not be used';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  const file = 'path' in error && typeof error.path === 'string' ? `${error.path} could not be read` : '';
  return `${file === '' ? 'the kubeconfig could not be used' : file} (${code})`;
}
