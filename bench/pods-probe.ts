/** A process of its own: reads the cluster side of some Rollouts of one namespace, as a pass does. */

import { clusterLimits } from '../src/adapters/cluster/limits.ts';
import { openCluster } from '../src/adapters/cluster/open-cluster.ts';
import { plainNetwork } from '../src/adapters/network/proxy.ts';
import { systemClock } from '../src/adapters/system/clock.ts';
import { liveReader } from '../src/reconcile/cluster/observe-cluster.ts';

const [, , kubeconfigPath = '', namespace = '', ...names] = process.argv;
const silent = () => undefined;
const cluster = openCluster({
  kubeconfigPath,
  context: '',
  inCluster: false,
  repositoryPath: undefined,
  limits: clusterLimits,
  network: plainNetwork,
  clock: systemClock,
  log: { info: silent, warn: silent, error: silent },
});
const live = liveReader(await cluster, new Set([namespace]));
const before = process.cpuUsage();
let leaders = 0;
const held: unknown[] = [];
for (const name of names) {
  const read = await live({ namespace, name, autoscaled: undefined });
  held.push(read);
  leaders += read.leaders.kind === 'known' ? read.leaders.value.length : Number.NaN;
}
globalThis.gc?.();
const { user, system } = process.cpuUsage(before);
const heapMegabytes = process.memoryUsage().heapUsed / 1024 / 1024;
console.log(JSON.stringify({ leaders, heapMegabytes, cpuMilliseconds: (user + system) / 1000, held: held.length }));
process.exit();
