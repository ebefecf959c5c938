/** What a Rollout wants of a kustomize folder: the LeaderWorkerSet that it names, or the HelmRelease that renders it. */

import { type Patched, samePatched } from '../../manifests/patch-place.ts';
import type { Desired, DesiredRollout } from '../desired/desired-rollout.ts';
import { carrierOf, wantedBy } from '../helm/named-releases.ts';
import { type Asked, hasMarks } from './own-patches.ts';
import type { RootView } from './read-roots.ts';

/** undefined: it names none. */
export function wantedOf({
  key,
  rollout,
  reading,
}: Pick<DesiredRollout, 'key' | 'rollout' | 'reading'>): Patched | undefined {
  const name = reading.rollout?.rollout.workload.name ?? '';
  const wanted = wantedBy(rollout, { namespace: key.namespace, name });
  return wanted.name === '' ? undefined : wanted;
}

/** The Rollout that wants this. */
export function rolloutOf(named: Patched, rollouts: Desired['rollouts']): DesiredRollout | undefined {
  return rollouts.find((entry) => {
    const wanted = wantedOf(entry);
    return wanted !== undefined && samePatched(wanted, named);
  });
}

/** Not found among the manifests, or not what the cluster gets. A delivery stays where its marks are: only there it goes back. */
export function isRefused(entry: DesiredRollout, desired: Desired): boolean {
  const { workload, reading, issues, rollout } = entry;
  if (reading.rollout === undefined) return false;
  if (workload !== undefined && hasMarks(workload)) return false;
  const carrier = carrierOf(rollout);
  if (carrier === undefined)
    return workload === undefined || issues.some(({ reason }) => reason === 'UnsupportedLayout');
  // What is wrong with its fields is wrong with them in any folder.
  const named = desired.index.releasesCalled(carrier);
  return named.length === 0 || named.some((one) => desired.index.layoutOf(one).length > 0);
}

/** Folders that build it, and have no patch of it yet. */
export function withoutPatch(entry: DesiredRollout, views: readonly RootView[]): readonly Asked[] {
  const named = wantedOf(entry);
  if (named === undefined) return [];
  return views.flatMap(({ root, workloads, releases }) => {
    const built = named.kind === undefined ? workloads : releases;
    const isBuilt = built.some((one) => one.name === named.name && one.namespace === named.namespace);
    return isBuilt ? [{ root: root.folder, named, patch: undefined }] : [];
  });
}
