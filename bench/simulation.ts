/** Measures the simulation: rollouts and schedules a second on one core, and whether many of them keep memory flat. */

import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as Simulation from '../test/simulation/entry.ts';
import { atLeast, atMost, type Row } from './rows.ts';

export type Amounts = { readonly rollouts: number; readonly schedules: number; readonly memory: number };

/** Eight groups in four steps, no faults. */
const STORY = {
  groups: 8,
  steps: ['25%', '50%', '75%', '100%'].map((replicas) => ({ replicas, pause: 0 })),
  reconcilers: 1,
  surge: 0,
} as const;

/** All rows; the programs are bundles of test/simulation. */
export async function simulationRows(programs: string, amounts: Amounts): Promise<readonly Row[]> {
  const { runStory, runSchedule } = createRequire(import.meta.url)(
    join(programs, 'simulation.cjs'),
  ) as typeof Simulation;
  const rollouts = await perSecond(amounts.rollouts, async () => {
    const { broken } = await runStory(STORY, new Map());
    if (broken !== undefined) throw new Error(broken.message);
  });
  const schedules = await perSecond(amounts.schedules, async (i) => {
    const { broken } = await runSchedule(String(i));
    if (broken !== undefined) throw new Error(`seed ${i}: ${broken.message}`);
  });
  const samples = await heapSamples(join(programs, 'simulation-memory.cjs'), amounts.memory);
  // What is remembered of texts is bounded, and full by then.
  const value = (samples.at(-1) ?? 0) - (samples[2] ?? 0);
  // 10,000 schedules in 5 minutes on two cores need 17 a second.
  return [
    atLeast({ name: 'simulated rollouts, partition, 8 groups', unit: '1/s', value: rollouts }, 10),
    atLeast({ name: 'schedules of the simulation, one core', unit: '1/s', value: schedules }, 17),
    atMost({ name: `heap growth over ${amounts.memory} schedules, from 30 % of them on`, unit: 'MB', value }, 20),
  ];
}

/** The first tenth is the compiler's. */
async function perSecond(times: number, run: (i: number) => Promise<void>): Promise<number> {
  const warm = Math.ceil(times / 10);
  for (let i = 0; i < warm; i += 1) await run(i);
  const begin = performance.now();
  for (let i = warm; i < warm + times; i += 1) await run(i);
  return times / ((performance.now() - begin) / 1000);
}

async function heapSamples(program: string, schedules: number): Promise<readonly number[]> {
  const child = spawn(process.execPath, ['--expose-gc', program, String(schedules)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const code = await new Promise((done) => child.on('close', done));
  if (code !== 0) throw new Error(`${program} ended with ${String(code)}`);
  return JSON.parse(text) as readonly number[];
}
