/** What the earlier template names and nothing builds any more: groups that a rollback starts could not mount it. */

import type { Issue } from '../../api/issue.ts';
import { PortError } from '../../ports/port-error.ts';
import type { Stable } from '../../rollout/snapshot.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import { referencesIn } from '../lint/references.ts';

/** Of a commit, by kind and name. */
type BuiltThen = (commit: string, entry: DesiredRollout) => Promise<ReadonlyMap<string, boolean>>;

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
  const folder = over.root === '' ? 'the root of the repository' : over.root;
  return names
    .filter((name) => then === undefined || then.get(name) === false)
    .map((name) => ({
      file: over.file,
      line: 0,
      path: '',
      reason: 'GeneratedReference',
      message: `${over.named.name}: the version to go back to refers to ${name}, which ${folder} builds no more${then === undefined ? ', and what it built then is not known' : ''}: the agent deletes it, and a rollback could not mount it`,
      hint: 'Let the agent keep what generators have made, in a commit before the one that changes it: generatorOptions.annotations with kustomize.toolkit.fluxcd.io/prune: disabled (Flux) or argocd.argoproj.io/sync-options: Prune=false (Argo CD).',
    }));
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
