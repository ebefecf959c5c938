/** Posts JSON to addresses that the environment names. Straight to an address that was looked at, never on to another. */

import { type ClientRequest, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { Message, Notifier, Sent } from '../../ports/notifier.ts';
import { type Address, failureOf, looked, pinned } from '../network/pinned.ts';
import type { Network } from '../network/proxy.ts';
import { ALLOW_PRIVATE, PREFIX, TOKEN, targetsIn } from './targets.ts';

/** From the first question to the status of the answer. */
const DEADLINE_MS = 5000;

/** undefined: the environment names no target. Proxies are not used: they would decide where it goes. */
export function openNotifier({ env, authorities }: Pick<Network, 'env' | 'authorities'>): Notifier | undefined {
  const targets = targetsIn(env);
  if (targets.length === 0) return undefined;
  const allowsPrivate = env[ALLOW_PRIVATE] === 'true';
  const send = async (message: Message): Promise<Sent> => {
    const name = `${PREFIX}${message.to.toUpperCase().replaceAll('-', '_')}`;
    const url = URL.canParse(env[name] ?? '') ? new URL(env[name] ?? '') : undefined;
    const failed = (why: string): Sent => ({ kind: 'failed', why });
    if (url === undefined) return failed(`${name} is no address`);
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowsPrivate))
      return failed(`${name} is not https`);
    const signal = AbortSignal.timeout(DEADLINE_MS);
    try {
      const address = await looked(url.hostname, { allowsPrivate, signal });
      if (address === undefined)
        return failed(`${name} leads to an address that is not public (${ALLOW_PRIVATE}=true)`);
      const ca = url.protocol === 'https:' ? await authorities() : undefined;
      const status = await post(url, { message, address, token: env[`${name}${TOKEN}`] ?? '', ca, signal });
      return status >= 200 && status < 300 ? { kind: 'sent' } : failed(`it answered ${status}`);
    } catch (error) {
      return failed(failureOf(error, env));
    }
  };
  return { targets, send };
}

type Posting = {
  readonly message: Message;
  readonly address: Address;
  readonly token: string;
  readonly ca: readonly string[] | undefined;
  readonly signal: AbortSignal;
};

/** The status of the answer; nothing else of it is read. */
function post(url: URL, { message, address, token, ca, signal }: Posting): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      // A proxy of the agent, or a name that leads elsewhere by now, would undo the look at the address.
      agent: false,
      lookup: pinned(address),
      signal,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(message.body),
        'idempotency-key': encodeURI(message.key),
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(ca === undefined ? {} : { ca: [...ca] }),
    } as const;
    const sent: ClientRequest = (url.protocol === 'https:' ? tlsRequest : plainRequest)(url, options, (answer) => {
      resolve(answer.statusCode ?? 0);
      answer.destroy();
    });
    sent.on('error', reject);
    sent.end(message.body);
  });
}
