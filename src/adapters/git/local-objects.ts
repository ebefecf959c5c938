/** Objects on the disk: loose ones, those in packs, and those of alternates; and writing new loose ones. */

import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { constants, deflateSync, inflateSync } from 'node:zlib';
import type { Oid } from '../../ports/git.ts';
import { PortError } from '../../ports/port-error.ts';
import { type GitOperation, gitError } from './git-error.ts';
import { PackError, TooLarge } from './inflate.ts';
import type { GitLimits } from './limits.ts';
import type { Layout } from './local-layout.ts';
import { type LocalPack, openLocalPack } from './local-pack.ts';
import type { FoundObject } from './object-question.ts';
import { type GitObject, type ObjectType, oidOf } from './objects.ts';
import { checkSize } from './pack-objects.ts';

export type LocalObjects = {
  /** Throws PortError where the object is not there or is not what its name says. */
  read(oid: Oid, operation: GitOperation): GitObject;
  /** The same for the content of a file; `large` where it is over the limit of an object. */
  readFile(oid: Oid): FoundObject;
  /** Writes what is not there yet; every file is complete and on the disk before it gets its name. */
  write(objects: ReadonlyMap<Oid, GitObject>): void;
  /** Closes open packs. */
  close(): void;
};

/** Opens no file before the first read. */
export function openLocalObjects(layout: Layout, limits: GitLimits): LocalObjects {
  let packs: ReadonlyMap<string, LocalPack> | undefined;
  const close = (): void => {
    for (const pack of packs?.values() ?? []) pack.close();
    packs = undefined;
  };
  const reopen = (): void => {
    close();
    packs = openPacks(layout, limits);
  };
  const find = (oid: Oid): GitObject | undefined => {
    const loose = readLoose(layout, oid, limits);
    if (loose !== undefined) return loose;
    if (packs === undefined) reopen();
    const found = readPacked(packs, oid);
    if (found !== undefined) return found;
    // Somebody may have packed it since.
    reopen();
    return readPacked(packs, oid) ?? readLoose(layout, oid, limits);
  };
  const readChecked = (oid: Oid, operation: GitOperation): GitObject => {
    const object = find(oid);
    if (object === undefined) {
      throw gitError(`${layout.path} has no object ${oid}`, {
        operation,
        retryable: false,
        hint: 'A shallow or partial clone does not have everything: give the URL of the repository instead.',
      });
    }
    if (oidOf(object) !== oid) {
      throw gitError(`${layout.path}: the object ${oid} is damaged`, {
        operation,
        retryable: false,
        hint: 'Run git fsck.',
      });
    }
    return object;
  };
  return {
    read: (oid, operation) => orPortError(layout, operation, () => readChecked(oid, operation)),
    readFile: (oid) => orPortError(layout, 'read', () => orLarge(() => readChecked(oid, 'read'))),
    write: (objects) => {
      for (const [oid, object] of objects) {
        if (!hasIntact(oid, readChecked)) writeLoose(layout, oid, object);
      }
    },
    close,
  };
}

/** A damaged object of the same name must be written again, or the commit that needs it would be broken. */
function hasIntact(oid: Oid, read: (oid: Oid, operation: GitOperation) => GitObject): boolean {
  try {
    read(oid, 'push');
    return true;
  } catch {
    return false;
  }
}

function orLarge(read: () => GitObject): FoundObject {
  try {
    return read();
  } catch (error) {
    if (error instanceof TooLarge) return { type: 'large' };
    throw error;
  }
}

function orPortError<T>(layout: Layout, operation: GitOperation, call: () => T): T {
  try {
    return call();
  } catch (error) {
    if (error instanceof PortError) throw error;
    const text = error instanceof Error ? error.message : String(error);
    throw gitError(`${layout.path}: ${text}`, { operation, retryable: !(error instanceof PackError) });
  }
}

function openPacks(layout: Layout, limits: GitLimits): ReadonlyMap<string, LocalPack> {
  const packs = new Map<string, LocalPack>();
  for (const folder of layout.objectFolders) {
    const packFolder = join(folder, 'pack');
    for (const name of existsSync(packFolder) ? readdirSync(packFolder) : []) {
      const file = join(packFolder, name);
      if (name.endsWith('.idx') && existsSync(file.replace(/\.idx$/, '.pack')))
        packs.set(file, openLocalPack(file, limits));
    }
  }
  return packs;
}

function readPacked(packs: ReadonlyMap<string, LocalPack> | undefined, oid: Oid): GitObject | undefined {
  for (const pack of packs?.values() ?? []) {
    const object = pack.read(oid);
    if (object !== undefined) return object;
  }
  return undefined;
}

function looseFile(folder: string, oid: Oid): string {
  return join(folder, oid.slice(0, 2), oid.slice(2));
}

const looseHead = /^(commit|tree|blob|tag) (\d+)$/;
const headSlack = 64;
const headBytes = 256;

function readLoose(layout: Layout, oid: Oid, limits: GitLimits): GitObject | undefined {
  const file = layout.objectFolders.map((folder) => looseFile(folder, oid)).find((name) => existsSync(name));
  if (file === undefined) return undefined;
  checkSize(looseSize(file), limits);
  const bytes = inflateSync(readFileSync(file), { maxOutputLength: limits.objectBytes + headSlack });
  const end = bytes.indexOf(0);
  const type = typeOf(bytes.toString('latin1', 0, end).match(looseHead)?.[1]);
  if (end < 0 || type === undefined) throw new PackError(`${file} is not a loose object`);
  return { type, bytes: bytes.subarray(end + 1) };
}

/** The size that a loose object says it has: its first bytes are enough to know. */
function looseSize(file: string): number {
  const start = Buffer.alloc(headBytes);
  const opened = openSync(file, 'r');
  try {
    const bytes = inflateSync(start.subarray(0, readSync(opened, start)), { finishFlush: constants.Z_SYNC_FLUSH });
    return Number(bytes.toString('latin1', 0, Math.max(0, bytes.indexOf(0))).match(looseHead)?.[2] ?? 0);
  } finally {
    closeSync(opened);
  }
}

function typeOf(text: string | undefined): ObjectType | undefined {
  return text === 'commit' || text === 'tree' || text === 'blob' || text === 'tag' ? text : undefined;
}

function writeLoose(layout: Layout, oid: Oid, object: GitObject): void {
  const file = looseFile(join(layout.common, 'objects'), oid);
  const draft = `${file.slice(0, -38)}tmp_obj_${oid.slice(2)}_${process.pid}`;
  mkdirSync(join(file, '..'), { recursive: true });
  const head = Buffer.from(`${object.type} ${object.bytes.length}\0`);
  try {
    const opened = openSync(draft, 'w', 0o444);
    try {
      writeSync(opened, deflateSync(Buffer.concat([head, object.bytes])));
      fsyncSync(opened);
    } finally {
      closeSync(opened);
    }
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
