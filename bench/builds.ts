/** Kustomize folders: what a pass at rest builds of them, and what one costs that finds many changed. */

import { accessSync, chmodSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';
import { bareRepository } from '../test/support/git-server.ts';
import { kustomizationFile } from './builds-place.ts';
import type { BuildsTaken } from './builds-probe.ts';
import { answering, probed, progress } from './measure.ts';
import { atMost, atMostTimes, forInformation, type Row } from './rows.ts';
import type { Heads } from './story.ts';
import { type Bench, ownPass, reset, serve } from './world.ts';

export type BuildAmounts = {
  readonly roots: number;
  /** Of them change: few, and many. */
  readonly changed: readonly [few: number, many: number];
};

type Kustomize = { readonly file: string; readonly shown: string };
type Roots = Parameters<typeof reset>[0] & {
  readonly path: string;
  readonly kubeconfig: string;
  readonly settled: Heads;
};

/** What kustomize folders cost at rest, in a process that goes on and in one that starts, and where many change at once. */
export async function buildRows(bench: Bench, { roots, changed }: BuildAmounts): Promise<readonly Row[]> {
  const [path, kubeconfig] = [join(bench.scratch, 'roots.git'), join(bench.scratch, 'kubeconfig-roots')];
  progress(`  makes ${roots} kustomize folders, and adopts all of them`);
  const args = [path, String(roots), kubeconfig];
  const { ready: settled } = await serve<Heads>(join(bench.programs, 'serve-builds.mjs'), args);
  const repository = bareRepository(path);
  await repository.git('repack', '-adq');
  const world: Roots = { path, kubeconfig, repository, settled };
  const kustomize = kustomizeOf(bench);
  const started = await startedPass(bench, world, kustomize);
  const [few, many] = [
    await taken(bench, world, { kustomize, changed: changed[0] }),
    await taken(bench, world, { kustomize, changed: changed[1] }),
  ];
  const at = `${roots} kustomize folders at rest`;
  const next = `${at}, --watch, second pass`;
  return [
    atMost({ name: `${next}, builds`, unit: '', value: many.quiet.builds }, 0),
    atMost({ name: `${next}, CPU`, unit: 'ms', value: many.quiet.cpuMilliseconds }, 50),
    atMost({ name: `${next} after a commit elsewhere, builds`, unit: '', value: many.afterCommit.builds }, 0),
    forInformation({
      name: `${next} after a commit elsewhere, CPU`,
      unit: 'ms',
      value: many.afterCommit.cpuMilliseconds,
    }),
    atMost({ name: `${at}, new process, signed, builds`, unit: '', value: started.builds }, 0),
    forInformation({ name: `${at}, new process, signed, CPU`, unit: 'ms', value: started.cpuMilliseconds }),
    atMost({ name: `${at}, new process after a commit elsewhere, signed, builds`, unit: '', value: many.cold }, 0),
    ...changedRows(`${changed[1]} changed folders, ${kustomize.shown}`, { few, many, changed }),
  ];
}

function changedRows(
  name: string,
  { few, many, changed }: Pick<BuildAmounts, 'changed'> & { readonly few: BuildsTaken; readonly many: BuildsTaken },
): readonly Row[] {
  const { builds, written, mostAtOnce, cpuOfBuilds, millisecondsOfBuilds, milliseconds, peakMegabytes } = many.changed;
  return [
    // Each as it is and without our patch; a third one is of a commit of the past, and each commit is built before its push.
    atMost({ name: `${name}, ${written} commits written, builds`, unit: '', value: builds }, 3 * changed[1] + written),
    atMostTimes(
      { name: `${name}, builds at once, against cores`, unit: '', value: mostAtOnce },
      availableParallelism(),
      1,
    ),
    forInformation({ name: `${name}, CPU of a build`, unit: 'ms', value: cpuOfBuilds / builds }),
    forInformation({ name: `${name}, a build from start to end`, unit: 'ms', value: millisecondsOfBuilds / builds }),
    forInformation(
      { name: `${name}, the pass, against all its builds one by one`, unit: 'ms', value: milliseconds },
      millisecondsOfBuilds,
    ),
    forInformation({ name: `${name}, the pass, CPU of its own`, unit: 'ms', value: many.changed.cpuMilliseconds }),
    atMostTimes(
      { name: `${name}, peak memory, against ${changed[0]}`, unit: 'MB', value: peakMegabytes },
      few.changed.peakMegabytes,
      1.1,
    ),
  ];
}

/** A pass of the shipped command line, and how often it starts kustomize. */
async function startedPass(
  bench: Bench,
  world: Roots,
  { file }: Kustomize,
): Promise<{ readonly builds: number; readonly cpuMilliseconds: number }> {
  const started = join(bench.scratch, 'builds-started');
  const counting = join(bench.scratch, 'kustomize-counted');
  writeProgram(counting, `echo "$1" >> '${started}'\nexec '${file}' "$@"`);
  const program = ownPass(bench, { url: world.path, kubeconfig: world.kubeconfig });
  const at = { probe: join(bench.programs, 'memory-probe.mjs'), report: join(bench.scratch, 'peak') };
  const env = { ...program.env, TRANCHE_KUSTOMIZE: counting };
  const { cpuMilliseconds } = await probed({ ...program, env }, at);
  const builds = existsSync(started)
    ? readFileSync(started, 'utf8')
        .split('\n')
        .filter((verb) => verb === 'build')
    : [];
  return { builds: builds.length, cpuMilliseconds };
}

/** A process that goes on, until this many folders have changed. */
async function taken(
  bench: Bench,
  world: Roots,
  { kustomize, changed }: { readonly kustomize: Kustomize; readonly changed: number },
): Promise<BuildsTaken> {
  progress(`  ${changed} changed folders`);
  const { repository, path, kubeconfig, settled } = world;
  await reset(world, settled);
  let commits = 0;
  const commit = async (): Promise<string> => {
    commits += 1;
    if (commits < 3)
      return repository.commit('main', { 'apps/notes.yaml': `# LeaderWorkerSet\ncommits: ${commits}\n` });
    const edits: Record<string, string> = {};
    for (let at = 0; at < changed; at += 1) {
      const file = kustomizationFile(at);
      edits[file] = `${await repository.git('cat-file', 'blob', `main:${file}`)}\n`.replace('v0.10.0', 'v0.10.1');
    }
    return repository.commit('main', edits, 'v0.10.1');
  };
  const args = ['--expose-gc', join(bench.programs, 'builds-probe.mjs'), path, kubeconfig, kustomize.file];
  return JSON.parse(await answering({ command: process.execPath, args }, commit)) as BuildsTaken;
}

/** The one that `KUSTOMIZE` names, else the one on PATH, else a program of ours. */
function kustomizeOf(bench: Bench): Kustomize {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'kustomize'));
  const named = process.env['KUSTOMIZE'];
  const found = (named === undefined ? onPath : [named]).find(isProgram);
  if (found !== undefined) return { file: found, shown: 'real kustomize' };
  const file = join(bench.scratch, 'kustomize');
  writeProgram(file, `exec '${process.execPath}' '${join(bench.programs, 'builds-stand-in.mjs')}' "$@"`);
  return { file, shown: 'a stand-in of kustomize in Node' };
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function writeProgram(file: string, text: string): void {
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
}
