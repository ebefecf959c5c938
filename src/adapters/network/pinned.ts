/** Reaches an address that the environment names: looked at once, and no name or proxy leads anywhere else after that. */

import { lookup } from 'node:dns/promises';
import { isPublicAddress } from './addresses.ts';
import type { Network } from './proxy.ts';

export type Address = { readonly address: string; readonly family: number };

/** Says why a server was not reached where only a proxy leads outside. */
const PAST_PROXY = ', straight and not by the proxy of the environment, which would decide where it goes';
const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'] as const;

/**
 * The first address of a name, if all of them are fine: who answers with several may answer with another next time. undefined:
 * one of them is not public. Rejects where the name is not found, or when `signal` ends it.
 */
export async function looked(
  hostname: string,
  { allowsPrivate, signal }: { readonly allowsPrivate: boolean; readonly signal: AbortSignal },
): Promise<Address | undefined> {
  const asked = lookup(hostname.replace(/^\[(.*)\]$/, '$1'), { all: true, verbatim: true });
  const found = await Promise.race([asked, aborted(signal)]);
  if (!allowsPrivate && !found.every(({ address }) => isPublicAddress(address))) return undefined;
  return found[0];
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

type Lookup = (
  hostname: string,
  options: { readonly all?: boolean | undefined },
  done: (error: null, address: string | Address[], family?: number) => void,
) => void;

/** What answers every question for a name with this address. */
export function pinned(address: Address): Lookup {
  return (_hostname, { all }, done) =>
    all === true ? done(null, [address]) : done(null, address.address, address.family);
}

/** The name of a failure of the network; its text may hold the address, which is a secret. */
export function failureOf(error: unknown, env: Network['env']): string {
  const past = PROXIES.some((name) => (env[name] ?? '') !== '') ? PAST_PROXY : '';
  if (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError'))
    return `no answer in time${past}`;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return `${typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : 'the connection failed'}${past}`;
}
