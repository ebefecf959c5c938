/** Asks servers of metrics that the environment names: GET alone, straight to an address that was looked at, never on to another. */

import { readFile } from 'node:fs/promises';
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { ALLOW_PRIVATE, addressVariable, CA, TENANT, TOKEN } from '../../api/metrics-providers.ts';
import type { Metrics, RangeAnswer, RangeQuestion } from '../../ports/metrics.ts';
import { type Address, failureOf, looked, pinned } from '../network/pinned.ts';
import type { Network } from '../network/proxy.ts';

/** From the first question to the last byte of the answer, however slowly it drips. */
const DEADLINE_MS = 10_000;
const BYTES_MOST = 8 * 1024 * 1024;
/** All questions of a pass together. */
const ROUND_MS = 15_000;
/** What a header takes: a credential with a line end would be two headers. */
const HEADER_VALUE = /^[\x21-\x7e]+$/;

type Limits = { readonly deadlineMs: number; readonly bytesMost: number; readonly roundMs: number };

/** Opens nothing yet. Proxies are not used: they would decide where it goes. */
export function openMetrics(
  { env, authorities }: Pick<Network, 'env' | 'authorities'>,
  limits: Limits = { deadlineMs: DEADLINE_MS, bytesMost: BYTES_MOST, roundMs: ROUND_MS },
): Metrics {
  const asked = async (question: RangeQuestion, until: AbortSignal): Promise<RangeAnswer> => {
    const name = addressVariable(question.provider);
    const failed = (why: string): RangeAnswer => ({ kind: 'failed', why });
    const target = targetOf(name, env);
    if (typeof target === 'string') return failed(target);
    const signal = AbortSignal.any([AbortSignal.timeout(limits.deadlineMs), until]);
    try {
      const address = await looked(target.url.hostname, { allowsPrivate: target.allowsPrivate, signal });
      if (address === undefined)
        return failed(`${name} leads to an address that is not public (${ALLOW_PRIVATE}=true)`);
      const ca = await trusted(target, authorities);
      return await answerOf(urlOf(target.url, question), {
        ...target,
        address,
        ca,
        signal,
        bytesMost: limits.bytesMost,
      });
    } catch (error) {
      return { kind: 'failed', why: failureOf(error, env), isUnreached: true };
    }
  };
  return {
    round: () => {
      const until = AbortSignal.timeout(limits.roundMs);
      return { range: (question) => asked(question, until) };
    },
  };
}

type Target = {
  readonly url: URL;
  readonly allowsPrivate: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly caFile: string | undefined;
};

/** The server, or why it is not asked. */
function targetOf(name: string, env: Network['env']): Target | string {
  const text = env[name] ?? '';
  if (text === '') return `${name} is not set`;
  if (!URL.canParse(text)) return `${name} is no address`;
  const url = new URL(text);
  const allowsPrivate = env[ALLOW_PRIVATE] === 'true';
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowsPrivate)) return `${name} is not https`;
  const [token = '', tenant = ''] = [env[`${name}${TOKEN}`], env[`${name}${TENANT}`]];
  if (token !== '' && !HEADER_VALUE.test(token))
    return `${name}${TOKEN} is no token: it has spaces or other characters`;
  if (tenant !== '' && !HEADER_VALUE.test(tenant))
    return `${name}${TENANT} is no tenant: it has spaces or other characters`;
  const headers = {
    accept: 'application/json',
    ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
    ...(tenant === '' ? {} : { 'x-scope-orgid': tenant }),
  };
  const caFile = env[`${name}${CA}`] ?? '';
  return { url, allowsPrivate, headers, caFile: caFile === '' ? undefined : caFile };
}

async function trusted(
  { url, caFile }: Target,
  authorities: Network['authorities'],
): Promise<readonly string[] | undefined> {
  if (url.protocol !== 'https:') return undefined;
  return caFile === undefined ? authorities() : [await readFile(caFile, 'utf8')];
}

/** Its own path in front, as of a server that stands below one. */
function urlOf(base: URL, { query, start, end, step }: RangeQuestion): URL {
  const url = new URL(base);
  url.pathname = `${base.pathname.replace(/\/+$/, '')}/api/v1/query_range`;
  const asked = { query, start: String(start), end: String(end), step: String(step) };
  for (const [key, value] of Object.entries(asked)) url.searchParams.set(key, value);
  return url;
}

type Asking = Pick<Target, 'headers'> & {
  readonly address: Address;
  readonly ca: readonly string[] | undefined;
  readonly signal: AbortSignal;
  readonly bytesMost: number;
};

function answerOf(url: URL, { address, headers, ca, signal, bytesMost }: Asking): Promise<RangeAnswer> {
  return new Promise((resolve, reject) => {
    const options = {
      method: 'GET',
      // A proxy of the agent, or a name that leads elsewhere by now, would undo the look at the address.
      agent: false,
      lookup: pinned(address),
      signal,
      headers,
      ...(ca === undefined ? {} : { ca: [...ca] }),
    } as const;
    const sent = (url.protocol === 'https:' ? tlsRequest : plainRequest)(url, options, (answer) => {
      read(answer, bytesMost).then(resolve, reject);
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** Parsed JSON of an answer with the status 200; of any other nothing is read. */
async function read(answer: IncomingMessage, bytesMost: number): Promise<RangeAnswer> {
  const stop = (why: string): RangeAnswer => {
    answer.destroy();
    return { kind: 'failed', why };
  };
  if (answer.statusCode !== 200) return stop(`it answered ${answer.statusCode ?? 0}`);
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of answer) {
    if (!Buffer.isBuffer(part)) continue;
    bytes += part.length;
    if (bytes > bytesMost) return stop(`its answer has more than ${bytesMost} bytes`);
    parts.push(part);
  }
  try {
    return { kind: 'answered', body: JSON.parse(Buffer.concat(parts).toString('utf8')) };
  } catch {
    return { kind: 'failed', why: 'its answer is no JSON' };
  }
}
