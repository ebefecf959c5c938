/** The process: its arguments, streams and signals around the command line. */

import { runProgram } from './commands/program.ts';
import { EXIT } from './options.ts';

// A file of a repository must not reach a prototype through a key of that name, whatever library reads it.
Reflect.deleteProperty(Object.prototype, '__proto__');

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
// Nobody reads on (`2>&1 | head`): loops end, what is being written to Git is finished. A full disk is no reader who has enough.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    stop.abort();
    if (error.code !== 'EPIPE') process.once('exit', () => (process.exitCode ||= EXIT.failed));
  });

// If all that is waited for goes away, the process ends without an answer, and that must not look well.
process.exitCode = EXIT.failed;
void run();

async function run(): Promise<void> {
  process.exitCode = await runProgram(process.argv.slice(2), {
    env: process.env,
    folder: process.cwd(),
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    isTerminal: process.stdout.isTTY,
    signal: stop.signal,
  });
}
