/** What a kustomize folder built in a commit of the past: by this a mark of a workload that comes out of one is held against history. */

import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { Oid } from '../../ports/git.ts';
import { PortError } from '../../ports/port-error.ts';
import type { Identity } from '../desired/desired-rollout.ts';
import type { BuiltObjects } from '../documents/built-over.ts';
import { atPatch, type BuildWorld, isCalled } from './over-builds.ts';
import { closureKey, readClosures } from './read-closures.ts';
import { builtOnce } from './read-roots.ts';

type BuiltThen = {
  readonly documents: readonly ManifestDocument[];
  /** Next to it. */
  readonly objects: BuiltObjects;
};

const NOTHING: BuiltThen = { documents: [], objects: new Map() };

/**
 * The workload as that commit builds it, at its patch; none where the folder had no kustomization, or built no such object.
 * Throws PortError, one that no retry helps where kustomize refuses the folder of that time: what it built is not known then.
 */
export async function builtAt(
  { git, builder, cache }: Omit<BuildWorld, 'line'>,
  commit: Oid,
  { root, file, namespace, name }: Identity & { readonly root: string },
): Promise<BuiltThen> {
  const closure = (await readClosures(git, commit, [root])).get(root);
  if (closure === undefined || (closure.kind === 'refused' && closure.files.length === 0)) return NOTHING;
  if (closure.kind === 'refused') throw notBuilt(commit, 'build', closure.issues[0]?.message);
  const at = { key: closureKey(closure), root: { file }, builder, cache };
  const { documents, objects, issues } = await builtOnce(closure, at);
  const [fault] = issues;
  // Where kustomize itself is missing, nothing is said of that commit.
  const operation = fault?.reason === 'BuilderMissing' ? 'start' : 'build';
  if (documents.length === 0 && fault !== undefined) throw notBuilt(commit, operation, fault.message);
  const named = { namespace, name };
  const own = documents.filter((one) => isCalled(one, named)).map((one) => atPatch(one, named, file));
  return { documents: own, objects };
}

function notBuilt(commit: Oid, operation: 'start' | 'build', why = 'its kustomization is refused'): PortError {
  return new PortError(`${commit.slice(0, 12)} is not built: ${why}`, {
    port: 'builder',
    operation,
    retryable: false,
    hint: '',
  });
}
