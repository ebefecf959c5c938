/** What the earlier template names and nothing builds any more: groups that a rollback starts could not mount it. */

import type { Issue } from '../../api/issue.ts';
import { PortError } from '../../ports/port-error.ts';
import type { Stable } from '../../rollout/snapshot.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import type { BuiltObjects, Compared } from '../documents/built-over.ts';
import { referencesIn } from '../lint/references.ts';
import { generatorAt, isGenerated, KEEP_HINT } from './generator-at.ts';

/** Of a commit, by kind and name. */
type BuiltThen = (commit: string, entry: DesiredRollout) => Promise<BuiltObjects>;

/**
 * ConfigMaps and Secrets that the stable commit built, under a name that changes with them, and the head does not build; none
 * that the agent keeps. Before step 1, while nothing hangs on them yet.
 */
export async function generatedReferences(
  builtThen: BuiltThen,
  entry: DesiredRollout,
  stable: Stable,
): Promise<readonly Issue[]> {
  const { over } = entry;
  if (over === undefined || over.input === undefined || stable.commit === '') return [];
  const names = [...referencesIn(stable.content, []).keys()].filter((name) => !over.objects.has(name));
  if (names.length === 0) return [];
  const then = await knownThen(builtThen, entry, stable);
  const folder = folderText(over.root);
  return names
    .filter((name) => then === undefined || then.get(name)?.isKept === false)
    .map((name) => ({
      ...(generatorAt(over.input?.files ?? [], name) ?? { file: over.file, line: 0 }),
      path: '',
      reason: 'GeneratedReference',
      message: `${over.named.name}: the version to go back to refers to ${name}, which ${folder} builds no more${then === undefined ? ', and what it built then is not known' : ''}: the agent deletes it, and a rollback could not mount it`,
      hint: KEEP_HINT,
    }));
}

/**
 * ConfigMaps and Secrets to which the template refers and that the folder builds, held against what the stable commit built.
 * `stable` undefined: nothing is to be compared with.
 */
export async function comparedReferences(
  builtThen: BuiltThen,
  entry: DesiredRollout,
  { content, stable }: { readonly content: unknown; readonly stable: Stable | undefined },
): Promise<Compared> {
  const objects = entry.over?.objects;
  const names = objects === undefined ? [] : [...referencesIn(content, []).keys()].filter((name) => objects.has(name));
  const open = names.filter((name) => !isGenerated(name));
  const isAsked = open.length > 0 && stable !== undefined && stable.commit !== '';
  const then = isAsked ? await knownThen(builtThen, entry, stable) : undefined;
  return new Map(
    names.map((name) => {
      if (!open.includes(name)) return [name, 'same'];
      const was = then?.get(name)?.digest;
      if (was === undefined) return [name, 'unknown'];
      return [name, was === objects?.get(name)?.digest ? 'same' : 'differs'];
    }),
  );
}

/**
 * undefined: no server has that commit any more, it is not built, or nobody answers for now: a step waits, a rollback goes on
 * all the same.
 */
async function knownThen(builtThen: BuiltThen, entry: DesiredRollout, { commit }: Stable) {
  try {
    return await builtThen(commit, entry);
  } catch (error) {
    if (error instanceof PortError) return undefined;
    throw error;
  }
}

/**
 * What the template names now and the agent would delete as soon as its content changes: that change would be refused, and the
 * way out belongs into a commit before it.
 */
export function notKept({ over }: DesiredRollout, content: unknown): readonly Issue[] {
  if (over === undefined || over.input === undefined) return [];
  const { objects, input, named, root } = over;
  const names = [...referencesIn(content, []).keys()].filter(
    (name) => isGenerated(name) && objects.get(name)?.isKept === false,
  );
  return names.map((name) => ({
    ...(generatorAt(input.files, name) ?? { file: over.file, line: 0 }),
    path: '',
    reason: 'GeneratedNotKept',
    message: `${named.name} refers to ${name}, which ${folderText(root)} builds under another name when its content changes: the agent then deletes this one, and no step would go forward, for a rollback could not mount it`,
    hint: KEEP_HINT,
  }));
}

function folderText(root: string): string {
  return root === '' ? 'the root of the repository' : root;
}
