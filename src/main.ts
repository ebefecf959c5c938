/** The process: its arguments, streams and signals around the command line. */

import { isatty } from 'node:tty';
import { runProgram } from './commands/program.ts';
import { EXIT } from './options.ts';

// A file of a repository must not reach a prototype through a key of that name, whatever library reads it.
Reflect.deleteProperty(Object.prototype, '__proto__');

const stop = new AbortController();
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    stop.abort();
    interrupted.abort();
  });
// A terminal that closes says so more than once: what is being written is finished all the same.
process.on('SIGHUP', () => stop.abort());

const STDOUT = 1;
/** Node takes 2 ms to open both: so much later, somebody else is waited for nearly always. */
const OPENED_AFTER_MS = 3;
const out = openedWhenUsed(() => process.stdout);
const err = openedWhenUsed(() => process.stderr);
setTimeout(() => [out(), err()], OPENED_AFTER_MS).unref();

// If all that is waited for goes away, the process ends without an answer, and that must not look well.
process.exitCode = EXIT.failed;
void run();

function openedWhenUsed(open: () => NodeJS.WritableStream): () => NodeJS.WritableStream {
  let stream: NodeJS.WritableStream | undefined;
  return () => (stream ??= open().on('error', noteBroken));
}

/** Nobody reads on (`2>&1 | head`): loops end, what is being written to Git is finished. A full disk is no reader who has enough. */
function noteBroken(error: NodeJS.ErrnoException): void {
  stop.abort();
  if (error.code !== 'EPIPE') process.once('exit', () => (process.exitCode ||= EXIT.failed));
}

async function run(): Promise<void> {
  process.exitCode = await runProgram(process.argv.slice(2), {
    env: process.env,
    folder: process.cwd(),
    out: (text) => void out().write(text),
    err: (text) => void err().write(text),
    input: () => process.stdin,
    isTerminal: isatty(STDOUT),
    size: () => process.stdout,
    signal: stop.signal,
    interrupted: interrupted.signal,
  });
  // A server that does not answer would keep the process until its deadline.
  if (interrupted.signal.aborted) err().write('', () => process.exit());
}
