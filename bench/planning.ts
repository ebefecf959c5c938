/** Measures the decision alone: one recorded snapshot, planned again and again in this process. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { plan } from '../src/rollout/plan.ts';
import type { Snapshot } from '../src/rollout/snapshot.ts';
import { time } from './measure.ts';
import { atLeast, type Row } from './rows.ts';
import { type Bench, ownPass, reset, type World } from './world.ts';

export { analysisRows } from './analysis.ts';
export { crowdRows } from './crowds.ts';

const batch = 2000;

/** Plans a second, as a row. */
export async function planRows(bench: Bench, world: World, stretches: number): Promise<readonly Row[]> {
  const sorted = [...(await plansPerSecond(bench, world, stretches))].sort((a, b) => a - b);
  const [value = 0, least = 0, most = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(0), sorted.at(-1)];
  return [atLeast({ name: 'plan() on a recorded snapshot', unit: '1/s', value, range: [least, most] }, 20_000)];
}

/** Plans a second in the best of some stretches of time: what the machine does next to it is not the decision's. */
async function plansPerSecond(bench: Bench, world: World, stretches: number): Promise<readonly number[]> {
  const snapshot = await recordedSnapshot(bench, world);
  const rates: number[] = [];
  for (let stretch = 0; stretch < stretches + 2; stretch += 1) {
    const begin = performance.now();
    let commits = 0;
    for (let i = 0; i < batch; i += 1) if (plan(snapshot).commit !== undefined) commits += 1;
    const seconds = (performance.now() - begin) / 1000;
    if (commits !== batch) throw new Error('the snapshot is to be one that moves');
    rates.push(batch / seconds);
  }
  // The first ones are the compiler's.
  return rates.slice(2);
}

/** What `--save-pass` wrote of the moving pass. */
async function recordedSnapshot(bench: Bench, world: World): Promise<Snapshot> {
  const folder = join(bench.scratch, 'saved-pass');
  await reset(world, world.moments.moving);
  const pass = ownPass(bench, world);
  await time({
    ...pass,
    args: pass.args.map((arg) => (arg === 'reconcile' ? 'plan' : arg)).concat('--save-pass', folder),
  });
  const [file = ''] = readdirSync(folder);
  const saved = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { readonly snapshot: Snapshot };
  return saved.snapshot;
}
