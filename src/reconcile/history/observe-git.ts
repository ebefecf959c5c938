/** Reads the Git side of a snapshot that is not on the head of main: the stable template, the last step, the history. */

import type { Config } from '../../api/config.ts';
import { LWS_KIND } from '../../api/kinds.ts';
import { type Known, known, unknown } from '../../api/known.ts';
import type { StepRecord } from '../../api/record.ts';
import { parseRelease, serialAfter } from '../../api/release.ts';
import { frozenPlanOf } from '../../api/rollout-frozen.ts';
import type { KnownTexts } from '../../manifests/known-texts.ts';
import { type ManifestDocument, parseManifestFile } from '../../manifests/parse-file.ts';
import type { CommitHeader, Folders, Git, Oid } from '../../ports/git.ts';
import { PortError } from '../../ports/port-error.ts';
import { trailersIn } from '../../rollout/commits/trailers.ts';
import { plannedGroups } from '../../rollout/observed/batches.ts';
import { replicasWithoutSurge } from '../../rollout/observed/surge.ts';
import type { StableDocument } from '../../rollout/snapshot.ts';
import { printKey } from '../../rollout/texts/key-text.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import { desiredRequest } from '../documents/desired-branch.ts';
import { documentCalled, isReadHere } from '../documents/manifest-index.ts';
import { mergedFolders } from '../documents/named-folders.ts';
import { readRollout } from '../documents/read-rollout.ts';
import { readWorkload } from '../documents/read-workload.ts';
import { NO_BUILDER } from '../roots/no-builder.ts';
import type { BuildWorld } from '../roots/over-builds.ts';
import { ancestryOf } from './ancestry.ts';
import { arrivalReaders } from './arrival.ts';
import { backsInHistory } from './backs-in-history.ts';
import { broughtReader } from './brought.ts';
import { type DocumentsOf, find, historyReaders } from './documents-at.ts';
import { firstReader } from './first-claims.ts';
import { firstParentsOf } from './first-parents.ts';
import type { GitReader } from './git-reader.ts';
import { textOf } from './stable-copy.ts';
import { templateRemoved } from './template-removed.ts';

type How = {
  readonly config: Config;
  readonly texts: KnownTexts;
  /** Not there: no kustomize folder is built. */
  readonly builds?: Pick<BuildWorld, 'builder' | 'cache'> | undefined;
};

/** A reader for one pass over one head of main; what several rollouts ask for is read once. */
export function gitReader(port: Git, main: Oid, { config, texts, builds }: How): GitReader {
  const ancestry = ancestryOf(port, main);
  const { git, whole, folders } = noting(port, texts, builds);
  const textAt = textReader(whole, config);
  const workloadAt = workloadReader(git, config);
  const isAncestor: GitReader['isAncestor'] = async (commit) =>
    (await ancestry.find(({ oid }) => oid === commit, commit)) !== undefined;
  return {
    historyOf: async (recorded, acknowledged) => {
      if (recorded === main) return { kind: 'continued' };
      if (await isAncestor(recorded)) return { kind: 'continued' };
      // Of this very rewrite: main as someone has looked at it, and what it had lost by then.
      const isMeant = acknowledged !== undefined && acknowledged.recorded === recorded;
      const accepted = isMeant && (await isAncestor(acknowledged.main));
      return { kind: 'rewritten', recorded, acknowledged: accepted };
    },
    textAt,
    releaseOf: async ({ document, commit }, entry) =>
      entry.identity?.root === undefined ? releaseThere(document, commit) : textAt(commit, entry),
    templateRemoved: (entry, wanted) => templateRemoved({ ancestry, textAt }, entry, wanted),
    stepCommit: async (of, wanted) => {
      const own = typeof of === 'function' ? [] : of.map(printKey);
      const isOwn = typeof of === 'function' ? of : (rollout: string) => own.includes(rollout);
      return ancestry.find((commit) => {
        return trailersIn(commit.message).some(({ rollout, release: text, step }) => {
          const release = parseRelease(text);
          return release !== undefined && isOwn(rollout, commit.oid) && wanted(release, step, commit.oid);
        });
      }, undefined);
    },
    workloadAt,
    objectsBuiltAt: async (commit, { identity }) =>
      identity?.root === undefined
        ? new Map()
        : ((await git.builtAt?.(commit, { ...identity, root: identity.root }))?.objects ?? new Map()),
    changedSince: async (since, { identity }) => {
      if (identity?.root === undefined) return undefined;
      const { changedFiles } = await import('./changed-files.ts');
      return changedFiles(port, { ...identity, root: identity.root, since, until: main });
    },
    ...arrivalReaders(ancestry, workloadAt),
    brought: broughtReader(ancestry, textAt),
    automaticBacks: (entry, now) => backsInHistory({ ...ancestry, workloadAt }, { entry, now }),
    stepAt: (commit, entry, step) => stepAt(git, { commit, entry, step, config }),
    ...historyReaders(git, { line: firstParentsOf(port, main), config, firstOf: firstReader(port, config) }),
    isAncestor,
    folders,
  };
}

