/** What signatures spare and cost: the same passes where main names a key and where it names none, in turn, by their CPU time. */

import { join } from 'node:path';
import { probed, progress } from './measure.ts';
import { atMostTimes, type Row } from './rows.ts';
import type { Heads, Moments } from './story.ts';
import { type Bench, ownPass, reset, type World } from './world.ts';

/** What signing may cost. It spares more where a pass goes by what is signed. */
const TIMES_MOST = 1.1;

type Pair = { readonly signed: keyof Moments; readonly unsigned: keyof Moments };

const PASSES: Readonly<Record<string, Pair>> = {
  'a settled pass': { signed: 'settled', unsigned: 'settledUnsigned' },
  'a moving pass, paths': { signed: 'moving', unsigned: 'movingUnsigned' },
  'a moving pass, no paths': { signed: 'movingWithoutPaths', unsigned: 'readingAll' },
};

/** The least of some rounds: CPU time is what a busy machine stretches least. */
export async function keyRows(bench: Bench, worlds: readonly World[], rounds: number): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const world of worlds)
    for (const [name, { signed, unsigned }] of Object.entries(PASSES)) {
      const least = { signed: Number.POSITIVE_INFINITY, unsigned: Number.POSITIVE_INFINITY };
      for (let round = 1; round <= rounds; round += 1) {
        progress(`  ${name}, ${world.files} files, round ${round} of ${rounds}`);
        least.signed = Math.min(least.signed, await cpuOf(bench, world, world.moments[signed]));
        const other = await cpuOf({ ...bench, signs: false }, world, world.moments[unsigned]);
        least.unsigned = Math.min(least.unsigned, other);
      }
      const row = `CPU of ${name}, ${world.files / 1000}k files, with a key, against without one`;
      rows.push(atMostTimes({ name: row, unit: 'ms', value: least.signed }, least.unsigned, TIMES_MOST));
    }
  return rows;
}

async function cpuOf(bench: Bench, world: World, from: Heads): Promise<number> {
  await reset(world, from);
  const at = { probe: join(bench.programs, 'memory-probe.mjs'), report: join(bench.scratch, 'peak') };
  return (await probed(ownPass(bench, world), at)).cpuMilliseconds;
}
