/** A server of metrics on loopback, of leaders that answer ten requests a second each. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const servers: Server[] = [];

/** Stops all that a test has started. */
export function stopMetricsServers(): void {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
}

/** Per second and leader: ten requests, of which so many in a thousand are bad. */
type BadOf = (pod: string) => number;

/** Counters that grow with time, for the pods that the question names. */
export async function metricsServer(bad: BadOf, more: object = {}) {
  const asked: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    const query = new URL(request.url ?? '', 'http://x').searchParams;
    asked.push(query);
    const [start, end, step] = ['start', 'end', 'step'].map((key) => Number(query.get(key)));
    const pods = /pod=~"([^"]*)"/.exec(query.get('query') ?? '')?.[1]?.split('|') ?? [];
    const instants = Array.from({ length: (end! - start!) / step! + 1 }, (_, at) => start! + at * step!);
    const series = (pod: string, reason: string, perThousand: number) => ({
      metric: { __name__: 'vllm:request_success_total', namespace: 'llm', pod, finished_reason: reason, engine: '0' },
      values: instants.map((at) => [at, String(Math.floor(((at % 1e7) * 10 * perThousand) / 1000))]),
    });
    const result = pods.flatMap((pod) => [series(pod, 'stop', 1000 - bad(pod)), series(pod, 'error', bad(pod))]);
    response.end(JSON.stringify({ status: 'success', data: { resultType: 'matrix', result }, ...more }));
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
