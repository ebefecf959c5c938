/** Which proxy stands between us and a server, as curl and git read it from the environment. */

import { BlockList, isIP } from 'node:net';
import type { Heard } from './server-dates.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What decides how servers are reached. */
export type Network = {
  readonly env: Environment;
  /** Trusted authorities; undefined: those of Node. Asked for by the first secure connection. Throws PortError. */
  readonly authorities: () => Promise<readonly string[] | undefined>;
  /** Gets the date of every answer. */
  readonly heard?: Heard | undefined;
};

/** Nothing of the environment counts. */
export const plainNetwork: Network = { env: {}, authorities: async () => undefined };

/** The proxy for https addresses; undefined: none. Plain http is for loopback and never goes through one. */
export function proxyFor(url: URL, env: Environment): URL | undefined {
  if (url.protocol !== 'https:' || isExempt(url, env['no_proxy'] ?? env['NO_PROXY'] ?? '')) return undefined;
  const given = [env['https_proxy'], env['HTTPS_PROXY'], env['all_proxy'], env['ALL_PROXY']];
  const text = given.find((value) => value !== undefined && value !== '');
  if (text === undefined) return undefined;
  const spelled = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  return URL.canParse(spelled) ? new URL(spelled) : undefined;
}

/** A list of names with all below them, addresses, networks as 10.0.0.0/8, each with or without a port; `*`: all. */
function isExempt(url: URL, list: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = url.port === '' ? '443' : url.port;
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => matches({ host, port }, entry.toLowerCase()));
}

function matches({ host, port }: { readonly host: string; readonly port: string }, entry: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isInNetwork(host, entry);
  const [, name = entry, only] = isIP(entry) === 0 ? (/^\[?(.*?)\]?(?::(\d+))?$/.exec(entry) ?? []) : [];
  if (only !== undefined && only !== port) return false;
  const domain = name.replace(/^\*?\./, '');
  return host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`));
}

function isInNetwork(host: string, entry: string): boolean {
  const [address = '', bits = ''] = entry.split('/');
  const family = isIP(address);
  const width = Number(bits);
  const most = family === 4 ? 32 : 128;
  if (family === 0 || family !== isIP(host) || !/^\d+$/.test(bits) || width > most) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const network = new BlockList();
  network.addSubnet(address, width, type);
  return network.check(host, type);
}
