/** Runs a program with nothing of our environment, and ends it where it takes too long or prints too much. */

import { spawn } from 'node:child_process';

export type ProgramLimits = {
  readonly seconds: number;
  /** Bytes of its output, and of what it prints about errors, each. */
  readonly bytes: number;
};

type ProgramRun = {
  readonly file: string;
  readonly args: readonly string[];
  readonly folder: string;
  /** All that it gets: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly limits: ProgramLimits;
};

type Ended =
  | { readonly kind: 'ended'; readonly code: number; readonly out: Buffer; readonly err: string }
  | { readonly kind: 'stopped'; readonly why: string };

/** Its output, or what ended it. */
export function runProgram({ file, args, folder, env, limits }: ProgramRun): Promise<Ended> {
  return new Promise((resolve) => {
    // In a group of its own, so that what it starts ends with it.
    const child = spawn(file, [...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let stopped: string | undefined;
    const stop = (why: string): void => {
      stopped ??= why;
      endGroup(child.pid);
    };
    const timer = setTimeout(() => stop(`was ended after ${limits.seconds} seconds, the limit`), limits.seconds * 1000);
    const kept = (what: string) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      return {
        chunks,
        add: (chunk: Buffer): void => {
          bytes += chunk.length;
          if (bytes > limits.bytes) stop(`printed more than ${limits.bytes} bytes of ${what}, the limit`);
          else chunks.push(chunk);
        },
      };
    };
    const [out, err] = [kept('output'), kept('errors')];
    child.stdout.on('data', out.add);
    child.stderr.on('data', err.add);
    child.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      resolve({ kind: 'stopped', why: `cannot be started (${error.code ?? error.name})` });
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (stopped !== undefined) resolve({ kind: 'stopped', why: stopped });
      else if (code === null) resolve({ kind: 'stopped', why: `was ended by ${signal}` });
      else resolve({ kind: 'ended', code, out: Buffer.concat(out.chunks), err: Buffer.concat(err.chunks).toString() });
    });
  });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
