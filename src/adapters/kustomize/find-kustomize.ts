/** Finds the kustomize of this machine: the one that is named, else `kustomize`, else the one in kubectl, on PATH. */

import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { searchedFolders } from '../git/search-path.ts';
import { runProgram } from './run-program.ts';

/** The program, and how it is asked. */
export type Kustomize = {
  readonly file: string;
  readonly args: (folder: string) => readonly string[];
  /** As `5.8.1`. */
  readonly version: string;
};

type Found =
  | { readonly kind: 'found'; readonly kustomize: Kustomize }
  | { readonly kind: 'missing'; readonly seen: string };

/** Before 5 the same files built to other objects: vars, `commonLabels`, order. */
const OLDEST_MAJOR = 5;
/** It only prints its version. */
const LIMITS = { seconds: 20, bytes: 64 * 1024 };

type Asked = {
  /** A path or a name; undefined: nobody named one. */
  readonly named: string | undefined;
  /** PATH of the environment. */
  readonly searchPath: string;
  /** Folders of a repository: no program in the clones that they lie in is found by its name. */
  readonly checkouts: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
};

/** The first that is there and new enough, or what was seen instead. */
export async function findKustomize(asked: Asked): Promise<Found> {
  const seen: string[] = [];
  for (const name of asked.named === undefined ? ['kustomize', 'kubectl'] : [asked.named]) {
    const file = await executable(name, asked);
    if (file === undefined) {
      seen.push(`there is no ${name}`);
      continue;
    }
    const version = await versionOf(file, asked);
    if (version === undefined) seen.push(`${name} says no version of kustomize`);
    else if (Number(version.split('.')[0]) < OLDEST_MAJOR) seen.push(`${name} builds with kustomize ${version}`);
    else return { kind: 'found', kustomize: { file, args: argumentsOf(file), version } };
  }
  return { kind: 'missing', seen: seen.join(', ') };
}

/** The restriction is off as in Flux; what it would keep out is not there to be read. */
function argumentsOf(file: string): Kustomize['args'] {
  const verb = isKubectl(file) ? 'kustomize' : 'build';
  return (folder) => [verb, folder, '--load-restrictor', 'LoadRestrictionsNone'];
}

function isKubectl(file: string): boolean {
  return path.basename(file).startsWith('kubectl');
}

async function versionOf(file: string, { folder, env }: Asked): Promise<string | undefined> {
  const args = isKubectl(file) ? ['version', '--client'] : ['version'];
  const ran = await runProgram({ file, args, folder, env, limits: LIMITS });
  if (ran.kind === 'stopped' || ran.code !== 0) return undefined;
  const lines = ran.out.toString().split('\n');
  const line = isKubectl(file) ? lines.find((one) => /kustomize/i.test(one)) : lines[0];
  return /v?([0-9]+\.[0-9]+\.[0-9]+)/.exec(line ?? '')?.[1];
}

/** The file of a name, as a shell finds it, but for programs of a repository. */
async function executable(name: string, { searchPath, checkouts }: Asked): Promise<string | undefined> {
  const folders = searchedFolders(searchPath, checkouts);
  const candidates = name.includes('/') ? [path.resolve(name)] : folders.map((folder) => path.join(folder, name));
  for (const file of candidates) {
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  return undefined;
}
