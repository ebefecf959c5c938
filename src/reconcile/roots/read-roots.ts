/** Says of each kustomize folder that is applied what it is built from, which LeaderWorkerSets come out, and what is in the way. */

import { type Config, mappedNamespace } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import { agentBuildsIn, reachesRoot } from '../../manifests/agent-builds.ts';
import { isArgoSource } from '../../manifests/argo-source.ts';
import { asApplied } from '../../manifests/as-applied.ts';
import { unreadFlux } from '../../manifests/flux-merge.ts';
import { type Root, rootsIn } from '../../manifests/kustomize-roots.ts';
import { isKustomizationFile, type ManifestDocument } from '../../manifests/parse-file.ts';
import { rootOfPatch } from '../../manifests/patch-place.ts';
import { folderOf } from '../../manifests/paths.ts';
import type { Build, Builder, BuildInput } from '../../ports/builder.ts';
import type { Git } from '../../ports/git.ts';
import { PortError } from '../../ports/port-error.ts';
import type { Desired } from '../desired/desired-rollout.ts';
import type { BuiltObjects } from '../documents/built-over.ts';
import type { Agent } from '../init/agents.ts';
import { agentIssues } from './agent-issues.ts';
import { type BuiltReading, type BuiltWorkload, builtWorkloads } from './built-workload.ts';
import { fluxFiles } from './flux-files.ts';
import { isAsked } from './is-asked.ts';
import { type ClosedOrRefused, closureKey, readClosures, type WholeClosure } from './read-closures.ts';
import { baseIssue, buildIssue, twiceBuilt, unreadByFlux } from './root-issues.ts';

/** A LeaderWorkerSet of a root, with who delivers it. */
export type RootWorkload = BuiltWorkload & {
  /** Files of Rollouts that name it. */
  readonly rollouts: readonly string[];
};

export type RootView = {
  readonly root: Root;
  readonly agents: readonly Agent[];
  /** Paths that it is built from, sorted; what was found of them where the closure is refused. */
  readonly files: readonly string[];
  /** What `files` hold and the folder itself: equal keys, equal builds; undefined: refused. */
  readonly key: string | undefined;
  /** What was read of it, refused or not: another text differs. */
  readonly seen: string;
  /** What kustomize is given; undefined: refused. */
  readonly input: WholeClosure | undefined;
  /** LeaderWorkerSets as built, those that cannot be read as well. */
  readonly documents: readonly ManifestDocument[];
  readonly objects: BuiltObjects;
  /** One object is built. */
  readonly isAlone: boolean;
  readonly workloads: readonly RootWorkload[];
  /** Why it could not be delivered from, each with the way out. */
  readonly issues: readonly Issue[];
  /** Those of them for which nothing is built. */
  readonly faults: readonly Issue[];
};

/**
 * What one process has built, or what kustomize said against it, by the key of the closure. Losing it costs time only. What ran
 * into a limit is tried again after `left` more questions: one slow folder does not keep every pass waiting. What is being built
 * is there already: who asks meanwhile waits for it.
 */
export type BuildCache = Map<string, { readonly built: BuiltReading | Promise<BuiltReading>; readonly left?: number }>;

/** Questions that are answered by a time-out before the folder is built again: of one or two in each pass. */
const STOPPED_FOR = 10;

/** Of each the LeaderWorkerSets alone are kept. */
const BUILDS_MOST = 4_000;

type RootsQuestion = {
  readonly desired: Desired;
  readonly agents: readonly Agent[];
  /** Of every file that may say something, those of agents among them. */
  readonly texts: ReadonlyMap<string, string>;
  /** Folders that count as applied whatever lists them: those with a patch of ours. Not there: none. */
  readonly patched?: readonly string[];
  /** Names of workloads that are looked for; not there: all folders are built, else those that may build one, and those patched. */
  readonly names?: readonly string[];
};

type World = {
  readonly git: Pick<Git, 'readAt'>;
  readonly builder: Builder;
  readonly cache: BuildCache;
  /** Puts into the cache what signed records keep of a folder at rest. Not there: they keep nothing. */
  readonly kept?: (root: Root, closure: WholeClosure) => void;
};

/** Those that have a LeaderWorkerSet in any file, in the order of their folders. Throws PortError. */
export async function readRoots(
  { desired, agents, texts, patched = [], names }: RootsQuestion,
  { git, ...world }: World,
): Promise<readonly RootView[]> {
  const applied = new Set([...patched, ...agents.flatMap(({ folders }) => folders)]);
  const roots = rootsIn(desired.files, applied);
  const builds = agentBuildsIn(texts);
  const isAddedTo = (folder: string): boolean => builds.some(({ part, lists }) => lists && part.folder === folder);
  const asked = roots.map(({ folder }) => folder);
  const flux = (folder: string): readonly string[] => (isAddedTo(folder) ? fluxFiles(agents, folder) : []);
  const closures = await readClosures(git, desired.commit, asked, flux);
  const about = roots.flatMap((root) => {
    const closure = closures.get(root.folder);
    return closure !== undefined && isAsked(root, closure, { names, patched }) ? [{ root, closure }] : [];
  });
  const kustomized = new Set(desired.files.flatMap(({ file }) => (isKustomizationFile(file) ? [folderOf(file)] : [])));
  const hasKustomization = (folder: string): boolean => kustomized.has(folder);
  const views = await Promise.all(
    about.map(async ({ root, closure }): Promise<RootView> => {
      const { workloads, issues, key, ...outputs } = await builtRoot(root, closure, world);
      const found = workloads.map((one) => namedIn(one, root, { desired, agents }));
      // What Argo CD merges is part of what is built, or refused with it.
      const others = builds.filter(({ part }) => !isArgoSource(part.document.file, root.folder));
      const around = others.filter((build) => reachesRoot(build, root.folder, hasKustomization));
      const applying = agents.filter(({ folders }) => folders.includes(root.folder));
      const files = closure.files.map(({ path }) => path);
      return {
        root,
        agents: applying,
        files,
        key,
        seen: key ?? closureKey({ root: root.folder, files: closure.files }),
        input: closure.kind === 'whole' ? closure : undefined,
        ...outputs,
        workloads: found,
        faults: key === undefined || outputs.documents.length === 0 ? issues : [],
        issues: [
          ...root.listedBy.map((by) => baseIssue(root, by)),
          ...issues,
          ...agentIssues({ root, closed: closure.files }, found, around, desired),
          ...unreadByFlux(root, applying, files),
          ...unreadFlux({ root: root.folder, texts }),
        ],
      };
    }),
  );
  return withTwins(views, desired);
}

