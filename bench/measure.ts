/** Runs a program from start to end: how long it takes, and how much memory it ever had. */

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { gitEnvironment } from '../test/support/git-server.ts';

export type Program = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The code that it ends with, if that is not 0. */
  readonly code?: number;
};

/** Milliseconds from before the process starts until it has ended. Throws where it ends with another code than it should. */
export async function time(program: Program): Promise<number> {
  const env = { ...gitEnvironment, ...program.env };
  const begin = performance.now();
  const child = spawn(program.command, program.args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => said.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  const code = await new Promise<number | null>((done, fail) => child.on('error', fail).on('close', done));
  const taken = performance.now() - begin;
  if (code === (program.code ?? 0)) return taken;
  throw new Error(
    `${program.command} ${program.args.join(' ')} ended with ${code}:\n${Buffer.concat(said).toString()}`,
  );
}

export type Probe = { readonly probe: string; readonly report: string };

/** The most memory in MB that a Node program had at once. `probe` is a module that reports it; see `memory-probe.ts`. */
export async function peakMegabytes(program: Program, at: Probe): Promise<number> {
  return (await probed(program, at)).megabytes;
}

/** What a Node program took from its start to its end: memory at once, and CPU time, which a busy machine does not stretch. */
export async function probed(
  program: Program,
  at: Probe,
): Promise<{ readonly megabytes: number; readonly cpuMilliseconds: number }> {
  await time({
    ...program,
    args: ['--import', at.probe, ...program.args],
    env: { ...program.env, BENCH_REPORT: at.report },
  });
  const [kibibytes = Number.NaN, cpuMilliseconds = Number.NaN] = readFileSync(at.report, 'utf8').split(' ').map(Number);
  return { megabytes: kibibytes / 1024, cpuMilliseconds };
}

/** What the benchmark does just now, for who waits for its table. */
export function progress(text: string): void {
  console.error(text);
}

/** One thing that is measured again and again, in turn with others. */
export type Contender = { readonly name: string; readonly run: () => Promise<number> };

export type Spread = { readonly median: number; readonly least: number; readonly most: number };

/** A, B, A, B, …: all suffer the same weather. One warm-up round is not counted unless it is the only one. */
export async function inTurn(contenders: readonly Contender[], rounds: number): Promise<ReadonlyMap<string, Spread>> {
  const taken = new Map(contenders.map(({ name }): [string, number[]] => [name, []]));
  for (let round = rounds === 1 ? 1 : 0; round <= rounds; round += 1) {
    progress(
      `  ${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}: ${contenders.map(({ name }) => name).join(', ')}`,
    );
    for (const { name, run } of contenders) {
      const one = await run();
      if (round > 0) taken.get(name)?.push(one);
    }
  }
  return new Map([...taken].map(([name, values]) => [name, spreadOf(values)]));
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  return {
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    least: at(0),
    most: at(sorted.length - 1),
  };
}

/** The last line that a program prints; before it, each line asks for something to be done, and is answered by one. */
export async function answering({ command, args }: Program, act: () => Promise<unknown>): Promise<string> {
  const child = spawn(command, args, { env: gitEnvironment, stdio: ['pipe', 'pipe', 'inherit'] });
  let last = '';
  for await (const line of createInterface(child.stdout)) {
    last = line;
    if (line === '') child.stdin.write(`${String(await act())}\n`);
  }
  return last;
}
