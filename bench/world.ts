/** A repository of one size behind a Git server, its cluster, and what is run against them. */

import { type ChildProcess, fork, type Serializable } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bareRepository } from '../test/support/git-server.ts';
import { privateHalf } from '../test/support/status-key.ts';
import { type Program, progress, time } from './measure.ts';
import { lwsFile } from './place.ts';
import type { GitAsked, GitCounted, GitReady } from './serve-git.ts';
import type { WorldReady } from './serve-world.ts';
import type { Heads, Moments } from './story.ts';

export type Bench = {
  /** The folder of the bundled programs of this benchmark. */
  readonly programs: string;
  /** Everything that is written on the way. */
  readonly scratch: string;
  /** The command line as it is shipped. */
  readonly bundle: string;
  /** Not there: each pass signs the status branch, and believes what is signed. */
  readonly signs?: false;
  /** Not there: each pass takes what the one before has compiled. */
  readonly keepsCompiled?: false;
  readonly git: GitReady & { readonly count: (delay: number) => Promise<GitCounted> };
};

export type World = {
  readonly files: number;
  readonly moments: Moments;
  readonly url: string;
  readonly kubeconfig: string;
  readonly repository: ReturnType<typeof bareRepository>;
  /** A folder with the files that the moving pass changes on the status branch, as it leaves them. */
  readonly statusFiles: string;
};

export type Served<T> = {
  /** Its first message. */
  readonly ready: T;
  readonly ask: <Answer>(question: Serializable) => Promise<Answer>;
};

