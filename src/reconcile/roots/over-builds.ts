/** Which workloads are delivered by a patch of ours over what a kustomize folder builds, as one commit has them. */

import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { patchFile } from '../../manifests/patch-place.ts';
import type { Builder } from '../../ports/builder.ts';
import type { Git } from '../../ports/git.ts';
import type { Beneath } from '../../rollout/edits/beneath.ts';
import type { Desired } from '../desired/desired-rollout.ts';
import type { Builds, BuiltOver } from '../documents/built-over.ts';
import { readWorkload } from '../documents/read-workload.ts';
import { type Agent, agentsIn } from '../init/agents.ts';
import { appliedBy } from './applied-by.ts';
import { atPatch, isCalled } from './at-patch.ts';
import { builtWithout, type OwnPatch } from './bare-build.ts';
import { fluxFiles } from './flux-files.ts';
import { hashOf, keptBuilds, type SignedRecords, toKeep } from './kept-builds.ts';
import { NO_BUILDER } from './no-builder.ts';
import { asAsked, releaseBeneath, releaseIssues } from './over-release.ts';
import { withOwnMarks } from './own-marks.ts';
import { type Asked, patchesIn } from './own-patches.ts';
import { hasPin, patchIssues, repairText, unbuiltIssues } from './patch-issues.ts';
import { type BuildCache, builtOnce, type RootView, readRoots } from './read-roots.ts';
import { type Line, lastBuilt, type Source, withEntry } from './stand-in.ts';
import { removedByHand, returning, takesOut, withoutRemoval } from './taken-out.ts';
import { unbuiltOf } from './unbuilt.ts';
import { isRefused, rolloutOf, wantedOf, withoutPatch } from './wanted-of.ts';

export type BuildWorld = {
  readonly git: Pick<Git, 'readAt'>;
  readonly line: Line;
  readonly builder: Builder;
  readonly cache: BuildCache;
  readonly kept?: ReturnType<typeof keptBuilds>;
};

/**
 * Those that have a patch, and, where somebody has named the program, those of Rollouts whose manifest is not what the cluster
 * gets: for them a commit is going to make one. Nothing is built where there is neither. Throws PortError.
 */
export async function overBuilds(
  desired: Desired,
  {
    git,
    line,
    builder,
    cache,
    records,
  }: Omit<BuildWorld, 'builder'> & {
    readonly builder: Builder | undefined;
    /** Not there: nothing is signed, or nobody looks. */
    readonly records?: SignedRecords | undefined;
  },
): Promise<Builds> {
  const patches = patchesIn(desired);
  const mayAdopt = builder?.isNamed === true;
  const refused = mayAdopt ? desired.rollouts.filter((entry) => isRefused(entry, desired)) : [];
  if (patches.length === 0 && refused.length === 0) return NOTHING;
  const own = patches.flatMap(({ root, ...one }) => ownPatch(one).map((patch) => ({ ...patch, root })));
  const kept = builder && records ? { kept: keptBuilds({ desired, patches: own, records, cache }) } : {};
  const world = { git, line, builder: builder ?? NO_BUILDER, cache, ...kept };
  const { texts, config } = desired;
  const patched = patches.map(({ root }) => root);
  // Folders that nobody asks anything of keep no decision waiting; those that may build an object a second time are asked.
  const names = [...patches.map(({ named }) => named.name), ...refused.flatMap((entry) => wantedOf(entry)?.name ?? [])];
  const agents = agentsIn(texts, config);
  const question = { desired, agents, texts, patched };
  const likely = await readRoots({ ...question, names }, world);
  const isFound = refused.every((entry) => withoutPatch(entry, likely).length > 0);
  // A name may be made in ways that no text shows.
  const views = isFound ? likely : await readRoots(question, world);
  const mine = new Set(patches.map(({ named }) => JSON.stringify(named)));
  const fresh = refused.flatMap((entry) => withoutPatch(entry, views));
  // What has a patch is delivered by it, whatever else builds an object of that name.
  const asked = [...patches, ...fresh.filter(({ named }) => !mine.has(JSON.stringify(named)))];
  // Of two documents in one patch the first is asked about, which says that there is another.
  const once = new Map(
    asked.map((one) => [JSON.stringify([one.root, one.named, one.patch?.file]), one] as const).toReversed(),
  );
  const about = { views, world, desired, patches, agents };
  const built = await Promise.all(
    [...once.values()].toReversed().map(async (one) => withFlux(await overBuild(one, about), agents)),
  );
  const found = new Set(built.map(({ named }) => JSON.stringify(named)));
  return { built, unbuilt: unbuiltOf(refused, likely).filter(({ named }) => !found.has(JSON.stringify(named))) };
}

const NOTHING: Builds = { built: [], unbuilt: [] };

const NO_OBJECTS: BuiltOver['objects'] = new Map();

function ownPatch({ patch, named }: Omit<Asked, 'root'>): readonly OwnPatch[] {
  return patch === undefined ? [] : [{ file: patch.file, named }];
}

type About = {
  readonly views: readonly RootView[];
  readonly world: BuildWorld;
  readonly desired: Desired;
  /** All that are there. */
  readonly patches: readonly Asked[];
  readonly agents: readonly Agent[];
};

