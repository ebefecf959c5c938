/** An HTTP server on loopback that answers each request as the test says, and remembers what it was asked. */

import http from 'node:http';
import type { AddressInfo } from 'node:net';

export type Seen = { readonly method: string; readonly url: string; readonly headers: http.IncomingHttpHeaders };

export type Reply = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

export type ScriptedServer = {
  readonly url: string;
  readonly seen: readonly Seen[];
  readonly close: () => Promise<void>;
};

/** `script` returns a reply, or deals with the response itself and returns undefined. Texts are sent as they are. */
export async function scriptedServer(
  script: (seen: Seen, response: http.ServerResponse) => Reply | undefined,
): Promise<ScriptedServer> {
  const seen: Seen[] = [];
  const server = http.createServer((request, response) => {
    const one: Seen = { method: request.method ?? '', url: request.url ?? '', headers: request.headers };
    seen.push(one);
    const reply = script(one, response);
    if (reply === undefined) return;
    const isText = typeof reply.body === 'string';
    const type = isText ? 'text/plain; charset=utf-8' : 'application/json';
    response.writeHead(reply.status ?? 200, { 'content-type': type, ...reply.headers });
    response.end(isText ? reply.body : JSON.stringify(reply.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