/** Starts a program of this benchmark as a process that ends with this one. */
export async function serve<T>(script: string, args: readonly string[]): Promise<Served<T>> {
  const child: ChildProcess = fork(script, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const answer = (): Promise<unknown> =>
    new Promise((done, fail) => {
      child.once('message', done);
      child.once('exit', (code) => fail(new Error(`${script} ended with ${code}`)));
    });
  const ready = (await answer()) as T;
  child.unref();
  child.channel?.unref();
  return {
    ready,
    ask: async <Answer>(question: Serializable) => {
      // This process must not end before the answer.
      child.channel?.ref();
      child.send(question);
      const answered = (await answer()) as Answer;
      child.channel?.unref();
      return answered;
    },
  };
}

/** Serves repositories; counts what is asked of it, and may hold each answer back. */
export async function serveGit(programs: string): Promise<Bench['git']> {
  const { ready, ask } = await serve<GitReady>(join(programs, 'serve-git.mjs'), []);
  return { ...ready, count: (delay) => ask<GitCounted>({ delay } satisfies GitAsked) };
}

/** Makes the repository and plays its story: some seconds for a large one. */
export async function makeWorld(bench: Bench, files: number): Promise<World> {
  progress(`  makes a repository of ${files} files, and delivers there`);
  const path = join(bench.git.folder, `${files}.git`);
  const kubeconfig = join(bench.scratch, `kubeconfig-${files}`);
  const { ready } = await serve<WorldReady>(join(bench.programs, 'serve-world.mjs'), [
    path,
    `${bench.git.url}/${files}.git`,
    String(files),
    kubeconfig,
  ]);
  const { moments } = ready;
  const repository = bareRepository(path);
  await repository.git('repack', '-adq');
  const statusFiles = mkdtempSync(join(bench.scratch, 'status-'));
  const world = { files, moments, url: `${bench.git.url}/${files}.git`, kubeconfig, repository, statusFiles };
  await timeOwn(bench, world, moments.moving);
  const changed = await repository.git('diff', '--name-only', moments.moving.status, 'tranche-status');
  for (const file of changed.split('\n')) {
    mkdirSync(dirname(join(statusFiles, file)), { recursive: true });
    writeFileSync(join(statusFiles, file), await repository.git('cat-file', 'blob', `tranche-status:${file}`));
  }
  return world;
}

/** Puts both branches back to a moment. */
export async function reset({ repository }: Pick<World, 'repository'>, { main, status }: Heads): Promise<void> {
  await repository.git('update-ref', 'refs/heads/main', main);
  await repository.git('update-ref', 'refs/heads/tranche-status', status);
}

/** One pass of the shipped command line. */
export function ownPass(bench: Bench, world: Pick<World, 'url' | 'kubeconfig'>): Program {
  const args = [bench.bundle, 'reconcile', '--repo', world.url, '--kubeconfig', world.kubeconfig];
  const key = bench.signs === false ? {} : { TRANCHE_STATUS_KEY: privateHalf() };
  return { command: process.execPath, args, env: { ...cacheOf(bench), ...key } };
}

/** Where a pass keeps what V8 has compiled: a folder of this run, for the one of the user is none of ours. */
export function cacheOf({ scratch, keepsCompiled }: Bench): Readonly<Record<string, string>> {
  return keepsCompiled === false ? {} : { XDG_CACHE_HOME: join(scratch, 'cache') };
}

/** Times a pass from a moment on, and checks that it did what such a pass must do. */
export async function timeOwn(bench: Bench, world: World, from: Heads): Promise<number> {
  await reset(world, from);
  const taken = await time(ownPass(bench, world));
  await checkMoved(world, from);
  return taken;
}

/** The commit on main that a moving pass must have made. */
export async function checkMoved({ repository }: World, { main }: Heads): Promise<void> {
  const [parent, subject] = (await repository.git('log', '-1', '--format=%P%n%s', 'main')).split('\n');
  if (parent !== main || subject?.includes('step 2/3') !== true)
    throw new Error(`main is at "${subject}" on ${parent}, wanted step 2/3 on ${main}`);
}

/**
 * The least by which the git command line gets to the same result: the edit on main and the new status files on the
 * status branch, in one atomic push. No file but the one that is edited is ever fetched; the status is given ready.
 */
const gitScript = `set -e
git clone -q --depth 1 --no-single-branch --filter=blob:none --no-checkout "$1" "$2"
cd "$2"
git cat-file blob "HEAD:$3" | sed 's/partition: 3/partition: 2/' > edited
blob=$(git hash-object -w edited)
git read-tree HEAD
git update-index --cacheinfo "100644,$blob,$3"
main=$(git commit-tree -p HEAD -m 'step 2/3' "$(git write-tree --missing-ok)")
export GIT_INDEX_FILE="$2/.git/status-index"
git read-tree origin/tranche-status
(cd "$4" && git --git-dir="$2/.git" --work-tree=. add --ignore-removal .)
status=$(git commit-tree -p origin/tranche-status -m status "$(git write-tree --missing-ok)")
git push -q --atomic origin "$main:refs/heads/main" "$status:refs/heads/tranche-status"
`;

/** Times a program that is given the URL, an empty folder and the file, and must put the edit on main. */
async function timeOther(bench: Bench, world: World, program: (folder: string) => Program): Promise<number> {
  const from = world.moments.moving;
  await reset(world, from);
  const folder = mkdtempSync(join(bench.scratch, 'clone-'));
  const taken = await time(program(folder));
  await checkMoved(world, from);
  rmSync(folder, { recursive: true, force: true });
  return taken;
}

/** The same step by the git command line. */
export function timeGit(bench: Bench, world: World): Promise<number> {
  return timeOther(bench, world, (folder) => ({
    command: 'sh',
    args: ['-c', gitScript, 'git-step', world.url, folder, lwsFile, world.statusFiles],
  }));
}

/** The same step by isomorphic-git. */
export function timeIsomorphic(bench: Bench, world: World): Promise<number> {
  return timeOther(bench, world, (folder) => ({
    command: process.execPath,
    args: [join(bench.programs, 'iso-pass.mjs'), world.url, folder, lwsFile, 'partition: 3', 'partition: 2'],
  }));
}
