/** Many Rollouts of which some are canaries in mid-step, next to as many that step their own workload. */

import { join } from 'node:path';
import { bareRepository } from '../test/support/git-server.ts';
import { costsOf, type FleetAmounts, keylessRows } from './fleet.ts';
import { inTurn, progress, time } from './measure.ts';
import { atMostTimes, forInformation, type Row } from './rows.ts';
import type { FleetMoments } from './serve-fleet.ts';
import { type Bench, ownPass, reset, serve } from './world.ts';

const TIMES_PARTITION = 2;

/** Time, CPU and memory of a pass that writes the next rung of each canary. */
export async function canaryRows(bench: Bench, amounts: FleetAmounts): Promise<readonly Row[]> {
  const { rollouts, moving, rounds } = amounts;
  const made = (strategy: string): Promise<Fleet> => fleetOf(bench, amounts, strategy);
  // Side by side: nothing of it is timed.
  const [canary, partition] = await Promise.all([made('canary'), made('partition')]);
  const spreads = await inTurn(
    [
      { name: 'canary', run: () => timed(bench, canary, moving) },
      { name: 'unsigned', run: () => timed({ ...bench, signs: false }, canary, moving, canary.moments.movingUnsigned) },
      { name: 'partition', run: () => timed(bench, partition, moving) },
    ],
    rounds,
  );
  const { signed, keyless } = await costsOf(bench, canary);
  const beside = (await costsOf(bench, partition)).signed;
  const name = `${rollouts} Rollouts, ${moving} canaries in mid-step, against partition`;
  const [value, reference, unsigned] = ['canary', 'partition', 'unsigned'].map(
    (one) => spreads.get(one)?.median ?? Number.NaN,
  );
  return [
    atMostTimes({ name, unit: 'ms', value: value ?? Number.NaN }, reference ?? Number.NaN, TIMES_PARTITION),
    forInformation(
      {
        name: `${rollouts} Rollouts, ${moving} canaries, without a key, against with one`,
        unit: 'ms',
        value: unsigned ?? Number.NaN,
      },
      value,
    ),
    forInformation({ name: `${name}, CPU`, unit: 'ms', value: signed.cpuMilliseconds }, beside.cpuMilliseconds),
    forInformation({ name: `${name}, peak memory`, unit: 'MB', value: signed.megabytes }, beside.megabytes),
    ...keylessRows(`${rollouts} Rollouts, ${moving} canaries`, keyless, signed),
  ];
}

type Fleet = Parameters<typeof reset>[0] & {
  readonly url: string;
  readonly kubeconfig: string;
  readonly moments: FleetMoments;
};

async function fleetOf(bench: Bench, { rollouts, moving }: FleetAmounts, strategy: string): Promise<Fleet> {
  const name = `fleet-of-${strategy}.git`;
  const path = join(bench.git.folder, name);
  const kubeconfig = join(bench.scratch, `kubeconfig-${strategy}`);
  progress(`  makes ${rollouts} Rollouts, and lets ${moving} deliver by ${strategy}`);
  const args = [path, String(rollouts), String(moving), kubeconfig, strategy];
  const { ready: moments } = await serve<FleetMoments>(join(bench.programs, 'serve-fleet.mjs'), args);
  const repository = bareRepository(path);
  await repository.git('repack', '-adq');
  return { url: `${bench.git.url}/${name}`, kubeconfig, repository, moments };
}

/** Throws where the pass did not write a commit for each that moves. */
async function timed(bench: Bench, fleet: Fleet, moving: number, from = fleet.moments.moving): Promise<number> {
  await reset(fleet, from);
  const taken = await time(ownPass(bench, fleet));
  const count = await fleet.repository.git('rev-list', '--count', `${from.main}..main`);
  if (count !== String(moving)) throw new Error(`${count} steps were written, wanted ${moving}`);
  return taken;
}
