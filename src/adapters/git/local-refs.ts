/** Branches on the disk: read from loose files and packed-refs, moved under Git's own locks, all or none. */

import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Oid, Refused } from '../../ports/git.ts';
import { gitError } from './git-error.ts';
import { isOn } from './local-config.ts';
import type { Layout } from './local-layout.ts';
import { CLEAR_NAME, isOid, refOf, zeroOid } from './names.ts';

export type RefMove = {
  readonly branch: string;
  readonly from: Oid | undefined;
  /** undefined: the branch is deleted. */
  readonly to: Oid | undefined;
  /** `Name <email> seconds +0000`, for the reflog. */
  readonly who: string;
};

type SwapResult = { readonly kind: 'pushed' } | { readonly kind: 'moved' } | Refused;

const lockTries = 8;
const firstPauseMilliseconds = 10;

/** The head of a branch; undefined where it does not exist. Loose files win over packed-refs, as in git. */
export function readHead(layout: Layout, branch: string): Oid | undefined {
  const file = join(layout.common, refOf(branch));
  const text = existsSync(file) && statSync(file).isFile() ? readFileSync(file, 'utf8').trim() : '';
  if (isOid(text)) return text;
  if (text !== '') {
    // What it holds is not said: a link may lead to anything that this process may read.
    throw gitError(`${file} holds no object id`, { operation: 'heads', retryable: false, hint: 'Run git fsck.' });
  }
  return packedRefs(layout).get(refOf(branch));
}

function packedRefs(layout: Layout): ReadonlyMap<string, Oid> {
  const file = join(layout.common, 'packed-refs');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return new Map(
    lines.filter((line) => /^[0-9a-f]{40} /.test(line)).map((line) => [line.slice(41), line.slice(0, 40)]),
  );
}

/**
 * Compare-and-swap of several branches: all locks are taken and all old values checked before anything moves.
 * (A crash between two renames can still leave one branch ahead of the other, as it can with git on files.)
 */
export async function swapHeads(layout: Layout, moves: readonly RefMove[]): Promise<SwapResult> {
  const locks: string[] = [];
  try {
    for (const { branch, to } of moves) {
      const conflict = to === undefined ? undefined : nameConflict(layout, branch);
      if (conflict !== undefined) return { kind: 'refused', branch, rule: conflict, advice: CLEAR_NAME };
      locks.push(await lock(layout, refOf(branch)));
    }
    if (moves.some(({ branch, from }) => readHead(layout, branch) !== from)) return { kind: 'moved' };
    moves.forEach(({ to }, i) => to !== undefined && writeLock(locks[i] ?? '', to));
    // The packed ones first: what is left of a branch without its loose file would be an older commit of it.
    const gone = moves.filter(({ to }) => to === undefined);
    if (gone.length > 0) await unpackRefs(layout, new Set(gone.map(({ branch }) => refOf(branch))));
    for (const { branch, from, to, who } of moves) {
      const [file, log] = [join(layout.common, refOf(branch)), join(layout.common, 'logs', refOf(branch))];
      if (to === undefined) for (const ended of [file, log, `${file}.lock`]) rmSync(ended, { force: true });
      else {
        appendReflog(layout, { branch, from, to, who });
        renameSync(`${file}.lock`, file);
      }
      locks.shift();
    }
    return { kind: 'pushed' };
  } finally {
    for (const file of locks) rmSync(file, { force: true });
  }
}

/** Takes `<ref>.lock` as git does. Somebody else's lock is waited for a moment, then named. */
async function lock(layout: Layout, name: string): Promise<string> {
  const file = join(layout.common, `${name}.lock`);
  for (let tries = 1; ; tries += 1) {
    try {
      mkdirSync(dirname(file), { recursive: true });
      closeSync(openSync(file, 'wx'));
      return file;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      // ENOENT: somebody tidied away the empty folder in between.
      if ((code !== 'EEXIST' && code !== 'ENOENT') || tries === lockTries) throw cannotLock(file, name, error);
      await new Promise((done) => setTimeout(done, firstPauseMilliseconds * tries));
    }
  }
}

function cannotLock(file: string, name: string, error: unknown) {
  const why = error instanceof Error ? error.message : String(error);
  return gitError(`${name.replace(/^refs\/heads\//, 'the branch ')} cannot be locked: ${why}`, {
    operation: 'push',
    retryable: true,
    hint: `Where no git is running, a crashed one left ${file}: remove it.`,
  });
}

function writeLock(file: string, text: string): void {
  const opened = openSync(file, 'w');
  try {
    writeSync(opened, `${text}\n`);
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** Takes these out of packed-refs, each with the line of what its tag points at, under Git's own lock of that file. */
async function unpackRefs(layout: Layout, refs: ReadonlySet<string>): Promise<void> {
  if (![...refs].some((ref) => packedRefs(layout).has(ref))) return;
  const held = await lock(layout, 'packed-refs');
  try {
    const kept: string[] = [];
    let isKept = true;
    for (const line of readFileSync(join(layout.common, 'packed-refs'), 'utf8').split('\n')) {
      if (!line.startsWith('^')) isKept = !refs.has(line.slice(41));
      if (isKept) kept.push(line);
    }
    writeLock(held, kept.join('\n').trimEnd());
    renameSync(held, join(layout.common, 'packed-refs'));
  } finally {
    rmSync(held, { force: true });
  }
}

/** A branch `a` and a branch `a/b` cannot both exist. Empty folders in the way are removed, as git does. */
function nameConflict(layout: Layout, branch: string): string | undefined {
  const ref = refOf(branch);
  const names = [...packedRefs(layout).keys()];
  const above = ref.split('/').map((_part, i, parts) => parts.slice(0, i).join('/'));
  const isFile = (name: string) =>
    existsSync(join(layout.common, name)) && statSync(join(layout.common, name)).isFile();
  const upper = above.slice(3).find((name) => isFile(name) || names.includes(name));
  if (upper !== undefined) return `'${upper}' exists; cannot create '${ref}'`;
  const lower = names.find((name) => name.startsWith(`${ref}/`));
  if (lower !== undefined) return `'${lower}' exists; cannot create '${ref}'`;
  const folder = join(layout.common, ref);
  if (!existsSync(folder) || isFile(ref)) return undefined;
  return removeEmpty(folder) ? undefined : `'${ref}/…' exists; cannot create '${ref}'`;
}

function removeEmpty(folder: string): boolean {
  const entries = readdirSync(folder, { withFileTypes: true });
  const isEmpty = entries.map((entry) => entry.isDirectory() && removeEmpty(join(folder, entry.name))).every(Boolean);
  if (isEmpty) rmdirSync(folder);
  return isEmpty;
}

/** One line where the repository keeps such a log: as git, always but in bare repositories, unless told otherwise. */
function appendReflog(layout: Layout, { branch, from, to, who }: RefMove & { readonly to: Oid }): void {
  const file = join(layout.common, 'logs', refOf(branch));
  const setting = layout.config.get('core.logallrefupdates');
  const wanted = setting?.toLowerCase() === 'always' || isOn(setting, !layout.isBare);
  if (!existsSync(file) && !wanted) return;
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${from ?? zeroOid} ${to} ${who}\tpush\n`);
}
