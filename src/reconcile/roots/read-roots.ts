/** Says of each kustomize folder that is applied what it is built from, what to deliver comes out of it, and what is in the way. */

import type { Issue } from '../../api/issue.ts';
import { type AgentBuild, agentBuildsIn, reachesRoot } from '../../manifests/agent-builds.ts';
import { isArgoSource } from '../../manifests/argo-source.ts';
import { asApplied } from '../../manifests/as-applied.ts';
import { unreadFlux } from '../../manifests/flux-merge.ts';
import { type Root, rootsIn } from '../../manifests/kustomize-roots.ts';
import { isKustomizationFile, type ManifestDocument } from '../../manifests/parse-file.ts';
import { folderOf } from '../../manifests/paths.ts';
import type { Build, Builder, BuildInput } from '../../ports/builder.ts';
import type { Git } from '../../ports/git.ts';
import { PortError } from '../../ports/port-error.ts';
import type { Desired } from '../desired/desired-rollout.ts';
import type { BuiltObjects } from '../documents/built-over.ts';
import { carrierNames } from '../helm/named-releases.ts';
import type { Agent } from '../init/agents.ts';
import { agentIssues } from './agent-issues.ts';
import { type BuiltReading, builtWorkloads } from './built-workload.ts';
import { fluxFiles } from './flux-files.ts';
import { isAsked } from './is-asked.ts';
import { foundIn, isNamed, type RootRelease, type RootWorkload, withTwins } from './named-in-root.ts';
import { type ClosedOrRefused, closureKey, readClosures, type WholeClosure } from './read-closures.ts';
import { baseIssue, buildIssue, unreadByFlux } from './root-issues.ts';

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
  /** HelmReleases as built. */
  readonly releases: readonly RootRelease[];
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

/** Those that have a LeaderWorkerSet in any file, or may build a HelmRelease that a Rollout names, in the order of their folders. Throws PortError. */
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
  const releases = carrierNames(desired.rollouts);
  const closures = await readClosures(git, desired.commit, asked, flux);
  const about = roots.flatMap((root) => {
    const closure = closures.get(root.folder);
    return closure !== undefined && isAsked(root, closure, { names, patched, releases }) ? [{ root, closure }] : [];
  });
  const kustomized = new Set(desired.files.flatMap(({ file }) => (isKustomizationFile(file) ? [folderOf(file)] : [])));
  const hasKustomization = (folder: string): boolean => kustomized.has(folder);
  const of = { desired, agents, texts, builds, hasKustomization };
  const views = await Promise.all(about.map((one) => viewOf(one, of, world)));
  return withTwins(views, desired);
}

type Of = Pick<RootsQuestion, 'desired' | 'agents' | 'texts'> & {
  readonly builds: readonly AgentBuild[];
  readonly hasKustomization: (folder: string) => boolean;
};

async function viewOf(
  { root, closure }: { readonly root: Root; readonly closure: ClosedOrRefused },
  { desired, agents, texts, builds, hasKustomization }: Of,
  world: Omit<World, 'git'>,
): Promise<RootView> {
  const { issues, key, ...outputs } = await builtRoot(root, closure, world);
  const found = foundIn(outputs, root, { desired, agents });
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
    ...found,
    faults: key === undefined || outputs.documents.length === 0 ? issues : [],
    issues: [
      ...root.listedBy.map((by) => baseIssue(root, by)),
      ...issues,
      ...agentIssues(
        { root, closed: closure.files },
        [...found.workloads, ...found.releases.filter(isNamed)],
        around,
        desired,
      ),
      ...unreadByFlux(root, applying, files),
      ...unreadFlux({ root: root.folder, texts }),
    ],
  };
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