function textReader(git: DocumentsOf, config: Config): GitReader['textAt'] {
  const documentAt = async (commit: Oid, entry: DesiredRollout): Promise<ManifestDocument | undefined> => {
    const { identity } = entry;
    if (identity === undefined) return undefined;
    const here = await find(git, { commit, paths: [identity.file], identity, config });
    // Moved since: looked up by its identity on all paths, not by its file.
    return here ?? find(git, { commit, paths: config.paths, identity, config });
  };
  return async (commit, entry) => {
    try {
      const document = await documentAt(commit, entry);
      return document === undefined
        ? unknown(`${commit.slice(0, 12)} has no ${entry.identity?.name ?? 'workload'}`)
        : releaseThere(document, commit);
    } catch (error) {
      // Anybody may write a commit into a mark that no server has: waiting for it would end no pass, nor let one go back.
      const isAnswer = error instanceof PortError && (!error.retryable || error.missing === commit);
      if (isAnswer) return unknown(`${commit.slice(0, 12)}: ${error.message}`);
      throw error;
    }
  };
}

function workloadReader(git: DocumentsOf, config: Config): GitReader['workloadAt'] {
  return async (commit, { identity }) => {
    if (identity === undefined) return undefined;
    try {
      const document = await find(git, { commit, paths: [identity.file], identity, config });
      return document === undefined ? undefined : readWorkload(document).workload;
    } catch (error) {
      // Older than the clone: nobody waits for what cannot come.
      if (error instanceof PortError && !error.retryable) return undefined;
      throw error;
    }
  };
}

/** Reads as before, and says which folders that took. `whole` has texts as kustomize prints them, `git` fields alone. */
function noting(
  port: Git,
  texts: KnownTexts,
  builds: How['builds'],
): { readonly git: DocumentsOf; readonly whole: DocumentsOf; readonly folders: GitReader['folders'] } {
  let folders: Folders = [];
  const readAt: DocumentsOf['readAt'] = async (commit, request) => {
    const tree = await port.readAt(commit, request);
    folders = mergedFolders(folders, tree.folders);
    return tree;
  };
  const documentsOf: DocumentsOf['documentsOf'] = ({ files }, kinds) =>
    files.flatMap(({ path, content }) =>
      content.kind === 'text' ? parseManifestFile(path, content.text, kinds, texts).documents.filter(isReadHere) : [],
    );
  const world = { git: { readAt }, builder: builds?.builder ?? NO_BUILDER, cache: builds?.cache ?? new Map() };
  // Loaded where something is built alone.
  const room = () => import('../roots/build-at.ts');
  const read = { readAt, documentsOf };
  return {
    git: { ...read, builtAt: async (commit, of) => (await room()).fieldsAt(world, commit, of) },
    whole: { ...read, builtAt: async (commit, of) => (await room()).builtAt(world, commit, of) },
    // Whichever was read first: what is said of them to the next pass is the same.
    folders: () => folders.map((level) => [...level].sort()),
  };
}

/**
 * The text with the release that it was in that commit. A commit without marks is the one that adoption read, and
 * adoption gave its text the first serial; one whose marks name another text held a request that LWS saw no
 * difference in, and the commit after it took the next serial for it.
 */
function releaseThere(document: ManifestDocument, commit: Oid): Known<StableDocument> {
  const { workload, issues } = readWorkload(document);
  if (workload === undefined)
    return unknown(`${commit.slice(0, 12)}: ${issues[0]?.message ?? 'the workload cannot be read'}`);
  const { digest } = workload;
  const marked = workload.workload.marks?.release ?? { digest, serial: 1 };
  const release = marked.digest === digest ? marked : { digest, serial: serialAfter(marked.serial) };
  const { marks, partition, replicas, maxUnavailable } = workload.workload;
  const fields = { marks, partition, replicas, maxUnavailable };
  const manifest = { file: document.file, object: document.object, workload: fields };
  return known({ commit, release, ...textOf(workload), manifest });
}

async function stepAt(
  git: DocumentsOf,
  at: {
    readonly commit: CommitHeader;
    readonly entry: DesiredRollout;
    readonly step: Pick<StepRecord, 'release' | 'index'>;
    readonly config: Config;
  },
): Promise<StepRecord | undefined> {
  const { rollout, workload, key } = at.entry;
  if (rollout === undefined || workload === undefined) return undefined;
  const tree = await git.readAt(at.commit.oid, { ...desiredRequest([rollout.file, workload.file]), markers: [] });
  const documents = git.documentsOf(tree, [LWS_KIND, 'Rollout']);
  const then = documentCalled(documents, { ...key, kind: 'Rollout' }, at.config);
  const { identity } = at.entry;
  const lws =
    identity?.root === undefined && identity?.carrier === undefined
      ? documentCalled(documents, { ...key, kind: LWS_KIND, name: workload.object.name }, at.config)
      : await find(git, { commit: at.commit.oid, paths: [workload.file], identity, config: at.config });
  const plan = then === undefined ? undefined : readRollout(then).rollout?.rollout;
  const file = lws === undefined ? undefined : readWorkload(lws).workload;
  const replicas = file === undefined ? undefined : replicasWithoutSurge(file.workload);
  if (plan === undefined || file === undefined || replicas === undefined) return undefined;
  return {
    ...at.step,
    planned: plan.steps.map((step) => plannedGroups(step.replicas, replicas)),
    frozen: frozenPlanOf(plan),
    replicas,
    partition: file.workload.partition ?? 0,
    writtenAt: at.commit.committedAt,
    doneSince: undefined,
  };
}
