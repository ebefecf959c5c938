/** Which LeaderWorkerSets are delivered by a patch of ours over what a kustomize folder builds, as one commit has them. */

import { createHash } from 'node:crypto';
import { at, type Json } from '../../api/json.ts';
import { LWS_KIND } from '../../api/kinds.ts';
import { MARK } from '../../api/marks.ts';
import { LWS_API_VERSION } from '../../api/rollout.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import {
  APPLY_ENTRY,
  applyFile,
  applyName,
  applyText,
  emptyPatch,
  patchFile,
  rootOfPatch,
} from '../../manifests/patch-place.ts';
import { splitDocuments } from '../../manifests/split-documents.ts';
import type { Builder, BuildInput } from '../../ports/builder.ts';
import type { Git } from '../../ports/git.ts';
import type { Applied, Beneath } from '../../rollout/edits/beneath.ts';
import type { Desired, DesiredRollout } from '../desired/desired-rollout.ts';
import type { BuiltOver } from '../documents/built-over.ts';
import { namespaceOf } from '../documents/manifest-index.ts';
import { readWorkload } from '../documents/read-workload.ts';
import { agentsIn } from '../init/agents.ts';
import type { builtWorkloads } from './built-workload.ts';
import { NO_BUILDER } from './no-builder.ts';
import { hasPin, patchIssues } from './patch-issues.ts';
import { type BuildCache, builtOnce, type RootView, readRoots } from './read-roots.ts';

export type BuildWorld = { readonly git: Pick<Git, 'readAt'>; readonly builder: Builder; readonly cache: BuildCache };

type Named = BuiltOver['named'];

/**
 * Those that have a patch, and, where somebody has named the program, those of Rollouts whose manifest is not what the cluster
 * gets: for them a commit is going to make one. Nothing is built where there is neither. Throws PortError.
 */
export async function overBuilds(
  desired: Desired,
  { git, builder, cache }: Omit<BuildWorld, 'builder'> & { readonly builder: Builder | undefined },
): Promise<readonly BuiltOver[]> {
  const patches = patchesIn(desired);
  const mayAdopt = builder?.isNamed === true;
  const refused = mayAdopt ? desired.rollouts.filter(isRefused) : [];
  if (patches.length === 0 && refused.length === 0) return [];
  const world = { git, builder: builder ?? NO_BUILDER, cache };
  const { texts, config } = desired;
  const patched = patches.map(({ root }) => root);
  const views = await readRoots({ desired, agents: agentsIn(texts, config), texts, patched }, world);
  const mine = new Set(patches.map(({ named }) => JSON.stringify(named)));
  const fresh = refused.flatMap((entry) => withoutPatch(entry, views));
  // What has a patch is delivered by it, whatever else builds an object of that name.
  const asked = [...patches, ...fresh.filter(({ named }) => !mine.has(JSON.stringify(named)))];
  const once = new Map(asked.map((one) => [JSON.stringify([one.root, one.named]), one]));
  return Promise.all([...once.values()].map((one) => overBuild(one, { views, world })));
}

const NO_OBJECTS: ReadonlyMap<string, boolean> = new Map();

type Asked = { readonly root: string; readonly named: Named; readonly patch: ManifestDocument | undefined };

/** Documents at places of patches, as far as something there applies them or a kustomization could. */
function patchesIn({ files, blobs, config }: Desired): readonly Asked[] {
  return files.flatMap(({ file, documents }) => {
    const root = rootOfPatch(file);
    if (root === undefined || blobs.get(applyFile(root)) === undefined) return [];
    return documents.flatMap((patch) => {
      const { kind, name } = patch.object;
      const namespace = namespaceOf(patch, config);
      return kind === LWS_KIND && namespace !== undefined ? [{ root, named: { namespace, name }, patch }] : [];
    });
  });
}

/** Not found among the manifests, or not what the cluster gets. A delivery stays where its marks are: only there it goes back. */
function isRefused({ workload, reading, issues }: DesiredRollout): boolean {
  if (reading.rollout === undefined || reading.rollout.rollout.disabled) return false;
  if (workload !== undefined && hasMarks(workload)) return false;
  return workload === undefined || issues.some(({ reason }) => reason === 'UnsupportedLayout');
}

function hasMarks({ value }: ManifestDocument): boolean {
  return Object.values(MARK).some((mark) => at(value, ['metadata', 'annotations', mark]) !== undefined);
}

function withoutPatch(entry: DesiredRollout, views: readonly RootView[]): readonly Asked[] {
  const { reading, key } = entry;
  const name = reading.rollout?.rollout.workload.name ?? '';
  const { namespace } = key;
  return views.flatMap(({ root, workloads }) => {
    const isBuilt = workloads.some((one) => one.name === name && one.namespace === namespace);
    return isBuilt ? [{ root: root.folder, named: { namespace, name }, patch: undefined }] : [];
  });
}

