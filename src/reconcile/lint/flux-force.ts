/** Finds Flux Kustomizations that may delete what cannot be changed: past every step, policy and hold. */

import type { Issue } from '../../api/issue.ts';
import { at } from '../../api/json.ts';
import { type ManifestDocument, parseManifestFile } from '../../manifests/parse-file.ts';
import { nameOf } from '../observe/read-rollout.ts';

/** A file with one of these names it; other kinds called Kustomization are not meant. */
const FLUX_GROUP = 'kustomize.toolkit.fluxcd.io';

/** A Kustomization with `force: true`, and the folder that it applies; empty for all of the repository. */
export type Forcing = { readonly document: ManifestDocument; readonly folder: string };

/** Every Kustomization with `force: true`. Files that cannot be read say nothing. */
export function forcingIn(texts: ReadonlyMap<string, string>): readonly Forcing[] {
  const found: Forcing[] = [];
  for (const [file, text] of texts) {
    if (!text.includes(FLUX_GROUP) || !text.includes('force')) continue;
    for (const document of parseManifestFile(file, text, ['Kustomization']).documents) {
      const isFlux = document.object.apiVersion.startsWith(`${FLUX_GROUP}/`);
      if (isFlux && at(document.value, ['spec', 'force']) === true)
        found.push({ document, folder: folderOf(document) });
    }
  }
  return found;
}

/** Those of them that apply the file of the workload. */
export function forcedBy(all: readonly Forcing[], workload: ManifestDocument): readonly Issue[] {
  return all
    .filter(({ folder }) => folder === '' || workload.file.startsWith(`${folder}/`))
    .map(({ document }) => forced(document, workload));
}

function folderOf({ value }: ManifestDocument): string {
  const path = at(value, ['spec', 'path']);
  const folder = (typeof path === 'string' ? path : '').replace(/^\.?\/*/, '').replace(/\/+$/, '');
  return folder === '.' ? '' : folder;
}

function forced(document: ManifestDocument, workload: ManifestDocument): Issue {
  return {
    file: document.file,
    line: document.lineOf(['spec', 'force']),
    path: 'spec.force',
    reason: 'ForcedApply',
    message: `${nameOf(document)}: force: true deletes and creates anew whatever refuses a change: an edit of subGroupSize takes all groups of ${workload.object.name} down at once, past every policy`,
    hint: 'Remove it, or keep the workload in a Kustomization without it.',
  };
}
