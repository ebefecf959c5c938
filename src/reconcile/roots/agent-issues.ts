/** What agents add to a kustomize folder behind its files: a build here would not be what the cluster gets. */

import { CARRIER_KIND } from '../../api/carrier.ts';
import type { Issue } from '../../api/issue.ts';
import { at, type Json } from '../../api/json.ts';
import { LWS_KIND } from '../../api/kinds.ts';
import type { AgentBuild } from '../../manifests/agent-builds.ts';
import { FLUX_FIELDS, type FluxMerge, fluxMerge } from '../../manifests/flux-merge.ts';
import { type BuildPart, changesOf, list, type Transformation } from '../../manifests/kustomize-changes.ts';
import type { Root } from '../../manifests/kustomize-roots.ts';
import { type ManifestDocument, parseManifestFile } from '../../manifests/parse-file.ts';
import { pathText } from '../../manifests/path-text.ts';
import type { BuildInput } from '../../ports/builder.ts';
import type { Desired } from '../desired/desired-rollout.ts';
import type { BuiltWorkload } from './built-workload.ts';

/** Each field that reaches one of these objects, with the way out: for most of them the kustomization takes it as it is. */
export function agentIssues(
  { root, closed }: { readonly root: Root; readonly closed: BuildInput['files'] },
  built: readonly Pick<BuiltWorkload, 'document'>[],
  builds: readonly AgentBuild[],
  { files, blobs }: Desired,
): readonly Issue[] {
  if (builds.length === 0) return [];
  const merge = fluxMerge({ root: root.folder, files: closed });
  const byPath = new Map(files.map((file) => [file.file, file]));
  const isThere = (path: string): boolean => blobs.get(path) !== undefined;
  const earlier = namesIn(closed);
  return built.flatMap(({ document }) =>
    builds.flatMap((build) => {
      const { part } = withoutMerged(build, root, merge);
      const found = [document, ...earlier.flatMap((one) => earlierForm(document, one))].flatMap((object) =>
        changesOf({ object, files: byPath, isThere }, part),
      );
      const all = [...found, ...replacedImages(root, part), ...componentsOf(part)];
      const once = new Map(all.map((change) => [pathText(change.path), change]));
      return [...once.values()].map((change) => ({
        file: change.document.file,
        line: change.document.lineOf(change.path),
        path: pathText(change.path),
        reason: 'UnsupportedLayout',
        message: `${document.object.kind} ${document.object.name}: ${change.by} ${change.what}, so that the build is not what the cluster gets`,
        hint: unclearHint(build, change, merge) ?? movedHint(root, build, change) ?? change.hint,
      }));
    }),
  );
}

/** What is part of the build already is not in its way. */
function withoutMerged(build: AgentBuild, root: Root, merge: FluxMerge): AgentBuild {
  if (merge.kind !== 'merged' || !build.lists || build.part.folder !== root.folder) return build;
  const others = Object.entries(build.part.value).filter(([key]) => !FLUX_FIELDS.some((field) => field === key));
  return { ...build, part: { ...build.part, value: Object.fromEntries(others) } };
}

/** Why it is not. */
function unclearHint({ part, lists }: AgentBuild, { path }: Transformation, merge: FluxMerge): string | undefined {
  if (merge.kind !== 'unclear' || !lists || merge.document.file !== part.document.file) return undefined;
  return FLUX_FIELDS.some((field) => field === path[part.under.length]) ? merge.hint : undefined;
}

const KINDS = [LWS_KIND, CARRIER_KIND];

function namesIn(closed: BuildInput['files']): readonly string[] {
  const texts = closed.filter(({ text }) => KINDS.some((kind) => text.includes(kind)));
  return texts.flatMap(({ path, text }) =>
    parseManifestFile(path, text, KINDS).documents.map(({ object }) => object.name),
  );
}

/** Patches of an agent come before prefixes, suffixes and namespaces: they know the object by what it was called until then. */
function earlierForm(document: ManifestDocument, name: string): readonly ManifestDocument[] {
  const isPart = name !== document.object.name && name !== '' && document.object.name.includes(name);
  return isPart ? [{ ...document, object: { ...document.object, name } }] : [];
}

/** An entry takes the place of the one of that name in the kustomization, which what is built no longer shows. */
function replacedImages({ document }: Root, part: BuildPart): readonly Transformation[] {
  const own = list(document.value['images']).map((entry) => at(entry, ['name']));
  return list(part.value['images']).flatMap((entry, place) => {
    const name = nameOf(entry);
    if (name === '' || !own.includes(name)) return [];
    const what = `takes the place of the entry ${name} of images in ${document.file}`;
    const hint = 'Write it into that entry.';
    return [{ document: part.document, path: [...part.under, 'images', String(place)], by: part.by, what, hint }];
  });
}

/** As Flux writes an entry, or as Argo CD does: `vllm=registry:5000/vllm:v2`. */
function nameOf(entry: Json): string {
  if (typeof entry === 'string') return entry.split(/[=@]|:(?=[^/]*$)/)[0] ?? '';
  const name = at(entry, ['name']);
  return typeof name === 'string' ? name : '';
}

/** What a component that an agent adds changes is not looked at: it stands in another folder. */
function componentsOf({ document, under, value, by }: BuildPart): readonly Transformation[] {
  if (list(value['components']).length === 0) return [];
  const hint = 'List the components in the kustomization of the folder itself.';
  return [{ document, path: [...under, 'components'], by, what: 'may change it by components', hint }];
}

/** How the kustomization calls what the agent merges into it before each build. */
const MOVES: ReadonlyMap<string, string> = new Map([
  ['patches', 'patches, as the last entry'],
  ['images', 'images'],
  ['components', 'components, as the last entries'],
  ['namePrefix', 'namePrefix'],
  ['nameSuffix', 'nameSuffix'],
  ['targetNamespace', 'namespace'],
  ['namespace', 'namespace'],
]);

/** undefined: the agent does it otherwise, or for more folders than this one. */
function movedHint(root: Root, { part, isPattern }: AgentBuild, { path }: Transformation): string | undefined {
  const to = MOVES.get(path[part.under.length] ?? '');
  if (to === undefined || isPattern || part.folder !== root.folder) return undefined;
  return `Write it into ${root.document.file} (${to}), where the agent merges it before each build anyway, and remove it here.`;
}
