/** Finds Flux Kustomizations that may delete what cannot be changed: past every step, policy and hold. */

import type { Issue } from '../../api/issue.ts';
import { at } from '../../api/json.ts';
import { type ManifestDocument, parseManifestFile } from '../../manifests/parse-file.ts';
import { nameOf } from '../observe/read-rollout.ts';

/** A file with one of these names it; other kinds called Kustomization are not meant. */
export const FLUX_GROUP = 'kustomize.toolkit.fluxcd.io';

/** The Kustomizations with `force: true` that apply the file of the workload. Files that cannot be read say nothing. */
export function forcedBy(texts: ReadonlyMap<string, string>, workload: ManifestDocument): readonly Issue[] {
  const found: Issue[] = [];
  for (const [file, text] of texts) {
    if (!text.includes(FLUX_GROUP) || !text.includes('force')) continue;
    for (const document of parseManifestFile(file, text, ['Kustomization']).documents) {
      if (document.object.apiVersion.startsWith(`${FLUX_GROUP}/`) && applies(document, workload.file))
        found.push(forced(document, workload));
    }
  }
  return found;
}

function applies({ value }: ManifestDocument, file: string): boolean {
  const path = at(value, ['spec', 'path']);
  const folder = (typeof path === 'string' ? path : '').replace(/^\.?\/*/, '').replace(/\/+$/, '');
  return at(value, ['spec', 'force']) === true && (folder === '' || folder === '.' || file.startsWith(`${folder}/`));
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
