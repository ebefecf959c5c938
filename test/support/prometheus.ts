/** A real Prometheus on a port of its own choice. */

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** With `prometheus.yml` and `data` of this folder; nothing in it is too old. */
export async function startPrometheus(
  program: string,
  folder: string,
): Promise<{ readonly server: ChildProcess; readonly url: string }> {
  const server = spawn(
    program,
    [
      '--config.file=prometheus.yml',
      '--storage.tsdb.path=data',
      '--storage.tsdb.retention.time=100y',
      '--web.listen-address=127.0.0.1:0',
    ],
    { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  return { server, url: await addressOf(server) };
}

/** It says which once it listens. */
async function addressOf({ stderr }: ChildProcess): Promise<string> {
  const said: string[] = [];
  for await (const line of createInterface({ input: stderr! })) {
    said.push(line);
    const address = /msg="Listening on" .*address=(127\.0\.0\.1:[0-9]+)/.exec(line)?.[1];
    if (address === undefined) continue;
    stderr!.resume();
    return `http://${address}`;
  }
  throw new Error(`it has ended: ${said.join('\n')}`);
}

/** At once, as one that is killed. */
export async function stopPrometheus(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise((done) => server.once('exit', done));
  server.kill('SIGKILL');
  await ended;
}
