/** Says of every kustomize folder that a merge reaches what it makes of its LeaderWorkerSets, and whether it builds at all. */

import type { Carrier } from '../api/carrier.ts';
import type { Issue } from '../api/issue.ts';
import { rootsIn } from '../manifests/kustomize-roots.ts';
import { rootOfPatch } from '../manifests/patch-place.ts';
import { FILE_EFFECTS } from '../rollout/edits/file-effects.ts';
import type { Desired } from './desired/desired-rollout.ts';
import { agentsIn } from './init/agents.ts';
import type { Ports } from './pass.ts';
import { type BuildCache, type RootView, readRoots } from './roots/read-roots.ts';
import { verifyReleases } from './roots/release-verdict.ts';
import { type RootChange, rootChanges } from './roots/root-changes.ts';

type Effect = Issue & { readonly level: (typeof FILE_EFFECTS)[keyof typeof FILE_EFFECTS]['level'] };

type RootVerdict = {
  /** A folder that was built before the merge, and is not after it: the agent would apply nothing of it, no rollback either. */
  readonly broken: readonly Issue[];
  readonly effects: readonly Effect[];
  /** Whether a folder builds this HelmRelease: then what its own documents say is said of none. */
  readonly isBuilt: (carrier: Carrier) => boolean;
};

const NOTHING: RootVerdict = { broken: [], effects: [], isBuilt: () => false };

/**
 * Only what kustomize changes is told: a manifest that the cluster gets as it is has its own effects. Nothing where no
 * kustomize is at hand, because verify must not depend on it. Throws PortError where Git fails.
 */
export async function verifyRoots(
  { git, builder }: Pick<Ports, 'git' | 'builder'>,
  { before, after }: { readonly before: Desired | undefined; readonly after: Desired | undefined },
): Promise<RootVerdict> {
  if (builder === undefined || before === undefined || after === undefined) return NOTHING;
  if (rootsIn(after.files, new Set()).length === 0) return NOTHING;
  const cache: BuildCache = new Map();
  const viewsOf = (desired: Desired): Promise<readonly RootView[]> => {
    const { texts, config } = desired;
    return readRoots({ desired, agents: agentsIn(texts, config), texts }, { git, builder, cache });
  };
  const [was, is] = [await viewsOf(before), await viewsOf(after)];
  const releases = verifyReleases(was, is, after);
  return {
    broken: [
      ...is.flatMap((view) =>
        brokenIn(
          was.find(({ root }) => root.folder === view.root.folder),
          view,
        ),
      ),
      ...releases.broken,
    ],
    effects: [...rootChanges(was, is).flatMap((change) => effectOf(change, is, after)), ...releases.effects],
    isBuilt: releases.isBuilt,
  };
}

function brokenIn(was: RootView | undefined, is: RootView): readonly Issue[] {
  if (was === undefined || builtIn(was) === 0 || builtIn(is) > 0) return [];
  return is.faults.filter(({ reason }) => reason !== 'BuilderMissing' && reason !== 'BuildStopped');
}

function builtIn({ workloads, releases }: RootView): number {
  return workloads.length + releases.length;
}

function effectOf(change: RootChange, views: readonly RootView[], { index }: Desired): readonly Effect[] {
  const { folder, kind, restarts } = change;
  const view = views.find(({ root }) => root.folder === folder);
  const workload = view?.workloads.find((one) => `${one.namespace ?? '?'}/${one.name}` === change.workload);
  if (kind !== 'template' || view === undefined || workload === undefined) return [];
  // A patch of ours is no manifest that the cluster gets as it is.
  const manifests = index.workloadsCalled(workload).filter(({ file }) => rootOfPatch(file) !== folder);
  const isPlain = manifests.some(({ file }) => view.files.includes(file));
  if (isPlain) return [];
  const { groups, images } = workload;
  const image = images.length === 0 ? '' : ` (${images.join(', ')})`;
  const name = restarts === 0 ? 'LocksRelease' : 'ReachesGroups';
  const does =
    restarts === 0
      ? ', and its partition releases no group for update'
      : `: ${restarts} of ${groups} groups restart when it is applied, without steps`;
  return [
    {
      file: view.root.document.file,
      line: 1,
      path: '',
      reason: name,
      message: `LeaderWorkerSet ${workload.name}: this folder builds another template of it${image}${does}`,
      hint: 'tranche roots --base shows the build before and after.',
      level: FILE_EFFECTS[name].level,
    },
  ];
}
