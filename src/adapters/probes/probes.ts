/** Answers probes and scrapes over HTTP, and keeps the file whose age others look at. It takes nothing from those who ask. */

import { once } from 'node:events';
import { rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { isIPv6 } from 'node:net';
import { PortError } from '../../ports/port-error.ts';
import type { Answers, Probes } from '../../ports/probes.ts';
import { EXPOSITION_TYPE, exposition } from './exposition.ts';

/** A scraper and a kubelet hold one each; more are turned away. */
const CONNECTIONS_MOST = 32;
const REQUEST_MS = 5000;

export const systemProbes: Probes = {
  serve: async ({ host, port }, answers) => {
    const server = listener(answers);
    try {
      server.listen(port, host);
      await once(server, 'listening');
    } catch (error) {
      throw fault('serve', `${hostText(host)}:${port} cannot be listened on`, error, 'Give another --metrics-port.');
    }
    const bound = server.address();
    const own = typeof bound === 'object' && bound !== null ? bound.port : port;
    return {
      address: `http://${hostText(host)}:${own}`,
      close: async () => {
        server.close();
        server.closeAllConnections();
        await once(server, 'close');
      },
    };
  },
  touch: async (path, text) => {
    const next = `${path}.new`;
    try {
      // A link that somebody has put there is not written through.
      await rm(next, { force: true });
      await writeFile(next, text, { flag: 'wx' });
      await rename(next, path);
    } catch (error) {
      await rm(next, { force: true }).catch(() => undefined);
      throw fault(
        'touch',
        `${path} cannot be written`,
        error,
        'Give another --health-file, in a folder that is there.',
      );
    }
  },
};

function listener(answers: Answers): Server {
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    const { status, type, text } = answerTo(request.method ?? '', path, answers);
    response.writeHead(status, {
      'content-type': type,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    response.end(request.method === 'HEAD' ? undefined : text);
  });
  server.maxConnections = CONNECTIONS_MOST;
  return server;
}

const PLAIN = 'text/plain; charset=utf-8';

function answerTo(
  method: string,
  path: string,
  { live, ready, metrics }: Answers,
): { readonly status: number; readonly type: string; readonly text: string } {
  const of = (status: number, text: string) => ({ status, type: PLAIN, text: `${text}\n` });
  const check = (why: string | undefined) => (why === undefined ? of(200, 'ok') : of(503, why));
  if (method !== 'GET' && method !== 'HEAD') return of(405, 'wanted GET');
  if (path === '/healthz') return check(live());
  if (path === '/readyz') return check(ready());
  if (path === '/metrics') return { status: 200, type: EXPOSITION_TYPE, text: exposition(metrics()) };
  return of(404, 'there are /healthz, /readyz and /metrics');
}

function hostText(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

function fault(operation: string, message: string, error: unknown, hint: string): PortError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  return new PortError(`${message} (${code})`, { port: 'probes', operation, retryable: false, hint });
}
