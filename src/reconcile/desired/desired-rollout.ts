/** What the files of the desired branch say, read once a pass: each Rollout with its workload, and what they share. */

import type { Carrier } from '../../api/carrier.ts';
import type { Config } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import { at as valueAt } from '../../api/json.ts';
import { MARK } from '../../api/marks.ts';
import type { ManifestDocument, ManifestFile } from '../../manifests/parse-file.ts';
import type { Folders, Marked, Oid } from '../../ports/git.ts';
import type { RolloutKey } from '../../rollout/snapshot.ts';
import type { BuiltOver } from '../documents/built-over.ts';
import type { Contest } from '../documents/claims.ts';
import type { FileIds } from '../documents/file-ids.ts';
import type { ManifestIndex } from '../documents/manifest-index.ts';
import type { RolloutReading } from '../documents/read-rollout.ts';
import type { RouteProviders } from '../documents/read-route-providers.ts';
import type { TrafficIndex } from '../documents/traffic-index.ts';
import type { PolicyScope } from '../policies/policy-scope.ts';
import type { Trials } from './trials.ts';

export type DesiredRollout = {
  readonly key: RolloutKey;
  /** undefined: a managed workload whose Rollout is gone. */
  readonly rollout: ManifestDocument | undefined;
  readonly reading: RolloutReading;
  /** undefined: missing, or there twice; `issues` says which. */
  readonly workload: ManifestDocument | undefined;
  /** What the workload is called and where it is, or was: it may have been taken out to be re-created. */
  readonly identity: Identity | undefined;
  /** What the policies that match it say; nothing for a workload without Rollout. */
  readonly policy: PolicyScope;
  readonly issues: readonly Issue[];
  /** There: kustomize builds the workload. */
  readonly over?: BuiltOver;
};

export type Identity = {
  readonly file: string;
  readonly namespace: string;
  readonly name: string;
  /** There: kustomize builds it in this folder, and the file is our patch. */
  readonly root?: string;
  /** There: files of Flux objects that apply that folder, as main has them. */
  readonly flux?: readonly string[];
  /** There: this HelmRelease renders it, and has the file. */
  readonly carrier?: Carrier;
};

export type Desired = {
  readonly commit: Oid;
  readonly config: Config;
  /** Paths and blob ids of everything that was read: what must be unchanged for a plan to hold on another parent. */
  readonly blobs: FileIds;
  /** The folders on the way; none where everything was read, and they are of no use. */
  readonly folders: Folders;
  readonly texts: ReadonlyMap<string, string>;
  readonly files: readonly ManifestFile[];
  readonly index: ManifestIndex;
  readonly rollouts: readonly DesiredRollout[];
  readonly inDelivery: readonly DesiredRollout[];
  /** Issues of files that belong to no rollout in particular. */
  readonly issues: readonly Issue[];
  readonly warnings: readonly Issue[];
  /** Configured paths that are not there, as far as anybody has looked. */
  readonly absentPaths?: readonly string[];
  /** What has been tried on documents of these files. */
  readonly trials: Trials;
  /** Services and routes; nothing where no Rollout routes traffic. */
  readonly traffic: TrafficIndex;
  /** Which files have a marker, where everything was read: for the next process. */
  readonly marked?: Marked | undefined;
  /** Kinds of routes that these files describe. */
  readonly customs: RouteProviders['kinds'];
  /** Names that several files claim, where nothing decides yet. */
  readonly contests: readonly Contest[];
};

/** Whether a delivery of its workload is in progress, by its annotations. */
export function isStepped({ workload }: Pick<DesiredRollout, 'workload'>): boolean {
  return valueAt(workload?.value, ['metadata', 'annotations', MARK.step]) !== undefined;
}
