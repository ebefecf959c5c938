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
  /** `over`: the limit that it has gone over; not there: something else ended it, or kept it from being started. */
  | { readonly kind: 'stopped'; readonly why: string; readonly over?: keyof ProgramLimits };

/** Its output, or what ended it. */
export function runProgram({ file, args, folder, env, limits }: ProgramRun): Promise<Ended> {
  return new Promise((resolve) => {
    // In a group of its own, so that what it starts ends with it.
    const child = spawn(file, [...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let stopped: Extract<Ended, { readonly kind: 'stopped' }> | undefined;
    const stop = (over: keyof ProgramLimits, why: string): void => {
      stopped ??= { kind: 'stopped', why, over };
      endGroup(child.pid);
    };
    const timer = setTimeout(
      () => stop('seconds', `was ended after ${limits.seconds} seconds, the limit`),
      limits.seconds * 1000,
    );
    const kept = (what: string) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      return {
        chunks,
        add: (chunk: Buffer): void => {
          bytes += chunk.length;
          if (bytes > limits.bytes) stop('bytes', `printed more than ${limits.bytes} bytes of ${what}, the limit`);
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
      if (stopped !== undefined) resolve(stopped);
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
