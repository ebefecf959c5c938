/** A process of its own: passes over kustomize folders at rest, and one over some that have changed. */

import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { clusterLimits } from '../src/adapters/cluster/limits.ts';
import { openCluster } from '../src/adapters/cluster/open-cluster.ts';
import { openGit } from '../src/adapters/git/open.ts';
import { kustomizeBuilder } from '../src/adapters/kustomize/kustomize-builder.ts';
import { plainNetwork } from '../src/adapters/network/proxy.ts';
import { systemClock } from '../src/adapters/system/clock.ts';
import type { Builder } from '../src/ports/builder.ts';
import { NO_OVERRIDES, newMemory, type PassResult } from '../src/reconcile/pass.ts';
import { runPass } from '../src/reconcile/run.ts';
import { signaturesOf } from '../test/support/status-key.ts';
import { standInBuilder } from './builds-place.ts';

export type BuildsTaken = {
  /** Builds of a process that has just started, once somebody has committed a file of no folder. */
  readonly cold: number;
  /** A pass of it afterwards, where nothing has moved. */
  readonly quiet: { readonly builds: number; readonly cpuMilliseconds: number };
  /** After another such commit. */
  readonly afterCommit: { readonly builds: number; readonly cpuMilliseconds: number };
  /** The pass that finds the changed folders. */
  readonly changed: {
    readonly builds: number;
    /** Commits that it wrote: each is built once more before it is pushed. */
    readonly written: number;
    readonly mostAtOnce: number;
    /** Of all builds, and of the process that asks for them. */
    readonly cpuOfBuilds: number;
    readonly cpuMilliseconds: number;
    /** From start to end, all builds together, and of the pass. */
    readonly millisecondsOfBuilds: number;
    readonly milliseconds: number;
    readonly peakMegabytes: number;
  };
};

const [, , location = '', kubeconfig = '', kustomize = ''] = process.argv;
const quietPassesMost = 5;
/** Of `/proc/<process>/stat`: the user and system time of children that have ended, after the name in brackets. */
const [childrenUser, childrenSystem] = [13, 14];
const tickMilliseconds = 10;
let asked = 0;
let mostAtOnce = 0;
let running = 0;
subscribe('child_process', (message) => {
  if (typeof message !== 'object' || message === null || !('process' in message)) return;
  const child = message.process;
  if (!(child instanceof Object) || !('once' in child) || typeof child.once !== 'function') return;
  running += 1;
  mostAtOnce = Math.max(mostAtOnce, running);
  child.once('close', () => {
    running -= 1;
  });
});

const log = { info: () => undefined, warn: console.error, error: console.error };
const real = kustomizeBuilder({ named: kustomize, searchPath: '' });
const memory = newMemory();
const ports = {
  git: openGit({ location }),
  cluster: await openCluster({
    kubeconfigPath: kubeconfig,
    context: '',
    inCluster: false,
    repositoryPath: location,
    limits: clusterLimits,
    network: plainNetwork,
    clock: systemClock,
    log,
  }),
  clock: systemClock,
  log,
  signatures: signaturesOf(),
};
const counted: Builder = {
  isNamed: true,
  build: (input) => {
    asked += 1;
    return standInBuilder.build(input);
  },
};

function pass(builder: Builder): Promise<PassResult> {
  return runPass({ ...ports, builder }, memory, { overrides: NO_OVERRIDES, write: true, only: [] });
}

/** Builds that a pass asks for, and its CPU time. */
async function atRest(): Promise<BuildsTaken['quiet']> {
  const [before, from] = [asked, process.cpuUsage()];
  await pass(counted);
  const { user, system } = process.cpuUsage(from);
  return { builds: asked - before, cpuMilliseconds: (user + system) / 1000 };
}

async function untilQuiet(): Promise<void> {
  for (let passes = 0; passes < quietPassesMost; passes += 1) if ((await pass(counted)).quiet) return;
  throw new Error(`no pass was quiet of ${quietPassesMost}`);
}

/** Waits until somebody has committed something. */
async function committed(): Promise<void> {
  console.log('');
  await once(process.stdin, 'data');
}

function ofProcess(): { readonly children: number; readonly peakMegabytes: number } {
  const stat = readFileSync('/proc/self/stat', 'utf8').replace(/.*\) /, '').split(' ').map(Number);
  const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  const children = ((stat[childrenUser] ?? Number.NaN) + (stat[childrenSystem] ?? Number.NaN)) * tickMilliseconds;
  return { children, peakMegabytes: Number(kibibytes) / 1024 };
}

async function changedPass(): Promise<BuildsTaken['changed']> {
  globalThis.gc?.();
  // The most memory from here on.
  writeFileSync('/proc/self/clear_refs', '5');
  const [before, from, begin] = [ofProcess(), process.cpuUsage(), performance.now()];
  const { builds, outcomes } = await pass(real);
  const { user, system } = process.cpuUsage(from);
  const after = ofProcess();
  return {
    builds: builds?.count ?? 0,
    written: outcomes.filter((one) => one.written !== undefined).length,
    mostAtOnce,
    cpuOfBuilds: after.children - before.children,
    cpuMilliseconds: (user + system) / 1000,
    millisecondsOfBuilds: (builds?.seconds ?? 0) * 1000,
    milliseconds: performance.now() - begin,
    peakMegabytes: after.peakMegabytes,
  };
}

await pass(counted);
await committed();
const { builds: cold } = await atRest();
await untilQuiet();
const quiet = await atRest();
await committed();
const afterCommit = await atRest();
await untilQuiet();
await committed();
const taken: BuildsTaken = { cold, quiet, afterCommit, changed: await changedPass() };
console.log(JSON.stringify(taken));
process.exit();
