/** Kept connections to servers: directly, or through the proxy that the environment names. */

import { type AgentOptions, Agent as HttpAgent, request as plainRequest, STATUS_CODES } from 'node:http';
import { Agent, type RequestOptions, request as secureRequest } from 'node:https';
import { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import { PortError } from '../../ports/port-error.ts';
import type { Network } from './proxy.ts';
import { proxyFor } from './proxy-for.ts';

/** The agent for one server. Throws PortError where the proxy is of a kind that is not spoken. */
export async function agentFor(url: URL, network: Network, options: AgentOptions): Promise<HttpAgent> {
  if (url.protocol !== 'https:') return new HttpAgent(options);
  const ca = await network.authorities();
  const trusting = ca === undefined ? options : { ...options, ca: [...ca] };
  const proxy = proxyFor(url, network.env);
  if (proxy === undefined) return new Agent(trusting);
  if (proxy.protocol === 'http:' || proxy.protocol === 'https:') return new TunnelAgent(proxy, trusting);
  throw new PortError(`the proxy ${proxy.protocol}//${proxy.host} is of a kind that is not spoken`, {
    port: 'network',
    operation: 'open',
    retryable: false,
    hint: 'Give an http or https proxy in HTTPS_PROXY, or except this host in NO_PROXY.',
  });
}

/** How long a proxy may take to open a tunnel. */
const connectSeconds = 60;

/** The proxy did not open the way. Its message holds nothing but the proxy's address and the code of its answer. */
export class ProxyError extends Error {}

type Created = (error: Error | null, stream: Duplex) => void;

/** Asks a proxy for a connection (CONNECT), and speaks TLS with the server through it. */
class TunnelAgent extends Agent {
  private readonly proxy: URL;

  constructor(proxy: URL, options: AgentOptions) {
    super(options);
    this.proxy = proxy;
  }

  override createConnection(destination: RequestOptions, created?: Created): undefined {
    const { proxy } = this;
    const host = destination.host ?? 'localhost';
    const target = `${host.includes(':') ? `[${host}]` : host}:${destination.port ?? 443}`;
    const ask = proxy.protocol === 'https:' ? secureRequest : plainRequest;
    const fail = (why: string) => created?.(new ProxyError(`the proxy ${proxy.host}: ${why}`), new Duplex());
    const asked = ask({
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port === '' ? (proxy.protocol === 'https:' ? 443 : 80) : proxy.port,
      method: 'CONNECT',
      path: target,
      agent: false,
      timeout: connectSeconds * 1000,
      headers: { host: target, ...credentials(proxy) },
      ...(destination.ca === undefined ? {} : { ca: destination.ca }),
    });
    asked.once('connect', ({ statusCode = 0 }, socket) => {
      socket.ref();
      socket.setTimeout(0);
      if (statusCode === 200) {
        const { servername, ca, cert, key, rejectUnauthorized } = destination;
        const secure = connect({
          socket,
          host,
          ...(servername === undefined ? {} : { servername }),
          ...(ca === undefined ? {} : { ca }),
          ...(cert === undefined ? {} : { cert }),
          ...(key === undefined ? {} : { key }),
          ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
        });
        created?.(null, secure);
        return;
      }
      socket.destroy();
      // The text of its own may hold the password that it was sent.
      fail(`answered HTTP ${statusCode} ${STATUS_CODES[statusCode] ?? ''}`.trim());
    });
    asked.once('response', ({ statusCode = 0 }) => {
      asked.destroy();
      fail(`answered HTTP ${statusCode}`);
    });
    // A proxy that never answers must not keep the process alive; the one who asked has a deadline of its own.
    asked.once('socket', (socket) => socket.unref());
    asked.once('timeout', () => asked.destroy(new Error(`no answer for ${connectSeconds} s`)));
    asked.once('error', (error) => fail(error.message));
    asked.end();
    return undefined;
  }
}

function credentials({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '') return {};
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(text).toString('base64')}` };
}
