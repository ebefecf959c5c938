/** What signed records keep of builds: a process that has just started builds no folder at rest, until it is audited. */

import { createHash } from 'node:crypto';
import type { BuiltRecord, RolloutRecord } from '../../api/record.ts';
import type { Desired } from '../desired/desired-rollout.ts';
import { isCalled } from './at-patch.ts';
import { bare, type OwnPatch } from './bare-build.ts';
import { type BuiltReading, workloadsOf } from './built-workload.ts';
import { closureKey, type WholeClosure } from './read-closures.ts';
import type { BuildCache } from './read-roots.ts';
import { rolloutOf } from './wanted-of.ts';

/** The record of a Rollout, where this cluster's key has signed it and no audit of it is due. */
export type SignedRecords = (key: Desired['rollouts'][number]['key']) => RolloutRecord | undefined;

/** A folder that builds more than this is built by each process that starts: every pass reads all records. */
const CHARACTERS_MOST = 24 * 1024;

/** What a record keeps of a build without our patches; undefined: it is too much, or something is wrong with it. */
export function toKeep(
  built: BuiltReading,
  of: { readonly closure: WholeClosure; readonly patches: readonly OwnPatch[] },
): BuiltRecord | undefined {
  if (built.issues.length > 0) return undefined;
  const kept = {
    key: hashOf(bare(of.closure, of.patches).key),
    text: joined(built.documents.map(({ text }) => text)),
    objects: [...built.objects].map(([name, one]) => ({ name, ...one })),
    isAlone: built.isAlone,
  };
  return kept.text.length + JSON.stringify(kept.objects).length > CHARACTERS_MOST ? undefined : kept;
}

/**
 * Puts both builds of a folder into the cache where the records of all its patches are of these very files: each has its own
 * workload as built, and one of them what the folder builds without the patches.
 */
export function keptBuilds({
  desired,
  patches,
  records,
  cache,
}: {
  readonly desired: Desired;
  readonly patches: readonly (OwnPatch & { readonly root: string })[];
  readonly records: SignedRecords;
  readonly cache: BuildCache;
}): (root: { readonly document: { readonly file: string } }, closure: WholeClosure) => void {
  return (root, closure) => {
    const ours = patches.filter((one) => one.root === closure.root);
    const key = closureKey(closure);
    const there = ours.flatMap(({ file, named }) => {
      const record = recordOf({ file, named }, { desired, records, key: hashOf(key) });
      return record?.stable === undefined ? [] : [{ named, built: record.built, text: record.stable.text }];
    });
    const empty = bare(closure, ours);
    const built = there.find((one) => one.built?.key === hashOf(empty.key))?.built;
    if (built === undefined || there.length < ours.length) return;
    const next = { objects: new Map(built.objects.map(({ name, ...one }) => [name, one])), isAlone: built.isAlone };
    const without = workloadsOf(built.text, root.document, next);
    const texts = without.documents.map((one) => there.find(({ named }) => isCalled(one, named))?.text ?? one.text);
    cache.set(empty.key, { built: without });
    cache.set(key, { built: workloadsOf(joined(texts), root.document, next) });
  };
}

function joined(texts: readonly string[]): string {
  return texts.map((text) => `${text.trimEnd()}\n`).join('---\n');
}

/** Of a patch, where all that is decided by is as it was when it came to rest: what is asked for by an order is built. */
function recordOf(
  { file, named }: OwnPatch,
  { desired, records, key }: { readonly desired: Desired; readonly records: SignedRecords; readonly key: string },
): RolloutRecord | undefined {
  const entry = rolloutOf(named, desired.rollouts);
  const rollout = entry?.rollout?.file;
  const record = entry === undefined || rollout === undefined ? undefined : records(entry.key);
  if (record?.settled !== true || rollout === undefined) return undefined;
  const isSame = record.blobs[file] === key && record.blobs[rollout] === desired.blobs.get(rollout);
  return isSame ? record : undefined;
}

/** Of a key of the cache of builds. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 40);
}
