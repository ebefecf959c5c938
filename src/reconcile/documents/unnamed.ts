/** Workloads that no Rollout names: which of them are managed still, and which only look as if nobody had been there. */

import type { Config } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import { at, isRecord } from '../../api/json.ts';
import { MARK } from '../../api/marks.ts';
import { shellWord } from '../../api/shell-word.ts';
import { versionIn } from '../../api/version-label.ts';
import { SENTINEL } from '../../api/workload.ts';
import { PARTITION_PATH } from '../../api/workload-paths.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { Builds } from './built-over.ts';
import { type ManifestIndex, madeFor, namespaceOf } from './manifest-index.ts';
import { nameOf } from './read-rollout.ts';

type Manifests = { readonly index: ManifestIndex; readonly config: Config };

/** What we made ourselves follows its own. */
function unnamed({ index, config }: Manifests): readonly ManifestDocument[] {
  return index.workloads.filter((workload) => {
    const asked = { namespace: namespaceOf(workload, config), name: workload.object.name };
    return madeFor(workload) === undefined && index.rolloutsOf(asked).length === 0;
  });
}

/** Those that are managed: protected still, and reported. */
export function managedAlone(all: Manifests): readonly ManifestDocument[] {
  return unnamed(all).filter(isManaged);
}

/**
 * A warning for each whose annotations are gone as well, though its partition is still ours: nobody else writes the
 * sentinel, nor gives leaders the label of a release. Who edits its template sees nothing happen, and nothing says why.
 */
export function lockedAlone(all: Manifests): readonly Issue[] {
  return unnamed(all)
    .filter((workload) => !isManaged(workload) && isOurs(workload))
    .map((workload) => ({
      file: workload.file,
      line: workload.lineOf(PARTITION_PATH),
      path: PARTITION_PATH.join('.'),
      reason: 'LockedAlone',
      message: `${nameOf(workload)}: partition is ${JSON.stringify(at(workload.value, PARTITION_PATH))} as tranche has left it, and no Rollout and no annotation says that it is managed: an edit of its template reaches no group below that`,
      hint: `To have it delivered in steps, put the Rollout back. To go on without, see that all groups are ready on the template of the file, and write partition 0: groups on another one restart at once. What was in progress: git log -p ${shellWord(workload.file)}`,
    }));
}

/**
 * Those that a patch of ours takes out of what kustomize builds while no Rollout brings them back: the agent deletes them, and
 * without the line nobody would be told.
 */
export function outAlone(built: Builds['built'], { index }: Pick<Manifests, 'index'>): readonly Issue[] {
  return built
    .filter(({ named }) => index.rolloutsOf(named).length === 0)
    .flatMap(({ takenOut, named }) => {
      if (takenOut === undefined) return [];
      const { issue } = takenOut;
      const back = `Put the Rollout of ${named.namespace}/${named.name} back as main had it, and passes go on with it.`;
      const out = `Or take the line $patch: delete out of ${issue.file}, and the workload comes back as the folder builds it: git log -p ${shellWord(issue.file)} shows both.`;
      const message = `$patch: delete in the patch of ${named.name} takes it out of what is built, so that the agent deletes it, and no Rollout names it: no pass brings it back`;
      return [{ ...issue, message, hint: `${back} ${out}` }];
    });
}

function isOurs({ value }: ManifestDocument): boolean {
  const partition = at(value, PARTITION_PATH);
  return partition === SENTINEL || (typeof partition === 'number' && partition > 0 && versionIn(value) !== undefined);
}

function isManaged(workload: ManifestDocument): boolean {
  const annotations = at(workload.value, ['metadata', 'annotations']);
  return isRecord(annotations) && Object.hasOwn(annotations, MARK.release);
}
