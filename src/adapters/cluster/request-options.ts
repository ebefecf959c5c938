/** What a request to the API server is sent with: headers, certificates and the connection that is kept. */

import type http from 'node:http';
import type https from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import type { Connection } from './connection.ts';
import type { Credential, execCredentials } from './exec-credential.ts';

/** undefined: that of the client itself. */
export type Agents = () => Promise<http.Agent | undefined>;

/** The options of the next request, with what a command gives where the user has one. */
export function requestOptions(
  config: KubeConfig,
  {
    agent,
    credential,
  }: { readonly agent: Agents; readonly credential: ReturnType<typeof execCredentials> | undefined },
): Omit<Connection, 'server'> {
  const given = new WeakMap<https.RequestOptions, Credential>();
  const next = async (): Promise<https.RequestOptions> => {
    const options: https.RequestOptions = {};
    await config.applyToHTTPSOptions(options);
    // Files with tokens often end with a line end, which no header may hold.
    const sent = Object.fromEntries(
      Object.entries(options.headers ?? {}).map(([name, value]) => [
        name,
        typeof value === 'string' ? value.trim() : value,
      ]),
    );
    const own = await credential?.now();
    if (own?.token !== undefined) sent['Authorization'] = `Bearer ${own.token.trim()}`;
    if (own?.certificate !== undefined) options.cert = own.certificate;
    if (own?.key !== undefined) options.key = own.key;
    const headers = { ...sent, accept: 'application/json', 'user-agent': 'tranche' };
    // The client's own agent keeps the first certificate for ever; ours takes that of each request.
    const ours = await agent();
    const request = { ...options, headers, ...(ours === undefined ? {} : { agent: ours }) };
    if (own !== undefined) given.set(request, own);
    return request;
  };
  if (credential === undefined) return { options: next };
  const renew = (used: https.RequestOptions): boolean => {
    const own = given.get(used);
    if (own !== undefined) credential.drop(own);
    return own !== undefined;
  };
  return { options: next, renew };
}
