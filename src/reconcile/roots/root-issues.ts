/** What stands in the way of delivering from a kustomize folder, in words. */

import type { Issue } from '../../api/issue.ts';
import { isArgoSource } from '../../manifests/argo-source.ts';
import type { Root } from '../../manifests/kustomize-roots.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { Build } from '../../ports/builder.ts';
import type { Agent } from '../init/agents.ts';

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
export function twiceBuilt(
  { document }: Root,
  { kind, name }: { readonly kind: string; readonly name: string },
  places: readonly string[],
): Issue {
  return {
    file: document.file,
    line: 0,
    path: '',
    reason: 'DuplicateObject',
    message: `${kind} ${name} is also built by ${places.join(' and ')}; wanted it once`,
    hint: 'Keep one, or narrow paths in tranche.yaml to those of one cluster.',
  };
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
