/** A process of its own: passes of one process over a repository where nothing is delivered, and what each costs. */

import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { openGit } from '../src/adapters/git/open.ts';
import { systemClock } from '../src/adapters/system/clock.ts';
import { unknown } from '../src/api/known.ts';
import { NO_OVERRIDES, newMemory } from '../src/reconcile/pass.ts';
import { runPass } from '../src/reconcile/run.ts';
import { signaturesOf } from '../test/support/status-key.ts';

export type Watch = { readonly cpuMilliseconds: number; readonly clusterCalls: number; readonly gitRequests: number };

export type Watched = {
  /** The second pass of a process. */
  readonly quiet: Watch;
  /** One after somebody's commit. */
  readonly moved: Watch;
  /** MB that are held after a hundred passes, and after a thousand; where it was asked for. */
  readonly heap: readonly [early: number, late: number] | undefined;
};

const [early, late] = [100, 1000];
/** How many passes come to one commit. */
const passesACommit = 10;

const [, , location = '', ...words] = process.argv;
let clusterCalls = 0;
let gitRequests = 0;
subscribe('http.client.request.start', () => {
  gitRequests += 1;
});
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
  ...(words.includes('unsigned') ? {} : { signatures: signaturesOf() }),
};
const memory = newMemory();

async function pass(): Promise<Watch> {
  clusterCalls = 0;
  gitRequests = 0;
  const before = process.cpuUsage();
  const { failed } = await runPass(ports, memory, { overrides: NO_OVERRIDES, write: true, only: [] });
  if (failed) throw new Error('a pass over settled Rollouts failed');
  const { user, system } = process.cpuUsage(before);
  return { cpuMilliseconds: (user + system) / 1000, clusterCalls, gitRequests };
}

/** Waits until somebody has committed something. */
async function committed(): Promise<void> {
  console.log('');
  await once(process.stdin, 'data');
}

function heldMegabytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}

async function heapOfMany(): Promise<readonly [number, number]> {
  const held: number[] = [];
  for (let passes = 5; passes <= late; passes += 1) {
    if (passes % passesACommit === 0) await committed();
    await pass();
    if (passes === early || passes === late) held.push(heldMegabytes());
  }
  const [first = Number.NaN, last = Number.NaN] = held;
  return [first, last];
}

await pass();
const quiet = await pass();
await committed();
// The first one after a commit loads and parses what the quiet ones need not.
await pass();
await committed();
const moved = await pass();
const watched: Watched = { quiet, moved, heap: words.includes('heap') ? await heapOfMany() : undefined };
console.log(JSON.stringify(watched));
process.exit();
