/** Which proxy stands between us and a server, as curl and git read it from the environment. */

import { BlockList, isIP } from 'node:net';
import { PortError } from '../../ports/port-error.ts';
import type { Environment } from './proxy.ts';

/** The first that is not empty counts. */
const PROXIES = ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'] as const;

/**
 * The proxy for https addresses; undefined: none. Plain http is for loopback and never goes through one. Throws PortError
 * for what nobody can read: without a proxy that was meant, or through one that was not, requests go to the wrong place.
 */
export function proxyFor(url: URL, env: Environment): URL | undefined {
  if (url.protocol !== 'https:') return undefined;
  const name = PROXIES.find((variable) => (env[variable] ?? '') !== '');
  const text = name === undefined ? '' : (env[name] ?? '').trim();
  if (name === undefined || text === '' || isExempt(url, env)) return undefined;
  const proxy = proxyAddress(SCHEME.test(text) ? text : `http://${text}`);
  if (proxy !== undefined) return proxy;
  throw unreadable(name, { seen: withoutCredentials(text), wanted: PROXY_WANTED });
}

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** What a proxy is named by, wherever that stands. */
export const PROXY_WANTED =
  'http://[user:password@]host:port, with characters like @, / and % in the password as %40, %2F and %25';

/** The proxy that this text names; undefined: it is none, or nobody can read its password. */
export function proxyAddress(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const proxy = new URL(text);
  return proxy.hostname !== '' && /^\/?$/.test(proxy.pathname) && isDecodable(proxy) ? proxy : undefined;
}

function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(`${username}${password}`);
    return true;
  } catch {
    return false;
  }
}

/** Whatever may be one: all that stands before the last `@`. */
function withoutCredentials(text: string): string {
  const [scheme = ''] = SCHEME.exec(text) ?? [];
  const rest = text.slice(scheme.length);
  return rest.includes('@') ? `${scheme}***@${rest.slice(rest.lastIndexOf('@') + 1)}` : text;
}

function unreadable(name: string, { seen, wanted }: { readonly seen: string; readonly wanted: string }): PortError {
  return new PortError(`${name} is ${JSON.stringify(seen.slice(0, SEEN_MOST))}, wanted ${wanted}`, {
    port: 'network',
    operation: 'open',
    retryable: false,
    hint: `Correct the environment variable ${name}, or unset it.`,
  });
}

const SEEN_MOST = 200;

/** A list of names with all below them, addresses, networks as 10.0.0.0/8, each with or without a port; `*`: all. */
function isExempt(url: URL, env: Environment): boolean {
  const name = env['no_proxy'] === undefined ? 'NO_PROXY' : 'no_proxy';
  const list = env[name] ?? '';
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = url.port === '' ? '443' : url.port;
  const entries = list.split(/[\s,]+/).filter((entry) => entry !== '');
  const wrong = entries.find((entry) => !isEntry(entry));
  if (wrong !== undefined)
    throw unreadable(name, {
      seen: withoutCredentials(wrong),
      wanted:
        'names, addresses and networks as 10.0.0.0/8, each with or without a port, with commas between them, or *',
    });
  return entries.some((entry) => matches({ host, port }, entry.toLowerCase()));
}

/** Other stars than the first one match nothing, as for curl, and are nobody's error. */
function isEntry(entry: string): boolean {
  if (entry.includes('/')) return networkOf(entry) !== undefined;
  return /^[\w.*:[\]%-]+$/.test(entry);
}

function matches({ host, port }: { readonly host: string; readonly port: string }, entry: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isInNetwork(host, entry);
  const [, name = entry, only] = isIP(entry) === 0 ? (/^\[?(.*?)\]?(?::(\d+))?$/.exec(entry) ?? []) : [];
  if (only !== undefined && only !== port) return false;
  const domain = name.replace(/^\*?\./, '');
  return host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`));
}

type Subnet = { readonly address: string; readonly width: number; readonly family: number };

/** `10.0.0.0/8`; undefined: it is none. */
function networkOf(entry: string): Subnet | undefined {
  const [address = '', bits = '', ...rest] = entry.split('/');
  const family = isIP(address);
  const width = Number(bits);
  const isOne = family !== 0 && rest.length === 0 && /^\d{1,3}$/.test(bits) && width <= (family === 4 ? 32 : 128);
  return isOne ? { address, width, family } : undefined;
}

function isInNetwork(host: string, entry: string): boolean {
  const found = networkOf(entry);
  if (found === undefined || found.family !== isIP(host)) return false;
  const type = found.family === 4 ? 'ipv4' : 'ipv6';
  const network = new BlockList();
  network.addSubnet(found.address, found.width, type);
  return network.check(host, type);
}
