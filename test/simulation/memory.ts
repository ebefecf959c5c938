/** The program behind the benchmark's memory row: many small schedules in one process, and the heap after every tenth of them. */

import { runSchedule } from './schedule.ts';
import { setupOf } from './setup.ts';

/** Turns of a schedule that is to be small. */
const TURNS = 12;
const MEGABYTE = 1_048_576;

async function run(schedules: number): Promise<readonly number[]> {
  const samples: number[] = [];
  for (let seed = 1; seed <= schedules; seed++) {
    await runSchedule(String(seed), { ...setupOf(String(seed)), turns: TURNS, questions: 0 });
    if (seed % Math.ceil(schedules / 10) !== 0 && seed !== schedules) continue;
    globalThis.gc?.();
    samples.push(process.memoryUsage().heapUsed / MEGABYTE);
  }
  return samples;
}

void run(Number(process.argv[2])).then((samples) => console.log(JSON.stringify(samples)));
