/** Through which proxy a cluster is asked, and whose certificates count on the way. */

import type http from 'node:http';
import { agentFor } from '../network/agents.ts';
import type { Network } from '../network/proxy.ts';
import { PROXY_WANTED, proxyAddress } from '../network/proxy-for.ts';
import { refused } from './kubeconfig-rules.ts';
import type { Agents } from './request-options.ts';

/** What a kubeconfig says of a server, as far as it is about the way to it. */
type Cluster = {
  readonly name: string;
  readonly proxyUrl?: string | undefined;
  readonly caData?: string | undefined;
  readonly caFile?: string | undefined;
  readonly skipTLSVerify?: boolean | undefined;
};

/**
 * Kept connections to the server. A proxy of the kubeconfig goes before that of the environment, as in kubectl, and its
 * authority before all others. undefined: what only the client's own agent speaks, which is SOCKS. Throws PortError
 * for a proxy of the kubeconfig that nobody can read.
 */
export function agentOf(to: { readonly cluster: Cluster; readonly server: URL; readonly network: Network }): Agents {
  const { cluster, server, network } = to;
  // An empty one is none, as in kubectl.
  const proxyUrl = (cluster.proxyUrl ?? '') === '' ? undefined : cluster.proxyUrl;
  // By its own spelling: the client knows SOCKS by that alone.
  const isRead = (url: string): boolean => /^(https?|socks[45]?h?):/.test(url) && proxyAddress(url) !== undefined;
  if (proxyUrl !== undefined && !isRead(proxyUrl))
    throw refused(
      `proxy-url of cluster ${cluster.name} is no http, https or socks address`,
      `Correct it in the kubeconfig: ${PROXY_WANTED}.`,
    );
  if (proxyUrl !== undefined && (server.protocol === 'http:' || proxyUrl.startsWith('socks')))
    return async () => undefined;
  const own = cluster.caData !== undefined || cluster.caFile !== undefined || cluster.skipTLSVerify === true;
  const through: Network = {
    env: proxyUrl === undefined ? network.env : { HTTPS_PROXY: proxyUrl },
    // What an agent is told stands above what a request says.
    authorities: own ? async () => undefined : network.authorities,
  };
  let agent: Promise<http.Agent> | undefined;
  return () => {
    agent ??= agentFor(server, through, { keepAlive: true, maxSockets: 4 });
    return agent;
  };
}
