/** Starts programs by a small process: from a worker of the tests, with 500 MB, each start takes ten milliseconds of CPU. */

import { type ChildProcess, fork } from 'node:child_process';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

export type Program = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
};

/** `ended` is known once all of `out` was read. */
export type Started = {
  readonly out: AsyncIterable<Buffer>;
  readonly ended: () => { readonly code: number; readonly errors: string };
};

/** What the small process says of a program: bytes that it printed, or how it ended. */
type Said = { readonly id: number } & (
  | { readonly chunk: Uint8Array }
  | { readonly code: number; readonly errors: string }
);

/** One small process for each worker, which ends with it. */
let small: ChildProcess | undefined;
let programs = 0;
/** Who listens to each program that runs. */
const listeners = new Map<number, (said: Said) => void>();

/** Starts a program with these bytes on its standard input. */
export function startProgram(program: Program, input: Buffer): Started {
  small ??= startSmallProcess();
  programs += 1;
  const id = programs;
  const out = new Readable({ read: () => undefined });
  let ended = { code: -1, errors: '' };
  listeners.set(id, (said) => {
    if ('chunk' in said) {
      out.push(said.chunk);
      return;
    }
    ended = said;
    out.push(null);
    listeners.delete(id);
    if (listeners.size === 0) small?.channel?.unref();
  });
  small.channel?.ref();
  small.send({ id, ...program, input });
  return { out, ended: () => ended };
}

/** All that a program prints. Throws with what it said where it does not end with code 0. */
export async function outputOf(program: Program, input: Buffer = Buffer.alloc(0)): Promise<Buffer> {
  const { out, ended } = startProgram(program, input);
  const chunks: Buffer[] = [];
  for await (const chunk of out) chunks.push(chunk);
  const { code, errors } = ended();
  if (code !== 0) throw new Error(`${program.command} ${program.args.join(' ')}: ${errors}`);
  return Buffer.concat(chunks);
}

function startSmallProcess(): ChildProcess {
  const child = fork(fileURLToPath(new URL('./small-process.mjs', import.meta.url)), {
    serialization: 'advanced',
    execArgv: [],
  });
  child.on('message', (said: Said) => listeners.get(said.id)?.(said));
  child.on('exit', (code) => {
    small = undefined;
    const errors = `the small process ended with ${code}`;
    for (const [id, listen] of listeners) listen({ id, code: -1, errors });
  });
  child.unref();
  return child;
}