type About = { readonly views: readonly RootView[]; readonly world: BuildWorld };

async function overBuild(asked: Asked, { views, world }: About): Promise<BuiltOver> {
  const { root, named } = asked;
  const view = views.find((one) => one.root.folder === root);
  const file = asked.patch?.file ?? patchFile(root, named);
  const place = { root, named, file };
  const nothing = {
    ...place,
    document: undefined,
    beneath: undefined,
    input: undefined,
    files: [],
    key: '',
    objects: NO_OBJECTS,
  };
  if (view === undefined) return { ...nothing, issues: patchIssues({ ...asked, file, view }) };
  const built = view.documents.find((one) => isCalled(one, named));
  const { input, files } = view;
  const issues = [...view.issues, ...patchIssues({ ...asked, file, view })];
  const here = { ...place, input, files, key: hashOf(view.key ?? ''), objects: view.objects };
  if (built === undefined || input === undefined) return { ...nothing, ...here, issues };
  const patch = asked.patch !== undefined && files.includes(file) ? asked.patch : undefined;
  const without = patch === undefined ? undefined : await builtWithout(input, { file, named, view, world });
  const base = without === undefined ? built : without.documents.find((one) => isCalled(one, named));
  const applied = appliedBy(view, named);
  const beneath = base === undefined ? undefined : beneathOf(base, { root, patch, applied });
  const document = beneath === undefined ? undefined : atPatch(built, asked.patch ?? named, file);
  return { ...here, document, beneath, issues: [...issues, ...(base === undefined ? (without?.issues ?? []) : [])] };
}

/** Whether this is what a build has of the workload; it need not say the namespace. */
export function isCalled({ object }: ManifestDocument, named: Named): boolean {
  return object.name === named.name && (object.namespace === '' || object.namespace === named.namespace);
}

/** The folder as it is with a patch that changes nothing. */
async function builtWithout(
  input: BuildInput,
  of: { readonly file: string; readonly named: Named; readonly view: RootView; readonly world: BuildWorld },
): Promise<ReturnType<typeof builtWorkloads>> {
  const { file, named, view, world } = of;
  const text = emptyPatch(named, LWS_API_VERSION);
  const files = input.files.map((one) => (one.path === file ? { path: file, text } : one));
  const key = `${view.key ?? ''} without ${file}`;
  return builtOnce({ ...input, files }, { key, root: view.root.document, ...world });
}

function beneathOf(
  base: ManifestDocument,
  of: Pick<Beneath, 'root' | 'applied'> & { readonly patch: ManifestDocument | undefined },
): Beneath | undefined {
  const { root, patch, applied } = of;
  const read = readWorkload(base).workload;
  if (read === undefined) return undefined;
  const { digest, workload } = read;
  const { content, replicas, partition, maxUnavailable } = workload;
  const isPinned = patch !== undefined && hasPin(patch.value);
  const isAdopted = patch !== undefined;
  return { root, digest, content, replicas, partition, maxUnavailable, isPinned, isAdopted, applied };
}

function appliedBy({ root, input }: RootView, named: Named): Applied {
  const { file, object, value } = root.document;
  const listed = value['transformers'];
  const entries: readonly Json[] = Array.isArray(listed) ? listed : [];
  const isListed = entries.includes(APPLY_ENTRY);
  const lists = applyFile(root.folder);
  const text = input?.files.find(({ path }) => path === lists)?.text ?? '';
  return {
    patch: emptyPatch(named, LWS_API_VERSION),
    transformer: {
      file: lists,
      object: { apiVersion: 'builtin', kind: 'PatchTransformer', name: applyName(named), namespace: '' },
      text: applyText(named),
    },
    kustomization: { file, object },
    entries,
    entry: APPLY_ENTRY,
    ...(isListed ? {} : { value }),
    isShared: splitDocuments(lists, text).length > 1,
  };
}

/** What is built, at the place where it is changed: there is where edits go. Lines of an output help nobody. */
export function atPatch(
  built: ManifestDocument,
  patch: Pick<ManifestDocument, 'object'> | Named,
  file: string,
): ManifestDocument {
  const object =
    'object' in patch
      ? patch.object
      : { apiVersion: LWS_API_VERSION, kind: LWS_KIND, name: patch.name, namespace: patch.namespace };
  return {
    ...built,
    file,
    object,
    lineOf: () => 0,
    get root() {
      return built.root;
    },
    get read() {
      return built.read;
    },
  };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 40);
}