const NO_OBJECTS: BuiltObjects = new Map();
const NOTHING_BUILT = { workloads: [], documents: [], objects: NO_OBJECTS, isAlone: false };

type Built = BuiltReading & Pick<RootView, 'key'>;

async function builtRoot(
  root: Root,
  closure: ClosedOrRefused,
  { builder, cache, kept }: Omit<World, 'git'>,
): Promise<Built> {
  if (closure.kind === 'refused') return { ...NOTHING_BUILT, issues: closure.issues, key: undefined };
  const key = closureKey(closure);
  if (!cache.has(key)) kept?.(root, closure);
  return { ...(await builtOnce(closure, { key, root: root.document, builder, cache })), key };
}

type Once = Pick<World, 'builder' | 'cache'> & {
  readonly key: string;
  readonly root: Pick<ManifestDocument, 'file'>;
};

/** What one folder builds; equal files are built once. A machine that fails refuses this folder, and ends no pass. */
export async function builtOnce(input: BuildInput, once: Once): Promise<BuiltReading> {
  const { key, cache } = once;
  const known = cache.get(key);
  if (known !== undefined && known.left !== 0) {
    if (known.left !== undefined) cache.set(key, { ...known, left: known.left - 1 });
    return known.built;
  }
  const [oldest] = cache.size >= BUILDS_MOST ? cache.keys() : [];
  if (oldest !== undefined) cache.delete(oldest);
  const building = builtNow(input, once);
  cache.set(key, { built: building });
  try {
    return await building;
  } catch (error) {
    cache.delete(key);
    throw error;
  }
}

async function builtNow(input: BuildInput, { key, root, builder, cache }: Once): Promise<BuiltReading> {
  const build = await builder.build(asApplied(input)).catch(refusedByMachine);
  const built =
    build.kind === 'refused'
      ? { ...NOTHING_BUILT, issues: [buildIssue(root, build)] }
      : builtWorkloads(build.text, root);
  const cause = build.kind === 'refused' ? build.cause : undefined;
  // Whether there is a kustomize is another question in each pass.
  if (cause === 'missing') cache.delete(key);
  else cache.set(key, cause === 'stopped' ? { built, left: STOPPED_FOR } : { built });
  return built;
}

/** Others that this pass delivers, or rolls back, need no build. */
function refusedByMachine(error: unknown): Build {
  if (!(error instanceof PortError) || error.port !== 'builder') throw error;
  return { kind: 'refused', cause: 'missing', seen: error.message, hint: error.hint };
}

/** The namespace as built, else as `tranche.yaml` maps the folder, else that of the agent. */
function namedIn(
  workload: BuiltWorkload,
  root: Root,
  { desired, agents }: { readonly desired: Desired; readonly agents: readonly Agent[] },
): RootWorkload {
  const of = agents.find(({ folders, namespace }) => namespace !== undefined && folders.includes(root.folder));
  const namespace = workload.namespace ?? mapped(desired.config, root) ?? of?.namespace;
  const rollouts = desired.index.rolloutsOf({ namespace, name: workload.name }).map(({ file }) => file);
  return { ...workload, namespace, rollouts };
}

function mapped(config: Config, { document }: Root): string | undefined {
  return mappedNamespace(config, document.file);
}

/** An object that two roots build, or a root and a plain file, is applied by two: whichever comes last wins. */
function withTwins(views: readonly RootView[], { index }: Desired): readonly RootView[] {
  const all = views.flatMap((view) => view.workloads.map((workload) => ({ view, workload })));
  return views.map((view) => {
    const issues = view.workloads.flatMap((workload) => {
      const { namespace, name } = workload;
      const twins = all.filter((other) => other.workload.name === name && other.workload.namespace === namespace);
      const others = twins.flatMap((other) => (other.view === view ? [] : [other.view.root.document.file]));
      const plain = index.workloadsCalled({ namespace, name }).map(({ file }) => file);
      const places = [
        ...others,
        ...plain.filter((file) => !view.files.includes(file) && rootOfPatch(file) !== view.root.folder),
      ];
      return places.length === 0 ? [] : [twiceBuilt(view.root, name, places)];
    });
    return issues.length === 0 ? view : { ...view, issues: [...view.issues, ...issues] };
  });
}
