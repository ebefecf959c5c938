/** What a pass may ask of the history of the desired branch. */

import type { AcknowledgeIntent } from '../../api/acknowledge-intent.ts';
import type { Known } from '../../api/known.ts';
import type { AutomaticBacks, StepRecord } from '../../api/record.ts';
import type { Release } from '../../api/release.ts';
import type { Instant } from '../../api/time.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { CommitHeader, Folders, Oid, Tree } from '../../ports/git.ts';
import type { History, RolloutKey, Stable, StableDocument, WorkloadFile } from '../../rollout/snapshot.ts';
import type { ChangedFile } from '../../rollout/texts/changed-files.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import type { BuiltObjects } from '../documents/built-over.ts';
import type { AnyArrival, ArrivalReader, RequestReader } from './arrival.ts';
import type { BroughtReader } from './brought.ts';
import type { OwnLine } from './own-line.ts';

export type GitReader = {
  /** What became of a commit that a record stands on. */
  readonly historyOf: (recorded: string, acknowledged: AcknowledgeIntent | undefined) => Promise<History>;
  /** The workload as it is in a commit, with the release that it was there. */
  readonly textAt: (commit: Oid, entry: DesiredRollout) => Promise<Known<StableDocument>>;
  /** The same of a document that was found in a commit, whatever file it was in then. */
  readonly releaseOf: (
    found: { readonly document: ManifestDocument; readonly commit: Oid },
    entry: DesiredRollout,
  ) => Promise<Known<StableDocument>>;
  /**
   * The newest commit whose message names a step of one of these that `wanted` accepts; it may say what it has not done. A function is
   * asked of each Rollout that a commit names.
   */
  readonly stepCommit: (
    of: readonly RolloutKey[] | ((rollout: string, commit: Oid) => boolean),
    wanted: (release: Release, step: string, commit: Oid) => boolean,
  ) => Promise<CommitHeader | undefined>;
  /** The newest text of a workload that one of our commits took out of its file, of those that `wanted` accepts. */
  readonly templateRemoved: (entry: DesiredRollout, wanted: (release: Release) => boolean) => Promise<Known<Stable>>;
  /** ConfigMaps and Secrets that a commit built next to a workload; none where kustomize does not build it. */
  readonly objectsBuiltAt: (commit: Oid, entry: DesiredRollout) => Promise<BuiltObjects>;
  /** Files that its folder is built from and that are not as this commit has them; undefined: nobody knows, or none is built. */
  readonly changedSince: (commit: Oid, entry: DesiredRollout) => Promise<readonly ChangedFile[] | undefined>;
  /** The workload in a commit; undefined: it was not in this file, or cannot be read. */
  readonly workloadAt: (commit: Oid, entry: DesiredRollout) => Promise<WorkloadFile | undefined>;
  /** The commit that brought what the marks say. */
  readonly arrival: ArrivalReader;
  readonly arrivalOf: AnyArrival;
  readonly requestedAt: RequestReader;
  /** The commits that made the text of a workload what it is. */
  readonly brought: BroughtReader;
  /** The plan of a step, as the Rollout had it in the commit that wrote the step. */
  readonly stepAt: (
    commit: CommitHeader,
    entry: DesiredRollout,
    step: Pick<StepRecord, 'release' | 'index'>,
  ) => Promise<StepRecord | undefined>;
  /** Rollbacks by themselves that main tells of. */
  readonly automaticBacks: (entry: DesiredRollout, now: Instant) => Promise<AutomaticBacks | undefined>;
  /** What main's own line says of a workload, and of any other object: by this a mark counts, or does not. */
  readonly line: OwnLine;
  /** Documents of these kinds in a commit; `paths` undefined: on all that main is read for. */
  readonly documentsAt: (
    commit: Oid,
    asked: { readonly kinds: readonly string[]; readonly paths: readonly string[] | undefined },
  ) => Promise<readonly ManifestDocument[]>;
  /** The text of one file; undefined: it is not there, or is none. */
  readonly fileAt: (commit: Oid, file: string) => Promise<string | undefined>;
  /** Everything that a commit asks for. */
  readonly treeAt: (commit: Oid) => Promise<Tree>;
  /** Whether a commit is an ancestor of main, by whatever line. */
  readonly isAncestor: (commit: Oid) => Promise<boolean>;
  /** All folders that were read so far. */
  readonly folders: () => Folders;
};
