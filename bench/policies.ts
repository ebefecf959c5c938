/** What policies cost: the same Rollouts linted with and without them, in turn. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { generateRepository } from '../test/support/repository-generator.ts';
import { fleetFiles, fleetNamespace } from './fleet-place.ts';
import { probed } from './measure.ts';
import { atMostTimes, type Row } from './rows.ts';
import type { Bench } from './world.ts';

const POLICIES = 20;
const TIMES = 1.3;

/** CPU of `lint`, which asks every gate of every field that a policy names. */
export async function policyRows(
  bench: Bench,
  { rollouts, rounds }: { readonly rollouts: number; readonly rounds: number },
): Promise<readonly Row[]> {
  const at = { probe: join(bench.programs, 'memory-probe.mjs'), report: join(bench.scratch, 'peak') };
  const plain = fleetFiles(rollouts);
  const kinds = { without: plain, under: { ...plain, ...policies(rollouts) } } as const;
  const paths = {
    without: join(bench.scratch, 'no-policies.git'),
    under: join(bench.scratch, 'policies.git'),
  } as const;
  for (const kind of ['without', 'under'] as const)
    await generateRepository(paths[kind], { files: 250, extra: kinds[kind] });
  const least = { without: Number.POSITIVE_INFINITY, under: Number.POSITIVE_INFINITY };
  for (let round = 0; round < rounds; round += 1)
    for (const kind of ['without', 'under'] as const) {
      const args = [bench.bundle, 'lint', '--repo', paths[kind], '--branch', 'main'];
      const { cpuMilliseconds } = await probed({ command: process.execPath, args }, at);
      least[kind] = Math.min(least[kind], cpuMilliseconds);
    }
  for (const path of Object.values(paths)) rmSync(path, { recursive: true, force: true });
  const name = `CPU of lint, ${rollouts} Rollouts under ${POLICIES} policies`;
  return [atMostTimes({ name, unit: 'ms', value: least.under }, least.without, TIMES)];
}

/** Half of them mean every Rollout, the others some namespaces; each with limits, windows and waits that let it start. */
function policies(rollouts: number): Readonly<Record<string, string>> {
  const files = Array.from({ length: POLICIES }, (_none, at): readonly [string, string] => {
    const namespace = fleetNamespace(Math.floor((at * rollouts) / POLICIES));
    const spec = {
      ...(at % 2 === 0 ? {} : { rollouts: [`${namespace}/*`] }),
      maxUnavailableGroups: 1 + at,
      minReadyGroups: 1,
      maxGpus: 10_000 + at,
      maxDeliveriesPerCluster: rollouts,
      soakSeconds: 60 + at,
      leaveAtLeastSeconds: 60,
      readyDeadlineSeconds: 3600,
      allow: [{ cron: '0 0 * * *', minutes: 1440, timeZone: 'Europe/Berlin' }],
    };
    const policy = {
      apiVersion: 'tranche.dev/v1alpha1',
      kind: 'RolloutPolicy',
      metadata: { name: `policy-${at}` },
      spec,
    };
    return [`apps/policies/policy-${at}.yaml`, `${JSON.stringify(policy, undefined, 2)}\n`];
  });
  return Object.fromEntries(files);
}
