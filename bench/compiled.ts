/** What a pass gains by code that an earlier start has compiled: the first one, or one without a home, runs without. */

import { inTurn, time } from './measure.ts';
import { forInformation, type Row } from './rows.ts';
import { type Bench, ownPass, reset, timeOwn, type World } from './world.ts';

/** The same passes with and without, in turn. */
export async function compiledRows(bench: Bench, world: World, times: number): Promise<readonly Row[]> {
  const plain: Bench = { ...bench, keepsCompiled: false };
  const { moving, settled } = world.moments;
  const passes: Readonly<Record<string, (from: Bench) => Promise<number>>> = {
    'settled pass': async (from) => {
      await reset(world, settled);
      return time(ownPass(from, world));
    },
    'moving pass, paths': (from) => timeOwn(from, world, moving),
  };
  const rows: Row[] = [];
  for (const [name, pass] of Object.entries(passes)) {
    const spreads = await inTurn(
      [
        { name: 'plain', run: () => pass(plain) },
        { name: 'own', run: () => pass(bench) },
      ],
      times,
    );
    const { median: value = Number.NaN, least = value, most = value } = spreads.get('plain') ?? {};
    const row = { name: `${name}, nothing compiled ahead, against ours`, unit: 'ms' as const, value };
    rows.push(forInformation({ ...row, range: [least, most] }, spreads.get('own')?.median));
  }
  return rows;
}
