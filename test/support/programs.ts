/** Starts programs by a small process: from a worker of the tests, with 500 MB, each start takes ten milliseconds of CPU. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
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

/** The port of the small process: one for each worker, which ends with it. */
let port: Promise<number> | undefined;

/** Starts a program with these bytes on its standard input. */
export async function startProgram(program: Program, input: Buffer): Promise<Started> {
  port ??= startSmallProcess();
  const asked = request({
    host: '127.0.0.1',
    port: await port,
    method: 'POST',
    agent: false,
    maxHeaderSize: 1024 * 1024,
    headers: {
      'x-program': Buffer.from(JSON.stringify(program)).toString('base64'),
      'content-length': input.length,
    },
  });
  asked.end(input);
  const [message] = (await once(asked, 'response')) as [IncomingMessage];
  return {
    out: message,
    ended: () => ({
      code: Number(message.trailers['x-code'] ?? '-1'),
      errors: Buffer.from(message.trailers['x-errors'] ?? '', 'base64').toString(),
    }),
  };
}

/** All that a program prints. Throws with what it said where it does not end with code 0. */
export async function outputOf(program: Program, input: Buffer = Buffer.alloc(0)): Promise<Buffer> {
  const { out, ended } = await startProgram(program, input);
  const chunks: Buffer[] = [];
  for await (const chunk of out) chunks.push(chunk);
  const { code, errors } = ended();
  if (code !== 0) throw new Error(`${program.command} ${program.args.join(' ')}: ${errors}`);
  return Buffer.concat(chunks);
}

async function startSmallProcess(): Promise<number> {
  const path = fileURLToPath(new URL('./small-process.mjs', import.meta.url));
  const child = spawn(process.execPath, [path], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit').then(() => [Buffer.from('')]);
  const [said] = (await Promise.race([once(child.stdout, 'data'), ended])) as [Buffer];
  if (said.length === 0) throw new Error(`${path} ended before it said its port`);
  child.unref();
  for (const stream of [child.stdin, child.stdout]) (stream as unknown as Socket).unref();
  return Number(said.toString());
}