async function overBuild(asked: Asked, about: About): Promise<BuiltOver> {
  const { root, named } = asked;
  const view = about.views.find((one) => one.root.folder === root);
  const file = asked.patch?.file ?? patchFile(root, named);
  const twin = about.patches.find(({ patch }) => patch?.file === file && patch !== asked.patch)?.patch;
  const question = { ...asked, file, view, twin, rollout: rolloutOf(named, about.desired.rollouts)?.key };
  const issues = [...unbuiltIssues(question), ...patchIssues(question)];
  const source = await sourceOf({ ...asked, file, view }, about);
  const unbuilt = { input: view?.input, files: view?.files ?? [], key: hashOf(view?.seen ?? ''), objects: NO_OBJECTS };
  const out = asked.patch !== undefined && takesOut(asked.patch) ? removedByHand(asked.patch) : undefined;
  const takenOut = (one: ManifestDocument | undefined): Pick<BuiltOver, 'takenOut'> =>
    out === undefined ? {} : { takenOut: { document: one, issue: out } };
  const unknown = { root, named, file, document: undefined, beneath: undefined, ...unbuilt, issues };
  const nothing = { ...unknown, patch: asked.patch, ...takenOut(undefined) };
  if (source === undefined) return nothing;
  const { input, built, key } = source;
  const patch = source.kind === 'asMain' && !unbuilt.files.includes(file) ? undefined : asked.patch;
  const patches = about.patches.filter((one) => one.root === root).flatMap(ownPatch);
  const without = patch === undefined ? undefined : await builtWithout(source, { file, named, patches }, about.world);
  const document = ownIn(built, named, patch);
  const base = ownIn(without ?? built, named, undefined);
  const beneath =
    base === undefined
      ? undefined
      : beneathOf(base, { root, patch, applied: appliedBy({ root, view, source, named, desired: about.desired }) });
  if (document === undefined || beneath === undefined)
    return { ...nothing, issues: [...issues, ...(without?.issues ?? [])] };
  const versions = named.kind === undefined || base === undefined ? undefined : { built: document, base, patch };
  const there = atPatch(versions === undefined ? document : asAsked(versions), asked.patch ?? named, file);
  const repair = repairText(question.rollout);
  const issuesOf = versions === undefined ? issues : [...issues, ...releaseIssues(versions, { root, repair })];
  const isAlone = built.isAlone && source.kind === 'asMain';
  const read = { input, objects: built.objects, isAlone, issues: issuesOf };
  const here = out === undefined ? { ...read, document: there } : { ...read, ...takenOut(there) };
  const { closure } = source;
  const isKept = about.world.kept !== undefined && out === undefined && patches[0]?.file === file;
  const keeps =
    isKept && without !== undefined && closure !== undefined ? { toKeep: toKeep(without, { closure, patches }) } : {};
  if (source.kind === 'asMain') return { ...nothing, ...here, key: hashOf(key), beneath, ...keeps };
  const files = [...new Set([...unbuilt.files, ...input.files.map(({ path }) => path)])];
  const isEarlier = source.kind === 'earlier' ? ({ isEarlier: true } as const) : {};
  return {
    ...nothing,
    ...here,
    key: hashOf(`${unbuilt.key} ${key}`),
    files,
    beneath: { ...beneath, ...isEarlier },
    isStandIn: true,
  };
}

function ownIn(
  { documents }: Source['built'],
  named: BuiltOver['named'],
  patch: ManifestDocument | undefined,
): ManifestDocument | undefined {
  const document = documents.find((one) => isCalled(one, named));
  return document === undefined ? undefined : withOwnMarks(document, patch);
}

/** With where Flux says what it adds to the folder. */
function withFlux(over: BuiltOver, agents: readonly Agent[]): BuiltOver {
  const flux = fluxFiles(agents, over.root);
  return flux.length === 0 ? over : { ...over, flux };
}

/** What is decided by: the build of main, or what stands for it where a patch of ours has no part in one. */
async function sourceOf(
  { file, view, root, named, patch }: Asked & { readonly file: string; readonly view: RootView | undefined },
  { world, desired, agents }: About,
): Promise<Source | undefined> {
  const isOwn = (one: ManifestDocument): boolean => isCalled(one, named);
  const isPart = view?.input !== undefined && (patch === undefined || view.files.includes(file));
  const isOut = patch !== undefined && takesOut(patch);
  if (isPart && view.input !== undefined && isOut) {
    const [input, key] = [returning(view.input, file), `${view.key ?? ''} with its workload`];
    const built = await builtOnce(input, { key, root: { file }, ...world });
    if (built.documents.some(isOwn)) return { kind: 'asMain', input, closure: view.input, built, key };
  }
  if (isPart && view.input !== undefined && view.documents.some(isOwn)) {
    const { documents, objects, isAlone, key = '' } = view;
    return { kind: 'asMain', input: view.input, closure: view.input, built: { documents, objects, isAlone }, key };
  }
  if (patch === undefined) return undefined;
  const text = desired.texts.get(file) ?? '';
  const asked = { root, file, named, flux: fluxFiles(agents, root), text: isOut ? withoutRemoval(text) : text };
  const entered = view === undefined || isPart ? undefined : await withEntry(asked, view, isOwn, world);
  return entered ?? lastBuilt(asked, isOwn, world);
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
  const release = read.carried === undefined ? {} : { release: releaseBeneath({ base, patch }) };
  return { root, digest, content, replicas, partition, maxUnavailable, isPinned, isAdopted, applied, ...release };
}
