/** Passes on disk: what `--save-pass` writes and `replay` reads. */

import { access, constants, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { at, isRecord } from '../api/json.ts';
import { UsageError } from '../options.ts';
import type { Outcome } from '../reconcile/outcome.ts';
import type { PassResult } from '../reconcile/pass.ts';
import { PLAN_VERSION, type Plan } from '../rollout/plan.ts';
import { SNAPSHOT_VERSION, type Snapshot } from '../rollout/snapshot.ts';
import { replaceFile } from './replace-file.ts';

/** One rollout of a pass: what was read, the files that it would change, and what was decided. */
export type SavedPass = {
  readonly name: string;
  readonly snapshot: Snapshot;
  readonly texts: Readonly<Record<string, string>>;
  readonly plan: Plan | undefined;
  readonly diff: string;
};

/** Makes the folder before a pass starts: a UsageError where that cannot be, while nothing is written yet. */
export async function openSaveFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
    await access(folder, constants.W_OK);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `--save-pass: ${folder} cannot be written: ${why}. Name a folder that this process may write to`,
    );
  }
}

/**
 * Each folder on the way that is not there. Node's own recursive mkdir starts again for ever where a folder that is there
 * takes none and says that nothing is there, as `/proc` does.
 */
async function makeFolder(folder: string): Promise<void> {
  const missing: string[] = [];
  for (let path = folder; !(await isThere(path)); path = dirname(path)) missing.unshift(path);
  for (const path of missing)
    await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
      // Another process was faster.
      if (codeOf(error) !== 'EEXIST') throw error;
    });
}

/** A file counts: that no folder can be made in it is what its mkdir says. */
async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return at(error, ['code']);
}

/** Writes a file for every rollout that got as far as a snapshot; returns their paths. */
export async function savePass(folder: string, result: PassResult): Promise<readonly string[]> {
  const saved: string[] = [];
  for (const outcome of result.outcomes) {
    const { key } = outcome;
    const path = join(folder, `${key.cluster}_${key.namespace}_${key.name}.json`);
    const body = passOf(outcome);
    if (body === undefined) continue;
    // It holds what the cluster said of everybody's pods: nobody else on this machine may read it.
    await replaceFile(path, `${JSON.stringify(body, undefined, 2)}\n`, 0o600);
    saved.push(path);
  }
  return saved;
}

function passOf(outcome: Outcome): unknown {
  const { snapshot, plan, diff, texts } = outcome;
  return snapshot === undefined ? undefined : { version: SNAPSHOT_VERSION, snapshot, texts, plan, diff };
}

/** Reads the passes of a folder, in the order of their names. */
export async function readSavedPasses(folder: string): Promise<readonly SavedPass[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json')).sort();
  if (names.length === 0)
    throw new UsageError(`${folder} holds no saved pass; tranche reconcile --save-pass ${folder} writes some`);
  const passes: SavedPass[] = [];
  for (const name of names) passes.push(savedPass(name, jsonOf(name, await textOf(join(folder, name), name))));
  return passes;
}

async function textOf(path: string, name: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function jsonOf(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${name} is no JSON: it was cut short, or is no saved pass`);
  }
}

function savedPass(name: string, value: unknown): SavedPass {
  if (!isRecord(value) || value['version'] !== SNAPSHOT_VERSION)
    throw new UsageError(`${name} is no pass of this version (wanted version ${SNAPSHOT_VERSION})`);
  if (value['plan'] !== undefined && at(value, ['plan', 'version']) !== PLAN_VERSION)
    throw new UsageError(`${name} holds a decision of another version (wanted version ${PLAN_VERSION})`);
  if (!isSaved(value))
    throw new UsageError(`${name} is not whole: its snapshot or its texts are not as --save-pass writes them`);
  return { name, snapshot: value.snapshot, texts: value.texts, plan: value.plan, diff: value.diff };
}

/** Passes are written by this program for this program: the version is what is checked, and whose pass it is. */
function isSaved(value: unknown): value is Omit<SavedPass, 'name'> {
  if (!isRecord(value) || !isRecord(value['texts'])) return false;
  const key = at(value, ['snapshot', 'key']);
  const isNamed = ['cluster', 'namespace', 'name'].every((part) => typeof at(key, [part]) === 'string');
  return isNamed && Object.values(value['texts']).every((text) => typeof text === 'string');
}
