/** The process of the GitHub Action: environment, streams and signals around one pass. */

import { runAction } from './commands/action.ts';
import { EXIT } from './options.ts';

// A file of a repository must not reach a prototype through a key of that name, whatever library reads it.
Reflect.deleteProperty(Object.prototype, '__proto__');

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
// A runner that has stopped reading must not end what is being written to Git.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => stop.abort());

// If all that is waited for goes away, the process ends without an answer, and that must not look well.
process.exitCode = EXIT.failed;
void run();

async function run(): Promise<void> {
  process.exitCode = await runAction({
    env: process.env,
    folder: process.cwd(),
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    isTerminal: false,
    signal: stop.signal,
  });
}
