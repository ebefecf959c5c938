/** What a kustomize folder built in a commit of the past: by this a mark of a workload that comes out of one is held against history. */

import { CARRIER_KIND } from '../../api/carrier.ts';
import { type ManifestDocument, parseManifestFile } from '../../manifests/parse-file.ts';
import { mergedByPatch } from '../../manifests/patch-merged.ts';
import { type Patched, typeOf } from '../../manifests/patch-place.ts';
import type { Oid } from '../../ports/git.ts';
import { PortError } from '../../ports/port-error.ts';
import type { Identity } from '../desired/desired-rollout.ts';
import type { BuiltObjects } from '../documents/built-over.ts';
import { atPatch, isCalled } from './at-patch.ts';
import { bare, plainPatches } from './bare-build.ts';
import type { BuildWorld } from './over-builds.ts';
import { patchIn, withOwnMarks } from './own-marks.ts';
import { type ClosedOrRefused, closureKey, readClosures } from './read-closures.ts';
import { builtOnce } from './read-roots.ts';

/** Of a workload that a HelmRelease renders that is what is built. */
function patchedIn({ namespace, name, carrier }: Identity): Patched {
  return carrier === undefined ? { namespace, name } : { ...carrier, kind: CARRIER_KIND };
}

type BuiltThen = {
  readonly documents: readonly ManifestDocument[];
  /** Next to it. */
  readonly objects: BuiltObjects;
};

const NOTHING: BuiltThen = { documents: [], objects: new Map() };

type World = Omit<BuildWorld, 'line'>;
type Built = Identity & { readonly root: string };
type There = { readonly of: Built; readonly closure: ClosedOrRefused };

/**
 * The workload as that commit builds it, at its patch; none where the folder had no kustomization, or built no such object.
 * Throws PortError, one that no retry helps where kustomize refuses the folder of that time: what it built is not known then.
 */
export async function builtAt(world: World, commit: Oid, of: Built): Promise<BuiltThen> {
  const closure = await closureAt(world, commit, of);
  return closure === undefined ? NOTHING : builtOf(world, commit, { of, closure });
}

/**
 * The same for who compares fields, and needs no text as kustomize prints it: of commits that differ in what patches of ours say,
 * one is built, without them.
 */
export async function fieldsAt(world: World, commit: Oid, of: Built): Promise<BuiltThen> {
  const closure = await closureAt(world, commit, of);
  if (closure === undefined) return NOTHING;
  return (await patchedBy(world, commit, { of, closure })) ?? builtOf(world, commit, { of, closure });
}

async function closureAt(
  { git }: World,
  commit: Oid,
  { root, flux = [] }: Built,
): Promise<ClosedOrRefused | undefined> {
  const closure = (await readClosures(git, commit, [root], () => flux)).get(root);
  return closure?.kind === 'refused' && closure.files.length === 0 ? undefined : closure;
}

/** undefined: that follows from more than the patch and what it changes, or it is built as it is already. */
async function patchedBy(
  { builder, cache }: World,
  commit: Oid,
  { of, closure }: There,
): Promise<BuiltThen | undefined> {
  if (closure.kind === 'refused' || cache.has(closureKey(closure))) return undefined;
  const { file } = of;
  const named = patchedIn(of);
  const patches = plainPatches(closure, { file, named });
  if (patches === undefined) return undefined;
  const { input, key } = bare(closure, patches.all);
  const built = await builtOnce(input, { key, root: { file }, builder, cache });
  const [base, ...others] = known(built, commit).filter((one) => isCalled(one, named));
  // Of a HelmRelease whose list no schema of the folder merges.
  const lists = named.kind === undefined ? 'unknown' : 'whole';
  const value =
    base === undefined || others.length > 0
      ? undefined
      : mergedByPatch(withOwnMarks(base, undefined).value, patches.patch.value, lists);
  if (value === undefined) return undefined;
  // JSON is YAML: nobody gets to see this text.
  const merged = parseManifestFile(file, `${JSON.stringify(value)}\n`, [typeOf(named).kind]).documents;
  return { documents: merged.map((one) => atPatch(one, named, file)), objects: built.objects };
}

async function builtOf({ builder, cache }: World, commit: Oid, { of, closure }: There): Promise<BuiltThen> {
  const { file } = of;
  if (closure.kind === 'refused') throw notBuilt(commit, 'build', closure.issues[0]?.message);
  const at = { key: closureKey(closure), root: { file }, builder, cache };
  const built = await builtOnce(closure, at);
  const named = patchedIn(of);
  const own = known(built, commit).filter((one) => isCalled(one, named));
  const text = closure.files.find(({ path }) => path === file)?.text;
  const patch = patchIn(file, text, typeOf(named).kind);
  const marked = patch === undefined ? own : own.map((one) => withOwnMarks(one, patch));
  return { documents: marked.map((one) => atPatch(one, named, file)), objects: built.objects };
}

function known(
  { documents, issues: [fault] }: Awaited<ReturnType<typeof builtOnce>>,
  commit: Oid,
): readonly ManifestDocument[] {
  if (documents.length > 0 || fault === undefined) return documents;
  // Where kustomize itself is missing, nothing is said of that commit.
  throw notBuilt(commit, fault.reason === 'BuilderMissing' ? 'start' : 'build', fault.message);
}

function notBuilt(commit: Oid, operation: 'start' | 'build', why = 'its kustomization is refused'): PortError {
  return new PortError(`${commit.slice(0, 12)} is not built: ${why}`, {
    port: 'builder',
    operation,
    retryable: false,
    hint: '',
  });
}
