/** What a namespace with very many pods costs: requests, bytes, and what is held of them. */

import { join } from 'node:path';
import { answering, probed } from './measure.ts';
import { atMost, forInformation, type Row } from './rows.ts';
import type { PodsCounted, PodsReady } from './serve-pods.ts';
import { type Bench, serve } from './world.ts';

/** One page of 500 pods each, and one list of each of the other kinds. */
const otherLists = 5;
const podsOfPage = 500;

/** The cluster side of ten Rollouts in progress in one namespace. */
export async function podRows(bench: Bench, pods: number): Promise<readonly Row[]> {
  const kubeconfig = join(bench.scratch, 'kubeconfig-pods');
  const { ready, ask } = await serve<PodsReady>(join(bench.programs, 'serve-pods.mjs'), [String(pods), kubeconfig]);
  const args = [join(bench.programs, 'pods-probe.mjs'), kubeconfig, ready.namespace, ...ready.names];
  const program = { command: process.execPath, args };
  const report = { probe: join(bench.programs, 'memory-probe.mjs'), report: join(bench.scratch, 'peak') };
  const { megabytes } = await probed(program, report);
  const { requests, megabytes: sent } = await ask<PodsCounted>({});
  const said = await answering({ ...program, args: ['--expose-gc', ...args] }, async () => '');
  const { heapMegabytes } = JSON.parse(said) as { readonly heapMegabytes: number };
  const name = `${pods} pods of 10 Rollouts`;
  return [
    atMost({ name: `${name}: requests`, unit: '', value: requests }, Math.ceil(pods / podsOfPage) + otherLists),
    forInformation({ name: `${name}: sent`, unit: 'MB', value: sent }),
    forInformation({ name: `${name}: peak memory`, unit: 'MB', value: megabytes }),
    forInformation({ name: `${name}: heap at the end`, unit: 'MB', value: heapMegabytes }),
  ];
}
