/** What stands in the way of delivering from a kustomize folder, in words. */

import type { Issue } from '../../api/issue.ts';
import type { AgentBuild } from '../../manifests/agent-builds.ts';
import { isArgoSource } from '../../manifests/argo-source.ts';
import { type BuildPart, changesOf, list, type Transformation } from '../../manifests/kustomize-changes.ts';
import type { Root } from '../../manifests/kustomize-roots.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { pathText } from '../../manifests/path-text.ts';
import type { Build } from '../../ports/builder.ts';
import type { Desired } from '../desired/desired-rollout.ts';
import type { Agent } from '../init/agents.ts';
import type { BuiltWorkload } from './built-workload.ts';

/** A folder that is applied, and a part of another that is. */
export function baseIssue(root: Root, by: ManifestDocument): Issue {
  return {
    file: root.document.file,
    line: 0,
    path: '',
    reason: 'UnsupportedLayout',
    message: `${by.file} lists this folder, so that a step here would be a step there`,
    hint: 'Apply an overlay of its own for each cluster, and this folder by none.',
  };
}

const BY_CAUSE = {
  missing: { reason: 'BuilderMissing' },
  fails: { reason: 'BuildFails' },
  stopped: { reason: 'BuildStopped' },
} as const;

/** kustomize does not build it, or there is no kustomize. */
export function buildIssue(
  root: Pick<ManifestDocument, 'file'>,
  { cause, seen, hint }: Extract<Build, { readonly kind: 'refused' }>,
): Issue {
  const { reason } = BY_CAUSE[cause];
  return { file: root.file, line: 0, path: '', reason, message: seen, hint };
}

/** One object, applied from two places. */
export function twiceBuilt({ document }: Root, name: string, places: readonly string[]): Issue {
  return {
    file: document.file,
    line: 0,
    path: '',
    reason: 'DuplicateObject',
    message: `LeaderWorkerSet ${name} is also built by ${places.join(' and ')}; wanted it once`,
    hint: 'Keep one, or narrow paths in tranche.yaml to those of one cluster.',
  };
}

/** What agents change in it behind the build: a build here would not be what the cluster gets. */
export function agentIssues(
  workloads: readonly BuiltWorkload[],
  builds: readonly AgentBuild[],
  { files, blobs }: Desired,
): readonly Issue[] {
  const byPath = new Map(files.map((file) => [file.file, file]));
  const isThere = (path: string): boolean => blobs.get(path) !== undefined;
  return workloads.flatMap(({ document: object, name }) =>
    builds.flatMap(({ part }) =>
      [...changesOf({ object, files: byPath, isThere }, part), ...componentsOf(part)].map((change) => ({
        file: change.document.file,
        line: change.document.lineOf(change.path),
        path: pathText(change.path),
        reason: 'UnsupportedLayout',
        message: `LeaderWorkerSet ${name}: ${change.by} ${change.what}, so that the build is not what the cluster gets`,
        hint: change.hint,
      })),
    ),
  );
}

/** A file that only Argo CD reads, in a folder that Flux applies: what is built here is not what the cluster gets. */
export function unreadByFlux(root: Root, agents: readonly Agent[], files: readonly string[]): readonly Issue[] {
  const [flux] = agents.filter(({ name }) => name.startsWith('Kustomization '));
  const source = files.find((path) => isArgoSource(path, root.folder));
  if (flux === undefined || source === undefined) return [];
  return [
    {
      file: source,
      line: 1,
      path: '',
      reason: 'UnsupportedLayout',
      message: `Argo CD alone reads this file, and Flux applies the folder (${flux.name}, ${flux.file}:${flux.line})`,
      hint: 'Write the images into the kustomization of the folder, and remove this file.',
    },
  ];
}

/** What a component that an agent adds changes is not looked at: it stands in another folder. */
function componentsOf({ document, under, value, by }: BuildPart): readonly Transformation[] {
  if (list(value['components']).length === 0) return [];
  const hint = 'List the components in the kustomization of the folder itself.';
  return [{ document, path: [...under, 'components'], by, what: 'may change it by components', hint }];
}
