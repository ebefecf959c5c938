/** A process of its own: passes of one process over a repository where nothing is delivered, and what each costs. */

import { once } from 'node:events';
import { openGit } from '../src/adapters/git/open.ts';
import { systemClock } from '../src/adapters/system/clock.ts';
import { unknown } from '../src/api/known.ts';
import { NO_OVERRIDES, newMemory } from '../src/reconcile/pass.ts';
import { runPass } from '../src/reconcile/run.ts';

export type Watch = { readonly cpuMilliseconds: number; readonly clusterCalls: number };

/** The second pass of a process, and one after somebody's commit. */
export type Watched = readonly [quiet: Watch, moved: Watch];

const [, , location = ''] = process.argv;
let clusterCalls = 0;
const ports = {
  git: openGit({ location }),
  cluster: {
    list: async () => {
      clusterCalls += 1;
      return unknown('nobody asks');
    },
  },
  clock: systemClock,
  log: { info: () => undefined, warn: console.error, error: console.error },
};
const memory = newMemory();

async function pass(): Promise<Watch> {
  clusterCalls = 0;
  const before = process.cpuUsage();
  const { failed } = await runPass(ports, memory, { overrides: NO_OVERRIDES, write: true, only: [] });
  if (failed) throw new Error('a pass over settled Rollouts failed');
  const { user, system } = process.cpuUsage(before);
  return { cpuMilliseconds: (user + system) / 1000, clusterCalls };
}

await pass();
const quiet = await pass();
console.log('');
await once(process.stdin, 'data');
// The first one after a commit loads and parses what the quiet ones need not.
await pass();
console.log('');
await once(process.stdin, 'data');
const watched: Watched = [quiet, await pass()];
console.log(JSON.stringify(watched));
process.exit();
