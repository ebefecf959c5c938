/** Recognises repositories whose manifests are not what the cluster gets: kustomize overlays and Helm templates. */

import { CARRIER_KIND } from '../api/carrier.ts';
import type { Issue } from '../api/issue.ts';
import { LWS_KIND } from '../api/kinds.ts';
import { IN_FOLDER, type Layout, transformationsIn } from './kustomization.ts';
import type { Transformation } from './kustomize-changes.ts';
import type { ManifestDocument } from './parse-file.ts';
import { pathText } from './path-text.ts';
import { folderOf } from './paths.ts';
import { nodesOf } from './source-tree.ts';
import { TEMPLATED_HINT } from './templated.ts';

/**
 * Asked of a workload: why writing to its manifest would not do what the diff says: something changes it on the way to the cluster. None
 * for plain files, and for kustomizations that only list the file.
 */
export function layoutIssues(layout: Layout): (workload: ManifestDocument) => readonly Issue[] {
  const transformations = transformationsIn(layout);
  return (workload) => [
    ...helmIssues(workload, layout.isThere),
    ...kustomizeIssues(transformations(workload), workload),
  ];
}

function kustomizeIssues(found: readonly Transformation[], workload: ManifestDocument): readonly Issue[] {
  const { kind, name } = workload.object;
  return found.map(({ document, path, by, what, hint }) => ({
    file: document.file,
    line: document.lineOf(path),
    path: pathText(path),
    reason: 'UnsupportedLayout',
    message: `${kind} ${name} (${workload.file}): ${by} ${what}, so the file is not what the cluster gets`,
    hint: (kind === LWS_KIND || kind === CARRIER_KIND) && by === IN_FOLDER ? `${hint} ${OR_BUILT}` : hint,
  }));
}

const OR_BUILT = 'Or set TRANCHE_KUSTOMIZE, the path of kustomize, and it is delivered as the folder builds it.';

function helmIssues(workload: ManifestDocument, isThere: Layout['isThere']): readonly Issue[] {
  const { kind, name } = workload.object;
  const chart = chartOf(workload.file, isThere);
  // Nearly no text has any: its tree is not looked at, nor built for this.
  const nodes = /\{[ \t]*\{/.test(workload.text) ? [...nodesOf(workload.root)] : [];
  const template = nodes.find((node) => node.kind === 'template');
  if (chart === undefined && template === undefined) return [];
  const line = workload.firstLine + workload.text.slice(0, template?.start ?? 0).split('\n').length - 1;
  const what = chart === undefined ? 'holds template placeholders ({{ }})' : `is a template of the Helm chart ${chart}`;
  return [
    {
      file: workload.file,
      line,
      path: '',
      reason: 'UnsupportedLayout',
      message: `${kind} ${name}: the file ${what}, so it is not what the cluster gets`,
      hint: TEMPLATED_HINT,
    },
  ];
}

/** The folder of the chart whose templates hold the file. */
function chartOf(file: string, isThere: Layout['isThere']): string | undefined {
  for (let folder = folderOf(file); folder !== ''; folder = folderOf(folder)) {
    const parent = folderOf(folder);
    const isTemplates = folder.slice(folder.lastIndexOf('/') + 1) === 'templates';
    if (isTemplates && isThere(parent === '' ? 'Chart.yaml' : `${parent}/Chart.yaml`))
      return parent === '' ? '.' : parent;
  }
  return undefined;
}
