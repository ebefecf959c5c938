/**
 * Builds with the kustomize of this machine, in a folder that has the given files alone: a home of its own, no PATH, and
 * proxies that lead nowhere, so that whatever slipped through the closure is fetched from nowhere either.
 */

import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { oneLine } from '../../api/printable.ts';
import type { Build, Builder, BuildInput, BuildsSpent } from '../../ports/builder.ts';
import { PortError } from '../../ports/port-error.ts';
import { findKustomize, type Kustomize } from './find-kustomize.ts';
import { type ProgramLimits, runProgram } from './run-program.ts';

type BuilderOptions = {
  /** A path or a name; undefined: nobody named one. */
  readonly named: string | undefined;
  /** PATH of the environment. */
  readonly searchPath: string;
  /** Folders of a repository, whose programs are not run by their name; not there: none. */
  readonly checkouts?: readonly string[] | undefined;
  readonly limits?: ProgramLimits;
};

/** A build takes 0.2 s of CPU; an llm-d overlay prints some 100 KB. */
const LIMITS: ProgramLimits = { seconds: 60, bytes: 16 * 1024 * 1024 };
/** Nobody listens there: what goes to a proxy ends at once. */
const NOWHERE = 'http://127.0.0.1:9';
const MISSING_HINT = 'Install kustomize 5 or newer (or kubectl 1.27), or set TRANCHE_KUSTOMIZE to its path.';
const STOPPED_HINT =
  'It is tried again later. See what takes long by kustomize build of this folder, or give the pass a machine with more room.';
const TOO_MUCH_HINT =
  'It is so on every machine. Take out of this folder what need not be in it, or divide it into several that are applied each.';
/** Characters of an error line that people get to read. */
const SAID_MOST = 400;

/** Looks for the program at the first build, and once. As many builds go on at a time as there are cores. */
export function kustomizeBuilder({ named, searchPath, checkouts = [], limits = LIMITS }: BuilderOptions): Builder {
  let finding: ReturnType<typeof findKustomize> | undefined;
  const inTurn = turns(availableParallelism());
  let spent: BuildsSpent = { count: 0, seconds: 0 };
  const timed: Timed = async (run) => {
    const from = performance.now();
    try {
      return await run();
    } finally {
      spent = { count: spent.count + 1, seconds: spent.seconds + (performance.now() - from) / 1000 };
    }
  };
  return {
    isNamed: named !== undefined,
    spent: () => spent,
    build: (input) =>
      inTurn(async () => {
        // Before a folder is made: where there is no program, none is needed. This one need not be there either.
        finding ??= findKustomize({ named, searchPath, checkouts, folder: '/', env: environment('/nonexistent') });
        const found = await finding;
        if (found.kind === 'missing')
          return { kind: 'refused', cause: 'missing', seen: found.seen, hint: MISSING_HINT };
        const { kustomize } = found;
        return inFolder((folder) => buildIn(folder, input, { kustomize, env: environment(folder), limits, timed }));
      }),
  };
}

/** Lets no more than that go on at a time; the others wait in the order in which they came. */
function turns(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let busy = 0;
  return async (work) => {
    if (busy >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else busy += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) busy -= 1;
      else next();
    }
  };
}

async function inFolder(use: (folder: string) => Promise<Build>): Promise<Build> {
  let folder: string | undefined;
  try {
    // kustomize names files by where they really are.
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'tranche-build-')));
    for (const name of ['home', 'none', 'tree']) await mkdir(path.join(folder, name));
    return await use(folder);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new PortError(`files for kustomize cannot be written: ${oneLine(error.message)}`, {
      port: 'builder',
      operation: 'build',
      retryable: true,
      hint: `Make room in ${tmpdir()}, or set TMPDIR to a folder that can be written.`,
    });
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

function environment(folder: string): Readonly<Record<string, string>> {
  const home = path.join(folder, 'home');
  return {
    HOME: home,
    XDG_CONFIG_HOME: home,
    XDG_CACHE_HOME: home,
    TMPDIR: home,
    // kustomize clones with the git that it finds there, and runs plug-ins from the other.
    PATH: path.join(folder, 'none'),
    KUSTOMIZE_PLUGIN_HOME: path.join(folder, 'none'),
    KUBECONFIG: '/dev/null',
    HTTP_PROXY: NOWHERE,
    HTTPS_PROXY: NOWHERE,
    NO_PROXY: '',
  };
}

/** Runs the program, and counts what that took. */
type Timed = <T>(run: () => Promise<T>) => Promise<T>;

type With = {
  readonly kustomize: Kustomize;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: ProgramLimits;
  readonly timed: Timed;
};

async function buildIn(
  folder: string,
  { files, root }: BuildInput,
  { kustomize, env, limits, timed }: With,
): Promise<Build> {
  const tree = path.join(folder, 'tree');
  for (const { path: name, text } of files) {
    const file = path.join(tree, name);
    if (!file.startsWith(tree + path.sep)) throw new Error(`bug: ${name} leads out of the folder of a build`);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx' });
  }
  const { file, args } = kustomize;
  const ran = await timed(() => runProgram({ file, args: args(path.join(tree, root)), folder: tree, env, limits }));
  const by = `kustomize ${kustomize.version}`;
  if (ran.kind === 'stopped')
    return {
      kind: 'refused',
      cause: 'stopped',
      seen: `${by} ${ran.why}`,
      hint: ran.over === 'bytes' ? TOO_MUCH_HINT : STOPPED_HINT,
    };
  if (ran.code !== 0) return fails(`${by}: ${errorLine(ran.err, tree)}`);
  try {
    return { kind: 'built', text: new TextDecoder('utf-8', { fatal: true }).decode(ran.out) };
  } catch {
    return fails(`${by} printed what is not UTF-8`);
  }
}

function fails(seen: string): Build {
  const hint = 'kustomize build of this folder shows the same: correct the files.';
  return { kind: 'refused', cause: 'fails', seen, hint };
}

/** What kustomize says of the fault, with paths of the repository in place of those of this machine. */
function errorLine(text: string, tree: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('# Warning'));
  const first = lines.findIndex((line) => /^error:/i.test(line));
  const said = lines
    .slice(Math.max(0, first))
    .join(' ')
    .replace(/^error: /i, '');
  return oneLine(said.replaceAll(`${tree}/`, '').replaceAll(tree, '.')).slice(0, SAID_MOST);
}
